import { PermissionFlagsBits } from 'discord.js';
import { answer } from '../src/discord/interactions/answer.ts';
import { messageLink } from '../src/text/mentions.ts';
import type { Articles } from '../src/articles/articles.ts';
import { articleOption, completeArticles } from '../src/articles/find-article.ts';
import { requireUnblocked } from '../src/articles/posting/posting-rules.ts';
import type { Community } from '../src/community/community.ts';
import { isGroup } from '../src/community/guild-rules.ts';
import { groupOption } from '../src/discord/commands/checked-options.ts';
import { requirePermissions } from '../src/discord/access/permissions.ts';
import { UserError } from '../src/discord/user-error.ts';
import {
  channelOption,
  completedOption,
  localized,
  subcommand,
} from '../src/discord/commands/localized.ts';
import { plainText } from '../src/text/clean.ts';
import { translate } from '../src/text/catalogue.ts';
import { changeGroup } from '../src/ranking/articles/groups.ts';
import type { TopLists } from '../src/ranking/lists/top-lists.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import type { Clock } from '../src/runtime/clock.ts';
import type { BotCommand } from '../src/bot.ts';

const options = [
  completedOption('command.group.article'),
  { ...channelOption('command.group.channel'), required: true },
];

interface GroupNeeds extends Articles, Community {
  /** Where the groups of an article are changed. */
  ranking: Ranking;
  /** Completes the article while it is typed. */
  lists: TopLists;
  /** Discord's time. */
  clock: Clock;
}

export default {
  data: {
    ...localized('command.group'),
    default_member_permissions: String(PermissionFlagsBits.ManageMessages),
    options: [
      subcommand('command.group.add', options),
      subcommand('command.group.remove', options),
    ],
  },

  async run(interaction, needs) {
    const { guildId, locale } = interaction;
    const change = interaction.options.getSubcommand();
    if (change !== 'add' && change !== 'remove') throw new UserError('stale');
    const channel = groupOption(interaction, 'channel');
    if (!channel) throw new UserError('channel.unknown');
    requirePermissions(channel, ['ManageMessages'], interaction.member);
    const shown = { channel: `<#${channel.id}>` };
    if (change === 'add') {
      await requireUnblocked(needs, interaction.member);
      const { settings } = await needs.rules.read(guildId);
      if (!isGroup(settings, channel.id)) throw new UserError('channel.no-group', shown);
    }
    const article = await articleOption(interaction, needs);
    const membership = { guild: guildId, article: article.id, group: channel.id };
    const places = { ...article, guild: guildId, groups: [channel.id] };
    const { status } = await needs.listing.write(places, () =>
      changeGroup(needs.ranking, membership, change),
    );
    if (status === 'unknown') throw new UserError('article.unknown');
    if (status === 'unchanged') throw new UserError(`group.unchanged.${change}`, shown);
    if (status !== 'changed') throw new UserError(`group.${status}`);
    const title = plainText(article.title, 100);
    const values = { ...shown, title, message: messageLink(guildId, article) };
    const key = change === 'add' ? 'group.added' : 'group.removed';
    await answer(interaction, translate(locale, key, values));
  },

  async complete(interaction, needs) {
    const { name, value } = interaction.options.getFocused(true);
    if (name !== 'article' || !interaction.memberPermissions.has('ManageMessages')) return [];
    return completeArticles(interaction, needs, value);
  },
} satisfies BotCommand<GroupNeeds>;
