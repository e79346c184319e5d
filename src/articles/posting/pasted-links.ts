import { Events, type Message, type NonThreadGuildBasedChannel } from 'discord.js';
import { fault } from '../../runtime/log.ts';
import { languageOfGuild } from '../../community/settings.ts';
import { missingPermissions } from '../../discord/access/permissions.ts';
import { type PostingNeeds, postLink } from './post-link.ts';
import { readable } from './forwarded.ts';
import { postingPermissions } from './posting-rules.ts';
import { duplicateText } from './submit.ts';
import { asSpoiler, titleOfLink } from '../../text/clean.ts';
import { UserError } from '../../discord/user-error.ts';
import type { Rules } from '../../community/guild-rules.ts';
import { groupOf } from '../../discord/access/visibility.ts';
import { readArticle } from '../../ranking/articles/articles.ts';
import { findLink, type FoundLink } from '../../ranking/links/find-links.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import {
  keepPreview,
  type PreviewEmbed,
  previewTitle,
  zPreviewUpdate,
} from '../messages/preview.ts';
import { onPacket } from '../../discord/gateway/packets.ts';
import { remember } from '../../discord/remember.ts';
import type { Requests } from '../../discord/requests/requests.ts';

/** The number of members' messages whose previews can still come. */
const REMEMBERED = 1000;

/**
 * Answers a link in one of the guild's link channels with its article. It needs the MessageContent
 * intent; without it messages arrive empty. Members who may not post get no answer, because they did
 * not ask for one. The title is from Discord's preview. If that arrives after the message, the article
 * gets the title later.
 */
export interface PastedLinksNeeds extends PostingNeeds {
  /** Requests that can wait. */
  requests: Requests;
  /** Aborted when the bot is stopping: no link is posted any more. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work. */
  hold: (work: Promise<unknown>) => void;
}

export function followPastedLinks(needs: PastedLinksNeeds): void {
  /** The articles of members' messages. Discord shows the preview at the message, not at the answer to it. */
  const articles = new Map<Snowflake, Promise<Snowflake | null>>();

  async function handle(message: Message<true>): Promise<Snowflake | null> {
    const { guild, channel } = message;
    const { content, embeds } = readable(message);
    const home = groupOf(channel);
    if (!home) return null;
    // Members' messages are looked at only where the guild wants that.
    const rules = needs.rules.known(guild.id) ?? (await needs.rules.read(guild.id));
    if (!rules.settings['link-channels'].includes(home.id)) return null;
    const link = findLink(content);
    if (link.status !== 'accepted') return null;
    // Unlike the answer to a command, this one can wait.
    const target = { guild: guild.id, channel: channel.id };
    const article = await needs.requests.ask(target, 'POST', () =>
      post(message, home, link, rules),
    );
    await keep(guild.id, article, embeds);
    return article;
  }

  /** Posts the link if the guild wants that. Returns the id of the new article, or null. */
  async function post(
    message: Message<true>,
    home: NonThreadGuildBasedChannel,
    link: FoundLink,
    rules: Rules,
  ): Promise<Snowflake | null> {
    const { guild, channel } = message;
    if (missingPermissions(channel, postingPermissions(channel)).length > 0) return null;
    const title = previewTitle(readable(message).embeds, link.canonical) || titleOfLink(link.href);
    let sent: Snowflake | null = null;
    const outcome = await postLink(needs, {
      by: message.id,
      poster: await guild.members.fetch(message.author.id),
      home,
      channel: channel.id,
      link,
      title: link.isSpoiler ? asSpoiler(title) : title,
      beside: true,
      sendArticleMessage: async (content) => (sent = await answerWith(message, content)),
    });
    if (outcome.status === 'posted') return sent;
    if (outcome.status !== 'duplicate') return null;
    const locale = languageOfGuild(rules, guild);
    await answerWith(message, duplicateText(locale, guild.id, outcome.article));
    return null;
  }

  async function keep(
    guild: Snowflake,
    id: Snowflake | null,
    embeds: readonly PreviewEmbed[],
  ): Promise<void> {
    const article = id === null ? null : await readArticle(needs.ranking, guild, id);
    if (article) await keepPreview(needs, guild, article, { embeds, isAlone: false });
  }

  function hold(work: Promise<unknown>): void {
    const handled = work.catch((error: unknown) => {
      // A guild's rules can refuse a member or a link.
      if (error instanceof UserError) return;
      needs.log.warn(fault(error), 'A pasted link was not posted, or not given its title.');
    });
    needs.hold(handled);
  }

  needs.client.on(Events.MessageCreate, (message) => {
    if (needs.stopping.aborted || !message.inGuild()) return;
    // A notice of Discord's own, such as for a new thread with an address as its name, is no message.
    if (message.author.bot || message.system || readable(message).content === '') return;
    const article = handle(message);
    remember(articles, message.id, article, REMEMBERED);
    hold(article.then((id) => id ?? articles.delete(message.id)));
  });
  onPacket(needs.client, 'MESSAGE_UPDATE', zPreviewUpdate, ({ id, guild_id: guild, embeds }) => {
    const posted = articles.get(id);
    if (posted) hold(posted.then((article) => keep(guild, article, embeds)));
  });
}

async function answerWith(message: Message<true>, content: string): Promise<Snowflake> {
  const sent = await message.channel.send({
    content,
    reply: { messageReference: message.id, failIfNotExists: false },
    allowedMentions: { parse: [], repliedUser: false },
    // With the nonce, a repeated request after a lost answer creates no second message.
    nonce: message.id,
    enforceNonce: true,
  });
  return sent.id;
}
