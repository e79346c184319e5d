import { isDeepStrictEqual } from 'node:util';
import { type APIEmbed, type Client, DiscordAPIError, Routes } from 'discord.js';
import { z } from 'zod';
import { isNews, readAnnouncements } from '../articles/announced.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import { isOptedOut } from '../community/opted-out.ts';
import { languageOfGuild } from '../community/settings.ts';
import { readOne } from '../discord/requests/read-messages.ts';
import type { Requests } from '../discord/requests/requests.ts';
import type { Kind } from '../due/kind.ts';
import { postsOf } from '../ranking/ballots/of-member.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import { type Clock, DAY_MS } from '../runtime/clock.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { articlesNamedIn, listEditions } from '../editions/stored-editions.ts';

/** Older messages are seldom read, and Discord limits their edits. */
const EDITED_FOR_MS = 7 * DAY_MS;
const LOOKED_AT = 100;

export interface LeavePublishedNeeds {
  /** Its cache tells a guild's language. */
  client: Client;
  /** Reads and edits the messages, behind whatever else waits. */
  requests: Requests;
  /** The guild's language. */
  rules: GuildRules;
  /** Whose the articles are. */
  ranking: Ranking;
  /** Where the editions are. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
}

/** What is to be named no more: a member, or articles that were erased. */
export type Leaving = { member: Snowflake } | { articles: ReadonlySet<Snowflake> };

/** Takes who opted out from what names them. What cannot be edited now is tried again while it is of the last week. */
export function unnamingKind(needs: LeavePublishedNeeds): Kind {
  return {
    name: 'unname',
    sideBySide: 2,
    async run({ guild, id: member }) {
      // Who came back meanwhile may be named.
      if (await isOptedOut(needs.store, guild, member)) {
        await leavePublished(needs, guild, { member });
      }
      return { atMs: null };
    },
  };
}

/**
 * Takes a member's name, or erased articles, out of the editions and announcements of the last week. All else in
 * them stays as it was. Repeated, it changes nothing. One that cannot be edited stops no other; then it throws.
 */
export async function leavePublished(
  needs: LeavePublishedNeeds,
  guild: Snowflake,
  leaving: Leaving,
): Promise<void> {
  const errors: unknown[] = [];
  // What was removed since is still named.
  const articles =
    'member' in leaving
      ? new Set((await postsOf(needs.ranking, guild, leaving.member)).map(({ id }) => id))
      : leaving.articles;
  const all = [
    ...(await editionsOf(needs, guild, articles)),
    ...(await announcementsOf(needs, guild, articles)),
  ];
  for (const one of all) {
    await leaveOne(needs, guild, one, leaving).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

/** A message that names articles. Of an announcement, Discord makes the embed from its content. */
type Published = { channel: Snowflake; message: Snowflake; isAnnouncement: boolean };

async function editionsOf(
  { store, clock }: LeavePublishedNeeds,
  guild: Snowflake,
  articles: ReadonlySet<Snowflake>,
): Promise<Published[]> {
  const sinceMs = clock.now() - EDITED_FOR_MS;
  const found: Published[] = [];
  for (const { edition } of await listEditions(store, guild, { most: LOOKED_AT })) {
    const { channel, message, postedAtMs } = edition;
    if (message === null || postedAtMs < sinceMs) continue;
    if (!articlesNamedIn(edition).some((id) => articles.has(id))) continue;
    found.push({ channel, message, isAnnouncement: false });
  }
  return found;
}

async function announcementsOf(
  { store, clock }: LeavePublishedNeeds,
  guild: Snowflake,
  articles: ReadonlySet<Snowflake>,
): Promise<Published[]> {
  const now = clock.now();
  const told = await readAnnouncements(
    store,
    guild,
    [...articles].filter((id) => isNews(id, now)),
  );
  return told
    .filter(({ message }) => now - snowflakeTimeMs(message) < EDITED_FOR_MS)
    .map((one) => ({ ...one, isAnnouncement: true }));
}

async function leaveOne(
  { client, requests, rules }: LeavePublishedNeeds,
  guild: Snowflake,
  { channel, message: id, isAnnouncement }: Published,
  leaving: Leaving,
): Promise<void> {
  const target = { guild, channel };
  const route = Routes.channelMessage(channel, id);
  const message = await requests.get(target, route).then(readOne, async (error: unknown) => {
    const isGone = error instanceof DiscordAPIError && error.status === 404;
    if (isGone && !(await requests.isOfOutage(target, error))) return null;
    throw error;
  });
  if (message === null || !requests.see(message)) return;
  const locale = languageOfGuild(await rules.read(guild), client.guilds.cache.get(guild));
  const shown = zShown.parse(message);
  const body = without(isAnnouncement ? { ...shown, embeds: [] } : shown, leaving, locale);
  if (body === null) return;
  const { content, embeds } = body;
  const edit = isAnnouncement ? { content } : { content, embeds };
  await requests.patch(target, route, { ...edit, allowed_mentions: { parse: [] } });
}

const zPicture = z.object({ url: z.string() });
const zShown = z.object({
  content: z.string(),
  embeds: z.array(
    z.object({
      title: z.string().optional(),
      url: z.string().optional(),
      description: z.string().optional(),
      color: z.int().optional(),
      image: zPicture.optional(),
      thumbnail: zPicture.optional(),
      footer: z.object({ text: z.string() }).optional(),
    }),
  ),
});
type Shown = z.output<typeof zShown>;
type Edited = { content: string; embeds: APIEmbed[] };

/** The message, written in this language, without what is to leave; null if it has nothing of it. */
function without(message: Shown, leaving: Leaving, locale: string | null): Edited | null {
  const changed =
    'member' in leaving
      ? withoutMember(message, `<@${leaving.member}>`, locale)
      : withoutArticles(message, leaving.articles, translate(locale, 'digest.erased'));
  return isDeepStrictEqual(changed, message) ? null : (changed as Edited);
}

function withoutMember({ content, embeds }: Shown, mention: string, locale: string | null): Shown {
  // What stands around a picture or a video without a title: "… by <@1>".
  const around = translate(locale, 'kind.by', { what: '\n', poster: mention })
    .split('\n')
    .filter((part) => part.includes(mention));
  const found = translate(locale, 'digest.found', { poster: mention });
  const unnamed = (text: string): string =>
    text
      .split('\n')
      .filter((line) => line !== found)
      .map((line) => around.reduce((left, part) => left.replace(part, ''), line))
      .flatMap((line) => withoutMention(line, mention))
      .join('\n');
  return {
    content: unnamed(content),
    embeds: embeds.map(({ description = '', ...embed }) => ({
      ...embed,
      description: unnamed(description),
    })),
  };
}

/** Facts lose one, a quote its author, and a first post its head. Another line with the name goes. */
function withoutMention(line: string, mention: string): string[] {
  if (!line.includes(mention)) return [line];
  const fact = ` · ${mention}`;
  if (line.startsWith('-# ') && line.includes(fact)) return [line.replace(fact, '')];
  if (line.endsWith(` — ${mention}`)) return [line.slice(0, -` — ${mention}`.length)];
  if (line.startsWith(`${mention}: `)) return [line.slice(mention.length + 2)];
  return [];
}

function withoutArticles(
  { content, embeds }: Shown,
  articles: ReadonlySet<Snowflake>,
  erased: string,
): Shown {
  const isOf = (text: string): boolean => [...articles].some((id) => text.includes(`/${id}`));
  const [best] = embeds;
  const isBest = best !== undefined && isOf(`${best.url ?? ''}\n${factsOfBest(best)}`);
  const [headline = '', opening = ''] = content.split('\n');
  const [, role = ''] = /^(<@&\d+> )?/.exec(opening) ?? [];
  return {
    content: isBest
      ? `${headline}\n${role}${erased}`
      : withoutItems(content.split('\n'), isOf, erased).join('\n'),
    embeds: embeds.map((embed, at) => {
      const lines = (embed.description ?? '').split('\n');
      if (at === 0 && isBest) {
        const { title: _, url: __, image: ___, thumbnail: ____, ...rest } = embed;
        const end = lines.findIndex((line) => line.startsWith('-# '));
        const description = [erased, ...withoutItems(lines.slice(end + 1), isOf, erased)].join(
          '\n',
        );
        return { ...rest, description };
      }
      // Beside the best stands its own picture, and beside an item alone that item's.
      const { thumbnail, ...rest } = embed;
      const isPictured = thumbnail !== undefined && (at === 0 || !isOf(lines.join('\n')));
      const description = withoutItems(lines, isOf, erased).join('\n');
      return { ...rest, ...(isPictured ? { thumbnail } : {}), description };
    }),
  };
}

/** The facts of the best article: the first small line of its embed. */
function factsOfBest({ description = '' }: Shown['embeds'][number]): string {
  return description.split('\n').find((line) => line.startsWith('-# ')) ?? '';
}

/** An item is a title and its facts, of which either leads to its message, or one line that does. */
function withoutItems(
  lines: readonly string[],
  isOf: (text: string) => boolean,
  erased: string,
): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    const next = lines[at + 1] ?? '';
    const hasFacts = !line.startsWith('-# ') && next.startsWith('-# ');
    if (!isOf(line) && !(hasFacts && isOf(next))) {
      kept.push(line);
      continue;
    }
    const [rank = ''] = /^\*\*\d+\.\*\* /.exec(line) ?? [];
    kept.push(`${rank}${erased}`);
    if (hasFacts) at += 1;
  }
  return kept;
}
