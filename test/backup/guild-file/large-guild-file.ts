import { createHash } from 'node:crypto';
import { VERSION } from '../../../src/backup/guild-file/format.ts';
import { snowflakeAt } from '../../../src/runtime/snowflake.ts';

export const MADE_MS = 1_772_366_400_000;
export const APPLICATION = '1100000000000000001';
export const GUILD = '700000000000000001';
const APART_MS = 1_800_000;
const IN_A_WEEK = 336;

/**
 * Writes the file of a guild that posted one article every half hour. The articles of the last week are
 * open. Every eighth of them has `most` votes, and the others have ten.
 */
export function* guildFile(articles: number, most: number): Generator<string> {
  const hash = createHash('sha256');
  const write = (line: unknown): string => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    return text;
  };
  const madeAt = new Date(MADE_MS).toISOString();
  yield write({
    format: 'frontpage-guild',
    version: VERSION,
    guild: GUILD,
    application: APPLICATION,
    madeAt,
  });
  for (let n = 1; n <= articles; n += 1) {
    const id = articleId(n);
    const isOpen = n < IN_A_WEEK;
    const votes = n % 8 === 0 ? most : 10;
    const downs = Math.floor(votes / 4);
    const up = isOpen ? 1 + votes - downs : 1 + (n % 300);
    const voters = Array.from({ length: votes }, (_, i) => memberId(2000 + i));
    yield write({
      kind: 'article',
      id,
      title: `Nr ${n}: what somebody found out about 什么 and wrote down`,
      link: `https://news${n % 97}.example/2026/03/${n}/what-somebody-found-out-about-it`,
      ...(n % 5 === 0 ? { comment: 'Worth the time.\nRead the second half first.' } : {}),
      poster: memberId(n % 1000),
      groups: [channelId(n % 10), ...(n % 3 === 0 ? [channelId((n + 1) % 10)] : [])],
      up,
      down: isOpen ? downs : n % 20,
      channel: channelId(n % 10),
      interesting: false,
      locked: false,
      closed: !isOpen,
      listed: n % 50 !== 0,
      ...(isOpen ? { voters: { up: voters.slice(downs), down: voters.slice(0, downs) } } : {}),
    });
  }
  yield `${JSON.stringify({ kind: 'end', sha256: hash.digest('hex') })}\n`;
}

export const articleId = (n: number): string =>
  String(BigInt(snowflakeAt(MADE_MS - n * APART_MS)) + BigInt(n));
export const memberId = (n: number): string => String(900_000_000_000_000_000n + BigInt(n));
export const channelId = (n: number): string => String(300_000_000_000_000_000n + BigInt(n));
