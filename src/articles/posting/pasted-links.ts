import {
  Events,
  type GuildTextBasedChannel,
  type NonThreadGuildBasedChannel,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import { fault } from '../../runtime/log.ts';
import { languageOfGuild } from '../../community/settings.ts';
import { isApiError } from '../../discord/api-errors.ts';
import { missingPermissions } from '../../discord/access/permissions.ts';
import { type PostingNeeds, postLink } from './post-link.ts';
import { readable } from './forwarded.ts';
import { replyBeside } from './reply-beside.ts';
import { postingPermissions } from './posting-rules.ts';
import { duplicateText } from './submit.ts';
import { asSpoiler, titleOfWords } from '../../text/clean.ts';
import { UserError } from '../../discord/user-error.ts';
import { titleOf } from '../../community/may-stand.ts';
import type { Rules } from '../../community/guild-rules.ts';
import { homeIn } from '../../discord/access/visibility.ts';
import { readArticle } from '../../ranking/articles/articles.ts';
import { findLinks, type FoundLink } from '../../ranking/links/find-links.ts';
import { type Snowflake, snowflakeTimeMs, zSnowflake } from '../../runtime/snowflake.ts';
import {
  keepPreview,
  type PreviewEmbed,
  previewTitle,
  zPreviewUpdate,
} from '../messages/preview.ts';
import { onPacket } from '../../discord/gateway/packets.ts';
import { remember } from '../../discord/remember.ts';
import type { Requests } from '../../discord/requests/requests.ts';
import { SOON_MS, withdraw, type WithdrawNeeds } from './withdraw.ts';

/** The number of members' messages whose previews, edits and deletions can still come. */
const REMEMBERED = 1000;
/** As many links as Discord shows previews of in a message. */
const LINKS_AT_MOST = 5;

/**
 * Answers each link in one of the guild's link channels with its article, and follows what becomes of the message:
 * an edit that mends the link or adds one, and its deletion. It needs the MessageContent intent; without it
 * messages arrive empty. Members who may not post get no answer, because they did not ask for one. The title is
 * from Discord's preview. If that arrives after the message, the article gets the title later.
 */
export interface PastedLinksNeeds extends PostingNeeds, WithdrawNeeds {
  /** Requests that can wait. */
  requests: Requests;
  /** Aborted when the bot is stopping: no link is posted any more. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work. */
  hold: (work: Promise<unknown>) => void;
}

/** What a member wrote, as the gateway told of it. */
type Said = {
  id: Snowflake;
  author: Snowflake;
  channel: GuildTextBasedChannel;
  content: string;
  embeds: readonly PreviewEmbed[];
  isEdit: boolean;
};

/** The bot's message beside a member's: the article of a link, or the answer that it has one already. */
type Answer = { message: Snowflake; link: string; isArticle: boolean };

const zEdited = z.object({
  id: zSnowflake,
  guild_id: zSnowflake,
  channel_id: zSnowflake,
  content: z.string(),
  edited_timestamp: z.string(),
  author: z.object({ id: zSnowflake, bot: z.boolean().optional() }),
});
const zDeleted = z.object({ id: zSnowflake, guild_id: zSnowflake, channel_id: zSnowflake });
const zDeletedInBulk = z.object({
  ids: z.array(zSnowflake),
  guild_id: zSnowflake,
  channel_id: zSnowflake,
});

export function followPastedLinks(needs: PastedLinksNeeds): void {
  const { client, stopping } = needs;
  /**
   * What stands beside members' messages; what happens to a message comes after what happened before. Discord
   * shows the preview at the message, not at the answer to it.
   */
  const answers = new Map<Snowflake, Promise<readonly Answer[]>>();

  function hold(work: Promise<unknown>): void {
    needs.hold(work.catch((error: unknown) => report(needs, error)));
  }

  /** What happened to a message, after all that happened to it before. */
  function next(
    id: Snowflake,
    work: (before: readonly Answer[]) => Promise<readonly Answer[]>,
  ): void {
    const before = answers.get(id) ?? Promise.resolve([]);
    const after = before.catch(() => []).then(work);
    remember(answers, id, after, REMEMBERED);
    hold(
      after.then(({ length }) => length === 0 && answers.get(id) === after && answers.delete(id)),
    );
  }

  function forget(guild: Snowflake, channel: Snowflake, id: Snowflake): void {
    // Of a message that was not answered, nothing stands there.
    if (stopping.aborted || !answers.has(id)) return;
    const gone = { id, channel: { id: channel, guild: { id: guild } } };
    next(id, async (before) => {
      for (const answer of before) await takeBack(needs, gone, answer);
      return [];
    });
  }

  client.on(Events.MessageCreate, (message) => {
    if (stopping.aborted || !message.inGuild()) return;
    const { content, embeds } = readable(message);
    // A notice of Discord's own, such as for a new thread with an address as its name, is no message.
    if (message.author.bot || message.system || content === '') return;
    const { id, channel, author } = message;
    const said = { id, author: author.id, channel, content, embeds, isEdit: false };
    next(id, (before) => follow(needs, said, before));
  });
  onPacket(client, 'MESSAGE_UPDATE', zPreviewUpdate, ({ id, guild_id: guild, embeds }) => {
    const posted = answers.get(id);
    if (posted) hold(posted.then((standing) => keep(needs, guild, standing, embeds)));
  });
  onPacket(client, 'MESSAGE_UPDATE', zEdited, ({ id, channel_id, content, author }) => {
    const channel = client.channels.cache.get(channel_id);
    if (stopping.aborted || author.bot === true || !channel?.isTextBased()) return;
    // Of an older message that nothing stands beside, an edit asks for nothing.
    const isSoon = needs.clock.now() - snowflakeTimeMs(id) < SOON_MS;
    if (channel.isDMBased() || (!isSoon && !answers.has(id))) return;
    const said = { id, author: author.id, channel, content, embeds: [], isEdit: true };
    next(id, (before) => follow(needs, said, before));
  });
  onPacket(client, 'MESSAGE_DELETE', zDeleted, ({ id, guild_id, channel_id }) => {
    forget(guild_id, channel_id, id);
  });
  onPacket(client, 'MESSAGE_DELETE_BULK', zDeletedInBulk, ({ ids, guild_id, channel_id }) => {
    for (const id of ids) forget(guild_id, channel_id, id);
  });
}

/** A guild's rules can refuse a member or a link. */
function report({ log }: Pick<PastedLinksNeeds, 'log'>, error: unknown): void {
  if (error instanceof UserError) return;
  log.warn(fault(error), 'A pasted link was not posted, not given its title, or not followed.');
}

/** Makes what stands beside the message what it asks for now. */
async function follow(
  needs: PastedLinksNeeds,
  said: Said,
  before: readonly Answer[],
): Promise<readonly Answer[]> {
  const { guild } = said.channel;
  const home = homeIn(said.channel);
  if (!home) return before;
  // Members' messages are looked at only where the guild wants that.
  const rules = needs.rules.known(guild.id) ?? (await needs.rules.read(guild.id));
  if (!rules.settings['link-channels'].includes(home.id)) return before;
  const links = findLinks(said.content).slice(0, LINKS_AT_MOST);
  const isWanted = ({ link }: Answer) => links.some(({ canonical }) => canonical === link);
  const standing = before.filter(isWanted);
  for (const answer of before.filter((each) => !isWanted(each))) {
    // What others have voted on stays, and the edit changes nothing.
    if (!(await takeBack(needs, said, answer))) return before;
  }
  // Unlike the answer to a command, these can wait.
  const target = { guild: guild.id, channel: said.channel.id };
  for (const link of links) {
    if (standing.some((answer) => answer.link === link.canonical)) continue;
    try {
      const answer = await needs.requests.ask(target, 'POST', () =>
        post(needs, said, home, link, rules),
      );
      if (answer !== null) standing.push(answer);
    } catch (error) {
      // The other links of the message are followed.
      report(needs, error);
    }
  }
  await keep(needs, guild.id, standing, said.embeds);
  return standing;
}

/** Posts the link if the guild wants that. */
async function post(
  needs: PastedLinksNeeds,
  said: Said,
  home: NonThreadGuildBasedChannel,
  link: FoundLink,
  rules: Rules,
): Promise<Answer | null> {
  const { channel } = said;
  if (missingPermissions(channel, postingPermissions(channel)).length > 0) return null;
  const given = titleOfWords(link.words);
  const found = previewTitle(said.embeds, link.canonical);
  const title = titleOf(rules.blocks, link.href, { given, found }, needs.clock.now());
  let sent: Snowflake | null = null;
  const outcome = await postLink(needs, {
    by: said.id,
    poster: await channel.guild.members.fetch(said.author),
    home,
    channel: channel.id,
    link,
    title: link.isSpoiler ? asSpoiler(title) : title,
    beside: true,
    sendArticleMessage: async (content) => (sent = await replyBeside(said, content, link)),
  });
  if (outcome.status === 'posted') {
    return sent && { message: sent, link: link.canonical, isArticle: true };
  }
  // Who edits a message did not ask again.
  if (outcome.status !== 'duplicate' || said.isEdit) return null;
  const locale = languageOfGuild(rules, channel.guild);
  const text = duplicateText(locale, channel.guild.id, outcome.article);
  const message = await replyBeside(said, text, link);
  return { message, link: link.canonical, isArticle: false };
}

/** False if the answer stays. One that cannot be taken back stops no other. */
async function takeBack(
  needs: PastedLinksNeeds,
  { id, channel }: { id: Snowflake; channel: { id: Snowflake; guild: { id: Snowflake } } },
  { message, isArticle }: Answer,
): Promise<boolean> {
  const guild = channel.guild.id;
  const target = { guild, channel: channel.id };
  try {
    if (isArticle) return await withdraw(needs, guild, { id: message, source: id });
    await needs.requests.delete(target, Routes.channelMessage(channel.id, message));
    return true;
  } catch (error) {
    // Somebody deleted it before.
    if (isApiError(error, 'UnknownMessage')) return true;
    report(needs, error);
    return false;
  }
}

async function keep(
  needs: PastedLinksNeeds,
  guild: Snowflake,
  standing: readonly Answer[],
  embeds: readonly PreviewEmbed[],
): Promise<void> {
  for (const { message, isArticle } of standing) {
    const article = isArticle ? await readArticle(needs.ranking, guild, message) : null;
    if (article) await keepPreview(needs, guild, article, { embeds, isAlone: false });
  }
}
