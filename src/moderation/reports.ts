/** What members report to the moderators, and what becomes of it. */

import type { Client, GuildMember } from 'discord.js';
import { MessageFlags } from 'discord.js';
import { logAction, loggedName } from '../community/moderation-log.ts';
import type { LogChannelNeeds } from '../community/admin-messages.ts';
import { requireWithinLimit, type MemberLimits } from '../community/member-limits.ts';
import { languageOfGuild } from '../community/settings.ts';
import {
  entryField,
  hasEntry,
  hasReported,
  noteReport,
  readAllReports,
  readReports,
  REPORT_REASONS,
  refreshReports,
  reportRow,
  type ReportReason,
  type Report,
  type Reports,
  REPORTS_KEPT_MS,
  settleReports,
  sweepReports,
} from '../community/stored-reports.ts';
import { missingPermissions } from '../discord/access/permissions.ts';
import { isListed } from '../discord/access/visibility.ts';
import { type ActionRow, button, row } from '../discord/interactions/components.ts';
import { nonceOf } from '../discord/requests/requests.ts';
import { UserError } from '../discord/user-error.ts';
import type { Due } from '../due/due.ts';
import type { Held, Kind, Next } from '../due/kind.ts';
import { keepShown, type Standing } from '../messages/keep-shown.ts';
import type { Body, Messages } from '../messages/messages.ts';
import { readArticle, readArticles } from '../ranking/articles/articles.ts';
import { readRemoved } from '../ranking/articles/removed.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Article } from '../ranking/row.ts';
import type { Store } from '../redis/store.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { type Clock, HOUR_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { code, fitting } from '../text/clean.ts';
import { messageLink, timestamp } from '../text/mentions.ts';
import { mayModerate } from './may-moderate.ts';

export interface ReportNeeds extends LogChannelNeeds {
  /** The articles that are reported. */
  ranking: Ranking;
  /** Where the reports are. */
  store: Store;
  /** Has the log channel show them. */
  due: Due;
  /** How much a member may report. */
  memberLimits: MemberLimits;
  /** Discord's time. */
  clock: Clock;
}

/** What is reported while a message about it was just changed is shown by one change, this long after (ms). */
const TOGETHER_MS = 10_000;

/** Refuses, with the reason, what this member cannot report. */
export async function requireReportable(
  { rules, store }: Pick<ReportNeeds, 'rules' | 'store'>,
  { id, guild }: GuildMember,
  article: Pick<Article, 'id' | 'poster'>,
): Promise<void> {
  const { optedOut } = await rules.read(guild.id);
  if (optedOut.has(id)) throw new UserError('report.out');
  if (article.poster === id) throw new UserError('report.own');
  if (await hasReported(store, guild.id, article.id, id)) throw new UserError('report.already');
}

/** Notes a member's report, and has moderators see it. */
export async function reportArticle(
  needs: ReportNeeds,
  by: GuildMember,
  { id: article, poster }: Pick<Article, 'id' | 'poster'>,
  reason: ReportReason,
): Promise<void> {
  const { store, clock, due, memberLimits } = needs;
  const { id: member } = by;
  const guild = by.guild.id;
  await requireReportable(needs, by, { id: article, poster });
  requireWithinLimit(needs, guild, member, 'report');
  const now = clock.now();
  const status = await noteReport(store, guild, { article, member, reason }, now);
  if (status !== 'noted') {
    memberLimits.uncount('report', guild, member);
    throw new UserError(`report.${status}`);
  }
  const isShown = await hasEntry(store, guild, article);
  await due.plan(guild, reportRow(article), isShown ? now + TOGETHER_MS : 0);
}

/** Moderators have decided about these articles: their reports are answered. `isFirst`: some were not before. */
export async function answerReports(
  needs: Pick<ReportNeeds, 'store' | 'due' | 'clock'>,
  guild: Snowflake,
  articles: readonly Snowflake[],
): Promise<{ isFirst: boolean }> {
  const { settled, shown } = await settleReports(needs.store, guild, articles, needs.clock.now());
  await refreshReports(needs, guild, shown);
  return { isFirst: settled.length > 0 };
}

/** Leaves a reported article as it is. */
export async function leaveReported(
  needs: ReportNeeds,
  by: GuildMember,
  article: Article,
): Promise<void> {
  const guild = by.guild.id;
  const { isFirst } = await answerReports(needs, guild, [article.id]);
  if (!isFirst) throw new UserError('report.settled');
  const named = loggedName(by.guild, article);
  await logAction(needs, { by }, (locale, who) =>
    translate(locale, 'audit.left', { by: who, article: named }),
  );
}

/** An article with the reports about which nobody has decided. */
export type Reported = { article: Article; reports: Reports };

/** What waits for this moderator, the last reported first. */
export async function openReports(needs: ReportNeeds, by: GuildMember): Promise<Reported[]> {
  const guild = by.guild.id;
  const all = await readAllReports(needs.store, guild, needs.clock.now());
  const open = [...all].filter(([, reports]) => reports.open.length > 0);
  const articles = await readArticles(
    needs.ranking,
    guild,
    open.map(([id]) => id),
  );
  return open
    .flatMap(([, reports], at) => {
      const article = articles[at] ?? null;
      return article !== null && mayModerate(by, article) ? [{ article, reports }] : [];
    })
    .toSorted((a, b) => lastOf(b.reports) - lastOf(a.reports));
}

const lastOf = ({ open }: Reports): number => open.at(-1)?.atMs ?? 0;

/** Who reported an article, and why: for its moderators alone. */
export async function reportersText(
  { store, clock }: Pick<ReportNeeds, 'store' | 'clock'>,
  guild: Snowflake,
  article: Snowflake,
  locale: string,
): Promise<string> {
  return reportersLines(await readReports(store, guild, article, clock.now()), locale);
}

/** A line for each of them. */
export function reportersLines({ all }: Reports, locale: string): string {
  const lines = all.map(({ member, reason, atMs }) =>
    [`<@${member}>`, translate(locale, `report.reason.${reason}`), timestamp(atMs, 'R')].join(
      ' · ',
    ),
  );
  const shown = fitting(lines, {
    length: 1900,
    more: (left) => translate(locale, 'mod.more', { more: left }),
  });
  return shown || translate(locale, 'report.nobody');
}

/** `3 reports: spam (2), misleading (1)` */
export function countText(locale: string | null, reports: readonly Report[]): string {
  const counts = REPORT_REASONS.map((reason) => ({
    reason,
    count: reports.filter((report) => report.reason === reason).length,
  })).filter(({ count }) => count > 0);
  const reasons = counts
    .toSorted((a, b) => b.count - a.count)
    .map(({ reason, count }) => `${translate(locale, `report.reason.${reason}`)} (${count})`);
  return [translate(locale, 'report.count', { count: reports.length }), ...reasons].join(' · ');
}

/** What a moderator can do about a reported article. */
export function reportButtons(locale: string | null, article: Article, now: number): ActionRow {
  const { id, closed, locked, closesAtMs } = article;
  const mayLock = !closed && !locked && now < closesAtMs;
  const of = (action: string, label: string, style: 'plain' | 'danger' = 'plain') =>
    button(`moderate|${action}|${id}`, label, style);
  return row(
    of('remove', translate(locale, 'moderate.remove'), 'danger'),
    ...(mayLock ? [of('lock', translate(locale, 'moderate.lock'))] : []),
    of('leave', translate(locale, 'report.leave')),
    of('reporters', translate(locale, 'report.reporters')),
  );
}

/**
 * A reported article as moderators see it. What is not for everyone is named by its message alone. `isPlain`: without
 * its link.
 */
export function reportedText(
  guild: GuildMember['guild'],
  article: Article,
  isPlain = false,
): string {
  const message = messageLink(guild.id, article);
  if (!isListed(guild.channels.cache.get(article.home))) return message;
  const link = isPlain ? [] : [code(article.link)];
  return [code(article.title), `<@${article.poster}>`, ...link, message].join(' · ');
}

interface ReportKindNeeds extends ReportNeeds {
  /** Sends and edits the message about an article. */
  channels: Messages;
  /** Its cache knows the guilds and their channels. */
  client: Client;
}

/** Its message begins with it, in every language. */
const MARK = '🚩';

/** The message in the log channel about an article that members reported: one, brought to what is true. */
export function reportKind(needs: ReportKindNeeds): Kind {
  return {
    name: 'report',
    sideBySide: 8,
    async standing(guild) {
      const all = await readAllReports(needs.store, guild, needs.clock.now());
      return [...all].map(
        ([
          article,
          {
            all: [oldest],
            open,
            entry,
          },
        ]) => {
          const isShown = oldest !== undefined && (entry !== null || open.length === 0);
          return { row: reportRow(article), atMs: isShown ? oldest.atMs + REPORTS_KEPT_MS : 0 };
        },
      );
    },
    run: (held) => showReports(needs, held),
  };
}

async function showReports(needs: ReportKindNeeds, held: Held): Promise<Next> {
  const { store, clock, rules } = needs;
  const { guild, id: article } = held;
  const { entry, open, all } = await readReports(store, guild, article, clock.now());
  const { log } = (await rules.read(guild)).settings;
  const expiresMs = all[0] === undefined ? null : all[0].atMs + REPORTS_KEPT_MS;
  let isShown = true;
  // What is not in the log channel says nothing: whoever moved it meant other readers.
  const isMoved = entry !== null && entry.channel !== log;
  const isRight = entry !== null && (await isEdited(needs, held, entry, isMoved));
  if (isRight && !isMoved) {
    // It says what is true.
  } else if (open.length > 0 && log !== null) {
    isShown = await send(needs, held, log, { entry, sinceMs: open[0]!.atMs });
  }
  await sweepReports(store, guild, article, clock.now());
  const againMs = isShown ? null : clock.now() + HOUR_MS;
  const times = [expiresMs, againMs].filter((atMs) => atMs !== null);
  return { atMs: times.length > 0 ? Math.min(...times) : null };
}

/** False: a moderator deleted it, or Discord refuses the change; so it is sent anew while a report waits. */
async function isEdited(
  needs: ReportKindNeeds,
  held: Held,
  { channel, message }: NonNullable<Reports['entry']>,
  isMoved: boolean,
): Promise<boolean> {
  const { guild, id, write } = held;
  const edit = async (isPlain: boolean) => {
    const body = await (isMoved ? movedBody(needs, guild) : bodyOf(needs, guild, id, isPlain));
    return needs.channels.editMessage({ guild, channel }, message, body, async () => {
      await write({});
      return true;
    });
  };
  let edited = await edit(false);
  if (edited.status === 'refused' && edited.reason === 'text') edited = await edit(true);
  return edited.status === 'edited' || edited.status === 'lost';
}

async function send(
  needs: ReportKindNeeds,
  { guild, id, notes, write }: Held,
  channel: Snowflake,
  { entry, sinceMs }: { entry: Reports['entry']; sinceMs: number },
): Promise<boolean> {
  const { client, store, log } = needs;
  const of = client.guilds.cache.get(guild)?.channels.cache.get(channel);
  const standing: Standing = {
    target: { guild, channel },
    nonce: nonceOf(guild, 'report', id, channel, entry?.message ?? ''),
    matches: (content) => content.startsWith(MARK) && content.includes(id),
    sinceMs,
    mayReadBack: of !== undefined && missingPermissions(of, ['ReadMessageHistory']).length === 0,
    write: async ({ isPlain }) => {
      const { open } = await readReports(store, guild, id, needs.clock.now());
      return open.length === 0 ? null : bodyOf(needs, guild, id, isPlain);
    },
  };
  const shown = await keepShown(needs, standing, {
    isTried: notes.get('tried') === channel,
    async hold(isTry) {
      await write(isTry ? { tried: channel } : {});
      return true;
    },
  });
  if (shown.status === 'shown') {
    await write(entryField(id, channel, shown.message), storeKeys(store, guild).reports);
  }
  if (shown.status === 'refused')
    log.warn({ guild, channel, reason: shown.reason }, 'A report cannot be shown to moderators.');
  return shown.status !== 'refused';
}

/** What the message says, as it is true now. `isPlain`: without the link of the article. */
async function bodyOf(
  { client, rules, ranking, store, clock }: ReportKindNeeds,
  guild: Snowflake,
  id: Snowflake,
  isPlain: boolean,
): Promise<Body> {
  const now = clock.now();
  const of = client.guilds.cache.get(guild);
  const locale = languageOfGuild(await rules.read(guild), of);
  const [article, removed, { all, open, isDecided }] = await Promise.all([
    readArticle(ranking, guild, id),
    readRemoved(ranking, guild, id),
    readReports(store, guild, id, now),
  ]);
  const known = article ?? removed?.article ?? null;
  const lines = [
    `${MARK} **${countText(locale, open.length > 0 ? open : all)}**`,
    known === null || of === undefined ? `\`${id}\`` : reportedText(of, known, isPlain),
  ];
  const isOpen = article !== null && open.length > 0;
  const state = isOpen ? null : stateOf(article, removed, isDecided);
  if (state !== null) lines.push(`-# ${translate(locale, `report.now.${state}`)}`);
  return {
    content: lines.join('\n'),
    components: isOpen ? [reportButtons(locale, article, now)] : [],
    allowed_mentions: { parse: [] },
    flags: MessageFlags.SuppressEmbeds,
  };
}

/** What is left where the log channel was. Without the mark, so that it is not found in place of a later one. */
async function movedBody(
  { client, rules }: Pick<ReportKindNeeds, 'client' | 'rules'>,
  guild: Snowflake,
): Promise<Body> {
  const locale = languageOfGuild(await rules.read(guild), client.guilds.cache.get(guild));
  return {
    content: `-# ${translate(locale, 'report.moved')}`,
    components: [],
    allowed_mentions: { parse: [] },
  };
}

/** What became of the article; null: nothing, since its reports were withdrawn. */
function stateOf(
  article: Article | null,
  removed: unknown,
  isDecided: boolean,
): 'removed' | 'gone' | 'locked' | 'left' | null {
  if (article === null) return removed === null ? 'gone' : 'removed';
  if (article.locked) return 'locked';
  return isDecided ? 'left' : null;
}
