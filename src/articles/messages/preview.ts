import { z } from 'zod';
import { onPacket } from '../../discord/gateway/packets.ts';
import { fault, type Log } from '../../runtime/log.ts';
import { type Article, readArticle } from '../../ranking/articles/articles.ts';
import { retitleArticle } from '../../ranking/articles/edit.ts';
import { MAX_DESCRIPTION_LENGTH, writePreview } from '../../ranking/articles/previews.ts';
import { canonicalOf } from '../../ranking/links/parse.ts';
import { type Snowflake, zSnowflake } from '../../runtime/snowflake.ts';
import { asSpoiler, cleanLine, cleanTitle, isSpoiler, titleOfLink } from '../../text/clean.ts';
import { refusalOf } from '../../community/may-stand.ts';
import type { GuildRules } from '../../community/guild-rules.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Client } from 'discord.js';
import type { PendingPosts } from '../pending-posts.ts';

const zPicture = z.object({ url: z.string().nullish(), proxy_url: z.string().nullish() }).nullish();
const zEmbed = z.object({
  url: z.string().nullish(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  image: zPicture,
  thumbnail: zPicture,
});
export const zPreviewUpdate = z.object({
  id: zSnowflake,
  guild_id: zSnowflake,
  channel_id: zSnowflake,
  author: z.object({ id: zSnowflake }).optional(),
  embeds: z.array(zEmbed).min(1),
});

/** An embed of Discord's own preview, from the gateway, from REST or as discord.js keeps it. */
export type PreviewEmbed = z.infer<typeof zEmbed>;

/** The embed that Discord made of a link, and not of another one in the message. */
function embedOf(embeds: readonly PreviewEmbed[], canonical: string, isAlone: boolean) {
  const own = embeds.find(({ url }) => url && canonicalOf(url) === canonical);
  // A page can give an address other than the link. With one link and one embed, they belong together.
  return own ?? (isAlone && embeds.length === 1 ? embeds[0] : undefined);
}

/**
 * The title of Discord's preview of a link, cleaned like any title; empty if there is none.
 * `isAlone`: the message has no other link.
 */
export function previewTitle(
  embeds: readonly PreviewEmbed[],
  canonical: string,
  isAlone = false,
): string {
  return cleanTitle(embedOf(embeds, canonical, isAlone)?.title ?? '');
}

/** What Discord's preview says of a link, cleaned; empty if there is none. `isAlone`: as above. */
export function previewOf(
  embeds: readonly PreviewEmbed[],
  canonical: string,
  isAlone: boolean,
): { title?: string; description?: string; picture?: string } {
  const embed = embedOf(embeds, canonical, isAlone);
  if (!embed) return {};
  return {
    title: cleanTitle(embed.title ?? ''),
    description: cleanLine(embed.description ?? '', MAX_DESCRIPTION_LENGTH),
    picture: embed.image?.url ?? embed.thumbnail?.url ?? '',
  };
}

/**
 * Stores Discord's preview of an article's link. An article that was posted without a title gets the
 * title of the preview. A title that somebody gave is never replaced, and what the guild blocks is left out.
 * `isAlone`: the message has no other link.
 */
export async function keepPreview(
  { ranking, rules, clock }: { ranking: Ranking; rules: GuildRules; clock: Clock },
  guild: Snowflake,
  { id, title, link }: Pick<Article, 'id' | 'title' | 'link'>,
  { embeds, isAlone }: { embeds: readonly PreviewEmbed[]; isAlone: boolean },
): Promise<void> {
  const embed = embedOf(embeds, canonicalOf(link), isAlone);
  if (!embed) return;
  const { blocks } = await rules.read(guild);
  const mayStand = (text: string) => refusalOf(blocks, { texts: [text] }, clock.now()) === null;
  const description = cleanLine(embed.description ?? '', MAX_DESCRIPTION_LENGTH);
  await writePreview(ranking, guild, id, {
    description: mayStand(description) ? description : '',
    picture: embed.image?.url ?? embed.thumbnail?.url ?? '',
    copy: embed.image?.proxy_url ?? embed.thumbnail?.proxy_url ?? '',
  });
  const found = cleanTitle(embed.title ?? '');
  if (found === '' || !isPlaceholder({ title, link }) || !mayStand(found)) return;
  const change = {
    guild,
    article: id,
    title: isSpoiler(title) ? asSpoiler(found) : found,
    from: title,
  };
  await retitleArticle(ranking, change);
}

/** Whether the article has no title of its own yet: the link's address stands for it. */
export function isPlaceholder({ title, link }: Pick<Article, 'title' | 'link'>): boolean {
  const address = titleOfLink(link);
  return title === address || title === asSpoiler(address);
}

export interface PreviewNeeds {
  /** Tells what Discord found behind an article's link. */
  client: Client;
  /** The bot's own user: other authors' messages have no preview of ours. */
  self: Snowflake;
  /** Keeps the titles and pictures that Discord found. */
  ranking: Ranking;
  /** The words that may not stand in one. */
  rules: GuildRules;
  /** Discord's time. */
  clock: Clock;
  /** A preview can come before its article is committed. */
  pendingPosts: PendingPosts;
  /** Says what could not be done. */
  log: Log;
  /** Aborted when the bot is stopping: nothing is stored any more. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work. */
  hold: (work: Promise<unknown>) => void;
}

/** Keeps Discord's previews of articles' links. They come with an update of the message, after it. */
export function followPreviews(needs: PreviewNeeds): void {
  async function handle(update: z.infer<typeof zPreviewUpdate>): Promise<void> {
    const { id, guild_id: guild, channel_id: channel, embeds } = update;
    // The update can come before the article is committed.
    await needs.pendingPosts.underWay(channel);
    const article = await readArticle(needs.ranking, guild, id);
    if (article) await keepPreview(needs, guild, article, { embeds, isAlone: true });
  }

  onPacket(needs.client, 'MESSAGE_UPDATE', zPreviewUpdate, (update) => {
    const { id, author } = update;
    if (needs.stopping.aborted || (author !== undefined && author.id !== needs.self)) return;
    const work = handle(update).catch((error: unknown) => {
      needs.log.info({ ...fault(error), article: id }, 'A preview could not be stored.');
    });
    needs.hold(work);
  });
}
