import { Routes } from 'discord.js';
import { isApiError } from '../discord/api-errors.ts';
import { fault } from '../log.ts';
import { importedAmong } from '../records/imported.ts';
import { noteDeleted, noteErased, noteErasing, readErasing } from '../records/opted-out.ts';
import { deleteArticle } from '../ranking/articles/articles.ts';
import { eraseVotes, postsOf } from '../ranking/ballots/of-member.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { App } from '../app.ts';
import { NotOurs } from '../discord/own-messages.ts';

type Tools = Pick<
  App,
  'client' | 'ownMessages' | 'ranking' | 'store' | 'clock' | 'log' | 'stopping'
>;

/**
 * Erases what a guild's data holds of a member: the articles with their votes at once, and the votes
 * that are still kept. The articles' messages are deleted by `finishErasing`, so that no rebuild finds
 * them; until then the note that is made first keeps them out. The messages of imported articles are
 * the member's own and stay; no import takes them in again.
 */
export async function eraseMember(
  { ranking, store, clock }: Tools,
  guild: Snowflake,
  member: Snowflake,
): Promise<{ posts: number; votes: Snowflake[] }> {
  await noteErased(store, guild, member, clock.now());
  const posts = await postsOf(ranking, guild, member);
  const ids = posts.map(({ id }) => id);
  const imported = await importedAmong(store, guild, ids);
  for (const { id, channel } of posts) {
    if (!imported.has(id)) await noteErasing(store, guild, { id, channel });
    await deleteArticle(ranking, guild, id);
  }
  const votes = await eraseVotes(ranking, guild, member, clock.now());
  return { posts: posts.length, votes: votes.map(({ article }) => article.id) };
}

/** Deletes the messages of erased articles; what cannot be deleted now is left for the next time. */
export async function finishErasing(
  { client, ownMessages, store, log, stopping }: Tools,
  guild: Snowflake,
): Promise<void> {
  for (const [article, channel] of await readErasing(store, guild)) {
    if (stopping.aborted) return;
    try {
      await ownMessages.demand({ guild, channel, message: article });
      await client.rest.delete(Routes.channelMessage(channel, article));
    } catch (error) {
      const isGone = isApiError(error, 'UnknownChannel', 'UnknownMessage');
      const isNothingToDo = error instanceof NotOurs || isGone;
      if (!isNothingToDo) {
        log.warn(
          { ...fault(error), guild, article },
          'An erased message could not be deleted yet.',
        );
        continue;
      }
    }
    await noteDeleted(store, guild, article);
  }
}

/** What an earlier run of the bot could not finish. */
export async function finishErasingEverywhere(bot: Tools): Promise<void> {
  for (const guild of bot.client.guilds.cache.keys()) {
    await finishErasing(bot, guild).catch((error: unknown) => {
      bot.log.warn({ ...fault(error), guild }, 'Erasing is to be gone on with at the next start.');
    });
  }
}
