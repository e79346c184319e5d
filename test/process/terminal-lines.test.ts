import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog, fault } from '../../src/log.ts';

/** A terminal without colours. */
function terminal(): { stream: NodeJS.WriteStream; text: () => string } {
  const stream = Object.assign(new PassThrough(), { isTTY: true, hasColors: () => false });
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text };
}

test('on a terminal a line is the time, what is said and its facts, with a link as it is', () => {
  const { stream, text } = terminal();
  const invite = 'https://discord.com/oauth2/authorize?client_id=1&scope=bot';
  createLog('info', stream).info({ guilds: 2, redis: '7.0.15' }, `Add it with ${invite}`);
  expect(text()).toMatch(/^\d\d:\d\d:\d\d Add it with https:\S+  guilds: 2, redis: 7\.0\.15\n$/);
  expect(text()).toContain(` ${invite} `);
});

test('an error with a code is one line more, and one without a code has its stack', () => {
  const { stream, text } = terminal();
  const log = createLog('info', stream);
  log.error(fault(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })), 'Away.');
  expect(text()).toMatch(/^\S+ Away\.\n {9}Error: refused\n$/);
  log.error(fault(new Error('a bug')), 'A fault.');
  expect(text()).toMatch(/ {9}Error: a bug\n\s+at /);
});
