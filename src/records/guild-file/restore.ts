import { finishRescoring } from '../../ranking/articles/mark.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { type ArticleLine, KINDS, type Kind } from './format.ts';
import { type Bytes, type CheckedGuildFile, guildFileLines } from './read.ts';
import { type Fate, isPlain, openMerge } from './merge.ts';
import { openArticleRestore } from './restore-articles.ts';
import { readRebuildStates } from '../rebuilds.ts';
import type { Store } from '../../redis/store.ts';

/** How many lines of each kind met which fate. */
export type Restored = {
  kinds: Record<Kind, Record<Fate, number>>;
  /** Articles that the bot's rebuild is to bring, since their messages have the result. */
  awaited: number;
};

export type RestoreOptions = {
  /** A file that was checked, and its bytes. Whether it is of this guild is the caller's to ask. */
  file: CheckedGuildFile;
  bytes: Bytes;
  now: number;
  /** Without it, nothing is written: the answer says what would be done. */
  write: boolean;
  /** The article as it stands in the guild today: its groups that there are, and who may see it. */
  fit?: (article: ArticleLine) => ArticleLine;
  onLine?: (lines: number) => void;
  /** Ends it before the next line. What is written is whole; started again, it goes on from there. */
  signal?: AbortSignal;
};

/**
 * Puts the content of a guild's file back, and combines it with what is there (`docs/export.md`).
 * Done twice, or interrupted and done again, it leaves what it leaves when done once. In bounded
 * steps, while the bot goes on.
 */
export async function restoreGuild(
  target: { ranking: Ranking; store: Store },
  options: RestoreOptions,
): Promise<Restored> {
  const { ranking, store } = target;
  const { file, now, write, fit = (article) => article } = options;
  const { guild, application } = file;
  const restored: Restored = { kinds: noFates(), awaited: 0 };
  const common = { guild, now, write, isForeign: application !== store.applicationId };
  const [rebuild] = await readRebuildStates(store, [guild]);
  const merge = await openMerge(target, common);
  const articles = openArticleRestore(target, {
    ...common,
    application,
    merge,
    fit,
    madeAtMs: Date.parse(file.madeAt),
    isBorn: rebuild?.born === true,
    onArticle(fate) {
      if (fate === 'awaited') restored.awaited += 1;
      else restored.kinds.article[fate] += 1;
    },
  });
  let lines = 0;
  for await (const line of guildFileLines(options.bytes)) {
    options.signal?.throwIfAborted();
    if (isPlain(line)) restored.kinds[line.kind][await merge.take(line)] += 1;
    else await articles.take(line);
    lines += 1;
    options.onLine?.(lines);
  }
  await articles.end();
  if (!write) return restored;
  // Unless the mark was changed by a restore that was interrupted right then, this does nothing.
  await finishRescoring(ranking, guild);
  // Every process keeps pages and lists of the guild.
  ranking.changes.noteAll(guild);
  await ranking.changes.flush();
  return restored;
}

function noFates(): Restored['kinds'] {
  const none = { added: 0, changed: 0, kept: 0, left: 0 };
  return Object.fromEntries(KINDS.map((kind) => [kind, { ...none }])) as Restored['kinds'];
}
