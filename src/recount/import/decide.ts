import type { APIMessage, NonThreadGuildBasedChannel } from 'discord.js';
import { readArticleMessage } from '../../articles/messages/article-message.ts';
import type { RecountParts } from '../recount-parts.ts';
import type { Rules } from '../../eligibility/guild-rules.ts';
import { isListed } from '../../discord/access/visibility.ts';
import { mayRepost } from '../../articles/posting/posting-rules.ts';
import { readMessageLink, type MessageLink } from '../../articles/posting/message-link.ts';
import { holds, memberSubject, originBlock } from '../../records/blocks.ts';
import { erasedAmong, isErased } from '../../records/opted-out.ts';
import { readImported } from '../../records/history/imported.ts';
import type { Fate } from '../../records/history/imports.ts';
import { readArticle } from '../../ranking/articles/articles.ts';
import { namesInChannel } from '../../ranking/links/parse.ts';
import { findByLink } from '../../ranking/links/reservations.ts';
import { VOTING_OPEN_MS } from '../../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../ranking/snowflake.ts';
import type { App } from '../../app.ts';

/** The article that has a name in the index of links. */
export type Holder = {
  /** Null in a dry run, for an article that would be imported. */
  article: Snowflake | null;
  postedAtMs: number;
  listed: boolean;
};

type DecisionContext = {
  app: RecountParts;
  /** Null in a dry run. */
  run: string | null;
  rules: Rules;
  group: NonThreadGuildBasedChannel;
  holder(name: string): Promise<Holder | null>;
};

/** A message that becomes an article. */
export type Wanted = {
  found: MessageLink;
  /** The name under which its link is known. */
  name: string;
  /** The article that has the name now, if it is so old that the guild lets the link return. */
  frees: Snowflake | null;
};

/** Decides what an import does with a message. Writes nothing. */
export async function decide(
  context: DecisionContext,
  message: APIMessage,
): Promise<Wanted | Fate> {
  const { app } = context;
  if (message.author.id === app.self) {
    return readArticleMessage(message) === null ? 'bot' : 'known';
  }
  const found = readMessageLink(message);
  if (found.status !== 'found') return found.status;
  const past = await pastOf(context, found.id);
  if (past !== null) return past;
  if (app.clock.now() < snowflakeTimeMs(found.id) + VOTING_OPEN_MS) return 'young';
  if (await isUnwanted(context, found)) return 'unwanted';
  return nameOf(context, found);
}

/** What an import already made of this message: this one before an interruption, or an earlier one. */
async function pastOf({ app, run, group }: DecisionContext, id: Snowflake): Promise<Fate | null> {
  const [article, past] = await Promise.all([
    readArticle(app.ranking, group.guildId, id),
    readImported(app.store, group.guildId, id),
  ]);
  // A process can die between the article and its note.
  if (article) return past === null || past === run ? 'imported' : 'known';
  return past === null ? null : 'removed';
}

/** Whether the guild blocks the poster or the link, or the poster has opted out. */
async function isUnwanted(
  { app, rules, group }: DecisionContext,
  { id, poster, link }: MessageLink,
): Promise<boolean> {
  const now = app.clock.now();
  const block = rules.blocks.get(memberSubject(poster));
  const erased = await erasedAmong(app.store, group.guildId, [poster]);
  return (
    rules.optedOut.has(poster) ||
    isErased(erased, poster, snowflakeTimeMs(id)) ||
    (holds(block, now) && block.posting) ||
    originBlock(rules.blocks, link, now) !== null
  );
}

/**
 * Looks for a free name of the link, as posting does (see `namesInChannel`). A message whose link has an
 * article is a repeat, even if the message is older.
 */
async function nameOf(context: DecisionContext, found: MessageLink): Promise<Wanted | Fate> {
  const { group } = context;
  const { canonical } = found.link;
  const listed = isListed(group);
  const mayReturn = ({ postedAtMs }: Holder) =>
    mayRepost(context.rules, postedAtMs, snowflakeTimeMs(found.id));
  if (!listed) {
    const open = await context.holder(canonical);
    if (open?.listed && !mayReturn(open)) return 'duplicate';
  }
  for (const name of namesInChannel(group.id, canonical, listed)) {
    const holder = await context.holder(name);
    if (holder === null) return { found, name, frees: null };
    // An article that not everyone may see neither blocks a link nor is mentioned.
    if (listed && !holder.listed && name === canonical) continue;
    if (!mayReturn(holder)) return 'duplicate';
    return { found, name, frees: holder.article };
  }
  return 'duplicate';
}

export async function holderOf(
  { ranking }: Pick<App, 'ranking'>,
  guild: Snowflake,
  name: string,
): Promise<Holder | null> {
  const article = await findByLink(ranking, guild, name);
  const holder = article === null ? null : await readArticle(ranking, guild, article);
  return holder && { article, postedAtMs: holder.postedAtMs, listed: holder.listed };
}
