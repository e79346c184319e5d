import { z } from 'zod';
import type { Due } from '../../due/due.ts';
import type { Held, Kind, Next } from '../../due/kind.ts';
import { articlesInVoting } from '../../ranking/articles/closing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../runtime/clock.ts';
import { stored } from '../../redis/stored.ts';
import {
  compareIds,
  type Snowflake,
  snowflakeTimeMs,
  zSnowflake,
} from '../../runtime/snowflake.ts';
import type { Reactions } from '../events/reactions.ts';
import type { RecountNeeds } from '../recount-needs.ts';
import { recountArticlesInVoting, recountGuild } from './recount-guild.ts';

/**
 * Where something happened, the gateway may have dropped other events in silence. A look at the counts
 * costs a request for each 100 messages between the channel's open articles.
 */
const LOOK_EVERY_MS = 300_000;
/** A channel that refuses (403) rests for a minute, and must be counted within a minute after that. */
const REFUSED_MS = 15_000;

/** The night is from 01:00 to 05:00 UTC. */
export const NIGHT_FROM_MS = HOUR_MS;
export const NIGHT_MS = 4 * HOUR_MS;

/** Discord's pace is the limit. Whoever waits for its answers to catch up with its gateway delays no other guild. */
const SIDE_BY_SIDE = 100;

export interface RecountsNeeds extends RecountNeeds {
  /** When recounts are due. */
  due: Due;
  /** They tell of missed events, and of the channels where something happened. */
  reactions: Reactions;
  /** Makes the end of the bot wait for this work, which should end early once `stopping` is aborted. */
  hold: (work: Promise<unknown>) => void;
  /** The pause before a recount, since a session begins with a burst of events and may end at once (ms). By default 1500. */
  pauseMs?: number | undefined;
}

export interface Recounts {
  /** Recounts a guild soon, whose events may be missing. Several calls before it starts cause one recount. */
  soon(guild: Snowflake): void;
}

/** What a recount leaves to the next: the articles that it could not read. */
const storedUnread = stored(
  'lease.unread',
  z.object({
    articles: z.array(zSnowflake),
    /** The number of them of which Discord was asked in vain. */
    unanswered: z.int().min(0),
  }),
);

/**
 * What is due of recounts: of guilds whose events may be missing, of counts each hour and where something
 * happened, and of all lists at night.
 */
export function followRecounts(needs: RecountsNeeds): Recounts {
  const { due, clock, reactions, pauseMs = 1500 } = needs;
  /** What this process asked for last, until it ends well, so that a row that Redis loses comes again. */
  const wanted = new Map<Snowflake, object>();
  const planning = new Set<Snowflake>();

  async function plan(guild: Snowflake): Promise<void> {
    // Whichever process does it: not only what one before could not read.
    await due.note(guild, 'recount', { whole: '1' });
    await due.plan(guild, 'recount', clock.now() + pauseMs);
  }

  function soon(guild: Snowflake): void {
    wanted.set(guild, {});
    if (needs.stopping.aborted || planning.has(guild)) return;
    planning.add(guild);
    const planned = plan(guild);
    // Without Redis it is planned as soon as Redis is back, as what the guild has due anyway.
    const work = planned.catch(() => due.arrive(guild)).finally(() => planning.delete(guild));
    needs.hold(work.catch(() => {}));
  }

  async function recount({ guild, notes, write }: Held): Promise<Next> {
    const asked = wanted.get(guild);
    const before = notes.get('whole') === '1' ? null : storedUnread.read(notes.get('unread'));
    const only = before === null ? {} : { articles: before.articles };
    const report = await recountGuild(needs, guild, { afterGap: true, ...only });
    const { unread, refused, unsettled } = report;
    if (unread.length + unsettled.length === 0) {
      if (wanted.get(guild) === asked) wanted.delete(guild);
      return { atMs: null };
    }
    const unanswered = unread.length - refused.length;
    const articles = [...unread, ...unsettled];
    await write({ 'next:unread': storedUnread.write({ articles, unanswered }) });
    const hasProgressed = unanswered < (before?.unanswered ?? Number.POSITIVE_INFINITY);
    if (unanswered > 0 && !hasProgressed) {
      await write({ whole: '' });
      throw report.error;
    }
    return { atMs: clock.now() + (refused.length > 0 ? REFUSED_MS : pauseMs) };
  }

  reactions.onMissed(soon);
  const shared = { sideBySide: SIDE_BY_SIDE, ignoresTime: true };
  due.handle({
    ...shared,
    name: 'recount',
    standing: async (guild) =>
      wanted.has(guild) ? [{ row: 'recount', atMs: clock.now() + pauseMs }] : [],
    run: recount,
  });
  due.handle({ ...shared, ...countsKind(needs, soon) });
  due.handle({ ...shared, ...fullKind(needs) });
  return { soon };
}

type KindOfRows = Pick<Kind, 'name' | 'standing' | 'run'>;

/** Compares the counts: of all channels each hour, and in between where something happened. */
function countsKind(needs: RecountsNeeds, soon: Recounts['soon']): KindOfRows {
  const { due, ranking, clock, reactions } = needs;

  reactions.onActive((guild) => {
    needs.hold(due.plan(guild, 'counts:active', clock.now() + LOOK_EVERY_MS).catch(() => {}));
  });

  return {
    name: 'counts',
    async standing(guild) {
      const isOpen = (await articlesInVoting(ranking, guild)).length > 0;
      return isOpen ? [{ row: 'counts', atMs: clock.now() + HOUR_MS }] : [];
    },
    async run({ guild, id }) {
      const isHourly = id === '';
      const channels = reactions.takeActive(guild);
      if (!isHourly && channels.size === 0) return { atMs: null };
      const only = isHourly ? {} : { channels };
      const { unread, unsettled } = await recountGuild(needs, guild, only).catch((error) => {
        reactions.giveBackActive(guild, channels);
        throw error;
      });
      if (unsettled.length > 0) soon(guild);
      if (!isHourly && unread.length > 0) {
        reactions.giveBackActive(guild, channels);
        return { atMs: clock.now() + LOOK_EVERY_MS };
      }
      const isOpen = isHourly && (await articlesInVoting(ranking, guild)).length > 0;
      return { atMs: isOpen ? clock.now() + HOUR_MS : null };
    },
  };
}

/** Reads all lists at night, a minute's share at a time, which finds swapped votes that equal counts hide. */
function fullKind({ clock, ...needs }: RecountsNeeds): KindOfRows {
  const { ranking } = needs;

  return {
    name: 'full',
    async standing(guild) {
      const isOpen = (await articlesInVoting(ranking, guild)).length > 0;
      return isOpen ? [{ row: 'full', atMs: nightOf(clock.now()) + DAY_MS }] : [];
    },
    async run({ guild, notes, write }) {
      const startMs = nightOf(clock.now());
      const minutes = (startMs + NIGHT_MS - clock.now()) / MINUTE_MS;
      const open = await articlesInVoting(ranking, guild);
      const tomorrow = { atMs: open.length > 0 ? startMs + DAY_MS : null };
      if (minutes <= 0) return tomorrow;
      const last = notes.get('night') === String(startMs) ? notes.get('last') : undefined;
      const remaining = open.filter(
        (id) => snowflakeTimeMs(id) < startMs && (last === undefined || compareIds(id, last) < 0),
      );
      const articles = remaining.slice(0, Math.ceil(remaining.length / Math.max(1, minutes)));
      if (articles.length === 0) return tomorrow;
      // First, so that what cannot be read waits for the next night.
      await write({ 'next:night': startMs, 'next:last': articles.at(-1)! });
      await recountArticlesInVoting({ clock, ...needs }, guild, { articles, full: true });
      return { atMs: clock.now() + MINUTE_MS };
    },
  };
}

/** The last 01:00 UTC. */
function nightOf(now: number): number {
  return Math.floor((now - NIGHT_FROM_MS) / DAY_MS) * DAY_MS + NIGHT_FROM_MS;
}
