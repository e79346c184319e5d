import { DAY_MS } from '../src/runtime/clock.ts';
import type { NewArticle } from '../src/ranking/articles/articles.ts';
import { type Snowflake, snowflakeAt } from '../src/runtime/snowflake.ts';

/** Generated articles and voters, the same in every run except for the post times. */

/** All articles are younger than the week in which they can be voted on, and stay so during a run. */
const SPREAD_MS = 6 * DAY_MS;

/** Ten channels, each with a tenth of a guild's articles. */
export const CHANNELS: readonly Snowflake[] = Array.from({ length: 10 }, (_, i) =>
  String(1_010_000_000_000_000_000n + BigInt(i) * 7_919_004_729_301n),
);

export function guildId(n: number): Snowflake {
  return String(1_005_000_000_000_000_000n + BigInt(n) * 104_729_000_711n);
}

/** A 19-digit id, as of members who joined Discord since 2022; not in ascending order. */
export function memberId(n: number): Snowflake {
  return String(1_000_000_000_000_000_000n + ((BigInt(n) * 0x9e3779b97f4a7c15n) % 10n ** 17n) * 5n);
}

export type Text = { title: string; link: string };

/** A title of 50 bytes and a link of 70. */
export function text(n: number): Text {
  return {
    title: `A headline about nothing, as good as any: ${number(n)}`.slice(0, 50),
    link: `https://www.example.com/2026/11/21/${number(n)}-`.padEnd(70, 'words-of-a-title-'),
  };
}

/** `count` articles spread evenly over the last days, the n-th of them. */
export function newArticle(
  guild: Snowflake,
  n: number,
  { count, now }: { count: number; now: number },
): NewArticle {
  const { title, link } = text(n);
  const postedAtMs = now - SPREAD_MS + (n * SPREAD_MS) / count;
  return {
    guild,
    id: (BigInt(snowflakeAt(postedAtMs)) + (BigInt(n) % 4_194_304n)).toString(),
    title,
    link,
    linkName: link,
    poster: memberId(n + 50_000_000),
    home: CHANNELS[n % CHANNELS.length]!,
    listed: true,
  };
}

function number(n: number): string {
  return String(n).padStart(8, '0');
}
