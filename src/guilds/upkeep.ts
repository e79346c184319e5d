import type { Client, Guild } from 'discord.js';
import PQueue from 'p-queue';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Clock } from '../runtime/clock.ts';
import { forEach } from '../runtime/for-each.ts';
import { openRests } from '../runtime/retry.ts';
import { fitGuildMark, startGuildMark } from '../articles/guild-mark.ts';
import { notifyAdmins } from '../community/admin-messages.ts';
import { compareEntries } from '../ranking/articles/check.ts';
import { sweepRemoved, walkRemoved } from '../ranking/articles/removed.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { sweepBlocks } from '../community/blocks.ts';
import { noteGuilds, readRefreshed, writeRefreshed } from '../community/known-guilds.ts';
import { findLostRecords } from '../community/lost-records.ts';
import { languageOfGuild } from '../community/settings.ts';
import { takeInRecent } from '../history/rebuild/take-in-recent.ts';
import type { RebuildWatch } from '../history/rebuild/rebuild-watch.ts';
import { repairDamage } from '../history/rebuild/repair-damage.ts';
import { lookAtClosed } from '../votes/recount/closed-articles.ts';
import { NIGHT_FROM_MS, NIGHT_MS } from '../votes/recount/scheduler.ts';
import { isFaultOfRedis } from '../redis/errors.ts';
import { withLease } from '../redis/lease.ts';
import { translate } from '../text/catalogue.ts';
import { openDeadReferences } from './dead-references.ts';
import { noteMembership } from './membership.ts';
import type { Log } from '../runtime/log.ts';
import type { MessageUpdates } from '../articles/messages/message-updates.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Requests } from '../discord/requests/requests.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import type { Store } from '../redis/store.ts';
import type { RecountNeeds } from '../votes/recount-needs.ts';

/** What the upkeep of each guild needs. */
export interface UpkeepNeeds extends RecountNeeds {
  /** The guild's votes may have changed while the bot could not see them. */
  recount(guild: Snowflake): void;
  /** Rebuilds the indexes of other parts from the guild's data. */
  refresh(guild: Snowflake): Promise<void>;
  /** Finishes erasures that were interrupted. */
  erase(guild: Snowflake): Promise<void>;
}

const RECENT_EVERY_MS = HOUR_MS;
/** The next minute's visit comes a little early or late. */
const AGAIN = { firstMs: MINUTE_MS / 2, longestMs: HOUR_MS };
/**
 * The number of guilds whose keys are checked in parallel. A check asks Redis about each key: thousands at once,
 * as after a start, made commands wait beyond their time limit, and what then failed was checked again.
 */
const CHECKED_SIDE_BY_SIDE = 8;
/** A guild that could not be checked rests this long. */
const CHECK_REST_MS = 10_000;

/** What a guild needs when it appears, when its keys may be damaged, each minute, and each night. */
export function openUpkeep(needs: UpkeepNeeds, watch: RebuildWatch) {
  const { store, ranking, clock } = needs;
  const { scan, scanIfDue } = openScans(needs);
  const nights = openRests<Snowflake>(clock, AGAIN);
  const lookForDead = openDeadReferences(needs);
  const check = openChecks(needs, watch);
  /** The guilds whose visit of an earlier minute has not ended. */
  const visited = new Set<Snowflake>();
  /** The articles of each guild without a link in the index, a minute ago. */
  const unlinkedBefore = new Map<Snowflake, number>();

  async function arrive(guild: Guild): Promise<void> {
    needs.recount(guild.id);
    await eachOf(needs, guild, [
      () => noteMembership(needs, guild.id),
      () => startGuildMark(needs, guild),
      () => watch.check(guild),
      () => watch.readable(guild),
      () => showRemovals(needs, guild.id),
      () => check(guild),
      () => scan(guild),
      () => needs.erase(guild.id),
    ]);
  }

  async function visit(guild: Guild): Promise<void> {
    // It can wait for Discord's limits for minutes, such as after a start with thousands of guilds.
    if (visited.has(guild.id)) return;
    visited.add(guild.id);
    const steps = eachOf(needs, guild, [
      () => tellLoss(needs, guild),
      () => lookForDead(guild),
      () => scanIfDue(guild),
      () => watch.readable(guild),
      () => compare(guild),
      () => atNight(guild),
    ]);
    await steps.finally(() => visited.delete(guild.id));
  }

  async function atNight(guild: Guild): Promise<void> {
    const { id } = guild;
    const night = nightOf(id, clock.now());
    if (nights.isResting(id) || (await readRefreshed(store, id)) === night) return;
    try {
      await withLease(needs, { guild: id, work: 'refresh' }, () => refresh(guild, night));
      nights.noteSuccess(id);
    } catch (error) {
      nights.noteFailure(id);
      throw error;
    }
  }

  async function compare(guild: Guild): Promise<void> {
    const { fit, unlinked } = await compareEntries(ranking, guild.id, clock.now());
    const before = unlinkedBefore.get(guild.id) ?? unlinked;
    unlinkedBefore.set(guild.id, unlinked);
    if (!fit || unlinked > before) await check(guild);
  }

  /**
   * Rebuilds the indexes over a guild's data, once per night in one of the processes. The last refreshed
   * night is stored, so the first process does it, and a missed night is made up for.
   */
  async function refresh(of: Guild, night: string): Promise<void> {
    const guild = of.id;
    if ((await readRefreshed(store, guild)) === night) return;
    const now = clock.now();
    await eachOf(needs, of, [
      () => noteGuilds(store, [guild]),
      () => sweepRemoved(ranking, guild, now),
      () => sweepBlocks(store, guild, now),
      () => showRemovals(needs, guild),
      () => needs.listing.compare(of),
      () => check(of),
      () => needs.refresh(guild),
      () => needs.erase(guild),
      () => lookAtClosed(needs, guild),
    ]);
    // Last, because a step of the mark cannot be repeated: a failure above repeats the night's work.
    // The mark may have been lost with the articles, and steps from the default would take nights.
    await startGuildMark(needs, of);
    await fitGuildMark(needs, of);
    await writeRefreshed(store, guild, night);
  }

  return { arrive, check, visit };
}

/** Checks whether a guild's keys fit one another, and has done what a damage asks for. */
function openChecks(needs: UpkeepNeeds, watch: RebuildWatch): (guild: Guild) => Promise<void> {
  const { suspects } = needs.ranking;
  const queue = new PQueue({ concurrency: CHECKED_SIDE_BY_SIDE });
  /** One check waits for a guild, however many found that it could not be checked. */
  const waiting = new Set<Snowflake>();

  function checkLater(guild: Snowflake): void {
    if (waiting.has(guild)) return;
    waiting.add(guild);
    setTimeout(() => {
      waiting.delete(guild);
      // Among thousands of guilds without a ranking, a guild can wait for its turn for long.
      if (watch.isRebuilding(guild)) checkLater(guild);
      else suspects.add(guild);
    }, CHECK_REST_MS).unref();
  }

  return async (guild) => {
    suspects.delete(guild.id);
    const repaired = queue.add(() => repairDamage(needs, guild.id));
    const { status } = await repaired.catch((error: unknown) => {
      checkLater(guild.id);
      throw error;
    });
    if (status === 'held') return checkLater(guild.id);
    if (status !== 'nothing') await startGuildMark(needs, guild);
    if (status === 'lost') await watch.check(guild);
    if (status === 'lists') needs.recount(guild.id);
  };
}

/** Scans the recent messages of guilds: each hour, and after a failure sooner. */
function openScans(needs: UpkeepNeeds) {
  const { clock } = needs;
  const dueFromMs = new Map<Snowflake, number>();
  const failures = openRests<Snowflake>(clock, AGAIN);

  async function scan(guild: Guild): Promise<void> {
    const { id } = guild;
    dueFromMs.set(id, clock.now() + RECENT_EVERY_MS);
    try {
      await takeInRecent(needs, guild);
      failures.noteSuccess(id);
    } catch (error) {
      dueFromMs.delete(id);
      failures.noteFailure(id);
      throw error;
    }
  }

  async function scanIfDue(guild: Guild): Promise<void> {
    const isDue = clock.now() >= (dueFromMs.get(guild.id) ?? 0);
    if (isDue && !failures.isResting(guild.id)) await scan(guild);
  }

  return { scan, scanIfDue };
}

/** Takes all steps in their order: one that fails stops no later one. Then throws the first fault. */
function eachOf(
  { ranking }: { ranking: Ranking },
  { id }: Guild,
  steps: readonly (() => Promise<unknown>)[],
): Promise<void> {
  return forEach(steps, async (step) => {
    await step().catch((error: unknown) => {
      if (isFaultOfRedis(error)) ranking.suspects.add(id);
      throw error;
    });
  });
}

/** The date of the guild's last due refresh. Each guild has its own time of the night. */
function nightOf(guild: Snowflake, now: number): string {
  const turnMs = NIGHT_FROM_MS + Number((BigInt(guild) >> 22n) % BigInt(NIGHT_MS));
  return new Date(Math.floor((now - turnMs) / DAY_MS) * DAY_MS).toISOString().slice(0, 10);
}

/** Edits the messages of recent removals that still show their articles, such as after a death of the bot. */
async function showRemovals(
  {
    ranking,
    clock,
    messageUpdates,
  }: { ranking: Ranking; clock: Clock; messageUpdates: MessageUpdates },
  guild: Snowflake,
): Promise<void> {
  const fromMs = clock.now() - 2 * DAY_MS;
  for await (const { article, atMs } of walkRemoved(ranking, guild)) {
    if (atMs > fromMs) messageUpdates.note(guild, article.id);
  }
}

const SAID_TO_HOST =
  'Stored records of a guild are gone, and nobody deleted them. Restore them: docs/recovery.md says how.';

const RECORDS = {
  settings: 'data.kind.setting',
  digests: 'data.kind.digest',
  blocks: 'data.kind.block',
  optedOut: 'data.kind.opted-out',
} as const;

/** Says once that records of a guild are gone, in the log and to the guild's admins. */
async function tellLoss(
  needs: { client: Client; store: Store; rules: GuildRules; requests: Requests; log: Log },
  { id: guild, ownerId, preferredLocale }: Guild,
): Promise<void> {
  const lost = await findLostRecords(needs.store, guild);
  if (lost.length === 0) return;
  needs.log.error({ guild, lost }, SAID_TO_HOST);
  const locale = languageOfGuild(await needs.rules.reload(guild), { preferredLocale });
  const names = lost.map((name) => translate(locale, RECORDS[name])).join(', ');
  const text = translate(locale, 'check-up.record.gone', { names });
  await notifyAdmins(needs, { guild }, text, ownerId);
}
