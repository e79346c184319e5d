import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { sep } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import type { Check } from '../../contract/check.ts';
import { type Exchange, type Exchanges, OPENED } from '../../src/model/exchanges.ts';
import { noteChecked } from './checked.ts';

/**
 * Holds every request of the bot, and every response and event of the box, to Discord's published
 * specification. A violation fails the test in which it was sent.
 */
let check: Check | undefined;
const unchecked: Exchange[] = [];
const seen = new Set<string>();

/** Of every world that a test opens. */
function follow(exchanges: unknown): void {
  (exchanges as Exchanges).watch((exchange) => void unchecked.push(exchange));
}
subscribe(OPENED, follow);

/** The tests of the box itself send what must be refused. */
const boxTests = ['discord-box', 'test', ''].join(sep);
const contractTests = ['discord-box', 'test', 'contract', ''].join(sep);

const sendsInvalid = (path: string) => path.includes(boxTests) && !path.includes(contractTests);

async function holdToTheSpecification(): Promise<void> {
  if (unchecked.length === 0) return;
  check ??= await (await import('../../contract/check.ts')).loadCheck();
  const isBot = !sendsInvalid(expect.getState().testPath ?? '');
  // One of each kind, whatever its place in a list.
  const violations = new Map<string, string>();
  for (const exchange of unchecked.splice(0)) {
    const { ofBot, ofDiscord } = check(exchange);
    for (const violation of [...(isBot ? ofBot : []), ...ofDiscord]) {
      violations.set(violation.replaceAll(/\[\d+\]/g, '[]'), violation);
    }
    if (isBot && exchange.kind === 'request') seen.add(shapeOf(exchange));
  }
  expect([...violations.values()], 'what Discord’s specification does not allow').toEqual([]);
}

/** Requests are distinct by their route and by which fields they have. */
function shapeOf({ method, route, body }: Exchange & { kind: 'request' }): string {
  const shape = JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'object' ? value : typeof value,
  );
  return `${method} ${route} ${shape}`;
}

afterEach(holdToTheSpecification);
afterAll(async () => {
  // The next file of the same worker has a watch of its own.
  unsubscribe(OPENED, follow);
  await holdToTheSpecification();
  noteChecked(seen);
});
