import { ApplicationCommandType, type GuildMember } from 'discord.js';
import { z } from 'zod';
import { answer, updateMessage } from '../src/discord/interactions/answer.ts';
import { belowTitle, factsLine } from '../src/articles/lists/article-item.ts';
import { button, COLOUR, row } from '../src/discord/interactions/components.ts';
import { timestamp } from '../src/text/mentions.ts';
import { titleLink } from '../src/text/title-link.ts';
import { parseArgs } from '../src/discord/commands/checked-options.ts';
import { UserError } from '../src/discord/user-error.ts';
import { isSpoiler, plainText } from '../src/text/clean.ts';
import { compareIds, secondsOf, type Snowflake, zSnowflake } from '../src/runtime/snowflake.ts';
import type { GuildComponent, GuildMessageCommand } from '../src/discord/commands/command.ts';
import { targetArticle } from '../src/articles/find-article.ts';
import { mayView, requireView } from '../src/discord/access/visibility.ts';
import { localizedName } from '../src/discord/commands/localized.ts';
import { languageOf, translate } from '../src/text/catalogue.ts';
import { type Article, readArticle } from '../src/ranking/articles/articles.ts';
import { itemContext } from '../src/articles/lists/item-context.ts';
import { readChannelScale } from '../src/ranking/lists/channel-scales.ts';
import { readScale } from '../src/ranking/articles/mark.ts';
import { listArticles, readPosition } from '../src/ranking/lists/ranked.ts';
import { THUMBS } from '../src/ranking/vote-signs.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import { mostNetOf, type Scale, scoreOf, weightOf } from '../src/ranking/rules.ts';
import { spanText } from '../src/text/facts.ts';
import type { GuildRules } from '../src/community/guild-rules.ts';
import { voteRefusalText } from '../src/community/may-vote.ts';
import type { ArticlePageNeeds } from '../src/articles/lists/article-page.ts';
import type { BotCommand } from '../src/bot.ts';
import type { Earlier } from '../src/earlier/earlier.ts';
import { isShownTo, readMuted } from '../src/personal/muted.ts';
import { muteSelect } from '../src/personal/personal-pages.ts';

interface WhyNeeds extends ArticlePageNeeds {
  /** Whose votes count. */
  rules: GuildRules;
  /** What was here before on its subject. */
  earlier: Earlier;
}

const zArgs = z.union([z.tuple([zSnowflake]), z.tuple([z.literal('earlier'), zSnowflake])]);

/** A message command on an article: explains its rank. */
export default {
  reads: true,
  data: { type: ApplicationCommandType.Message, ...localizedName('command.why-this-rank.name') },

  async runOnMessage(interaction, needs) {
    const article = await targetArticle(interaction, needs);
    await answer(interaction, await explain(interaction, needs, article, false));
  },

  /** `why-this-rank|<article>` folds the formula out; `why-this-rank|earlier|<article>` answers what was here before. */
  async component(interaction, args, needs) {
    const parsed = parseArgs(zArgs, args);
    const [id, isEarlier] = parsed.length === 1 ? [parsed[0], false] : [parsed[1], true];
    const article = await readArticle(needs.ranking, interaction.guildId, id);
    if (article === null) throw new UserError('article.unknown');
    const { member, locale } = interaction;
    requireView(member, article.home);
    if (!isEarlier) {
      await updateMessage(interaction, await explain(interaction, needs, article, true));
      return;
    }
    const line = await earlierFor(needs, member, article, locale);
    const found = { embeds: [{ color: COLOUR, description: line }] };
    await answer(interaction, line === '' ? translate(locale, 'earlier.none') : found);
  },
} satisfies BotCommand<WhyNeeds>;

async function explain(
  interaction: GuildMessageCommand | GuildComponent,
  needs: WhyNeeds,
  article: Article,
  hasFormula: boolean,
) {
  const { guildId, locale, member } = interaction;
  const { ranking, clock } = needs;
  const of = { guild: guildId, locale, ages: { at: clock.now() } };
  const [scale, own, context, rules, earlier] = await Promise.all([
    readScale(ranking, guildId),
    article.listed ? null : readChannelScale(ranking, { guild: guildId, group: article.home }),
    itemContext(needs, [article], of),
    needs.rules.read(guildId),
    earlierFor(needs, member, article, locale),
  ]);
  const words = await placeInWords(interaction, needs, article, own ?? scale);
  const uncounted = voteRefusalText(rules, member, { now: clock.now(), locale });
  const field = (name: 'ranks' | 'score', value: string) => ({
    name: translate(locale, `why.${name}`),
    value: value || '—',
  });
  const facts = factsLine(article, context);
  const shown = titleLink(article, { guild: guildId, locale });
  const formula = button(`why-this-rank|${article.id}`, translate(locale, 'why.formula'));
  const save = button(`me|save|${article.id}`, translate(locale, 'command.save-for-me.name'));
  const embed = {
    color: COLOUR,
    title: shown.text,
    url: shown.address,
    description: [...uncounted, words, belowTitle(article), facts, earlier]
      .filter(Boolean)
      .join('\n'),
    fields: hasFormula
      ? [
          field('ranks', await positionsText(interaction, ranking, article)),
          field('score', scoreText(article, scale, locale)),
        ]
      : [],
  };
  return {
    embeds: [embed],
    components: [row(...(hasFormula ? [] : [formula]), save), muteSelect(locale, article)],
  };
}

/** Without what the member muted. */
async function earlierFor(
  { earlier, store }: WhyNeeds,
  member: GuildMember,
  article: Article,
  locale: string,
): Promise<string> {
  const accept = isShownTo(member.id, await readMuted(store, member.guild.id, member.id));
  return earlier.lineFor(member, article, { locale, accept });
}

/** More votes than anybody could still give. */
const VOTES_AT_MOST = 10_000;

/**
 * Its place in the list that everybody sees, or in its channel's own; what is missing to the next place, and until
 * when a new link with its poster's vote alone stands below it.
 */
async function placeInWords(
  { guildId: guild, locale }: { guildId: Snowflake; locale: string },
  { ranking, clock }: WhyNeeds,
  article: Article,
  scale: Scale,
): Promise<string> {
  const group = article.listed ? null : article.home;
  const list = { guild, group, order: 'score' } as const;
  const place = await readPosition(ranking, list, article.id);
  if (place === null) return '';
  const { position, of } = place;
  const above =
    position === 1
      ? undefined
      : (await listArticles(ranking, { ...list, page: position - 1, pageSize: 1 })).articles[0];
  const score = scoreOf(article, secondsOf(article.id), scale);
  const lastsMs = (score - weightOf(scale)) * 1000;
  return [
    translate(locale, 'why.place', { rank: position, of }),
    nextPlace(locale, article, above, scale, clock.now()),
    lastsMs > clock.now()
      ? translate(locale, 'why.lasts', { when: timestamp(lastsMs, 'R') })
      : translate(locale, 'why.passed'),
  ].join(' ');
}

function nextPlace(
  locale: string,
  article: Article,
  above: Article | undefined,
  scale: Scale,
  now: number,
): string {
  if (article.closed || now >= article.closesAtMs) return translate(locale, 'why.over');
  if (above === undefined) return translate(locale, 'why.first');
  const votes = votesToPass(article, above, scale);
  if (votes === null) return translate(locale, 'why.most');
  const title = isSpoiler(above.title)
    ? translate(locale, 'list.spoiler')
    : plainText(above.title, 60);
  return translate(locale, 'why.next', { votes, title });
}

/** The up votes that an article lacks to stand above another; null: none lift it there. */
function votesToPass(article: Article, above: Article, scale: Scale): number | null {
  const seconds = Math.floor(article.postedAtMs / 1000);
  const { up, down } = article;
  const now = scoreOf(article, seconds, scale);
  const most = Math.min(mostNetOf(scale) - (up - down), VOTES_AT_MOST);
  const weight = weightOf(scale);
  const first = Math.max(1, Math.floor((above.score - now) / weight));
  for (let votes = first; votes <= most; votes += 1) {
    const score = scoreOf({ up: up + votes, down }, seconds, scale);
    if (score > above.score || (score === above.score && compareIds(article.id, above.id) > 0)) {
      return votes;
    }
  }
  return null;
}

/** The formula of the score: post time + weight × net votes. */
function scoreText(article: Article, scale: Scale, locale: string): string {
  const { postedAtMs, up, down, score, signs = THUMBS } = article;
  const number = new Intl.NumberFormat(languageOf(locale), { maximumFractionDigits: 2 });
  const weight = weightOf(scale);
  const most = mostNetOf(scale);
  const isLimited = up - down > most;
  const gained = weight * (isLimited ? most : up - down);
  const text = translate(locale, 'why.score.text', {
    when: timestamp(postedAtMs, 'F'),
    posted: number.format(Math.floor(postedAtMs / 1000)),
    weight: number.format(weight),
    counted: isLimited ? number.format(most) : countedText(article, number),
    up: signs.up,
    score: number.format(score),
    mark: scale.mark,
    span: spanText(locale, scale.spanDays),
    time: durationText(gained, locale),
  });
  return scale.isLimited ? `${text}\n${translate(locale, 'why.limit')}` : text;
}

/** Nothing is said of votes against where there are none. */
function countedText({ up, down }: Article, number: Intl.NumberFormat): string {
  return down === 0 ? number.format(up) : `(${number.format(up)} − ${number.format(down)})`;
}

/** In the largest unit of which there are two, and whole. */
function durationText(seconds: number, locale: string): string {
  const units = [
    ['day', 86_400],
    ['hour', 3600],
  ] as const;
  const [unit, length] = units.find(([, one]) => Math.abs(seconds) >= 2 * one) ?? ['minute', 60];
  const format = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(languageOf(locale), format).format(seconds / length);
}

async function positionsText(
  { guildId: guild, locale, member }: GuildMessageCommand | GuildComponent,
  ranking: Ranking,
  { id, groups }: Article,
): Promise<string> {
  const lists = [
    { name: translate(locale, 'top.order.score'), order: 'score' as const },
    { name: translate(locale, 'top.order.time'), order: 'time' as const },
    // Groups that the member may not view are not named.
    ...groups
      .filter((group) => mayView(member, group))
      .map((group) => ({ name: `<#${group}>`, order: 'score' as const, group })),
  ];
  const lines = lists.map(async ({ name, ...list }) => {
    const rank = await readPosition(ranking, { guild, ...list }, id);
    if (rank === null) return [];
    return [translate(locale, 'why.rank', { order: name, rank: rank.position, of: rank.of })];
  });
  return (await Promise.all(lines)).flat().join('\n');
}
