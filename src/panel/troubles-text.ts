import { brokenText } from '../digests/posting/posting-context.ts';
import { ANNOUNCE } from '../digests/stored-digests.ts';
import { readTroubles, type Trouble } from '../due/troubles.ts';
import { titleOf } from '../editions/edition-title.ts';
import { REASONS } from '../messages/messages.ts';
import type { Store } from '../redis/store.ts';
import { type Clock, MINUTE_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { plainText } from '../text/clean.ts';
import { timestamp } from '../text/mentions.ts';
import type { Finding } from './checks.ts';

/** Shorter troubles pass by themselves, and are said to nobody. */
const LEAST_MS = MINUTE_MS;
const DETAIL_LENGTH = 100;

/** What hinders the work that the bot does by itself: a line for each kind and reason, with its cure if there is one. */
export async function checkWork(
  locale: string,
  guild: Snowflake,
  { store, clock, announcements }: { store: Store; clock: Clock; announcements: Snowflake | null },
): Promise<Finding[]> {
  const found = await readTroubles(store, guild);
  const lasting = found.filter(({ trouble }) => clock.now() - trouble.sinceMs >= LEAST_MS);
  const groups = new Map<string, typeof lasting>();
  for (const one of lasting) {
    const { row, trouble } = one;
    const work = kindOf(row) === 'digest' ? row : kindOf(row);
    const reason = [work, trouble.why, trouble.detail].join(' ');
    groups.set(reason, [...(groups.get(reason) ?? []), one]);
  }
  return [...groups.values()].map((alike): Finding => {
    const { row, trouble } = alike[0]!;
    const times = alike.flatMap(({ nextMs }) => nextMs ?? []);
    const next = times.length === 0 ? '' : timestamp(Math.min(...times), 'R');
    const text = translate(locale, 'check-up.work.hindered', {
      what: whatOf(locale, row, alike.length),
      why: whyOf(locale, trouble, announcements),
      since: timestamp(trouble.sinceMs, 'R'),
      hasNext: next === '' ? 'no' : 'yes',
      next,
    });
    return { state: 'warning', text };
  });
}

function kindOf(row: string): string {
  return row.split(':', 1)[0]!;
}

function whatOf(locale: string, row: string, count: number): string {
  const kind = kindOf(row);
  if (kind === 'digest') return titleOf(locale, row.slice('digest:'.length));
  if (kind === ANNOUNCE) return translate(locale, 'settings.announcements');
  if (kind === 'show') return translate(locale, 'check-up.work.show', { count });
  return translate(locale, 'check-up.work.other', { kind });
}

/** Why, and what ends it; a fault says what failed, for the host. */
function whyOf(locale: string, { why, detail }: Trouble, announcements: Snowflake | null): string {
  const reason = REASONS.find((one) => one === why);
  if (reason !== undefined && announcements !== null) {
    return brokenText(locale, announcements, { reason, detail });
  }
  return translate(locale, 'check-up.work.fault', { detail: plainText(detail, DETAIL_LENGTH) });
}
