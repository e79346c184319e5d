import type { APIMessage, NonThreadGuildBasedChannel } from 'discord.js';
import type { RecountParts } from '../recount-parts.ts';
import type { Rules } from '../../eligibility/guild-rules.ts';
import { isApiError } from '../../discord/api-errors.ts';
import { isListed } from '../../discord/access/visibility.ts';
import { isNews, noteAnnounced } from '../../records/digests/announced.ts';
import { erasedAmong, isErased } from '../../records/opted-out.ts';
import { noteImported } from '../../records/history/imported.ts';
import type { Fate } from '../../records/history/imports.ts';
import { deleteArticle } from '../../ranking/articles/articles.ts';
import { putArticle } from '../../ranking/ballots/put-article.ts';
import { freeLink } from '../../ranking/links/reservations.ts';
import { type Snowflake, snowflakeTimeMs } from '../../ranking/snowflake.ts';
import type { ConcurrentEvents } from '../../voting/concurrent-votes.ts';
import { type Both, countsOf } from '../reactions/counts.ts';
import { Incomplete, readReactors } from '../reactions/lists.ts';
import { decide, holderOf, type Wanted } from './decide.ts';

type Taking = {
  app: RecountParts;
  guild: Snowflake;
  group: NonThreadGuildBasedChannel;
  run: string;
  /** What happened to the message since it was read. */
  events: ConcurrentEvents;
};

/**
 * Makes a closed article of a member's message, if the message qualifies. The article has the
 * message's id, so importing it twice makes one article.
 */
export async function importMessage(taking: Taking, message: APIMessage): Promise<Fate> {
  const { app, guild, group, run } = taking;
  const rules = await app.rules.read(guild);
  const holder = (name: string) => holderOf(app, guild, name);
  const decision = await decide({ app, run, rules, group, holder }, message);
  if (typeof decision !== 'string') return post(taking, rules, message, decision);
  // An earlier process died between writing the article and this note.
  if (decision === 'imported') await noteImported(app.store, guild, message.id, run);
  return decision;
}

async function post(
  { app, guild, group, run, events }: Taking,
  rules: Rules,
  message: APIMessage,
  { found: { id, poster, link, title }, name, frees }: Wanted,
): Promise<Fate> {
  const { ranking, store } = app;
  const result = await readResult(app, guild, rules, message);
  if (result === null || events.cleared) return 'unreadable';
  // An interesting article of a history is not news, so do not announce it.
  if (isNews(id, app.clock.now())) await noteAnnounced(store, guild, [id]);
  if (frees !== null) await freeLink(ranking, { guild, linkName: name, article: frees });
  const article = {
    guild,
    id,
    title,
    link: link.href,
    poster,
    home: group.id,
    channel: message.channel_id,
    listed: isListed(group),
    tally: { ...result, closed: true },
  };
  const { status } = await putArticle(ranking, article, [name]);
  // Somebody posted the link at the same time.
  if (status === 'duplicate') return 'duplicate';
  if (events.cleared) {
    await deleteArticle(ranking, guild, id);
    return 'unreadable';
  }
  await noteImported(store, guild, id, run);
  return status === 'posted' ? 'imported' : 'removed';
}

export function hasVotes(message: APIMessage): boolean {
  const { up, down } = countsOf(message);
  return up > 0 || down > 0;
}

/**
 * Returns the final result of a member's message: one up vote for its poster, and one vote for each
 * member who shows one of the two reactions. Counts do not show whether they include the poster or a
 * bot, so the lists are read if anybody except this bot reacted: one request for each kind, and one
 * for each further hundred members. Returns null if the lists cannot be read completely.
 */
async function readResult(
  app: RecountParts,
  guild: Snowflake,
  rules: Rules,
  message: APIMessage,
): Promise<Both | null> {
  const { id, channel_id: channel, author } = message;
  const none = { up: 1, down: 0 };
  if (!hasVotes(message)) return none;
  try {
    const of = { id, channel, poster: author.id, ...none };
    const { reactors } = await readReactors(app, guild, of, message);
    const erased = await erasedAmong(app.store, guild, [...reactors.up, ...reactors.down]);
    const stays = (member: Snowflake): boolean =>
      !rules.optedOut.has(member) && !isErased(erased, member, snowflakeTimeMs(id));
    const up = [...reactors.up].filter(stays);
    const down = [...reactors.down].filter(stays);
    // Lists do not show which of two reactions is newer, so a member who shows both has no vote.
    return {
      up: 1 + up.filter((member) => !reactors.down.has(member)).length,
      down: down.filter((member) => !reactors.up.has(member)).length,
    };
  } catch (error) {
    if (isApiError(error, 'UnknownMessage') || error instanceof Incomplete) return null;
    throw error;
  }
}
