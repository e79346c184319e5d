import type { APIEmbedField } from 'discord.js';
import type { Article } from '../../ranking/articles/articles.ts';
import { footer } from '../message.ts';
import { MAX_TITLE_LENGTH, shortened } from '../../text/clean.ts';

/** Where a message opens in Discord. Written bare, Discord shows it as a link to the channel. */
export function messageLink(
  guild: string,
  { channel, id }: Pick<Article, 'channel' | 'id'>,
): string {
  return `https://discord.com/channels/${guild}/${channel}/${id}`;
}

/** A host can be as long as a title; ten articles must fit an embed. */
const hostLength = 64;

/**
 * An article as one line of a list: a field of an embed, whose name parses no links.
 * A title is cut where it and the rank are longer than `titleLength`; an embed holds 6 000 characters.
 */
export function articleField(
  guild: string,
  article: Article,
  rank: number,
  titleLength = MAX_TITLE_LENGTH,
): APIEmbedField {
  const age = `<t:${Math.floor(article.postedAtMs / 1000)}:R>`;
  const host = shortened(new URL(article.link).host, hostLength);
  return {
    name: shortened(`${rank}. ${article.title}`, titleLength),
    value: `${footer(article)} · ${age} · \`${host}\`\n${messageLink(guild, article)}`,
  };
}
