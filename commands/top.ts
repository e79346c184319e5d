import { ApplicationCommandOptionType } from 'discord.js';
import { z } from 'zod';
import { answer, turn } from '../src/discord/answer.ts';
import { articlePage, LAST_PAGE, PAGE_SIZE, TURNS } from '../src/articles/lists/page.ts';
import type { App } from '../src/app.ts';
import type { Command, GuildCommand, GuildComponent } from '../src/discord/commands/command.ts';
import { groupOption, validOption } from '../src/discord/commands/options.ts';
import { groupName } from '../src/eligibility/guild-rules.ts';
import { UserError } from '../src/discord/user-error.ts';
import { groupOptionTypes, mayView } from '../src/discord/access/visibility.ts';
import { choice, words } from '../src/discord/commands/localized.ts';
import { translate } from '../src/text/catalogue.ts';
import { listFiltered } from '../src/ranking/lists/filter.ts';
import { listFront } from '../src/ranking/lists/fair-front.ts';
import { ORDERS, type Page } from '../src/ranking/lists/ranked.ts';
import { listByVotes, PERIODS } from '../src/ranking/lists/by-votes.ts';
import { zSnowflake } from '../src/ranking/snowflake.ts';

const orders = [...ORDERS, 'front', 'votes'] as const;
const zOrder = z.enum(orders);
const zPeriod = z.enum(PERIODS);
const zPage = z.coerce.number().pipe(z.int().min(1).max(LAST_PAGE));
/** Filters, one letter each: only interesting articles, only the member's own. */
const zOnly = z.enum(['', 'i', 'm', 'im']);
/**
 * A button's custom id is `top|<turn>|<order>|<group or ->|<page>|<period>|<only>`: it works after a
 * restart. Buttons of earlier versions end with the page.
 */
const zArgs = z.tuple([
  z.enum(TURNS),
  zOrder,
  z.literal('-').or(zSnowflake),
  zPage,
  zPeriod.optional(),
  zOnly.optional(),
]);

type View = {
  order: z.infer<typeof zOrder>;
  group: string | null;
  page: number;
  period: z.infer<typeof zPeriod>;
  only: z.infer<typeof zOnly>;
};

export default {
  data: {
    ...words('command.top'),
    options: [
      {
        type: ApplicationCommandOptionType.String,
        choices: orders.map((order) => choice(order, `top.order.${order}`)),
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
        max_value: LAST_PAGE,
        ...words('command.top.page'),
      },
      {
        type: ApplicationCommandOptionType.String,
        choices: PERIODS.map((period) => choice(period, `top.period.${period}`)),
        ...words('command.top.period'),
      },
      { type: ApplicationCommandOptionType.Boolean, ...words('command.top.interesting') },
      { type: ApplicationCommandOptionType.Boolean, ...words('command.top.mine') },
    ],
  },
  readOnly: true,

  async run(interaction, app) {
    const isGiven = (name: string) =>
      validOption(interaction, name, z.boolean().optional()) === true;
    const period = validOption(interaction, 'period', zPeriod.optional());
    const only = `${isGiven('interesting') ? 'i' : ''}${isGiven('mine') ? 'm' : ''}`;
    const view: View = {
      // A period selects the votes that count.
      order: validOption(interaction, 'order', zOrder.default(period ? 'votes' : 'score-desc')),
      group: groupOption(interaction, 'group')?.id ?? null,
      page: validOption(interaction, 'page', zPage.default(1)),
      period: period ?? 'ever',
      only: zOnly.parse(only),
    };
    await answer(interaction, await show(interaction, app, view));
  },

  async component(interaction, args, app) {
    const parsed = zArgs.safeParse(args);
    if (!parsed.success) throw new UserError('stale');
    const [, order, given, page, period = 'ever', only = ''] = parsed.data;
    const group = given === '-' ? null : given;
    // The member's view permission can have changed since the button was made.
    if (group !== null && !mayView(interaction.member, group))
      throw new UserError('channel.unknown');
    await turn(interaction, await show(interaction, app, { order, page, group, period, only }));
  },
} satisfies Command;

async function show(interaction: GuildCommand | GuildComponent, app: App, view: View) {
  const { guildId, guild, locale, user } = interaction;
  const { order, group, page, period, only } = view;
  const { articles, total } = await read(app, guildId, user.id, view);
  const name = group === null ? undefined : groupName(await app.rules.read(guildId), guild, group);
  const ordered =
    order === 'votes'
      ? translate(locale, 'top.title.votes', {
          order: translate(locale, 'top.order.votes'),
          period: translate(locale, `top.period.${period}`),
        })
      : translate(locale, `top.order.${order}`);
  const titled =
    name === undefined
      ? ordered
      : translate(locale, 'top.title.group', { order: ordered, group: name });
  return articlePage(app, {
    guild: guildId,
    locale,
    title: [titled, ...filtersOf(only).map((key) => translate(locale, key))].join(' · '),
    empty: translate(
      locale,
      only === '' && order !== 'interesting' ? 'top.empty' : 'top.empty.only',
    ),
    page,
    articles,
    total,
    idOf: (turn, target) => ['top', turn, order, group ?? '-', target, period, only].join('|'),
  });
}

function filtersOf(only: View['only']) {
  return [
    ...(only.includes('i') ? (['top.only.interesting'] as const) : []),
    ...(only.includes('m') ? (['top.only.mine'] as const) : []),
  ];
}

async function read(
  { ranking, lists, clock }: App,
  guild: string,
  asker: string,
  { order: wanted, group, page, period, only }: View,
): Promise<Page> {
  const of = { guild, ...(group === null ? {} : { group }), page, pageSize: PAGE_SIZE };
  // The front order balances groups. A single group is in the order of its scores.
  const order = wanted === 'front' && group !== null ? 'score-desc' : wanted;
  const now = clock.now();
  if (only !== '') {
    const accept = ({ interesting, poster }: { interesting: boolean; poster: string }) =>
      (!only.includes('i') || interesting) && (!only.includes('m') || poster === asker);
    return listFiltered(ranking, { ...of, order, period, accept }, now);
  }
  if (order === 'front') return listFront(ranking, of, now);
  if (order === 'votes') return listByVotes(ranking, { ...of, period }, now);
  return lists.page({ ...of, order });
}
