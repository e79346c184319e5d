import type { APIMessage, NonThreadGuildBasedChannel } from 'discord.js';
import type { Bot } from '../../discord/bot.ts';
import type { Rules } from '../../discord/guild-rules.ts';
import { isListed } from '../../discord/visibility.ts';
import { noteAnnounced } from '../../store/announcing.ts';
import { beginImported, dropImported, finishImported } from '../../store/imported.ts';
import type { Fate } from '../../store/imports.ts';
import { postArticle, removeArticle } from '../../voting/articles.ts';
import { freeLink } from '../../voting/moderation.ts';
import { LAST_RECOUNT_MS, VOTING_OPEN_MS } from '../../voting/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../voting/snowflake.ts';
import type { followDeletions } from './deletions.ts';
import { holderOf, judge, type Verdict } from './judging.ts';
import { readResult } from './votes.ts';

type Taking = {
  bot: Bot;
  guild: Snowflake;
  group: NonThreadGuildBasedChannel;
  run: string;
  deletions: ReturnType<typeof followDeletions>;
};

/**
 * Makes a closed article of a member's message, if it is to be one. The article's id is the message's,
 * so that taken in twice it is one. That it is imported is said before there is anything to import,
 * and once more when it is there: in between, a successor takes it in again.
 */
export async function takeInWritten(taking: Taking, message: APIMessage): Promise<Fate> {
  const { bot, guild, group, run } = taking;
  const rules = await bot.rules.read(guild);
  const holder = (name: string) => holderOf(bot, guild, run, name);
  const verdict = await judge({ bot, run, rules, group, holder }, message);
  if (verdict.is === 'wanted') return post(taking, rules, message, verdict);
  // Interrupted between the article and this note.
  if (verdict.is === 'imported') await finishImported(bot.store, guild, message.id, run);
  return verdict.is;
}

async function post(
  { bot, guild, group, run, deletions }: Taking,
  rules: Rules,
  message: APIMessage,
  { found: { id, poster, link, title }, name, frees }: Extract<Verdict, { is: 'wanted' }>,
): Promise<Fate> {
  const { ranking, store } = bot;
  const result = await readResult(bot, guild, rules, message);
  if (result === null) return 'unreadable';
  await beginImported(store, guild, id, run);
  // What is interesting in a history is no news.
  if (isNews(id, bot.clock.now())) await noteAnnounced(store, guild, [id]);
  if (frees !== null) await freeLink(ranking, { guild, canonical: name, article: frees });
  const { status } = await postArticle(ranking, {
    guild,
    id,
    title,
    link: link.href,
    canonical: name,
    poster,
    home: group.id,
    channel: message.channel_id,
    listed: isListed(group),
    tally: { ...result, closed: true },
  });
  if (status === 'duplicate') {
    // Somebody posted it in this moment.
    await dropImported(store, guild, id);
    return 'duplicate';
  }
  await finishImported(store, guild, id, run);
  if (!deletions.has(id)) return status === 'posted' ? 'imported' : 'removed';
  await removeArticle(ranking, guild, id);
  return 'removed';
}

/** Announcements look back as far as the last recount of an article, and a little more is no harm. */
function isNews(id: Snowflake, now: number): boolean {
  return now < snowflakeTimeMs(id) + VOTING_OPEN_MS + 2 * LAST_RECOUNT_MS;
}
