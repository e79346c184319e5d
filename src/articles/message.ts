import type { APIEmbed } from 'discord.js';
import { z } from 'zod';
import { translate } from '../text/catalogue.ts';
import type { Article } from '../ranking/articles/articles.ts';
import { zSnowflake } from '../ranking/snowflake.ts';
import { readComment, shownComment } from '../text/comment.ts';
import { COLOUR } from '../discord/colours.ts';

/** What an article's message carries: all that a rebuild of the ranking needs. */
export type Carried = Pick<
  Article,
  'title' | 'link' | 'comment' | 'poster' | 'groups' | 'up' | 'down' | 'interesting' | 'closed'
>;

const interestingMark = '★';
const closedMark = '🔒';
/** For readers alone: a rebuild opens the voting again. */
const lockedMark = '⏸';

/**
 * The article's message.
 * Only the names of its fields are in a language, the guild's; `readArticleMessage` reads the rest
 * back. The member's text stands where Discord parses no links and no mentions.
 */
export function articleMessage(
  article: Carried & Pick<Article, 'closesAtMs'> & { locked?: boolean },
  locale: string | null,
): { embeds: APIEmbed[]; allowedMentions: { parse: never[] } } {
  const { poster, groups, closesAtMs, comment } = article;
  const embed: APIEmbed = {
    color: COLOUR,
    author: { name: new URL(article.link).host },
    title: article.title,
    url: article.link,
    ...(comment ? { description: shownComment(comment) } : {}),
    fields: [
      { name: translate(locale, 'article.poster'), value: `<@${poster}>`, inline: true },
      {
        name: translate(locale, 'article.groups'),
        value: groups.map((group) => `<#${group}>`).join(' '),
        inline: true,
      },
      {
        name: translate(locale, 'article.closes'),
        value: `<t:${Math.floor(closesAtMs / 1000)}:R>`,
        inline: true,
      },
    ],
    footer: { text: footer(article) },
  };
  return { embeds: [embed], allowedMentions: { parse: [] } };
}

/** The tally in words that need no translation; also for lists. */
export function tally({ up, down }: Pick<Article, 'up' | 'down'>): string {
  return `▲ ${up} ▼ ${down}`;
}

/** The same with the marks of an interesting and of a closed article. */
export function footer(
  article: Pick<Article, 'up' | 'down' | 'interesting' | 'closed'> & { locked?: boolean },
): string {
  return [
    tally(article),
    ...(article.interesting ? [interestingMark] : []),
    ...(article.locked === true ? [lockedMark] : []),
    ...(article.closed ? [closedMark] : []),
  ].join(' · ');
}

const zFooter = z
  .string()
  .regex(/^▲ \d{1,9} ▼ \d{1,9}(?: · ★)?(?: · ⏸)?(?: · 🔒)?$/u)
  .transform((text) => {
    const [up = 0, down = 0] = (text.match(/\d+/g) ?? []).map(Number);
    return {
      up,
      down,
      interesting: text.includes(interestingMark),
      closed: text.includes(closedMark),
    };
  });

const zMention = z
  .string()
  .regex(/^<@\d+>$/)
  .transform((text) => text.slice(2, -1))
  .pipe(zSnowflake);

const zChannels = z
  .string()
  .regex(/^<#\d+>(?: <#\d+>)*$/)
  .transform((text) => text.slice(2, -1).split('> <#'))
  .pipe(z.array(zSnowflake).min(1));

const zCarried = z
  .object({
    title: z.string().min(1),
    url: z.string().min(1),
    description: z.string().nullish(),
    fields: z
      .tuple([z.object({ value: zMention }), z.object({ value: zChannels })])
      .rest(z.unknown()),
    footer: z.object({ text: zFooter }),
  })
  .transform(
    ({ title, url, description, fields: [poster, groups], footer }): Carried => ({
      title,
      link: url,
      ...(description ? { comment: readComment(description) } : {}),
      poster: poster.value,
      groups: groups.value,
      ...footer.text,
    }),
  );

const zMessage = z.object({ embeds: z.array(z.unknown()).length(1) });

/** The inverse of `articleMessage`, on a message as the API tells it; null for any other message. */
export function readArticleMessage(message: unknown): Carried | null {
  const shape = zMessage.safeParse(message);
  if (!shape.success) return null;
  const carried = zCarried.safeParse(shape.data.embeds[0]);
  return carried.success ? carried.data : null;
}
