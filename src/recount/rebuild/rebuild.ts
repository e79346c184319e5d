import type { Guild } from 'discord.js';
import type { App } from '../../app.ts';
import type { RebuildStep } from '../../articles/completeness.ts';
import type { Lease } from '../../redis/lease.ts';
import {
  beginRebuild,
  END,
  finishRebuild,
  noteProgress,
  noteUnread,
  type Progress,
  readRebuildStates,
  writeScanned,
} from '../../records/rebuilds.ts';
import { LAST_RECOUNT_MS, VOTING_OPEN_MS } from '../../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { raiseVersion } from '../../ranking/cache/version.ts';
import { withLease, LeaseLost } from '../../redis/lease.ts';
import { readDown } from './channel.ts';
import {
  activeThreads,
  archivedThreads,
  groupsOf,
  holdsMessages,
  mayRead,
  type Place,
} from './places.ts';

export type RebuildOutcome =
  | { status: 'finished'; articles: number; unread: Snowflake[] }
  /** Another process is at it. */
  | { status: 'held'; untilMs: number }
  /** It was done meanwhile. */
  | { status: 'unneeded' }
  /** The lease went to another process, or Redis was emptied: whoever notices begins anew. */
  | { status: 'lost' };

export type RebuildOptions = {
  /** Nothing is done where the ranking turns out to be whole. */
  unlessBorn?: boolean;
  /** Only these groups, which could not be read before. */
  only?: readonly Snowflake[];
  onStep?: (step: RebuildStep) => void;
};

/** All articles whose votes are not frozen are younger, unless the bot was away for longer. */
export const RECENT_MS = VOTING_OPEN_MS + LAST_RECOUNT_MS;
/** So many channels are read side by side, each within its own rate limit. */
const SIDE_BY_SIDE = 4;

/**
 * Puts a guild's ranking back from its messages: the last eight days of every channel first, then
 * what is older. Whichever process asks first does it, and goes on where another one stopped.
 */
export async function rebuildGuild(
  app: App,
  guild: Guild,
  options: RebuildOptions,
): Promise<RebuildOutcome> {
  const { store, clock } = app;
  return withLease<RebuildOutcome>(app, { guild: guild.id, work: 'rebuild' }, async (held) => {
    const { lease } = held;
    try {
      const [state] = await readRebuildStates(store, [guild.id]);
      if (options.unlessBorn && state?.born && !state.begun) return { status: 'unneeded' };
      const begun = await beginRebuild(store, guild.id, clock.now(), options.only ?? null);
      // Where the rest is missing as well, some groups are not enough.
      const progress = state?.born ? begun : { ...begun, only: null };
      await raiseVersion(app.ranking, guild.id, clock.now());
      const run: Run = { app, guild, lease, progress, signal: held.signal, ...options };
      const unread = await readAll(run);
      await writeScanned(store, guild.id, progress.sinceMs);
      const { status } = await finishRebuild(store, guild.id, lease, clock.now());
      if (status === 'lost') return { status };
      app.ranking.changes.noteAll(guild.id);
      return { status, articles: progress.articles, unread };
    } catch (error) {
      if (held.lost() || error instanceof LeaseLost) return { status: 'lost' };
      throw error;
    }
  });
}

type Run = {
  app: App;
  guild: Guild;
  lease: Lease;
  progress: Progress;
  /** Aborted when the lease is lost or the bot stops. */
  signal: AbortSignal;
  onStep?: (step: RebuildStep) => void;
};

/** Reads everything that can be read, and returns the groups that cannot. */
async function readAll(run: Run): Promise<Snowflake[]> {
  const { app, guild, progress } = run;
  const { requests, store } = app;
  const recentMs = progress.sinceMs - RECENT_MS;
  const groups = groupsOf(guild).filter(({ id }) => progress.only?.includes(id) !== false);
  const readable = groups.filter(mayRead);
  const unread = new Set(groups.filter((group) => !mayRead(group)).map(({ id }) => id));
  for (const group of unread) await noteUnread(store, guild.id, group, true);
  const channels = readable
    .filter(holdsMessages)
    .map((group): Place => ({ channel: group.id, group }));
  const isReadable = ({ group }: Place) => readable.includes(group);
  const active = (await activeThreads(requests, guild)).filter(isReadable);

  for (const phase of ['recent', 'older'] as const) {
    const untilMs = phase === 'recent' ? recentMs : beginningOf(run);
    const archived: Place[] = [];
    for (const group of readable) {
      archived.push(...(await archivedThreads(requests, group, phase === 'recent' ? untilMs : 0)));
    }
    const places = new Map(
      [...channels, ...active, ...archived].map((place) => [place.channel, place]),
    );
    const failed = await readPositions(run, phase, [...places.values()], untilMs);
    for (const group of failed) unread.add(group);
  }
  for (const { id } of readable) {
    if (!unread.has(id)) await noteUnread(store, guild.id, id, false);
  }
  return [...unread];
}

/** Before it there was neither the application nor its bot in the guild, so no message of theirs. */
function beginningOf({ guild, app: { ranking, self } }: Run): number {
  return Math.min(
    snowflakeTimeMs(ranking.applicationId),
    snowflakeTimeMs(self),
    guild.joinedTimestamp || Number.POSITIVE_INFINITY,
  );
}

/** Returns the groups in which something could not be read. */
async function readPositions(
  run: Run,
  phase: RebuildStep['phase'],
  places: readonly Place[],
  untilMs: number,
): Promise<Set<Snowflake>> {
  const unread = new Set<Snowflake>();
  const waiting = places.values();
  let done = 0;
  const tell = () =>
    run.onStep?.({ phase, done, places: places.length, articles: run.progress.articles });
  const work = async (): Promise<void> => {
    for (const place of waiting) {
      if ((await readPlace(run, place, untilMs, tell)) === 'unread') {
        unread.add(place.group.id);
        await noteUnread(run.app.store, run.guild.id, place.group.id, true);
      }
      done += 1;
      tell();
    }
  };
  tell();
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return unread;
}

async function readPlace(
  run: Run,
  place: Place,
  untilMs: number,
  tell: () => void,
): Promise<'read' | 'unread'> {
  const { app, guild, progress, lease, signal } = run;
  const { channel } = place;
  const cursor = progress.cursors.get(channel);
  if (cursor === END) return 'read';
  const pages = readDown(app, guild, place, {
    ...(cursor === undefined ? {} : { from: cursor }),
    untilMs,
    recount: 'open',
  });
  for (;;) {
    signal.throwIfAborted();
    const page = await pages.next();
    if (page.done) return page.value;
    const { taken } = page.value;
    progress.articles += taken.length;
    const note = { channel, cursor: page.value.cursor ?? END, articles: progress.articles };
    const { status } = await noteProgress(app.store, guild.id, lease, app.clock.now(), note);
    if (status === 'lost') throw new LeaseLost('The rebuild went to another process.');
    progress.cursors.set(channel, note.cursor);
    tell();
  }
}
