import { createHash } from 'node:crypto';
import { walkArticles, type WalkedArticle } from '../../ranking/articles/walk-articles.ts';
import { readArticle } from '../../ranking/articles/articles.ts';
import { type Outcome, readOutcomes } from '../../ranking/outcomes.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { readVoters } from '../../ranking/ballots/voters.ts';
import { isFaultOfRedis } from '../../redis/errors.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import { scanHash, scanSet } from '../../redis/scan.ts';
import type { Store } from '../../redis/store.ts';
import { readBoard } from '../../board/stored-board.ts';
import { allEditions } from '../../editions/stored-editions.ts';
import { subjectKey } from '../../community/block-subject.ts';
import { readBlocks } from '../../community/blocks.ts';
import { readDigests } from '../../digests/stored-digests.ts';
import { readUnnamed } from '../../community/unnamed.ts';
import { readOptedOut } from '../../community/opted-out.ts';
import { readOwnScale } from '../../ranking/articles/mark.ts';
import { signsText } from '../../ranking/vote-signs.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { isStandard, readSettings, settingNames } from '../../community/settings.ts';
import { readWebSettings } from '../../web/web-settings.ts';
import {
  type ArticleLine,
  FORMAT,
  type Header,
  linesAtMost,
  type WrittenLine,
  VERSION,
  VOTERS_AT_MOST,
  zLine,
} from './format.ts';
import { parseUrl } from '../../runtime/url.ts';

type Source = { ranking: Ranking; store: Store };

/**
 * All that is a guild's and cannot be derived, as the lines of its file, each with its line feed.
 * The bot goes on meanwhile: every article is as it was when its line was written.
 */
export async function* exportGuild(
  source: Source,
  guild: Snowflake,
  now: number,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const write = (line: Header | WrittenLine): string => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    return text;
  };
  const madeAt = new Date(now).toISOString();
  const { applicationId: application } = source.store;
  yield write({ format: FORMAT, version: VERSION, guild, application, madeAt });
  const faults: string[] = [];
  for (const [kind, linesOf] of Object.entries(parts)) {
    let count = 0;
    try {
      for await (const line of linesOf(source, guild)) {
        count += 1;
        if (count > linesAtMost(line.kind)) {
          faults.push(kind);
          break;
        }
        // A file with a line that no restore takes would be of no use at all.
        if (zLine.safeParse(line).success) yield write(line);
        else faults.push(kind);
      }
    } catch (error) {
      if (!isFaultOfRedis(error)) throw error;
      faults.push(kind);
    }
  }
  if (faults.length > 0) {
    const fields = { guild, kinds: [...new Set(faults)], lines: faults.length };
    source.store.log.warn(
      fields,
      'Some stored data cannot be read, or is more than a file takes, and is not in the file.',
    );
  }
  yield `${JSON.stringify({ kind: 'end', sha256: hash.digest('hex') })}\n`;
}

type LinesOf = (source: Source, guild: Snowflake) => AsyncGenerator<WrittenLine>;

/** What a file holds, in its order. Each is read by itself: one that cannot be read stops no other. */
const parts: Record<string, LinesOf> = {
  async *settings({ store }, guild) {
    const settings = await readSettings(store, guild);
    for (const name of settingNames) {
      // Defaults are left out, so that the default of a later version applies.
      if (!isStandard(settings, name)) yield { kind: 'setting', name, value: settings[name] };
    }
  },
  async *mark({ ranking }, guild) {
    const { mark, spanDays } = await readOwnScale(ranking, guild);
    if (mark !== null) yield { kind: 'mark', mark, ...(spanDays === null ? {} : { spanDays }) };
  },
  async *web({ store }, guild) {
    const web = await readWebSettings(store, guild);
    if (web.open || web.names || !web.feeds || web.invite !== null || web.about !== null)
      yield { kind: 'web', ...web };
  },
  async *board({ store }, guild) {
    const board = await readBoard(store, guild);
    if (board !== null) yield { kind: 'board', ...board.choice };
  },
  async *blocks({ store }, guild) {
    for (const block of (await readBlocks(store, guild)).values())
      yield { kind: 'block', ...block, subject: subjectKey(block.subject) };
  },
  async *optedOut({ store }, guild) {
    for (const member of await readOptedOut(store, guild)) yield { kind: 'opted-out', member };
  },
  async *unnamed({ store }, guild) {
    for (const member of await readUnnamed(store, guild)) yield { kind: 'unnamed', member };
  },
  async *erased({ store }, guild) {
    for await (const [member, atMs] of scanHash(store.redis, storeKeys(store, guild).erased)) {
      yield { kind: 'erased', member, atMs: Number(atMs) };
    }
  },
  async *digests({ store }, guild) {
    for (const one of await readDigests(store, guild)) yield { kind: 'digest', ...one };
  },
  async *editions({ store }, guild) {
    for await (const { name, date, edition } of allEditions(store, guild)) {
      yield { kind: 'edition', name, date, ...edition };
    }
  },
  async *imported({ store }, guild) {
    for await (const page of scanSet(store.redis, storeKeys(store, guild).imported)) {
      for (const article of page) yield { kind: 'imported', article };
    }
  },
  articles: allArticleLines,
};

/** Articles whose voters are read at once. */
const SIDE_BY_SIDE = 50;

/** The newest first: of two articles with one link, the newer keeps the link's name in a restore. */
async function* allArticleLines(source: Source, guild: Snowflake): AsyncGenerator<WrittenLine> {
  const { ranking } = source;
  let waiting: WalkedArticle[] = [];
  const readWaiting = async () => {
    const ids = waiting.map(({ article }) => article.id);
    const outcomes = await readOutcomes(ranking, guild, ids);
    const lines = waiting.map((walked, at) => articleLine(ranking, guild, walked, outcomes[at]!));
    return (await Promise.all(lines)).filter((line) => line !== null);
  };
  for await (const walked of walkArticles(ranking, guild)) {
    waiting.push(walked);
    if (waiting.length < SIDE_BY_SIDE) continue;
    yield* await readWaiting();
    waiting = [];
  }
  yield* await readWaiting();
}

async function articleLine(
  ranking: Ranking,
  guild: Snowflake,
  { article: walked, removedAtMs, isOwn }: WalkedArticle,
  outcome: Outcome,
): Promise<ArticleLine | null> {
  const all = walked.closed ? null : await readVoters(ranking, guild, walked.id);
  // Closed meanwhile, its voters are deleted, and the tally says what they said.
  const isStill = all === null || removedAtMs !== null;
  const article = isStill ? walked : await readArticle(ranking, guild, walked.id);
  if (article === null) return null;
  // A restore derives these.
  const {
    home: _,
    postedAtMs: _at,
    closesAtMs: _closes,
    score: _score,
    signs,
    ...stored
  } = article;
  const { best, led, firstSinceMs, told, isLedOn } = outcome;
  const isAny = best !== null || led.length > 0 || firstSinceMs !== null || told !== '' || isLedOn;
  const line: ArticleLine = {
    kind: 'article',
    ...stored,
    ...(isAny ? { outcome: { ...outcome, led: [...led] } } : {}),
    link: parseUrl(article.link)?.href ?? article.link,
    ...(signs ? { signs: signsText(signs) } : {}),
    ...(removedAtMs === null ? {} : { removedAtMs }),
    ...(isOwn ? { own: true } : {}),
  };
  if (article.closed || all === null || all.size > VOTERS_AT_MOST) return line;
  const idsOf = (wanted: 'up' | 'down') =>
    [...all].filter(([, { vote }]) => vote === wanted).map(([member]) => member);
  const [up, down] = [idsOf('up'), idsOf('down')];
  const both = [...all].filter(([, { older }]) => older).map(([member]) => member);
  const voters = { up, down, ...(both.length > 0 ? { both } : {}) };
  // A vote may have come since the row was read.
  return { ...line, up: 1 + up.length, down: down.length, voters };
}
