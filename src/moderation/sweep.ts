/** Several articles for a moderator, and those that come back as one. */

import type { GuildMember } from 'discord.js';
import type { Block, Blocks } from '../community/blocks.ts';
import { subjectKey } from '../community/block-subject.ts';
import { type Refusal, refusalOf, wantedOf } from '../community/may-stand.ts';
import { listsFor } from '../discord/access/visibility.ts';
import { articlesOf } from '../ranking/lists/of-poster.ts';
import { restoreArticle, walkRemoved } from '../ranking/articles/removed.ts';
import { LOOKED_THROUGH, walkList } from '../ranking/lists/ranked.ts';
import type { Article } from '../ranking/row.ts';
import { askedOnce } from '../runtime/asked-once.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Listing } from '../articles/listing.ts';
import type { MessageUpdates } from '../articles/messages/message-updates.ts';
import { mayModerate } from './may-moderate.ts';
import { answerReports, type ReportNeeds } from './reports.ts';

export interface SweepNeeds extends Pick<ReportNeeds, 'store' | 'due'> {
  /** The articles, and what was removed of them. */
  ranking: Ranking;
  /** What is blocked since is not restored. */
  rules: GuildRules;
  /** Discord's time. */
  clock: Clock;
  /** Edits the messages of the articles that are moderated. */
  messageUpdates: MessageUpdates;
  /** Keeps the lists equal to what everyone may view, also while an article is moved. */
  listing: Listing;
  /** Reads who reacted to an article that is open again. */
  recountArticleSoon(guild: Snowflake, article: Snowflake): void;
}

/** A poster's articles that this moderator may remove, the newest first. */
export async function moderatedLinksOf(
  { ranking }: Pick<SweepNeeds, 'ranking'>,
  by: GuildMember,
  poster: Snowflake,
): Promise<Article[]> {
  const found = await articlesOf(ranking, by.guild.id, poster, listsFor(by));
  return found.filter((article) => mayModerate(by, article));
}

/** Whether somebody wanted that. Nobody did of a link that is refused for the many addresses in it. */
function isBlocked(refusal: Refusal | null): boolean {
  return refusal !== null && refusal !== 'tangled';
}

/** What some blocks would not let in today and is still here: as much of it as this moderator may remove. */
export async function stillHere(
  { ranking, clock }: Pick<SweepNeeds, 'ranking' | 'clock'>,
  by: GuildMember,
  wanted: readonly Block[],
): Promise<Article[]> {
  const blocks: Blocks = new Map(wanted.map((block) => [subjectKey(block.subject), block]));
  const isRefused = (article: Article) =>
    isBlocked(refusalOf(blocks, { poster: article.poster, ...wantedOf(article) }, clock.now()));
  const mayRemove = askedOnce((home: Snowflake) => mayModerate(by, { home }));
  const found = new Map<Snowflake, Article>();
  let left = LOOKED_THROUGH;
  for (const group of listsFor(by)) {
    if (left <= 0) break;
    const list = { guild: by.guild.id, group, order: 'time' } as const;
    for await (const articles of walkList(ranking, list, left)) {
      left -= articles.length;
      const refused = articles.filter((article) => mayRemove(article.home) && isRefused(article));
      for (const article of refused) found.set(article.id, article);
    }
  }
  return [...found.values()];
}

/** Restores what was removed by moderators at this time (ms) and this moderator may restore. Returns it. */
export async function restoreAll(
  needs: SweepNeeds,
  by: GuildMember,
  atMs: number,
): Promise<Article[]> {
  const { ranking, listing } = needs;
  const guild = by.guild.id;
  const found = new Map<Snowflake, Article>();
  for await (const { article, own, ...removed } of walkRemoved(ranking, guild)) {
    if (!own && removed.atMs === atMs && mayModerate(by, article)) found.set(article.id, article);
  }
  const restored: Article[] = [];
  const { blocks } = await needs.rules.read(guild);
  // It was removed since a block was there before; whoever blocked something meanwhile wants that to stay away.
  const newer: Blocks = new Map([...blocks].filter(([, { sinceMs }]) => sinceMs > atMs));
  for (const article of found.values()) {
    if (isBlocked(refusalOf(newer, wantedOf(article), needs.clock.now()))) continue;
    const { status } = await listing.write({ guild, ...article }, (listed) =>
      restoreArticle(ranking, guild, article.id, listed),
    );
    // The link of another may have been posted again.
    if (status !== 'restored') continue;
    needs.recountArticleSoon(guild, article.id);
    restored.push(article);
  }
  await answerReports(
    needs,
    guild,
    restored.map(({ id }) => id),
  );
  return restored;
}

/** How many of a poster's links were removed by moderators in the last 90 days where this one moderates. */
export async function removedOf(
  { ranking }: Pick<SweepNeeds, 'ranking'>,
  by: GuildMember,
  poster: Snowflake,
): Promise<number> {
  const found = new Set<Snowflake>();
  for await (const { article, own } of walkRemoved(ranking, by.guild.id)) {
    if (!own && article.poster === poster && mayModerate(by, article)) found.add(article.id);
  }
  return found.size;
}
