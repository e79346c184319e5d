/** What members reported to the moderators. Only moderators see who reported. */

import { z } from 'zod';
import type { Due } from '../due/due.ts';
import { readFields, readHash, scanHash } from '../redis/scan.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { DAY_MS, zTimeMs } from '../runtime/clock.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';

export const REPORT_REASONS = ['spam', 'harmful', 'misleading', 'off-topic', 'other'] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];

/** Long enough for moderators who are away, and no record of who denounces whom. */
export const REPORTS_KEPT_MS = 30 * DAY_MS;
/** Five hundred members reach it within a day. Each report reads them all. */
const REPORTS_AT_MOST = 5000;

export type Report = { member: Snowflake; reason: ReportReason; atMs: number };

/** The reports of an article, and what came of them. */
export type Reports = {
  /** The oldest first. */
  all: Report[];
  /** Those since moderators last decided about the article. */
  open: Report[];
  /** Whether moderators have decided about it, and nothing was reported since. */
  isDecided: boolean;
  /** The message about them in the log channel. */
  entry: { channel: Snowflake; message: Snowflake } | null;
};

const zNumber = z.coerce.number().pipe(zTimeMs);
/**
 * `<article>:<member>` → `<when> <reason>`; `<article>:entry` → `<channel> <message>`; `<article>:settled` → when
 * moderators last decided; `<article>:open` → `1` until one of them
 * does, who deletes it.
 */
const zReport = z.tuple([zNumber, z.enum(REPORT_REASONS)]);
const zEntry = z.tuple([zSnowflake, zSnowflake]);

/** The row of what is due that brings the message about an article's reports to what is true. */
export const reportRow = (article: Snowflake): string => `report:${article}`;

/** Has the message about each article's reports say what is true now. */
export async function refreshReports(
  { due }: { due: Due },
  guild: Snowflake,
  articles: Iterable<Snowflake>,
): Promise<void> {
  for (const article of articles) await due.plan(guild, reportRow(article), 0);
}

const NO_REPORTS: Reports = { all: [], open: [], isDecided: false, entry: null };

const fieldOf = (article: Snowflake, what: string) => `${article}:${what}`;
/** The field, and what it holds, of the message about an article's reports. */
export const entryField = (article: Snowflake, channel: Snowflake, message: Snowflake) => ({
  [fieldOf(article, 'entry')]: `${channel} ${message}`,
});

/** A member reports an article once. `full`: the guild has very many reports. */
export async function noteReport(
  store: Store,
  guild: Snowflake,
  { article, member, reason }: { article: Snowflake; member: Snowflake; reason: ReportReason },
  now: number,
): Promise<'noted' | 'already' | 'full'> {
  const { reports } = storeKeys(store, guild);
  if ((await store.redis.hlen(reports)) >= REPORTS_AT_MOST) return 'full';
  const noted = await store.redis
    .multi()
    .hsetnx(reports, fieldOf(article, member), `${now} ${reason}`)
    .hsetnx(reports, fieldOf(article, 'open'), '1')
    .exec();
  return noted?.[0]?.[1] === 1 ? 'noted' : 'already';
}

export async function hasReported(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
  member: Snowflake,
): Promise<boolean> {
  const { reports } = storeKeys(store, guild);
  return (await store.redis.hexists(reports, fieldOf(article, member))) === 1;
}

/** Whether there is a message about an article's reports. */
export async function hasEntry(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
): Promise<boolean> {
  const { reports } = storeKeys(store, guild);
  return (await store.redis.hexists(reports, fieldOf(article, 'entry'))) === 1;
}

/** The reports of the last 30 days, by article. What cannot be read is passed over. */
export async function readAllReports(
  store: Store,
  guild: Snowflake,
  now: number,
): Promise<Map<Snowflake, Reports>> {
  return readMatching(store, guild, '*', now);
}

async function readMatching(
  store: Store,
  guild: Snowflake,
  match: string,
  now: number,
): Promise<Map<Snowflake, Reports>> {
  const found = new Map<Snowflake, Reports>();
  const waiting = new Set<Snowflake>();
  const settledMs = new Map<Snowflake, number>();
  const fields = await readHash(store.redis, storeKeys(store, guild).reports, match);
  for (const [field, value] of fields) {
    const [article = '', what = ''] = field.split(':');
    const of = found.get(article) ?? { ...NO_REPORTS, all: [] };
    found.set(article, of);
    if (what === 'open') waiting.add(article);
    else if (what === 'settled') settledMs.set(article, zNumber.safeParse(value).data ?? 0);
    else if (what === 'entry') {
      const entry = zEntry.safeParse(value.split(' ')).data;
      of.entry = entry ? { channel: entry[0], message: entry[1] } : null;
    } else {
      const report = zReport.safeParse(value.split(' ')).data;
      if (report && !isExpired(report, now))
        of.all.push({ member: what, atMs: report[0], reason: report[1] });
    }
  }
  for (const [article, of] of found) {
    of.all.sort((a, b) => a.atMs - b.atMs);
    const atMs = settledMs.get(article) ?? 0;
    of.open = of.all.filter((report) => report.atMs > atMs);
    // Whose reporter withdrew still waits.
    const isSettled = of.all.length > 0 || !waiting.has(article);
    of.isDecided = atMs > 0 && of.open.length === 0 && isSettled;
  }
  return found;
}

export async function readReports(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
  now: number,
): Promise<Reports> {
  const found = await readMatching(store, guild, fieldOf(article, '*'), now);
  return found.get(article) ?? NO_REPORTS;
}

/**
 * Moderators have decided about these articles. `settled`: of whose reports nobody had. `shown`: those about which
 * there is a message. In bounded steps.
 */
export async function settleReports(
  store: Store,
  guild: Snowflake,
  articles: readonly Snowflake[],
  now: number,
): Promise<{ settled: Snowflake[]; shown: Snowflake[] }> {
  const { reports } = storeKeys(store, guild);
  const fields = (what: string) => articles.map((article) => fieldOf(article, what));
  const open = await readFields(store.redis, reports, fields('open'));
  const entries = await readFields(store.redis, reports, fields('entry'));
  const settled: Snowflake[] = [];
  for (const article of articles) {
    const field = fieldOf(article, 'open');
    if (!open.has(field)) continue;
    const done = await store.redis
      .multi()
      .hdel(reports, field)
      .hset(reports, fieldOf(article, 'settled'), now)
      .exec();
    // Of two moderators one deletes it.
    if (done?.[0]?.[1] === 1) settled.push(article);
  }
  return { settled, shown: articles.filter((id) => entries.has(fieldOf(id, 'entry'))) };
}

/** Deletes the reports of an article that have expired, and with the last of them what is known besides. */
export async function sweepReports(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
  now: number,
): Promise<void> {
  const { reports } = storeKeys(store, guild);
  const besides = ['entry', 'open', 'settled'].map((what) => fieldOf(article, what));
  let isReported = false;
  // A report that comes meanwhile stays.
  for await (const [field, value] of scanHash(store.redis, reports, fieldOf(article, '*'))) {
    if (besides.includes(field)) continue;
    if (isExpired(zReport.safeParse(value.split(' ')).data, now)) {
      await store.redis.hdel(reports, field);
    } else isReported = true;
  }
  if (!isReported) await store.redis.hdel(reports, ...besides);
}

/** What cannot be read has expired too. */
function isExpired(report: z.infer<typeof zReport> | undefined, now: number): boolean {
  return report === undefined || now >= report[0] + REPORTS_KEPT_MS;
}

/** What a member reported, the oldest first, for their own copy. */
export async function reportsBy(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
): Promise<(Omit<Report, 'member'> & { article: Snowflake })[]> {
  // What has expired and is still stored is in their copy.
  const all = [...(await readAllReports(store, guild, 0))].flatMap(([article, of]) =>
    of.all.map((report) => ({ article, ...report })),
  );
  return all
    .filter((report) => report.member === member)
    .map(({ article, reason, atMs }) => ({ article, reason, atMs }));
}

/** Deletes what a member reported. Returns the articles. */
export async function forgetReportsBy(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  untilMs: number,
): Promise<Snowflake[]> {
  const { reports } = storeKeys(store, guild);
  const articles: Snowflake[] = [];
  for await (const [field, report] of scanHash(store.redis, reports)) {
    const [article = '', who] = field.split(':');
    if (who !== member || Number.parseInt(report, 10) > untilMs) continue;
    await store.redis.hdel(reports, field);
    articles.push(article);
  }
  return articles;
}
