import { storeKeys } from '../../redis/store-keys.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Store } from '../../redis/store.ts';
import { type ArticleLine, type Header, type Kind, KINDS, type Line, MANY } from './format.ts';
import { readRebuildState } from '../history/rebuilds.ts';
import { type ArticleTarget, putArticles } from './restore-articles.ts';
import { type LineFate, putRecord } from './restore-records.ts';

/** How many lines of each kind met which fate. */
export type Restored = Record<Kind, Record<LineFate, number>>;

export type RestoreOptions = {
  header: Header;
  /** The lines of a checked file. The caller checks that the file is of this guild. */
  lines: AsyncIterable<Line>;
  now: number;
  /** Returns the line as it may be stored in this guild, or null if it refers to something outside it. */
  check?: (line: Line) => Promise<Line | null>;
  onLine?: (lines: number) => void;
  /** Ends it before the next line. Started again, the restore goes on from there. */
  signal?: AbortSignal;
};

/** The weight of one step. */
const STEP = 500;

/** Lines of one kind that follow one another, as many as are put at once. */
async function* inSteps(lines: AsyncIterable<Line>): AsyncGenerator<Line[]> {
  let step: Line[] = [];
  let weight = 0;
  for await (const line of lines) {
    if (step.length > 0 && (weight >= STEP || line.kind !== step[0]?.kind)) {
      yield step;
      step = [];
      weight = 0;
    }
    step.push(line);
    weight += weightOf(line);
  }
  if (step.length > 0) yield step;
}

function weightOf(line: Line): number {
  if (line.kind === 'article')
    return 5 + (line.voters?.up.length ?? 0) + (line.voters?.down.length ?? 0);
  // The others go one at a time, because each can change the fate of the next line.
  return MANY.has(line.kind) ? 1 : STEP;
}

/**
 * Restores the content of a guild's file, unless Discord or the stored data is newer. It can be
 * repeated or resumed: the result is the same. The bot keeps running meanwhile.
 */
export async function restoreGuild(
  { ranking, store }: { ranking: Ranking; store: Store },
  options: RestoreOptions,
): Promise<Restored> {
  const { header, now, check = (line: Line) => Promise.resolve(line) } = options;
  const { guild, application, madeAt } = header;
  const rebuild = await readRebuildState(store, guild);
  const target = {
    ranking,
    store,
    guild,
    keys: storeKeys(store, guild),
    now,
    madeAtMs: Date.parse(madeAt),
    isForeign: application !== store.applicationId,
    isComplete: rebuild.complete,
  };
  const restored = noFates();
  let count = 0;
  for await (const step of inSteps(options.lines)) {
    const checked: Line[] = [];
    for (const given of step) {
      options.signal?.throwIfAborted();
      const line = await check(given);
      if (line === null) restored[given.kind].left += 1;
      else checked.push(line);
      options.onLine?.((count += 1));
    }
    const kind = step[0]!.kind;
    for (const fate of await put(target, checked)) restored[kind][fate] += 1;
  }
  // Articles of another file's interrupted restore are no longer marked; a recount repairs their votes.
  await store.redis.del(target.keys.restoring);
  // Every process keeps pages and lists of the guild.
  ranking.changes.note(guild);
  await ranking.changes.flush();
  return restored;
}

function noFates(): Restored {
  const none = { put: 0, kept: 0, left: 0 };
  return Object.fromEntries(KINDS.map((kind) => [kind, { ...none }])) as Restored;
}

/** Lines of one kind. */
async function put(target: ArticleTarget, lines: readonly Line[]): Promise<LineFate[]> {
  const [first] = lines;
  if (first === undefined) return [];
  if (first.kind === 'article') return putArticles(target, lines as ArticleLine[]);
  const putLine = putRecord[first.kind] as (target: ArticleTarget, line: Line) => Promise<LineFate>;
  return Promise.all(lines.map((line) => putLine(target, line)));
}
