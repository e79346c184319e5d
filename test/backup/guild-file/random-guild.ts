import { array, constantFrom, nat, record } from 'fast-check';
import { DAY_MS, HOUR_MS } from '../../../src/runtime/clock.ts';
import { noteAnnounced } from '../../../src/articles/announced.ts';
import { restoreBoardChoice } from '../../../src/board/stored-board.ts';
import { memberSubject, siteSubject } from '../../../src/community/block-subject.ts';
import { writeBlock } from '../../../src/community/blocks.ts';
import { repairRun, saveDigest } from '../../../src/digests/stored-digests.ts';
import { zDigest, zRun } from '../../../src/digests/digest-settings.ts';
import { noteImported } from '../../../src/articles/imported.ts';
import { writeEdition } from '../../../src/editions/stored-editions.ts';
import { noteErased } from '../../../src/community/erasures.ts';
import { setOptedOut } from '../../../src/community/opted-out.ts';
import { setUnnamed } from '../../../src/community/unnamed.ts';
import type { Kind } from '../../../src/backup/guild-file/format.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import type { Store } from '../../../src/redis/store.ts';
import { writeWebSettings } from '../../../src/web/web-settings.ts';
import type { VoteSigns } from '../../../src/ranking/vote-signs.ts';
import { postArticle, readArticle } from '../../../src/ranking/articles/articles.ts';
import { closeArticle } from '../../../src/ranking/articles/closing.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { lockArticle, retitleArticle } from '../../../src/ranking/articles/edit.ts';
import { freeLink, linkNames } from '../../../src/ranking/links/reservations.ts';
import { restoreOutcome } from '../../../src/ranking/outcomes.ts';
import type { Ranking } from '../../../src/ranking/ranking.ts';
import { removeArticle } from '../../../src/ranking/articles/removed.ts';
import { SPANS, VOTING_OPEN_MS } from '../../../src/ranking/rules.ts';
import { snowflakeAt, snowflakeTimeMs } from '../../../src/runtime/snowflake.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';

/** What some articles are voted on with. */
const SIGNS: Record<number, VoteSigns> = {
  1: { up: '👍', down: '👎', isDownOffered: false },
  2: { up: '<:up:700000000000000009>', down: '⬇️', isDownOffered: true },
};

export const NOW = 1_772_366_400_000;
export const CHANNELS = ['300000000000000001', '300000000000000002', '300000000000000003'];

/** The article of a number: the same one in every guild, posted up to three weeks before NOW. */
export function articleId(n: number): string {
  const agoMs = ((n * 7919) % (21 * 24)) * HOUR_MS + HOUR_MS;
  return String(BigInt(snowflakeAt(NOW - agoMs)) + BigInt(n));
}
export const memberId = (n: number): string => String(200_000_000_000_000_000n + BigInt(n));

/** What makes a line of each kind of a guild's file. */
const BY_KIND = {
  setting: 'setting',
  mark: 'mark',
  web: 'web',
  board: 'board',
  block: 'block',
  'opted-out': 'out',
  unnamed: 'unnamed',
  erased: 'erased',
  digest: 'digest',
  edition: 'edition',
  imported: 'imported',
  article: 'post',
} as const satisfies Record<Kind, string>;

/** Something that happens in a guild, as numbers, so that two guilds can have a part in common. */
export type Act = { what: (typeof WHATS)[number]; n: number; m: number; x: number };
const WHATS = [
  ...Object.values(BY_KIND),
  'post',
  'post',
  'vote',
  'vote',
  'vote',
  'close',
  'remove',
  'lock',
  'free',
  'retitle',
  'digest',
  'announced',
  'became',
] as const;

export const acts = array(
  record({
    what: constantFrom(...WHATS),
    n: nat({ max: 11 }),
    m: nat({ max: 5 }),
    x: nat({ max: 7 }),
  }),
  { minLength: 30, maxLength: 120, size: 'max' },
);

export async function applyActs(
  { ranking, store }: { ranking: Ranking; store: Store },
  guild: string,
  all: readonly Act[],
): Promise<void> {
  for (const act of all) await entry[act.what]({ ranking, store, guild, ...act });
}

type Target = { ranking: Ranking; store: Store; guild: string } & Omit<Act, 'what'>;

const entry: Record<Act['what'], (target: Target) => Promise<unknown>> = {
  async post({ ranking, guild, n, m, x }) {
    const id = articleId(n);
    const [home, ...others] = [CHANNELS[n % 3]!, CHANNELS[m % 3]!];
    const article = {
      guild,
      id,
      title: `第 ${n} 篇 “${x}”`,
      // Some share a link.
      link: `https://news.example/${n % 9}`,
      ...(x % 2 ? { comment: `One\nTwo ${x}` } : {}),
      ...(SIGNS[x] ? { signs: SIGNS[x] } : {}),
      poster: memberId(n % 4),
      home,
      ...(x === 3 ? { channel: '310000000000000001' } : {}),
      groups: others,
      listed: x !== 5,
    };
    for (const linkName of linkNames(article)) {
      const { status } = await postArticle(ranking, { ...article, linkName });
      if (status !== 'duplicate') return;
    }
  },
  async vote({ ranking, guild, n, m, x }) {
    const ballot = { guild, article: articleId(n), member: memberId(m + 10) };
    const vote = x % 3 === 0 ? 'down' : 'up';
    if (x > 5) await setVote(ranking, { ...ballot, vote, older: true }, inTime(n));
    else await setVote(ranking, { ...ballot, vote }, inTime(n));
  },
  async close({ ranking, guild, n }) {
    if (closesAt(n) <= NOW) await closeArticle(ranking, guild, articleId(n));
  },
  remove: ({ ranking, guild, n, x }) =>
    removeArticle(ranking, guild, articleId(n), NOW - x * HOUR_MS, x % 2 === 1),
  lock: ({ ranking, guild, n, x }) =>
    lockArticle(ranking, { guild, article: articleId(n), locked: x > 2 }),
  free: ({ ranking, guild, n }) =>
    freeLink(ranking, {
      guild,
      linkName: `https://news.example/${n % 9}`,
      article: articleId(n),
    }),
  retitle: ({ ranking, guild, n, x }) =>
    retitleArticle(ranking, { guild, article: articleId(n), title: `Anew ${x}` }),
  setting({ store, guild, x }) {
    if (x < 3) return writeSetting(store, guild, 'repost-days', x);
    if (x < 5) return writeSetting(store, guild, 'groups', CHANNELS.slice(0, x - 2));
    if (x < 6) return writeSetting(store, guild, 'language', 'zh-CN');
    return writeSetting(store, guild, 'announcements', CHANNELS[x - 6]!);
  },
  mark: ({ ranking, guild, x }) =>
    setScale(ranking, guild, {
      mark: [200, 1, 2, 3, 50, 7, 9, 10][x]!,
      spanDays: SPANS[x % SPANS.length]!,
    }),
  async digest({ store, guild, n, m, x }) {
    const name = ['daily', 'weekly', '日报'][n % 3]!;
    const digest = zDigest.parse({
      channel: CHANNELS[m % 3],
      schedule: { every: 'day', time: `0${x}:30`, zone: 'Europe/Berlin' },
      count: m + 1,
      savedAtMs: NOW - x * DAY_MS,
      slotsFromMs: NOW - (x + 1) * DAY_MS,
    });
    if (m < 5) await saveDigest(store, guild, name, digest);
    const run = { lastSlotMs: NOW - x * DAY_MS, lastDate: '2026-02-1' + x, netVotes: {} };
    await repairRun(store, guild, name, zRun.parse(run));
  },
  block({ store, guild, m, x }) {
    const subject = x % 2 ? memberSubject(memberId(m)) : siteSubject('spam.example/someone')!;
    const times = { sinceMs: NOW - x * DAY_MS, untilMs: x % 3 ? null : NOW + DAY_MS };
    const block = { posting: true, voting: x > 3, reason: `废话 ${x}`, by: memberId(9) };
    return writeBlock(store, guild, { subject, ...times, ...block });
  },
  out: ({ store, guild, m, x }) => setOptedOut(store, guild, memberId(m + 40), x < 6),
  unnamed: ({ store, guild, m, x }) => setUnnamed(store, guild, memberId(m + 50), x < 6),
  erased: ({ store, guild, m, x }) => noteErased(store, guild, memberId(m + 30), NOW - x * HOUR_MS),
  async web({ store, guild, x }) {
    await writeWebSettings(store, guild, x > 3 ? { open: x > 6 } : { feeds: x > 1 });
  },
  edition: ({ store, guild, n, m, x }) =>
    writeEdition(
      store,
      guild,
      { name: ['daily', 'weekly', '日报'][n % 3]!, date: `2026-02-1${x}` },
      {
        articles: [{ id: articleId(n), net: m, replies: x }],
        rising: [],
        firstPosts: [articleId(m)],
        discussed: [],
        postedAtMs: NOW - x * DAY_MS,
        fromMs: NOW - (x + 1) * DAY_MS,
        channel: CHANNELS[m % 3]!,
        message: x % 2 ? articleId(n) : null,
        isPublic: x > 2,
      },
    ),
  board: ({ store, guild, m, x }) =>
    restoreBoardChoice(store, guild, {
      channel: CHANNELS[m % 3]!,
      savedAtMs: NOW - x * HOUR_MS,
      savedBy: memberId(m),
    }),
  async announced({ store, guild, n }) {
    // What is older nobody asks about.
    if (closesAt(n) > NOW) await noteAnnounced(store, guild, [articleId(n)]);
  },
  imported: ({ store, guild, n }) => noteImported(store, guild, articleId(n + 20)),
  async became({ ranking, guild, n, m, x }) {
    if ((await readArticle(ranking, guild, articleId(n))) === null) return;
    const led = ['daily', '日报'].slice(0, m % 3).map((name) => ({ name, date: `2026-02-1${x}` }));
    await restoreOutcome(ranking, guild, articleId(n), {
      best: x + 1,
      led,
      firstSinceMs: x > 5 ? NOW - x * HOUR_MS : null,
      told: ['', 's', 'sLf'][m % 3]!,
      isLedOn: x > 3,
    });
  },
};

function closesAt(n: number): number {
  return snowflakeTimeMs(articleId(n)) + VOTING_OPEN_MS;
}
/** While voting was open. */
function inTime(n: number): number {
  return Math.min(NOW, closesAt(n) - 1);
}
