import { ApplicationCommandType } from 'discord.js';
import { answer } from '../src/discord/interactions/answer.ts';
import { belowTitle, factsLine } from '../src/articles/lists/article-item.ts';
import { COLOUR } from '../src/discord/interactions/components.ts';
import { messageLink, timestamp } from '../src/text/mentions.ts';
import { isSpoiler } from '../src/text/clean.ts';
import { listedTitle } from '../src/text/spoiler.ts';
import type { GuildMessageCommand } from '../src/discord/commands/command.ts';
import { targetArticle } from '../src/articles/find-article.ts';
import { mayView } from '../src/discord/access/visibility.ts';
import { localizedName } from '../src/discord/commands/localized.ts';
import { translate } from '../src/text/catalogue.ts';
import type { Article } from '../src/ranking/articles/articles.ts';
import { itemContext } from '../src/articles/lists/item-context.ts';
import { readScale } from '../src/ranking/articles/mark.ts';
import { readPosition } from '../src/ranking/lists/ranked.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import { type Scale, weightOf } from '../src/ranking/rules.ts';
import { spanText } from '../src/text/facts.ts';
import type { ArticlePageNeeds } from '../src/articles/lists/article-page.ts';
import type { BotCommand } from '../src/bot.ts';

/** A message command on an article: explains its rank. */
export default {
  reads: true,
  data: { type: ApplicationCommandType.Message, ...localizedName('command.why-this-rank.name') },

  async runOnMessage(interaction, needs) {
    const { guildId, locale } = interaction;
    const { ranking, clock } = needs;
    const article = await targetArticle(interaction, needs);
    const of = { guild: guildId, locale, ages: { at: clock.now() } };
    const [scale, ranks, context] = await Promise.all([
      readScale(ranking, guildId),
      positionsText(interaction, ranking, article),
      itemContext(needs, [article], of),
    ]);
    const field = (name: 'ranks' | 'score', value: string) => ({
      name: translate(locale, `why.${name}`),
      value: value || '—',
    });
    const facts = factsLine(article, context);
    const embed = {
      color: COLOUR,
      title: listedTitle(article.title, locale),
      url: isSpoiler(article.title) ? messageLink(guildId, article) : article.link,
      description: [belowTitle(article), facts].filter(Boolean).join('\n'),
      fields: [field('ranks', ranks), field('score', scoreText(article, scale, locale))],
    };
    await answer(interaction, { embeds: [embed] });
  },
} satisfies BotCommand<ArticlePageNeeds>;

/** The formula of the score: post time + weight × net votes. */
function scoreText(article: Article, scale: Scale, locale: string): string {
  const { postedAtMs, up, down, score } = article;
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  const weight = weightOf(scale);
  const gained = weight * (up - down);
  return translate(locale, 'why.score.text', {
    when: timestamp(postedAtMs, 'F'),
    posted: number.format(Math.floor(postedAtMs / 1000)),
    weight: number.format(weight),
    up,
    down,
    score: number.format(score),
    mark: scale.mark,
    span: spanText(locale, scale.spanDays),
    time: durationText(gained, locale),
  });
}

/** In the largest unit of which there are two, and whole. */
function durationText(seconds: number, locale: string): string {
  const units = [
    ['day', 86_400],
    ['hour', 3600],
  ] as const;
  const [unit, length] = units.find(([, one]) => Math.abs(seconds) >= 2 * one) ?? ['minute', 60];
  const format = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(locale, format).format(seconds / length);
}

async function positionsText(
  { guildId: guild, locale, member }: GuildMessageCommand,
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
