import { z } from 'zod';
import type { Community } from '../src/community/community.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import type { Store } from '../src/redis/store.ts';
import type { Clock } from '../src/runtime/clock.ts';
import { UserError } from '../src/discord/user-error.ts';
import type { BotCommand } from '../src/bot.ts';
import { answer } from '../src/discord/interactions/answer.ts';
import { articleItem } from '../src/articles/lists/article-item.ts';
import { card } from '../src/discord/interactions/components.ts';
import type { GuildCommand } from '../src/discord/commands/command.ts';
import { groupOption, validOption } from '../src/discord/commands/checked-options.ts';
import { cleanTitle, code, shortened, shownHost } from '../src/text/clean.ts';
import { netVotesText } from '../src/text/facts.ts';
import { groupName, mayView, seesMoreThanLists } from '../src/discord/access/visibility.ts';
import {
  channelOption,
  choiceOption,
  localized,
  subcommand,
} from '../src/discord/commands/localized.ts';
import { requireWalk } from '../src/community/member-limits.ts';
import { numberText, translate } from '../src/text/catalogue.ts';
import { itemContext } from '../src/articles/lists/item-context.ts';
import { PERIODS } from '../src/ranking/lists/by-votes.ts';
import { readActivity, readLeaderboard } from '../src/ranking/lists/activity.ts';
import { limits } from '../src/discord/limits.ts';

const CHART_DAYS = 30;
const BARS = '▁▂▃▄▅▆▇█';

/** A day has too few articles to compare members by. */
const PERIODS_OF_MEMBERS = PERIODS.filter((period) => period !== 'day');
const SHOWN_MEMBERS = 10;
/** The best article stands among other lines of one description. */
const BEST_DRAW = { titleLength: 100, linkLength: 1000 };

interface StatsNeeds extends Community {
  /** Where articles and votes are counted. */
  ranking: Ranking;
  /** Where the members who opted out are. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
}

export default {
  reads: true,
  data: {
    ...localized('command.stats'),
    options: [
      subcommand('command.stats.server', [channelOption('command.stats.channel')]),
      subcommand('command.stats.members', [
        choiceOption(
          'command.stats.period',
          PERIODS_OF_MEMBERS,
          (period) => `top.period.${period}`,
        ),
      ]),
    ],
  },

  async run(interaction, needs) {
    requireWalk(needs, interaction.guildId, interaction.user.id);
    switch (interaction.options.getSubcommand()) {
      case 'members':
        return members(interaction, needs);
      case 'server':
        return server(interaction, needs);
      default:
        throw new UserError('stale');
    }
  },
} satisfies BotCommand<StatsNeeds>;

async function server(interaction: GuildCommand, needs: StatsNeeds): Promise<void> {
  const { ranking, clock } = needs;
  const { guildId, guild, locale, member } = interaction;
  const now = clock.now();
  const group = groupOption(interaction, 'channel');
  const of = { guild: guildId, ...(group && { group: group.id }) };
  const activity = await readActivity(ranking, of, CHART_DAYS, now);
  const { articles, votes, posters, interesting, hosts, best } = activity;
  const isClosed = articles === 0 && group === null && seesMoreThanLists(member);
  const lines = isClosed
    ? [translate(locale, 'empty.closed')]
    : [
        translate(locale, 'stats.articles', { articles, posters }),
        bars(activity.days),
        translate(locale, 'stats.votes', { votes, interesting }),
      ];
  if (best) {
    const context = await itemContext(needs, [best], { guild: guildId, locale, ages: { at: now } });
    const article = articleItem(best, context, BEST_DRAW);
    lines.push(translate(locale, 'stats.best', { article }));
  }
  const groups = activity.groups.filter(([id]) => mayView(member, id));
  if (groups.length > 0) {
    const list = groups.map(([id, count]) => `<#${id}> ${numberText(locale, count)}`).join(' · ');
    lines.push(translate(locale, 'stats.groups', { list }));
  }
  if (hosts.length > 0) {
    const list = hosts.map(
      ([host, count]) => `${code(shownHost(host), 64)} ${numberText(locale, count)}`,
    );
    lines.push(translate(locale, 'stats.hosts', { list: list.join(' · ') }));
  }
  const name = group ? `#${groupName(group)}` : cleanTitle(guild.name);
  const title = translate(locale, 'stats.title', { name, days: CHART_DAYS });
  await answer(interaction, { embeds: [card(shortened(title, limits.embedTitleLength), lines)] });
}

async function members(interaction: GuildCommand, needs: StatsNeeds): Promise<void> {
  const { guildId, locale, user } = interaction;
  const period = validOption(interaction, 'period', z.enum(PERIODS_OF_MEMBERS).default('week'));
  const [ranked, { optedOut }] = await Promise.all([
    readLeaderboard(needs.ranking, guildId, period, needs.clock.now()),
    needs.rules.read(guildId),
  ]);
  const posters = ranked.filter(({ member }) => !optedOut.has(member));
  const line = (index: number): string => {
    const { member, articles, net } = posters[index]!;
    const votes = netVotesText(locale, { up: net, down: 0 });
    const values = { rank: index + 1, member: `<@${member}>`, articles, net: votes };
    return translate(locale, 'leaderboard.line', values);
  };
  const own = posters.findIndex(({ member }) => member === user.id);
  const lines = posters.slice(0, SHOWN_MEMBERS).map((_, index) => line(index));
  if (own >= SHOWN_MEMBERS) lines.push('…', line(own));
  if (lines.length === 0) lines.push(translate(locale, 'leaderboard.empty'));
  const over = { period: translate(locale, `top.period.${period}`) };
  const footer = { text: translate(locale, 'leaderboard.footer') };
  const embed = { ...card(translate(locale, 'leaderboard.title', over), lines), footer };
  await answer(interaction, { embeds: [embed] });
}

/** One bar for each value, the highest for the largest, in letters of the same width. */
function bars(values: readonly number[]): string {
  const most = Math.max(1, ...values);
  const drawn = values.map((value) => BARS[Math.ceil((value / most) * (BARS.length - 1))]);
  return `\`${drawn.join('')}\``;
}
