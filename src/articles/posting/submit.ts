import type { NonThreadGuildBasedChannel } from 'discord.js';
import { translate } from '../../text/catalogue.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { isFileOfDiscord, readTypedLink } from '../../ranking/links/find-links.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { messageLink } from '../../text/mentions.ts';
import { titleLines } from '../messages/article-message.ts';
import { answer, answerPublicly } from '../../discord/interactions/answer.ts';
import type { GuildCommand, GuildForm } from '../../discord/commands/command.ts';
import { titleOf } from '../../community/may-stand.ts';
import { requirePermissions } from '../../discord/access/permissions.ts';
import { type PostingNeeds, postLink } from './post-link.ts';
import { postingPermissions } from './posting-rules.ts';
import { asSpoiler, cleanTitle, titleOfWords, cleanComment } from '../../text/clean.ts';
import { UserError } from '../../discord/user-error.ts';
import { groupOf, homeIn, isListed } from '../../discord/access/visibility.ts';

/** A member's input, as it was typed. */
type Submission = {
  link: unknown;
  title: string;
  comment: string;
  /** Groups besides the home group, which the member may view. */
  groups: readonly NonThreadGuildBasedChannel[];
};

type Interaction = GuildCommand | GuildForm;

/** Posts a member's submission in the channel of the command or form, and answers. */
export async function submit(
  interaction: Interaction,
  needs: PostingNeeds,
  submission: Submission,
): Promise<void> {
  const { locale, guildId } = interaction;
  const { channel, home } = channelAndHome(interaction);
  const link = readTypedLink(submission.link);
  if (link.status === 'refused') throw new UserError(`post.refused.${link.reason}`);
  requirePermissions(channel, postingPermissions(channel));
  const given = cleanTitle(submission.title) || titleOfWords(link.words);
  const { blocks } = await needs.rules.read(guildId);
  const title = titleOf(blocks, link.href, { given }, needs.clock.now());
  const groups = [...new Set(submission.groups)].filter((group) => group.id !== home.id);
  for (const group of groups) requirePermissions(group, ['SendMessages'], interaction.member);
  if (groups.length > 0 && !isListed(home)) throw new UserError('post.refused.hidden');
  const outcome = await postLink(needs, {
    by: interaction.id,
    poster: interaction.member,
    home,
    channel: channel.id,
    link,
    title: link.isSpoiler ? asSpoiler(title) : title,
    comment: cleanComment(submission.comment),
    groups: groups.map(({ id }) => id),
    beside: link.isSuppressed,
    sendArticleMessage: async (content) => {
      const meanwhile = translate(locale, 'post.sending');
      return (await answerPublicly(interaction, { content }, meanwhile)).id;
    },
  });
  // The article's message is the answer.
  if (outcome.status === 'posted') {
    if (link.others) await answer(interaction, translate(locale, 'post.others'));
    if (isFileOfDiscord(link.href)) await answer(interaction, translate(locale, 'post.passing'));
    return;
  }
  const text =
    outcome.status === 'duplicate'
      ? duplicateText(locale, guildId, outcome.article)
      : translate(locale, `post.${outcome.status}`);
  await answer(interaction, text);
}

function channelAndHome({ channel }: Interaction) {
  // The cache has all channels, and all active threads that are not private.
  if (!channel) throw new UserError('post.refused.thread');
  // Discord offers no commands in a forum itself, which holds posts only.
  if (!groupOf(channel) || !channel.isTextBased()) throw new UserError('post.refused.channel');
  const home = homeIn(channel);
  if (!home) throw new UserError('post.refused.thread');
  return { channel, home };
}

/** Names the article that has the link, without a second preview of it. */
export function duplicateText(locale: string | null, guild: Snowflake, article: Article): string {
  const text = translate(locale, 'post.duplicate', { message: messageLink(guild, article) });
  return `${text}\n${titleLines({ ...article, beside: true })}`;
}
