import {
  ApplicationCommandOptionType,
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import { z } from 'zod';
import { answer, turn } from '../src/discord/answer.ts';
import { articleField } from '../src/discord/article-lines.ts';
import type { Bot } from '../src/discord/bot.ts';
import type { Command, GuildComponent, GuildCommand } from '../src/discord/command.ts';
import { groupOption } from '../src/discord/options.ts';
import { isGappy } from '../src/discord/rebuild-step.ts';
import { UserError } from '../src/discord/user-error.ts';
import { groupOptionTypes, mayView } from '../src/discord/visibility.ts';
import { choice, words } from '../src/discord/words.ts';
import { translate } from '../src/text/catalogue.ts';
import { ORDERS, type Order } from '../src/voting/lists.ts';
import { zSnowflake } from '../src/voting/snowflake.ts';

const pageSize = 10;
const lastPage = 100_000;
const colour = 0xff6a3d;

const zOrder = z.enum(ORDERS);
const zPage = z.coerce.number().pipe(z.int().min(1).max(lastPage));
const turns = ['first', 'previous', 'next'] as const;
/** A button's custom id is `top|<turn>|<order>|<group or ->|<page>`: it works after a restart. */
const zArgs = z.tuple([z.enum(turns), zOrder, z.literal('-').or(zSnowflake), zPage]);

type View = { order: Order; group: string | null; page: number };

export default {
  data: {
    ...words('command.top'),
    options: [
      {
        type: ApplicationCommandOptionType.String,
        choices: ORDERS.map((order) => choice(order, `top.order.${order}`)),
        ...words('command.top.order'),
      },
      {
        type: ApplicationCommandOptionType.Channel,
        channel_types: groupOptionTypes,
        ...words('command.top.group'),
      },
      {
        type: ApplicationCommandOptionType.Integer,
        min_value: 1,
        max_value: lastPage,
        ...words('command.top.page'),
      },
    ],
  },
  readOnly: true,

  async run(interaction, bot) {
    const view = {
      order: option(interaction, 'order', zOrder.default('score-desc')),
      group: groupOption(interaction, 'group')?.id ?? null,
      page: option(interaction, 'page', zPage.default(1)),
    };
    await answer(interaction, await show(interaction, bot, view));
  },

  async component(interaction, args, bot) {
    const parsed = zArgs.safeParse(args);
    if (!parsed.success) throw new UserError('stale');
    const [, order, group, page] = parsed.data;
    // Who may view the channel can have changed since the button was made.
    if (group !== '-' && !mayView(interaction.member, group))
      throw new UserError('channel.unknown');
    await turn(
      interaction,
      await show(interaction, bot, { order, page, group: group === '-' ? null : group }),
    );
  },
} satisfies Command;

function option<T>(interaction: GuildCommand, name: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(interaction.options.get(name)?.value);
  if (!parsed.success) throw new UserError('invalid.option', { option: name });
  return parsed.data;
}

async function show(interaction: GuildCommand | GuildComponent, bot: Bot, view: View) {
  const { lists, rebuilding } = bot;
  const { guildId, guild, locale } = interaction;
  const { order, group, page } = view;
  const { articles, total } = await lists.page({
    guild: guildId,
    ...(group === null ? {} : { group }),
    order,
    page,
    pageSize,
  });
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const ordered = translate(locale, `top.order.${order}`);
  const name = group === null ? undefined : guild.channels.cache.get(group)?.name;
  const empty =
    total === 0
      ? translate(locale, 'top.empty')
      : translate(locale, 'top.empty.page', { page, pages, total });
  const embed = {
    color: colour,
    title:
      name === undefined
        ? ordered
        : translate(locale, 'top.title.group', { order: ordered, group: name }),
    ...(articles.length === 0 ? { description: empty } : {}),
    fields: articles.map((article, i) =>
      articleField(guildId, article, (page - 1) * pageSize + i + 1),
    ),
    footer: { text: translate(locale, 'top.footer', { page, pages, total }) },
  };
  const step = rebuilding.get(guildId);
  return {
    content: step && isGappy(step) ? translate(locale, 'rebuild.gappy') : '',
    embeds: [embed],
    components: pages > 1 || page > 1 ? [buttons(locale, view, pages)] : [],
  };
}

function buttons(
  locale: string,
  { order, group, page }: View,
  pages: number,
): APIActionRowComponent<APIButtonComponentWithCustomId> {
  // From beyond the end, back leads to the last page.
  const targets = { first: 1, previous: Math.min(page - 1, pages), next: page + 1 };
  const usable = { first: page > 1, previous: page > 1, next: page < pages };
  return {
    type: ComponentType.ActionRow,
    components: turns.map((turn) => ({
      type: ComponentType.Button,
      style: ButtonStyle.Secondary,
      label: translate(locale, `top.${turn}`),
      custom_id: ['top', turn, order, group ?? '-', Math.max(1, targets[turn])].join('|'),
      disabled: !usable[turn],
    })),
  };
}
