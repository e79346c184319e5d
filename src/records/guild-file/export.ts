import { createHash } from 'node:crypto';
import { walkArticles, type WalkedArticle } from '../../ranking/articles/walk.ts';
import { type Article, readArticle } from '../../ranking/articles/articles.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { readVoters } from '../../ranking/ballots/voters.ts';
import { unannounced } from '../digests/announced.ts';
import { readBlocks } from '../blocks.ts';
import { SWEEP_SECONDS } from '../digests/posting-claims.ts';
import { readAuditLog } from '../audit-log.ts';
import { readDigests } from '../digests/digests.ts';
import { NO_RUN, parseStored, zRun } from '../digests/digest.ts';
import {
  type ArticleLine,
  FORMAT,
  inOrder,
  type Line,
  noCounts,
  subjectOf,
  VERSION,
  VOTES_IN_LINE,
  type VotesLine,
} from './format.ts';
import { storeKeys } from '../../redis/keys.ts';
import { readErasing, readOptedOut } from '../opted-out.ts';
import { readSettings, settingNames, STANDARD } from '../settings.ts';
import type { Store } from '../../redis/store.ts';
import { readWebSettings } from '../web-settings.ts';

type Source = { ranking: Ranking; store: Store };
type Plain = Exclude<Line, VotesLine>;

/**
 * All that is a guild's and cannot be derived, as the lines of a file (see `guild-file-format.ts`),
 * each with its line feed. In bounded steps, while the bot goes on: every article is as it was when
 * its line was written.
 */
export async function* exportGuild(
  { ranking, store }: Source,
  guild: string,
  now: number,
  onArticle: (articles: number) => void = () => {},
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const counts = noCounts();
  const write = (line: unknown): string => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    return text;
  };
  const madeAt = new Date(now).toISOString();
  const { applicationId: application } = store;
  yield write({ format: FORMAT, version: VERSION, guild, application, madeAt });
  for await (const line of allLines({ ranking, store }, guild, now)) {
    if (line.kind !== 'votes') counts[line.kind] += 1;
    if (line.kind === 'article') onArticle(counts.article);
    yield write(line);
  }
  yield `${JSON.stringify({ kind: 'end', counts, sha256: hash.digest('hex') })}\n`;
}

async function* allLines(source: Source, guild: string, now: number): AsyncGenerator<Line> {
  const { store, ranking } = source;
  yield* inTheirOrder(await settingLines(store, guild));
  yield* await webLines(store, guild);
  yield* inTheirOrder(await blockLines(store, guild));
  const { optedOut, erased } = await readOptedOut(store, guild);
  yield* inTheirOrder([...optedOut].map((member) => ({ kind: 'opted-out', member })));
  yield* inTheirOrder([...erased].map(([member, atMs]) => ({ kind: 'erased', member, atMs })));
  const erasing = await readErasing(store, guild);
  yield* inTheirOrder(
    [...erasing].map(([article, channel]) => ({ kind: 'erasing', article, channel })),
  );
  const deeds = await readAuditLog(store, guild);
  yield* inTheirOrder(deeds.map((deed) => ({ kind: 'deed', deed })));
  yield* inTheirOrder(await digestLines(store, guild));
  yield* importedLines(store, guild);
  let some: Promise<Line[]>[] = [];
  for await (const walked of walkArticles(ranking, guild)) {
    some.push(articleLines(source, guild, walked, now));
    if (some.length < SIDE_BY_SIDE) continue;
    for (const lines of await Promise.all(some)) yield* lines;
    some = [];
  }
  for (const lines of await Promise.all(some)) yield* lines;
}

/** Articles whose voters are read at once. */
const SIDE_BY_SIDE = 50;

function inTheirOrder<L extends Plain>(lines: L[]): L[] {
  const keyed = lines.map((line) => ({ line, subject: subjectOf(line) }));
  keyed.sort((a, b) => (a.subject < b.subject ? -1 : 1));
  return keyed.map(({ line }) => line);
}

/** What is as at first is left out, so that a later version's default reaches the guild. */
async function settingLines(store: Store, guild: string): Promise<Plain[]> {
  const settings = await readSettings(store, guild);
  return settingNames
    .filter((name) => JSON.stringify(settings[name]) !== JSON.stringify(STANDARD[name]))
    .map((name) => ({ kind: 'setting', name, value: settings[name] }));
}

async function webLines(store: Store, guild: string): Promise<Plain[]> {
  const web = await readWebSettings(store, guild);
  return web.open || web.names || web.secret !== null ? [{ kind: 'web', ...web }] : [];
}

async function blockLines(store: Store, guild: string): Promise<Plain[]> {
  const blocks = await readBlocks(store, guild);
  return [...blocks.values()].map((block) => ({ kind: 'block', ...block }));
}

async function digestLines(store: Store, guild: string): Promise<Plain[]> {
  const digests = await readDigests(store, guild);
  const lines = new Map<string, Plain>();
  const runs = await store.redis.hgetall(storeKeys(store.applicationId, guild).runs);
  for (const [name, json] of Object.entries(runs)) {
    const run = parseStored(zRun, json).value ?? NO_RUN;
    lines.set(name, { kind: 'digest', name, digest: null, run });
  }
  for (const one of digests) lines.set(one.name, { kind: 'digest', ...one });
  return [...lines.values()];
}

async function* importedLines(store: Store, guild: string): AsyncGenerator<Plain> {
  const { imported } = storeKeys(store.applicationId, guild);
  const found: [bigint, string][] = [];
  let cursor = '0';
  do {
    const [next, pairs] = await store.redis.hscan(imported, cursor, 'COUNT', STEP);
    cursor = next;
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      // One that an import only began with is nobody's yet.
      if (!pairs[i + 1]!.startsWith('~')) found.push([BigInt(pairs[i]!), pairs[i + 1]!]);
    }
  } while (cursor !== '0');
  found.sort(([a], [b]) => (a < b ? -1 : 1));
  let before: bigint | null = null;
  for (const [article, run] of found) {
    if (article !== before) yield { kind: 'imported', article: String(article), run };
    before = article;
  }
}

const STEP = 1000;

async function articleLines(
  { ranking, store }: Source,
  guild: string,
  walked: WalkedArticle,
  now: number,
): Promise<Line[]> {
  const { removedAtMs } = walked;
  let { article } = walked;
  let votes: VotesLine['votes'] = [];
  if (!article.closed) {
    votes = await ballots(ranking, guild, article.id);
    // Closed meanwhile, its voters are deleted, and the tally says what they said.
    const since = removedAtMs === null ? await readArticle(ranking, guild, article.id) : article;
    if (since === null) return [];
    if (since.closed) [article, votes] = [since, []];
  }
  const isYoung = now - article.postedAtMs < SWEEP_SECONDS * 1000;
  const isAnnounced = isYoung && (await unannounced(store, guild, [article.id])).length === 0;
  const lines: Line[] = [articleLine({ ...walked, article }, votes, isAnnounced)];
  for (let i = 0; i < votes.length; i += VOTES_IN_LINE) {
    lines.push({ kind: 'votes', article: article.id, votes: votes.slice(i, i + VOTES_IN_LINE) });
  }
  return lines;
}

const KNOWN = ['guild', 'channel', 'own'] as const;

function articleLine(
  { article, linkName, removedAtMs }: WalkedArticle,
  votes: VotesLine['votes'],
  isAnnounced: boolean,
): ArticleLine {
  const { id, title, comment, poster, groups, channel, home, closed, locked, listed } = article;
  const ups = votes.filter(([, vote]) => vote === 'up').length;
  return {
    kind: 'article',
    id,
    title,
    link: URL.canParse(article.link) ? new URL(article.link).href : article.link,
    ...(comment ? { comment } : {}),
    poster,
    groups,
    ...(channel === home ? {} : { thread: channel }),
    // Of an open one the voters are the truth; a vote may have come since its row was read.
    up: closed ? article.up : 1 + ups,
    down: closed ? article.down : votes.length - ups,
    state: closed ? 'closed' : locked ? 'locked' : 'open',
    listed,
    known: linkName === null ? 'none' : KNOWN[linkName],
    ...(removedAtMs === null ? {} : { removedAtMs }),
    ...(isAnnounced ? { announced: true } : {}),
  };
}

async function ballots(
  ranking: Ranking,
  guild: string,
  article: Article['id'],
): Promise<VotesLine['votes']> {
  return byMember(await readVoters(ranking, guild, article)).map(([member, { vote, older }]) =>
    older ? [member, vote, 'both'] : [member, vote],
  );
}

function byMember<T>(members: ReadonlyMap<string, T>): [string, T][] {
  return [...members].sort(([a], [b]) => (inOrder(a) < inOrder(b) ? -1 : 1));
}
