import {
  DiscordAPIError,
  type GuildMember,
  type NonThreadGuildBasedChannel,
  Routes,
} from 'discord.js';
import { fault } from '../log.ts';
import type { Deed } from '../store/deeds.ts';
import { isImported } from '../store/imported.ts';
import type { Article } from '../voting/articles.ts';
import { lockArticle, moveArticle, retitleArticle } from '../voting/moderation.ts';
import { buryArticle, unburyArticle, type UnburyOutcome } from '../voting/removed.ts';
import type { Snowflake } from '../voting/snowflake.ts';
import type { Bot } from './bot.ts';
import { languageOfGuild } from './guild-rules.ts';
import { logDeed } from './moderation-log.ts';
import { tombstone } from './tombstone.ts';
import { applyRulesTo } from './uncounted-votes.ts';
import { isListed } from './visibility.ts';

/** Who does something to an article, and why. */
export type Act = {
  /** The interaction. */
  id: Snowflake;
  by: GuildMember;
  reason: string;
  /** The poster does it, and no moderator. */
  own?: boolean;
};

/**
 * Removes an article from everything at once, and puts a tombstone in its place. `foreign`: it is done,
 * and the message of an imported article, which is its poster's, stays as it is.
 */
export async function removeBy(
  bot: Bot,
  article: Article,
  act: Act,
): Promise<'buried' | 'foreign' | 'unchanged' | 'unknown' | 'unedited'> {
  const guild = act.by.guild.id;
  const { status } = await buryArticle(bot.ranking, guild, article.id, bot.clock.now());
  if (status !== 'buried') return status;
  // Whatever happens to this process, the message is seen to: the edits take it over.
  bot.edits.note(guild, article.id);
  await logDeed(bot, guild, deedOf(bot, article, act, 'remove'));
  if (await isImported(bot.store, guild, article.id)) return 'foreign';
  const rules = await bot.rules.read(guild);
  const body = tombstone(
    { own: act.own === true, reason: act.reason },
    languageOfGuild(rules, act.by.guild),
  );
  try {
    await bot.client.rest.patch(Routes.channelMessage(article.channel, article.id), { body });
    return 'buried';
  } catch (error) {
    if (!(error instanceof DiscordAPIError)) throw error;
    bot.log.warn({ ...fault(error), article: article.id }, 'A tombstone could not be put.');
    return 'unedited';
  }
}

/** Puts a removed article back; whoever voted meanwhile is found by the next recount. */
export async function restoreBy(bot: Bot, article: Article, act: Act): Promise<UnburyOutcome> {
  const { guild } = act.by;
  const home = guild.channels.cache.get(article.home);
  const listed = home !== undefined && !home.isThread() && isListed(home);
  const outcome = await unburyArticle(bot.ranking, guild.id, article.id, listed);
  if (outcome.status === 'unburied') {
    await applyRulesTo(bot, guild.id, article.id);
    bot.edits.note(guild.id, article.id);
    await logDeed(bot, guild.id, deedOf(bot, article, act, 'restore'));
  }
  return outcome;
}

export async function lockBy(
  bot: Bot,
  article: Article,
  locked: boolean,
  act: Act,
): Promise<'changed' | 'unchanged' | 'closed' | 'unknown'> {
  const guild = act.by.guild.id;
  const change = { guild, article: article.id, locked };
  if (bot.clock.now() >= article.closesAtMs) return 'closed';
  const { status } = await lockArticle(bot.ranking, change);
  if (status === 'changed') {
    if (!locked) await applyRulesTo(bot, guild, article.id);
    bot.edits.note(guild, article.id);
    await logDeed(bot, guild, deedOf(bot, article, act, locked ? 'lock' : 'unlock'));
  }
  return status;
}

export async function moveBy(
  bot: Bot,
  article: Article,
  home: NonThreadGuildBasedChannel,
  act: Act,
): Promise<'moved' | 'unchanged' | 'unknown'> {
  const guild = act.by.guild.id;
  const move = { guild, article: article.id, home: home.id, listed: isListed(home) };
  const { status } = await moveArticle(bot.ranking, move);
  if (status === 'moved') {
    bot.edits.note(guild, article.id);
    const change = { before: article.home, after: home.id };
    await logDeed(bot, guild, { ...deedOf(bot, article, act, 'move'), ...change });
  }
  return status;
}

/** `title` is clean already. */
export async function retitleBy(
  bot: Bot,
  article: Article,
  title: string,
  act: Act,
): Promise<'retitled' | 'unchanged' | 'unknown'> {
  const guild = act.by.guild.id;
  const { status } = await retitleArticle(bot.ranking, { guild, article: article.id, title });
  if (status === 'retitled') {
    bot.edits.note(guild, article.id);
    const change = { before: article.title, after: title };
    await logDeed(bot, guild, { ...deedOf(bot, article, act, 'retitle'), ...change });
  }
  return status;
}

function deedOf(bot: Bot, article: Article, act: Act, what: Deed['what']): Deed {
  return {
    id: act.id,
    atMs: bot.clock.now(),
    by: act.by.id,
    what,
    own: act.own === true,
    reason: act.reason,
    article: article.id,
    home: article.home,
    subject: null,
    title: article.title,
    before: null,
    after: null,
  };
}
