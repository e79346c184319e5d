import { z } from 'zod';
import { code } from '../../text/clean.ts';
import { UserError } from '../../discord/user-error.ts';
import {
  digestRow,
  over,
  readDigest,
  repairRun,
  saveDigest,
  type StoredDigest,
} from '../stored-digests.ts';
import { type Digest, NO_RUN, type Schedule, zDigest, zDigestName } from '../digest-settings.ts';
import type { Due } from '../../due/due.ts';
import { isDone } from '../../redis/lease.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import type { Store } from '../../redis/store.ts';
import { type Key, translate } from '../../text/catalogue.ts';
import { nextLookAtMs, plannedSlot } from '../schedule/due.ts';
import type { DigestOptions } from './options.ts';
import { readTime } from '../schedule/typed-time.ts';
import { parseWeekdays } from '../schedule/weekdays.ts';
import { readZone, zoneText } from '../schedule/time-zones.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

const zMonthDay = z.coerce.number().pipe(z.int().min(1).max(31));

/** Returns the name of a digest as it is stored. Throws a `UserError` if it is not valid. */
export function digestName(typed: string): string {
  return requireValid(zDigestName.safeParse(typed).data, 'digest.invalid.name', typed);
}

/**
 * Returns a digest with the options applied. Refuses unusable values and says which ones are usable.
 * The first slot of a new schedule is the next one after saving.
 */
export function applyOptions(
  before: Digest | null,
  { time, timezone, every, days, ...options }: DigestOptions,
  by: { member: Snowflake; here: string; now: number },
): Digest {
  const schedule = {
    ...revisedDays(before?.schedule ?? null, every, days),
    time:
      time === undefined
        ? before?.schedule.time
        : requireValid(readTime(time), 'digest.invalid.time', time),
    zone: timezone === undefined ? before?.schedule.zone : requireZone(timezone),
  };
  if (schedule.time === undefined || schedule.zone === undefined) {
    throw new UserError('digest.incomplete');
  }
  const isSameSchedule = JSON.stringify(schedule) === JSON.stringify(before?.schedule);
  return zDigest.parse({
    channel: by.here,
    ...before,
    ...options,
    schedule,
    slotsFromMs: isSameSchedule ? before?.slotsFromMs : by.now,
    savedAtMs: by.now,
    savedBy: by.member,
  });
}

/** A digest in a channel that not everyone sees is of that channel, unless its manager says otherwise. */
export function ofItsChannel(digest: Digest): Digest {
  return digest.groups.length > 0 ? digest : { ...digest, groups: [digest.channel] };
}

export function isOfItsChannel({ channel, groups }: Digest): boolean {
  return groups.length === 1 && groups[0] === channel;
}

/** Saves a digest, and the time when it is looked at next. */
export async function scheduleDigest(
  { store, due }: { store: Store; due: Due },
  guild: Snowflake,
  name: string,
  digest: Digest,
): Promise<StoredDigest> {
  await saveDigest(store, guild, name, digest);
  const { run: stored } = (await readDigest(store, guild, name)) ?? { run: NO_RUN };
  const slot = plannedSlot(digest, stored);
  // One of this name was deleted after it had posted that day's edition.
  const isOver = await isDone(store, storeKeys(store, guild).claim(name, slot.date));
  const run = isOver ? over(stored, slot) : stored;
  if (isOver) await repairRun(store, guild, name, run);
  await due.planAt(guild, digestRow(name), nextLookAtMs(digest, run));
  return { name, digest, run };
}

function revisedDays(
  before: Schedule | null,
  every: DigestOptions['every'],
  days: string | undefined,
) {
  const frequency = every ?? before?.every ?? 'day';
  switch (frequency) {
    case 'week': {
      const former = before?.every === 'week' ? before.weekdays : [1];
      const weekdays = days === undefined ? former : parseWeekdays(days);
      return { every: 'week', weekdays: requireValid(weekdays, 'digest.invalid.weekdays', days) };
    }
    case 'month': {
      const former = before?.every === 'month' ? before.day : 1;
      const day = days === undefined ? former : zMonthDay.safeParse(days).data;
      return { every: 'month', day: requireValid(day, 'digest.invalid.monthday', days) };
    }
    case 'day':
      if (days !== undefined) {
        throw new UserError('digest.invalid.days', {
          week: (locale) => translate(locale, 'digest.every.week'),
          month: (locale) => translate(locale, 'digest.every.month'),
        });
      }
      return { every: 'day' };
    default:
      return frequency satisfies never;
  }
}

/** Refuses a place that can be several, or that is only near a name, and says which are meant perhaps. */
function requireZone(typed: string): string {
  const read = readZone(typed);
  if (read.zone !== null) return read.zone;
  if (read.similar.length === 0)
    throw new UserError('digest.invalid.timezone', { input: code(typed, 60) });
  throw new UserError('digest.unsure.timezone', {
    input: code(typed, 60),
    places: (locale) =>
      read.similar.map((zone) => `${zoneText(zone, locale)} (${code(zone)})`).join(', '),
  });
}

/** Refuses what could not be read, and quotes it to the member who typed it. */
function requireValid<T>(value: T | null | undefined, key: Key, typed = ''): T {
  if (value == null) throw new UserError(key, { input: code(typed, 60) });
  return value;
}
