import { ApplicationCommandOptionType, ChannelType, type GuildTextBasedChannel } from 'discord.js';
import { messageLink } from '../src/discord/article-lines.ts';
import { articleMessage } from '../src/discord/article-message.ts';
import { answer, answerPublicly, isRefusal } from '../src/discord/answer.ts';
import type { Command, GuildCommand } from '../src/discord/command.ts';
import { demand } from '../src/discord/permissions.ts';
import { NotSent, type PostingOutcome, postLink } from '../src/discord/posting.ts';
import { cleanTitle, MAX_TITLE_LENGTH, titleOfLink } from '../src/discord/title.ts';
import { UserError } from '../src/discord/user-error.ts';
import { groupOf } from '../src/discord/visibility.ts';
import { words } from '../src/discord/words.ts';
import { translate } from '../src/text/catalogue.ts';
import { parseLink } from '../src/voting/link.ts';

export default {
  data: {
    ...words('command.post'),
    options: [
      { type: ApplicationCommandOptionType.String, required: true, ...words('command.post.link') },
      {
        type: ApplicationCommandOptionType.String,
        max_length: MAX_TITLE_LENGTH,
        ...words('command.post.title'),
      },
    ],
  },

  async run(interaction, bot) {
    const { channel, home } = await placeOf(interaction);
    const link = parseLink(interaction.options.get('link')?.value);
    if (link.status === 'refused') throw new UserError(`post.refused.${link.reason}`);
    demand(channel, [
      'ViewChannel',
      channel.isThread() ? 'SendMessagesInThreads' : 'SendMessages',
      'EmbedLinks',
      'ReadMessageHistory',
      'AddReactions',
    ]);
    const outcome = await postLink(bot, {
      by: interaction.id,
      poster: interaction.member,
      home,
      channel: channel.id,
      link,
      title: cleanTitle(interaction.options.getString('title') ?? '') || titleOfLink(link.href),
      locale: interaction.guildLocale,
      send: (message) => send(interaction, message),
    });
    await reply(interaction, outcome);
  },
} satisfies Command;

async function placeOf(interaction: GuildCommand) {
  const channel = interaction.channel ?? (await uncachedThread(interaction));
  const home = groupOf(channel);
  if (!home) throw new UserError('post.refused.channel');
  if (channel.type === ChannelType.PrivateThread) throw new UserError('post.refused.thread');
  return { channel, home };
}

/** All channels are in the cache, and all active threads that are not private. */
async function uncachedThread({ guild, channelId }: GuildCommand): Promise<GuildTextBasedChannel> {
  try {
    return (await guild.channels.fetch(channelId)) as unknown as GuildTextBasedChannel;
  } catch (error) {
    if (isRefusal(error)) throw new UserError('post.refused.thread');
    throw error;
  }
}

async function send(interaction: GuildCommand, message: ReturnType<typeof articleMessage>) {
  try {
    const meanwhile = translate(interaction.locale, 'post.sending');
    return (await answerPublicly(interaction, message, meanwhile)).id;
  } catch (error) {
    if (isRefusal(error)) throw new NotSent('Discord refused the message.', { cause: error });
    // It may be there all the same: then it is the interaction's answer.
    return (await interaction.webhook.fetchMessage('@original')).id;
  }
}

async function reply(interaction: GuildCommand, outcome: PostingOutcome): Promise<void> {
  const { locale, guildId } = interaction;
  switch (outcome.status) {
    case 'posted':
      // The article's message is the answer.
      if (!outcome.reacted) await answer(interaction, translate(locale, 'post.unreacted'));
      return;
    case 'duplicate': {
      const message = messageLink(guildId, outcome.article);
      const { embeds } = articleMessage(outcome.article, locale);
      return answer(interaction, {
        content: translate(locale, 'post.duplicate', { message }),
        embeds,
      });
    }
    case 'posting':
      return answer(interaction, translate(locale, 'post.posting'));
    case 'unresolved':
      return answer(interaction, translate(locale, 'post.unresolved'));
    case 'unsent':
      return answer(interaction, translate(locale, 'post.unsent'));
    case 'unconfirmed': {
      await answer(interaction, translate(locale, 'post.unconfirmed'));
      const settled = await outcome.settled;
      if (settled?.status === 'posted')
        await answer(interaction, translate(locale, 'post.confirmed'));
      else if (settled) await reply(interaction, settled);
    }
  }
}
