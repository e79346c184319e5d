import { MessageFlags, MessageType, type NonThreadGuildBasedChannel, Routes } from 'discord.js';
import { z } from 'zod';
import { isOptedOut } from '../../community/opted-out.ts';
import { languageOfGuild } from '../../community/settings.ts';
import { groupOf, isListed } from '../../discord/access/visibility.ts';
import { onPacket } from '../../discord/gateway/packets.ts';
import type { Due } from '../../due/due.ts';
import { ChannelRefused } from '../../discord/requests/refusals.ts';
import { nonceOf } from '../../discord/requests/requests.ts';
import { type Article, INDEXED_AFTER_MS, readArticle } from '../../ranking/articles/articles.ts';
import { findLinks } from '../../ranking/links/find-links.ts';
import { findByLink, namesInChannel } from '../../ranking/links/reservations.ts';
import { noteLedOn } from '../../ranking/outcomes.ts';
import { fault } from '../../runtime/log.ts';
import { type Snowflake, zSnowflake } from '../../runtime/snowflake.ts';
import { translate } from '../../text/catalogue.ts';
import { messageLink } from '../../text/mentions.ts';
import type { PendingPosts } from '../pending-posts.ts';
import { startDiscussion, type StartNeeds } from './discussion.ts';

export interface FirstWordNeeds extends StartNeeds {
  /** The articles whose message is being sent or committed: a reply can come before its article is in the ranking. */
  pendingPosts: PendingPosts;
  /** The bot's own user: the author of all articles' messages. */
  self: Snowflake;
  /** Has a new thread told what was here before. */
  due: Due;
  /** Aborted when the bot is stopping: no thread is begun any more. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work. */
  hold: (work: Promise<unknown>) => void;
}

/** A member's reply. The message that it answers comes with its author, and with its text where the bot may read it. */
const zReply = z.object({
  id: zSnowflake,
  guild_id: zSnowflake,
  channel_id: zSnowflake,
  type: z.literal(MessageType.Reply),
  author: z.object({ id: zSnowflake, bot: z.literal(false).optional() }),
  referenced_message: z.object({
    id: zSnowflake,
    author: z.object({ id: zSnowflake }),
    content: z.string().default(''),
  }),
});
type Reply = z.infer<typeof zReply>;

/** Of a thread that the bot sees again, such as an unarchived one, it is not said. */
const zNewThread = z.object({
  id: zSnowflake,
  guild_id: zSnowflake,
  parent_id: zSnowflake,
  newly_created: z.literal(true),
});

/**
 * Begins an article's thread with the first reply to its message, if the guild wants that, and leads there. Whoever
 * begins a thread at an article, its poster is in it, so that Discord tells them of replies.
 */
export function followFirstWords(needs: FirstWordNeeds): void {
  const { client, log, stopping, hold } = needs;

  function handle(article: Snowflake, work: Promise<void>): void {
    const handled = work.catch((error: unknown) => {
      if (stopping.aborted || error instanceof ChannelRefused) return;
      log.info({ ...fault(error), article }, 'A discussion could not be led on.');
    });
    hold(handled);
  }

  onPacket(client, 'MESSAGE_CREATE', zReply, (reply) => {
    if (!stopping.aborted) handle(reply.referenced_message.id, beginWith(needs, reply));
  });
  onPacket(client, 'THREAD_CREATE', zNewThread, (thread) => {
    if (!stopping.aborted) handle(thread.id, bringPoster(needs, thread));
  });
}

/** Only a thread that began at the article's message has its id. */
async function bringPoster(
  needs: FirstWordNeeds,
  { guild_id: guild, parent_id: channel, id }: z.infer<typeof zNewThread>,
): Promise<void> {
  await needs.pendingPosts.commitOf(channel, id);
  const article = await readArticle(needs.ranking, guild, id);
  if (article === null) return;
  await bring(needs, guild, id, article.poster);
  // It begins with what was here before on its subject.
  await needs.due.plan(guild, `earlier:${id}`, article.postedAtMs + INDEXED_AFTER_MS);
}

/** Brings a member into a thread, unless they opted out. Who leaves it is not brought again. */
async function bring(
  { client, store, requests }: FirstWordNeeds,
  guild: Snowflake,
  thread: Snowflake,
  member: Snowflake,
): Promise<void> {
  if (await isOptedOut(store, guild, member)) return;
  await requests.ask({ guild, channel: thread }, 'POST', () =>
    client.rest.put(Routes.threadMembers(thread, member)),
  );
}

/** The article of the bot's message that is answered, or of a member's message in a link channel. */
async function articleOf(
  { ranking, rules, self, pendingPosts }: FirstWordNeeds,
  { guild_id: guild, channel_id: channel, referenced_message: said }: Reply,
  home: NonThreadGuildBasedChannel,
): Promise<Article | null> {
  if (said.author.id === self) {
    await pendingPosts.commitOf(channel, said.id);
    return readArticle(ranking, guild, said.id);
  }
  const { settings } = await rules.read(guild);
  if (!settings['link-channels'].includes(home.id)) return null;
  const links = findLinks(said.content);
  if (links.length > 0) await pendingPosts.underWay(channel);
  const names = links.flatMap(({ canonical }) =>
    namesInChannel(home.id, canonical, isListed(home)),
  );
  for (const name of names) {
    const id = await findByLink(ranking, guild, name);
    const found = id && (await readArticle(ranking, guild, id));
    if (found && found.channel === channel && found.poster === said.author.id) return found;
  }
  return null;
}

async function beginWith(needs: FirstWordNeeds, reply: Reply): Promise<void> {
  const { client, ranking, rules, requests } = needs;
  const { guild_id: guild, channel_id: channel, author } = reply;
  const at = client.guilds.cache.get(guild)?.channels.cache.get(channel);
  const home = at ? groupOf(at) : null;
  const article = home && (await articleOf(needs, reply, home));
  // Later replies are no first words.
  if (!article || client.channels.cache.has(article.id)) return;
  if (!(await startDiscussion(needs, home, article, 'replied'))) return;
  const locale = languageOfGuild(await rules.read(guild), home.guild);
  const link = messageLink(guild, { channel, id: reply.id });
  await requests.post({ guild, channel: article.id }, Routes.channelMessages(article.id), {
    content: `-# ${translate(locale, 'discussion.led', { link })}`,
    allowed_mentions: { parse: [] },
    flags: MessageFlags.SuppressNotifications,
    nonce: nonceOf(guild, 'first-word', article.id),
    enforce_nonce: true,
  });
  await noteLedOn(ranking, guild, article.id);
  await bring(needs, guild, article.id, author.id);
}
