import { expect } from 'vitest';
import { chooseForDigest } from '../fixtures/choose-for-digest.ts';
import { DEFAULT_DIGEST } from '../../src/digests/digest-settings.ts';
import { readDigest } from '../../src/digests/stored-digests.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { type Drill, sideBySide } from './drill.ts';
import { differences, incomplete } from './checks.ts';
import type { Place } from './drill-guilds.ts';

/** Starts every process at once. Resolves when the rankings of all guilds are rebuilt. */
export async function bringUp(drill: Drill): Promise<void> {
  await Promise.all(drill.size.shards.map((_, at) => drill.start(at)));
  await Promise.all(drill.bots.map((bot) => bot.isOn()));
  await eventually(() => incomplete(drill), 'rankings to be rebuilt', 15 * MINUTE_MS);
}

/** Posts one article in every guild with a command, as often as it is refused: on a busy machine Redis can be late. */
export async function postEverywhere({ guilds }: Drill, name: string): Promise<void> {
  const linkIn = (guild: string) => `https://news.example/${guild}/${name}`;
  await eventually(
    async () => {
      const there = new Set(guilds.articles().map(({ link }) => link));
      const missing = guilds.places.filter(({ guild }) => !there.has(linkIn(guild)));
      await sideBySide(missing, 16, (place) => guilds.post(place, linkIn(place.guild)));
      return missing.length;
    },
    'articles to be posted',
    2 * MINUTE_MS,
    2000,
  );
}

/** When the digests of a slot are due: every ten minutes from noon on. */
export function slotMs({ noonMs }: Drill, slot: number): number {
  return noonMs + (slot + 1) * 10 * MINUTE_MS;
}

/** Digests in guilds of every shard, by command, their slots in turn: as often as one is refused, like the posts. */
export async function setDigests(
  drill: Drill,
  { count, slots }: { count: number; slots: number },
): Promise<Place[]> {
  const { sandbox, store, guilds } = drill;
  const places = guilds.places.slice(0, count);
  const read = async ({ guild }: Place) => (await readDigest(store, guild, DEFAULT_DIGEST))?.digest;
  async function set(place: Place): Promise<void> {
    const { channel } = place;
    const slot = slotMs(drill, places.indexOf(place) % slots);
    const time = new Date(slot).toISOString().slice(11, 16);
    const settings = { channel, time, timezone: 'UTC' };
    if (!(await read(place))) {
      await sandbox.as(sandbox.admin).command(channel, 'digest set', settings);
    }
    // An article may have more down votes than up, and then no digest has it.
    if (await read(place)) await chooseForDigest(sandbox, 'switches', ['empty'], { channel });
  }
  await eventually(
    async () => {
      const are = await Promise.all(places.map(read));
      const missing = places.filter((_, at) => are[at]?.postEmpty !== true);
      await sideBySide(missing, 16, set);
      return missing.length;
    },
    'digests to be set',
    2 * MINUTE_MS,
    2000,
  );
  return places;
}

/** Kills a process, and starts it again as its host would, at the earliest after `after`. */
export async function killAndStart(
  drill: Drill,
  at: number,
  { withinMs, after }: { withinMs: number; after?: Promise<unknown> },
): Promise<void> {
  await drill.bots[at]!.end('SIGKILL');
  forgetSessions(drill);
  await moment(drill, withinMs);
  await after;
  await (await drill.start(at)).isOn();
}

/** Two processes end and start again, each with one of the other's shards. */
export async function moveShards(drill: Drill, one: number, other: number): Promise<void> {
  const ending = [drill.bots[one]!, drill.bots[other]!];
  const [a = '', b = ''] = ending.map(({ shards }) => shards);
  expect(await Promise.all(ending.map((bot) => bot.end()))).toEqual([0, 0]);
  forgetSessions(drill);
  const [[a1, a2], [b1, b2]] = [a.split('-'), b.split('-')];
  const started = await Promise.all([
    drill.start(one, `${a1},${b2}`),
    drill.start(other, `${b1},${a2}`),
  ]);
  await Promise.all(started.map((bot) => bot.isOn()));
}

/** Waits until every digest of these places is posted. Moves the clock past the leases of dead processes. */
export async function allDigests(drill: Drill, places: readonly Place[]): Promise<void> {
  await eventually(
    async () => {
      const missing = places.filter(({ channel }) => drill.guilds.digests(channel).length === 0);
      if (missing.length > 0) await drill.goTo(drill.now() + MINUTE_MS);
      return missing.length;
    },
    'digests to be posted',
    5 * MINUTE_MS,
    2000,
  );
}

/** Moves the clock to the night, whose full pass finds who voted. Resolves with the seconds that it took. */
export async function fullRecount(drill: Drill, meanwhile?: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  const morningMs = drill.noonMs + 17 * HOUR_MS;
  await drill.goTo(morningMs - 30 * MINUTE_MS);
  await meanwhile?.();
  await eventually(
    async () => {
      const wrong = await differences(drill);
      const isNight = drill.now() < morningMs - MINUTE_MS;
      if (wrong.length > 0 && isNight) await drill.goTo(drill.now() + MINUTE_MS);
      return wrong.length;
    },
    'all votes to be right',
    15 * MINUTE_MS,
    3000,
  );
  return (performance.now() - startedMs) / 1000;
}

/**
 * Members post until the drill is over. A post without an answer either does not exist or is found
 * later. Resolves with the number of confirmed posts.
 */
export async function postUntil(drill: Drill, isOver: () => boolean): Promise<number> {
  let posted = 0;
  for (let n = 0; !isOver(); n += 1) {
    await moment(drill, 1000);
    const place = drill.random.pick(drill.guilds.places);
    const answered = drill.guilds.post(place, `https://news.example/later/${n}`);
    if (await answered.catch(() => false)) posted += 1;
  }
  return posted;
}

/** Waits for a random time. */
export function moment({ random }: Drill, mostMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, random.below(mostMs)));
}

/** Waits until the count is zero. */
async function eventually(
  left: () => Promise<number>,
  what: string,
  deadlineMs: number,
  everyMs = 200,
): Promise<void> {
  const message = `Waited too long for ${what}.`;
  await expect.poll(left, { timeout: deadlineMs, interval: everyMs, message }).toBe(0);
}

/** Nobody resumes the sessions of a dead process, and Discord forgets them as well. */
function forgetSessions({ sandbox: { gateway } }: Drill): void {
  for (const { id, socket } of gateway.sessions.values()) {
    if (socket === null) gateway.sessions.delete(id);
  }
}
