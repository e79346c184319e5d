import { z } from 'zod';
import { choiceSelect, type ActionRow } from '../src/discord/interactions/components.ts';
import { answer, updateMessage } from '../src/discord/interactions/answer.ts';
import {
  articlePage,
  type ArticlePageNeeds,
  LAST_PAGE,
  PAGE_SIZE,
  zPage,
} from '../src/articles/lists/article-page.ts';
import type { Community } from '../src/community/community.ts';
import type { History } from '../src/history/history.ts';
import type { TopLists } from '../src/ranking/lists/top-lists.ts';
import type { BotCommand } from '../src/bot.ts';
import type { GuildCommand, GuildComponent } from '../src/discord/commands/command.ts';
import { groupOption, parseArgs, validOption } from '../src/discord/commands/checked-options.ts';
import { UserError } from '../src/discord/user-error.ts';
import { groupName, groupsOf, mayView } from '../src/discord/access/visibility.ts';
import {
  channelOption,
  choiceOption,
  localized,
  numberOption,
} from '../src/discord/commands/localized.ts';
import {
  requireFewWaiting,
  requireWalk,
  requireWithinLimit,
} from '../src/community/member-limits.ts';
import { translate } from '../src/text/catalogue.ts';
import { shortened } from '../src/text/clean.ts';
import type { Article } from '../src/ranking/articles/articles.ts';
import { countByGroup } from '../src/ranking/articles/groups.ts';
import { unvotedAmong } from '../src/ranking/ballots/of-member.ts';
import type { Page } from '../src/ranking/lists/ranked.ts';
import { hasAll, hasPeriod, ORDERS } from '../src/ranking/lists/orders.ts';
import { PERIODS } from '../src/ranking/lists/by-votes.ts';
import { zSnowflake } from '../src/runtime/snowflake.ts';
import { limits } from '../src/discord/limits.ts';

const SHOWN = ['all', 'interesting', 'mine', 'unvoted'] as const;
const zOrder = z.enum(ORDERS);
const zPeriod = z.enum(PERIODS);
const zShow = z.enum(SHOWN);
/** Instead of a group: the whole guild. */
const EVERYWHERE = '-';
/** The custom id of a button or a select is `top|<what>|<order>|<group or ->|<page>|<period>|<show>`. */
const zArgs = z
  .tuple([zOrder, z.literal(EVERYWHERE).or(zSnowflake), zPage, zPeriod, zShow])
  .transform(([order, group, page, period, show]) => {
    return { order, group: group === EVERYWHERE ? null : group, page, period, show };
  });
type View = z.infer<typeof zArgs>;

interface TopNeeds extends ArticlePageNeeds, Community, History {
  /** Every list that it shows. */
  lists: TopLists;
}

export default {
  reads: true,
  data: {
    ...localized('command.top'),
    options: [
      choiceOption('command.top.order', ORDERS, (order) => `top.order.${order}`),
      channelOption('command.top.channel'),
      numberOption('command.top.page', 1, LAST_PAGE),
      choiceOption('command.top.period', PERIODS, (period) => `top.period.${period}`),
      choiceOption('command.top.show', SHOWN, (show) => `top.show.${show}`),
    ],
  },

  async run(interaction, needs) {
    const period = validOption(interaction, 'period', zPeriod.optional());
    const view: View = {
      // A period selects the votes that count.
      order: validOption(interaction, 'order', zOrder.default(period ? 'votes' : 'score')),
      group: groupOption(interaction, 'channel')?.id ?? null,
      page: validOption(interaction, 'page', zPage.default(1)),
      period: period ?? 'ever',
      show: validOption(interaction, 'show', zShow.default('all')),
    };
    await answer(interaction, await show(interaction, needs, view));
  },

  async component(interaction, [what, ...args], needs) {
    // What is chosen in a select takes the place of what was shown.
    const [chosen] = interaction.isStringSelectMenu() ? interaction.values : [];
    if (what === 'order') args[0] = chosen ?? '';
    if (what === 'group') args[1] = chosen ?? '';
    // A board is for all, so its buttons answer their reader alone.
    if (what === 'channels') return answer(interaction, await channelPicker(interaction, needs));
    const view = parseArgs(zArgs, args);
    // The member's view permission can have changed since the list was shown.
    if (view.group !== null && !mayView(interaction.member, view.group)) {
      throw new UserError('channel.unknown');
    }
    const shown = await show(interaction, needs, view);
    if (what === 'open') await answer(interaction, shown);
    else await updateMessage(interaction, shown);
  },
} satisfies BotCommand<TopNeeds>;

async function show(interaction: GuildCommand | GuildComponent, needs: TopNeeds, view: View) {
  const { guild, locale } = interaction;
  const { order, group, page, period, show: shown } = view;
  const found = await read(needs, interaction, view);
  const channel = guild.channels.cache.get(group ?? '');
  const facts = [
    orderText(locale, view),
    ...(shown === 'all' ? [] : [translate(locale, `top.show.${shown}`)]),
  ];
  const idOf = (what: string, target: number) =>
    ['top', what, order, group ?? EVERYWHERE, target, period, shown].join('|');
  const isEmpty = found.total === 0 && group === null && showsAll(view);
  return articlePage(needs, interaction, {
    title: [
      channel === undefined ? translate(locale, 'top.title') : `#${groupName(channel)}`,
      ...facts.map((text) => text.charAt(0).toLocaleLowerCase() + text.slice(1)),
    ].join(' · '),
    empty: emptyText(locale, view),
    mayLack: await needs.mayLackArticles(guild.id, found.total === 0),
    page,
    found,
    group,
    // All are of the last day, as the title says.
    hasAges: !hasPeriod(order) || period !== 'day',
    idOf,
    selects: isEmpty
      ? []
      : [orderSelect(locale, order, idOf), ...(await groupSelects(interaction, needs, view, idOf))],
  });
}

function orderText(locale: string, { order, period }: View): string {
  const text = translate(locale, `top.order.${order}`);
  if (!hasPeriod(order)) return text;
  return `${text} · ${translate(locale, `top.period.${period}`)}`;
}

function emptyText(locale: string, view: View): string {
  if (view.show === 'unvoted') return translate(locale, 'top.empty.unvoted');
  return translate(locale, showsAll(view) ? 'top.empty' : 'top.empty.only');
}

function showsAll({ order, show }: View): boolean {
  return show === 'all' && hasAll(order);
}

type IdOf = (what: string, page: number) => string;

function orderSelect(locale: string, order: View['order'], idOf: IdOf): ActionRow {
  const options = ORDERS.map((value) => ({
    label: translate(locale, `top.order.${value}`),
    value,
  }));
  return choiceSelect({ custom_id: idOf('order', 1) }, options, order);
}

/**
 * A select of the groups with the most articles that the member may view. Empty if there is nothing
 * to choose.
 */
async function groupSelects(
  { guildId, guild, member, locale }: GuildCommand | GuildComponent,
  { ranking }: TopNeeds,
  { group: chosen }: View,
  idOf: IdOf,
): Promise<ActionRow[]> {
  const groups = new Map(
    groupsOf(guild)
      .filter(({ id }) => mayView(member, id))
      .map((group) => [group.id, group]),
  );
  const counts = await countByGroup(ranking, guildId, [...groups.keys()]);
  const others = [...counts.keys()]
    .filter((group) => group !== chosen)
    .sort((a, b) => counts.get(b)! - counts.get(a)!);
  const offered = chosen === null ? others : [chosen, ...others];
  if (offered.length < 2 && chosen === null) return [];
  const options = offered.slice(0, limits.selectOptions - 1).map((group) => ({
    label: shortened(`#${groupName(groups.get(group)!)}`, limits.selectOptionLength),
    value: group,
  }));
  const all = { label: translate(locale, 'top.pick.group'), value: EVERYWHERE };
  const common = { custom_id: idOf('group', 1) };
  return [choiceSelect(common, [all, ...options], chosen ?? EVERYWHERE)];
}

/** The custom id of a select whose choice shows the best of a channel. */
function bestOf(what: string, page: number): string {
  return `top|${what}|score|${EVERYWHERE}|${page}|ever|all`;
}

/** A select of channels, which becomes the list of the chosen one. */
async function channelPicker(
  interaction: GuildComponent,
  needs: TopNeeds,
): Promise<{ content: string; components: ActionRow[] }> {
  const { locale } = interaction;
  const view: View = { order: 'score', group: null, page: 1, period: 'ever', show: 'all' };
  const components = await groupSelects(interaction, needs, view, bestOf);
  const key = components.length > 0 ? 'top.pick.channel' : 'top.empty.channels';
  return { content: translate(locale, key), components };
}

async function read(
  needs: TopNeeds,
  { guildId: guild, user }: GuildCommand | GuildComponent,
  { show, ...view }: View,
): Promise<Page> {
  const { ranking, lists, clock } = needs;
  const list = { guild, ...view, pageSize: PAGE_SIZE };
  if (show === 'all' && hasPeriod(view.order)) {
    requireWithinLimit(needs, guild, user.id, 'walk');
    requireFewWaiting(needs, guild);
  }
  if (show === 'all') return lists.page(list);
  requireWalk(needs, guild, user.id);
  const accept = (articles: readonly Article[]) => {
    switch (show) {
      case 'unvoted':
        return unvotedAmong(ranking, guild, user.id, articles, clock.now());
      case 'interesting':
        return articles.filter(({ interesting }) => interesting);
      case 'mine':
        return articles.filter(({ poster }) => poster === user.id);
      default:
        return show satisfies never;
    }
  };
  return lists.page({ ...list, accept });
}
