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
import type { Personal } from '../src/personal/personal.ts';
import { isShownTo, readMuted } from '../src/personal/muted.ts';
import type { TopLists } from '../src/ranking/lists/top-lists.ts';
import type { BotCommand } from '../src/bot.ts';
import type { GuildCommand, GuildComponent } from '../src/discord/commands/command.ts';
import { groupOption, parseArgs, validOption } from '../src/discord/commands/checked-options.ts';
import {
  groupName,
  groupsOf,
  isListed,
  mayView,
  requireView,
  seesMoreThanLists,
} from '../src/discord/access/visibility.ts';
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
import { isUnjudged } from '../src/ranking/ballots/unjudged.ts';
import { unvotedAmong } from '../src/ranking/ballots/of-member.ts';
import type { Page } from '../src/ranking/lists/ranked.ts';
import { hasAll, hasPeriod, ORDERS } from '../src/ranking/lists/orders.ts';
import { PERIODS } from '../src/ranking/lists/by-votes.ts';
import { askedOnce } from '../src/runtime/asked-once.ts';
import { type Snowflake, zSnowflake } from '../src/runtime/snowflake.ts';
import { limits } from '../src/discord/limits.ts';

const SHOWN = ['all', 'unjudged', 'interesting', 'mine', 'unvoted'] as const;
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

/**
 * What most ask for, by its name as an option: what has waited longest for a first vote comes first. Every order of
 * every choice of articles is behind `MORE`.
 */
const OFFERS = {
  score: { order: 'score', show: 'all' },
  time: { order: 'time', show: 'all' },
  votes: { order: 'votes', show: 'all' },
  unjudged: { order: 'time-asc', show: 'unjudged' },
  mine: { order: 'time', show: 'mine' },
} as const satisfies Record<string, Pick<View, 'order' | 'show'>>;
type Offered = keyof typeof OFFERS;
const OFFERED = Object.keys(OFFERS) as Offered[];
const MORE = 'more';
const zOffered = z.enum([...OFFERED, MORE]);

function offerKey(name: Offered | typeof MORE) {
  if (name === MORE) return 'top.more' as const;
  return name === 'unjudged' || name === 'mine'
    ? (`top.show.${name}` as const)
    : (`top.order.${name}` as const);
}

interface TopNeeds extends ArticlePageNeeds, Community, History {
  /** What is new for a member. */
  personal: Personal;
  /** Every list that it shows. */
  lists: TopLists;
}

export default {
  reads: true,
  data: {
    ...localized('command.top'),
    options: [
      choiceOption('command.top.show', [...OFFERED, MORE], offerKey),
      channelOption('command.top.channel'),
      numberOption('command.top.page', 1, LAST_PAGE),
      choiceOption('command.top.period', PERIODS, (period) => `top.period.${period}`),
    ],
  },

  async run(interaction, needs) {
    const period = validOption(interaction, 'period', zPeriod.optional());
    // A period selects the votes that count.
    const offered = validOption(interaction, 'show', zOffered.default(period ? 'votes' : 'score'));
    const isMore = offered === MORE;
    const view: View = {
      ...OFFERS[isMore ? 'score' : offered],
      group: groupOption(interaction, 'channel')?.id ?? null,
      page: validOption(interaction, 'page', zPage.default(1)),
      period: period ?? 'ever',
    };
    await answer(interaction, await show(interaction, needs, view, isMore));
  },

  async component(interaction, [what, ...args], needs) {
    // What is chosen in a select takes the place of what was shown.
    const [chosen] = interaction.isStringSelectMenu() ? interaction.values : [];
    if ((what === 'order' || what === 'show') && chosen !== MORE) {
      const [order = '', shown = args[4] ?? ''] = chosen?.split(',') ?? [];
      [args[0], args[4]] = [order, shown];
    }
    if (what === 'period') args[3] = chosen ?? '';
    if (what === 'group') args[1] = chosen ?? '';
    // A board is for all, so its buttons answer their reader alone.
    if (what === 'channels') return answer(interaction, await channelPicker(interaction, needs));
    const view = parseArgs(zArgs, args);
    // The member's view permission can have changed since the list was shown.
    if (view.group !== null) requireView(interaction.member, view.group);
    // The board's first button is about what is new for its reader.
    if (what === 'open' && view.show === 'unvoted') {
      requireWalk(needs, interaction.guildId, interaction.user.id);
      const asked = { since: null, group: view.group, page: 1 };
      return answer(interaction, await needs.personal.newForMe(interaction, asked));
    }
    const shown = await show(interaction, needs, view, chosen === MORE);
    if (what === 'open') await answer(interaction, shown);
    else await updateMessage(interaction, shown);
  },
} satisfies BotCommand<TopNeeds>;

/** `isMore`: what is asked for rarely is offered, too. */
async function show(
  interaction: GuildCommand | GuildComponent,
  needs: TopNeeds,
  view: View,
  isMore = false,
) {
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
  const [groups, tail] = await Promise.all([
    groupSelects(interaction, needs, view, idOf),
    shown === 'unjudged' ? firstVotesText(interaction, needs, found) : '',
  ]);
  const isEmpty = found.total === 0 && group === null && showsAll(view);
  const isNone = found.total === 0 && group === null && groups.length > 0;
  // What nobody judged, or the reader did not vote on, may be empty where the lists are not.
  const isClosed = isNone && (isEmpty || seesMoreThanLists(interaction.member));
  return articlePage(needs, interaction, {
    title: [
      channel === undefined ? translate(locale, 'top.title') : `#${groupName(channel)}`,
      ...facts.map((text) => text.charAt(0).toLocaleLowerCase() + text.slice(1)),
    ].join(' · '),
    empty: isClosed ? translate(locale, 'top.empty.closed') : emptyText(locale, view),
    mayLack: await needs.mayLackArticles(guild.id, found.total === 0),
    page,
    found,
    tail,
    group,
    // All are of the last day, as the title says.
    hasAges: !hasPeriod(order) || period !== 'day',
    idOf,
    selects: isEmpty
      ? groups
      : [
          ...offerSelects(locale, view, { idOf, isMore }),
          ...(hasPeriod(order) ? [periodSelect(locale, period, idOf)] : []),
          ...groups,
        ],
  });
}

/** What came of the asker's votes on what needed one. */
async function firstVotesText(
  { guildId, locale, user }: GuildCommand | GuildComponent,
  { personal }: TopNeeds,
  { articles }: Page,
): Promise<string> {
  const ids = articles.map(({ id }) => id);
  const { count, stars } = await personal.firstVotes(guildId, user.id, ids);
  return count === 0 ? '' : `\n-# ${translate(locale, 'personal.first', { count, stars })}`;
}

function orderText(locale: string, { order, period }: View): string {
  const text = translate(locale, `top.order.${order}`);
  if (!hasPeriod(order)) return text;
  return `${text} · ${translate(locale, `top.period.${period}`)}`;
}

function emptyText(locale: string, view: View): string {
  if (view.show === 'unvoted' || view.show === 'unjudged') {
    return translate(locale, `top.empty.${view.show}`);
  }
  return translate(locale, showsAll(view) ? 'top.empty' : 'top.empty.only');
}

function showsAll({ order, show }: View): boolean {
  return show === 'all' && hasAll(order);
}

type IdOf = (what: string, page: number) => string;

type Offer = Pick<View, 'order' | 'show'>;

/** An offer as the value of a select. */
function valueOf({ order, show: shown }: Offer): string {
  return `${order},${shown}`;
}

function offerSelects(
  locale: string,
  { order, show: shown }: View,
  { idOf, isMore }: { idOf: IdOf; isMore: boolean },
): ActionRow[] {
  const isShown = (one: Offer) => one.show === shown && one.order === order;
  const now = OFFERED.find((name) => isShown(OFFERS[name]));
  const common = (what: string) => ({ custom_id: idOf(what, 1) });
  if (now !== undefined && !isMore) {
    const options = OFFERED.map((name) => ({
      label: translate(locale, offerKey(name)),
      value: valueOf(OFFERS[name]),
    }));
    const more = { label: translate(locale, offerKey(MORE)), value: MORE };
    return [choiceSelect(common('order'), [...options, more], valueOf(OFFERS[now]))];
  }
  const orders = ORDERS.map((one) => ({
    label: translate(locale, `top.order.${one}`),
    value: valueOf({ order: one, show: shown }),
  }));
  const shows = SHOWN.map((one) => ({
    label: translate(locale, `top.show.${one}`),
    value: valueOf({ order, show: one }),
  }));
  return [
    choiceSelect(common('order'), orders, valueOf({ order, show: shown })),
    choiceSelect(common('show'), shows, valueOf({ order, show: shown })),
  ];
}

function periodSelect(locale: string, period: View['period'], idOf: IdOf): ActionRow {
  const options = PERIODS.map((value) => ({
    label: translate(locale, `top.period.${value}`),
    value,
  }));
  return choiceSelect({ custom_id: idOf('period', 1) }, options, period);
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
  // One channel holds all that there is, unless not everybody sees it.
  const isAll = offered.length === 1 && isListed(groups.get(offered[0]!));
  if (offered.length === 0 || (isAll && chosen === null)) return [];
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
  { guildId: guild, user, member }: GuildCommand | GuildComponent,
  { show, ...view }: View,
): Promise<Page> {
  const { ranking, lists, clock, store } = needs;
  const list = { guild, ...view, pageSize: PAGE_SIZE };

  if (show === 'all' && hasPeriod(view.order)) {
    requireWithinLimit(needs, guild, user.id, 'walk');
    requireFewWaiting(needs, guild);
  }
  // What is cached is shown without Redis too, then with what was muted.
  const [muted, page] = await Promise.all([
    readMuted(store, guild, user.id).catch((error: unknown) => {
      if (show === 'all') return [];
      throw error;
    }),
    show === 'all' ? lists.page(list) : null,
  ]);
  if (page !== null && muted.length === 0) return page;
  const isShown = isShownTo(user.id, muted);
  requireWalk(needs, guild, user.id);
  const isVisible = askedOnce((home: Snowflake) => mayView(member, home));
  const accept = (all: readonly Article[]) => {
    const articles = all.filter(isShown).filter(({ home }) => show === 'all' || isVisible(home));
    switch (show) {
      case 'all':
        return articles;
      case 'unvoted':
        return unvotedAmong(ranking, guild, user.id, articles, clock.now());
      case 'unjudged':
        return articles.filter(
          (article) => article.poster !== user.id && isUnjudged(article, clock.now()),
        );
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
