import type { Guild } from 'discord.js';
import { HOUR_MS } from '../clock.ts';
import type { App, RunningApp } from '../app.ts';
import { followLifecycle } from './events.ts';
import { openWarnings } from '../redis/errors.ts';
import {
  countIndexes,
  deleteWrongIndexes,
  forgetChannel,
  noteChannels,
  noteGuilds,
} from '../records/guilds.ts';
import { compareEntries } from '../ranking/articles/check.ts';
import { setListed } from '../ranking/articles/groups.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { startGuildMark } from '../articles/guild-mark.ts';
import { beginSession, compareCached, forgetLeft, leave, noteMembership } from './membership.ts';
import { refreshGuild, showRemovals } from './nightly.ts';
import { notifyAdmins } from '../discord/requests/notify-admins.ts';
import { findLostRecords } from '../records/lost-records.ts';
import { languageOfGuild } from '../records/settings.ts';
import { translate } from '../text/catalogue.ts';
import { groupsOf } from '../discord/access/visibility.ts';
import { repairDamage } from '../recount/rebuild/repair-damage.ts';
import { takeInRecent } from '../recount/rebuild/recent.ts';
import { openRebuildWatch, type RebuildWatch } from '../recount/rebuild/rebuild-watch.ts';

/** Updates the guilds' stored data when guilds add or remove the bot. */
export type Lifecycle = {
  /** Call it every second: it checks the guilds in which something could not be read. */
  checkSuspects(): void;
  /** Call it every ten seconds: it finds rankings that are gone. */
  checkRankings(): void;
  /** Call it once a minute: it checks expired data and the nightly refresh. */
  tick(): void;
};

type LifecycleHooks = {
  /** The guild's votes may have changed while the bot could not see them. */
  recount(guild: Snowflake): void;
  /** Rebuilds the indexes of other parts from the guild's data. */
  refresh(guild: Snowflake): Promise<void>;
  /** Finishes erasures that were interrupted. */
  erase(guild: Snowflake): Promise<void>;
};

const RECENT_EVERY_MS = HOUR_MS;
/** A guild that could not be checked rests this long. */
const CHECK_REST_MS = 10_000;

export function openLifecycle(running: RunningApp, hooks: LifecycleHooks): Lifecycle {
  const { app } = running;
  const { client, ranking, log, stopping } = app;
  const warn = openWarnings(log);
  const watch = openRebuildWatch(running, (guild) => hooks.recount(guild));
  const { arrive, check, visit } = openVisits(running, hooks, watch);

  /** The next session or tick repairs a failure. */
  function inBackground(guild: Snowflake | undefined, what: () => Promise<unknown>): void {
    if (stopping.aborted) return;
    const work = what().catch((error: unknown) => {
      if (stopping.aborted) return;
      warn(error, { guild }, 'The lifecycle of a guild could not be followed.');
    });
    app.hold(work);
  }

  /** The indexes over all guilds that were there a minute ago. */
  let indexes = 0;

  /** Writes the indexes over all guilds again if one is damaged or gone. */
  async function keepIndexes(): Promise<void> {
    const isDamaged = await deleteWrongIndexes(app.store);
    if (isDamaged || (await countIndexes(app.store)) < indexes) {
      const guilds = [...client.guilds.cache.keys()];
      await noteGuilds(app.store, guilds);
      for (const guild of guilds) await hooks.refresh(guild);
    }
    indexes = await countIndexes(app.store);
  }

  followLifecycle(client, {
    session: (session) => inBackground(undefined, () => beginSession(app, session)),
    present: (guild) => inBackground(guild.id, () => arrive(guild)),
    created: (guild) => inBackground(guild.id, () => hideDeleted(app, guild)),
    removed: (guild) => inBackground(guild, () => leave(app, guild)),
    permissions(guild) {
      hooks.recount(guild.id);
      inBackground(guild.id, () => watch.readable(guild));
    },
  });
  inBackground(undefined, () => compareCached(app));
  for (const guild of client.guilds.cache.values()) {
    if (guild.available) inBackground(guild.id, () => arrive(guild));
  }

  function checkSuspects(): void {
    for (const id of ranking.suspects) {
      const guild = client.guilds.cache.get(id);
      if (guild?.available) inBackground(id, () => check(guild));
    }
  }

  return {
    checkSuspects,
    checkRankings: () => inBackground(undefined, () => watch.checkAll()),
    tick() {
      inBackground(undefined, async () => {
        await keepIndexes();
        await forgetLeft(app);
      });
      for (const guild of client.guilds.cache.values()) {
        if (stopping.aborted) return;
        if (!guild.available) continue;
        inBackground(guild.id, () => visit(guild));
      }
    },
  };
}

/** What a guild needs when it appears, when its keys may be damaged, and each minute. */
function openVisits({ app }: RunningApp, hooks: LifecycleHooks, watch: RebuildWatch) {
  const { ranking, clock } = app;
  /** When this process last scanned each guild's recent messages. */
  const scannedAtMs = new Map<Snowflake, number>();
  /** The articles of each guild without a link in the index, a minute ago. */
  const unlinkedBefore = new Map<Snowflake, number>();

  async function arrive(guild: Guild): Promise<void> {
    await noteMembership(app, guild.id);
    await startGuildMark(app, guild);
    await watch.check(guild);
    await watch.readable(guild);
    await hideDeleted(app, guild);
    await showRemovals(app, guild.id);
    await check(guild);
    await scan(guild);
    await hooks.erase(guild.id);
  }

  async function check(guild: Guild): Promise<void> {
    ranking.suspects.delete(guild.id);
    const again = () =>
      void setTimeout(() => ranking.suspects.add(guild.id), CHECK_REST_MS).unref();
    const repaired = await repairDamage(app, guild.id).catch((error: unknown) => {
      again();
      throw error;
    });
    if (repaired === 'later') return again();
    if (repaired !== 'nothing') await startGuildMark(app, guild);
    if (repaired === 'lost') await watch.check(guild);
    if (repaired === 'lists') hooks.recount(guild.id);
  }

  async function scan(guild: Guild): Promise<void> {
    scannedAtMs.set(guild.id, clock.now());
    await takeInRecent(app, guild).catch((error: unknown) => {
      scannedAtMs.delete(guild.id);
      throw error;
    });
  }

  async function visit(guild: Guild): Promise<void> {
    await tellLoss(app, guild);
    const dueMs = (scannedAtMs.get(guild.id) ?? 0) + RECENT_EVERY_MS;
    if (clock.now() >= dueMs) await scan(guild);
    await watch.readable(guild);
    const { fit, unlinked } = await compareEntries(ranking, guild.id, clock.now());
    const before = unlinkedBefore.get(guild.id) ?? unlinked;
    unlinkedBefore.set(guild.id, unlinked);
    if (!fit || unlinked > before) await check(guild);
    await refreshGuild(app, guild, async () => {
      await check(guild);
      await hooks.refresh(guild.id);
      await hooks.erase(guild.id);
    });
  }

  return { arrive, check, visit };
}

/**
 * Notes the guild's channels, and hides the articles of channels that were deleted during downtime from
 * its lists. It does not delete them: that needs Discord's own deletion event.
 */
async function hideDeleted(
  { store, ranking }: Pick<App, 'ranking' | 'store'>,
  guild: Guild,
): Promise<void> {
  const groups = groupsOf(guild).map(({ id }) => id);
  for (const channel of await noteChannels(store, guild.id, groups)) {
    await setListed(ranking, { guild: guild.id, home: channel, listed: false });
    await forgetChannel(store, guild.id, channel);
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
  app: Pick<App, 'client' | 'store' | 'rules' | 'refusals' | 'log'>,
  { id: guild, ownerId, preferredLocale }: Pick<Guild, 'id' | 'ownerId' | 'preferredLocale'>,
): Promise<void> {
  const lost = await findLostRecords(app.store, guild);
  if (lost.length === 0) return;
  app.log.error({ guild, lost }, SAID_TO_HOST);
  const locale = languageOfGuild(await app.rules.reload(guild), { preferredLocale });
  const names = lost.map((name) => translate(locale, RECORDS[name])).join(', ');
  const text = translate(locale, 'check-up.record.gone', { names });
  await notifyAdmins(app, { guild }, text, ownerId);
}
