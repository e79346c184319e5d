import { type NonThreadGuildBasedChannel, PermissionFlagsBits } from 'discord.js';
import { answer } from '../src/discord/interactions/answer.ts';
import { messageLink } from '../src/text/mentions.ts';
import type { App } from '../src/app.ts';
import type { Command, GuildCommand } from '../src/discord/commands/command.ts';
import { articleOption } from '../src/articles/find-article.ts';
import { completeArticles } from '../src/articles/lists/autocomplete.ts';
import { demandUnblocked } from '../src/articles/posting/posting-rules.ts';
import { isGroup } from '../src/eligibility/guild-rules.ts';
import { groupOption } from '../src/discord/commands/checked-options.ts';
import { requireMemberPermissions } from '../src/discord/access/permissions.ts';
import { UserError } from '../src/discord/user-error.ts';
import {
  channelOption,
  completedOption,
  localized,
  subcommand,
} from '../src/discord/commands/localized.ts';
import { fault } from '../src/log.ts';
import { plainText } from '../src/text/clean.ts';
import { translate } from '../src/text/catalogue.ts';
import { readArticle } from '../src/ranking/articles/articles.ts';
import {
  changeGroup,
  type GroupChange,
  type GroupOutcome,
} from '../src/ranking/articles/groups.ts';
import type { Snowflake } from '../src/ranking/snowflake.ts';

const options = [
  completedOption('command.group.article'),
  { ...channelOption('command.group.channel'), required: true },
];

export default {
  data: {
    ...localized('command.group'),
    default_member_permissions: String(PermissionFlagsBits.ManageMessages),
    options: [
      subcommand('command.group.add', options),
      subcommand('command.group.remove', options),
    ],
  },

  async run(interaction, app) {
    const change = interaction.options.getSubcommand() === 'add' ? 'add' : 'remove';
    const channel = groupOption(interaction, 'channel');
    if (!channel) throw new UserError('channel.unknown');
    requireMemberPermissions(interaction.member, channel, ['ManageMessages']);
    const { settings } = await app.rules.read(interaction.guildId);
    if (change === 'add') {
      await demandUnblocked(app, interaction.member);
      if (!isGroup(settings, channel.id)) {
        throw new UserError('channel.no-group', { channel: `<#${channel.id}>` });
      }
    }
    const { id } = await articleOption(interaction, app);
    const membership = { guild: interaction.guildId, article: id, group: channel.id };
    const { status } = await changeGroup(app.ranking, membership, change);
    await reply(interaction, app, { change, channel, id, status });
  },

  async complete(interaction, app) {
    const { name, value } = interaction.options.getFocused(true);
    if (name !== 'article' || !interaction.memberPermissions.has('ManageMessages')) return [];
    return completeArticles(interaction, app, value);
  },
} satisfies Command;

async function reply(
  interaction: GuildCommand,
  app: Pick<App, 'ranking' | 'log' | 'messageUpdates'>,
  {
    change,
    channel,
    id,
    status,
  }: {
    change: GroupChange;
    channel: NonThreadGuildBasedChannel;
    id: string;
    status: GroupOutcome['status'];
  },
): Promise<void> {
  switch (status) {
    case 'changed': {
      const lines = await showChange(interaction, app, id, { change, channel: `<#${channel.id}>` });
      return answer(interaction, lines.join('\n'));
    }
    case 'unchanged':
      throw new UserError(`group.unchanged.${change}`, { channel: `<#${channel.id}>` });
    case 'unknown':
      throw new UserError('article.unknown');
    case 'home':
    case 'hidden':
    case 'full':
      throw new UserError(`group.${status}`);
  }
}

/** Updates the groups in the message, where a rebuild reads them. Members' own messages cannot change. */
async function showChange(
  { guildId, locale }: GuildCommand,
  { ranking, messageUpdates, log }: Pick<App, 'ranking' | 'log' | 'messageUpdates'>,
  id: string,
  { change, channel }: { change: GroupChange; channel: Snowflake },
): Promise<string[]> {
  // Read it again: another member may have changed it at the same time.
  const article = await readArticle(ranking, guildId, id);
  if (!article) throw new UserError('article.unknown');
  const message = messageLink(guildId, article);
  const key = change === 'add' ? 'group.added' : 'group.removed';
  const title = plainText(article.title, 100);
  const lines = [translate(locale, key, { title, channel, message })];
  const outcome = await messageUpdates.show(guildId, id).catch((error: unknown) => {
    log.warn({ ...fault(error), article: id }, 'The groups could not be shown on a message.');
    return 'refused';
  });
  if (outcome === 'refused') lines.push(translate(locale, 'group.unedited'));
  return lines;
}
