import type { GuildMember } from 'discord.js';
import { type SettingName, type Settings, writeSetting } from '../store/settings.ts';
import { listArticles } from '../voting/lists.ts';
import { setMark } from '../voting/mark.ts';
import type { Snowflake } from '../voting/snowflake.ts';
import type { Bot } from './bot.ts';
import { logDeed } from './moderation-log.ts';
import { applyRules } from './uncounted-votes.ts';

/** After a change of these, votes that were cast are looked at again. */
const judging: readonly SettingName[] = ['account-days', 'member-days', 'vote-roles'];

/** Changes a setting to a value that fits, and lets everything follow that rests on it. */
export async function changeSetting<N extends SettingName>(
  bot: Bot,
  { id, by }: { id: Snowflake; by: GuildMember },
  name: N,
  value: Settings[N],
): Promise<void> {
  const guild = by.guild.id;
  if (name === 'mark') {
    const { status } = await setMark(bot.ranking, guild, value as number);
    if (status === 'unchanged') return;
  } else {
    await writeSetting(bot.store, guild, name as Exclude<N, 'mark'>, value as never);
  }
  await bot.rules.refresh(guild);
  // Web pages that are kept call groups by their old names.
  if (name === 'group-names') bot.ranking.changes.noteAll(guild);
  if (judging.includes(name)) {
    bot.chores.add(`rules of ${guild}`, () => applyRules(bot, guild));
    bot.judging.soon(guild);
  }
  await logDeed(bot, guild, {
    id,
    atMs: bot.clock.now(),
    by: by.id,
    what: 'setting',
    own: false,
    reason: '',
    article: null,
    home: null,
    subject: name,
    title: '',
    before: null,
    after: null,
  });
}

const lookedAt = 200;
const weeksMs = 14 * 86_400_000;
const enough = 20;

/**
 * A mark that fits the guild: what about every tenth of its articles reached that are older than a
 * day and younger than two weeks. As long as there are few, one in fifty of its members.
 */
export async function suggestMark(
  { ranking, clock }: Bot,
  guild: { id: Snowflake; memberCount: number },
): Promise<{ mark: number; from: 'votes' | 'members' }> {
  const list = { guild: guild.id, order: 'time-desc', page: 1, pageSize: lookedAt } as const;
  const { articles } = await listArticles(ranking, list);
  const ages = articles.map((article) => ({ ...article, ageMs: clock.now() - article.postedAtMs }));
  const ups = ages
    .filter(({ ageMs }) => ageMs > 86_400_000 && ageMs < weeksMs)
    .map(({ up }) => up)
    .sort((a, b) => b - a);
  if (ups.length >= enough) {
    return { mark: Math.max(3, ups[Math.floor(ups.length / 10)] ?? 3), from: 'votes' };
  }
  const mark = Math.min(200, Math.max(3, Math.round(guild.memberCount / 50)));
  return { mark, from: 'members' };
}
