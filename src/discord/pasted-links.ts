import { type APIEmbed, type Client, Events, type Message } from 'discord.js';
import { fault } from '../log.ts';
import { translate } from '../text/catalogue.ts';
import { messageLink } from './article-lines.ts';
import type { Bot } from './bot.ts';
import { languageOfGuild } from './guild-rules.ts';
import { isRefusal } from './answer.ts';
import { linkIn } from './link-in-text.ts';
import { missing } from './permissions.ts';
import { NotSent, postLink } from './posting.ts';
import { titleOfLink } from './title.ts';
import { UserError } from './user-error.ts';
import { groupOf } from './visibility.ts';
import { parseLink } from '../voting/link.ts';

export type PastedLinks = { stop(): Promise<void> };

/**
 * Answers a link that somebody writes in one of the guild's link channels with its article. It needs
 * the MessageContent intent; without it messages arrive empty. Who may not post gets no answer: they
 * did not ask for one.
 */
export function followPastedLinks(client: Client, bot: Bot): PastedLinks {
  const working = new Set<Promise<void>>();
  let stopped = false;

  async function take(message: Message<true>): Promise<void> {
    const { guild, channel, content } = message;
    const found = linkIn(content);
    const home = groupOf(channel);
    if (found.status !== 'found' || !home) return;
    const rules = await bot.rules.read(guild.id);
    if (!rules.settings['link-channels'].includes(home.id)) return;
    const sending = channel.isThread() ? 'SendMessagesInThreads' : 'SendMessages';
    const needed = ['ViewChannel', sending, 'EmbedLinks', 'ReadMessageHistory', 'AddReactions'];
    if (missing(channel, needed as Parameters<typeof missing>[1]).length > 0) return;
    const link = parseLink(found.href);
    if (link.status === 'refused') return;
    const locale = languageOfGuild(rules, guild);
    const outcome = await postLink(bot, {
      by: message.id,
      poster: await guild.members.fetch(message.author.id),
      home,
      channel: channel.id,
      link,
      title: titleOfLink(link.href),
      send: (article) => answerWith(message, article),
    });
    if (outcome.status !== 'duplicate') return;
    const known = messageLink(guild.id, outcome.article);
    await answerWith(message, { content: translate(locale, 'post.duplicate', { message: known }) });
  }

  client.on(Events.MessageCreate, (message) => {
    if (stopped || !message.inGuild() || message.author.bot || message.content === '') return;
    const work = take(message)
      .catch((error: unknown) => {
        // A guild's rules can refuse a member or a link.
        if (error instanceof UserError) return;
        bot.log.warn({ ...fault(error), message: message.id }, 'A pasted link was not posted.');
      })
      .finally(() => working.delete(work));
    working.add(work);
  });

  return {
    async stop() {
      stopped = true;
      await Promise.allSettled(working);
    },
  };
}

async function answerWith(
  message: Message<true>,
  body: { content?: string; embeds?: APIEmbed[] },
): Promise<string> {
  try {
    const sent = await message.channel.send({
      ...body,
      reply: { messageReference: message.id, failIfNotExists: false },
      allowedMentions: { parse: [], repliedUser: false },
      // Sent twice because an answer was lost, it is one message.
      nonce: message.id,
      enforceNonce: true,
    });
    return sent.id;
  } catch (error) {
    if (isRefusal(error)) throw new NotSent('Discord refused the message.', { cause: error });
    throw error;
  }
}
