import { expect } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { isOutage } from '../../src/redis/errors.ts';
import { readRebuildState } from '../../src/history/rebuild/stored-rebuilds.ts';
import { readArticle } from '../../src/ranking/articles/articles.ts';
import { readVoters } from '../../src/ranking/ballots/voters.ts';
import { type Drill, type DrillBot, sideBySide } from './drill.ts';
import type { Place, Posted } from './drill-guilds.ts';

/**
 * Where the ranking differs from the record, a sentence an article. Who voted, behind a right tally,
 * is only found out by the night's full pass.
 */
export async function differences(
  { guilds, ranking }: Pick<Drill, 'guilds' | 'ranking'>,
  { tallies = false } = {},
): Promise<string[]> {
  const found: string[] = [];
  await sideBySide(guilds.articles(), 50, async (posted: Posted) => {
    const { guild, id } = posted;
    // This connection as well finds out only now that a master is gone.
    const [article, voters] = await retryThroughOutage(() =>
      Promise.all([readArticle(ranking, guild, id), readVoters(ranking, guild, id)]),
    );
    const shown = guilds.votes(posted);
    const directions = [...shown.values()];
    const up = 1 + directions.filter((direction) => direction === 'up').length;
    const down = directions.filter((direction) => direction === 'down').length;
    if (!article) found.push(`${guild} ${id} is unknown`);
    else if (article.up !== up || article.down !== down) {
      found.push(`${guild} ${id} has ▲ ${article.up} ▼ ${article.down}, not ▲ ${up} ▼ ${down}`);
    } else if (
      !tallies &&
      (voters.size !== shown.size ||
        [...voters].some(([member, { vote }]) => shown.get(member) !== vote))
    ) {
      found.push(`${guild} ${id} has other voters`);
    }
  });
  return found;
}

/** Guilds whose ranking is not whole yet. */
export async function incomplete({ guilds, store }: Drill): Promise<number> {
  const states = await Promise.all(
    guilds.places.map(({ guild }) => readRebuildState(store, guild)),
  );
  return states.filter(({ complete, begun }) => !complete || begun).length;
}

/** Redis away, in its own words and in its driver's. */
const away =
  /CLUSTERDOWN|EXECABORT|READONLY|MASTERDOWN|LOADING|Command timed out|Connection is closed|ECONNREFUSED|ECONNRESET|EPIPE|Too many Cluster redirections|refresh slots cache|Stream isn't writeable|retries per request/;
/**
 * What is said of an outage without the fault itself, what the test's own cluster is warned of, and a
 * moved clock, which on a busy machine one process sees long before another.
 */
const expected =
  /^(Redis is away|Redis keeps no append-only file|This machine's clock is wrong|An answer's date is wrong)/;
/** A member's command met a process that had just started, or waited for Redis, for over 3 s; or the machine is busy. */
const tooLate = /Unknown interaction|The answer took too long/;

/** A line of the log, or with `msg` alone something else that the process said. */
type Line = { level: number; msg: string; fault?: { name?: string; message?: string } } & Record<
  string,
  unknown
>;

export function linesOf({ said }: DrillBot): Line[] {
  const lines = said().split('\n');
  return lines.filter((line) => line !== '').map(lineOf);
}

function lineOf(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return { level: 60, msg: text }; // A process that is well says nothing else.
  }
}

/** Warnings and errors that are not about Redis being away. */
export function faultsIn(bot: DrillBot): string[] {
  return linesOf(bot)
    .filter(({ level, msg }) => level >= 40 && !expected.test(msg))
    .map(textOf)
    .filter((text) => !away.test(text) && !tooLate.test(text));
}

export function textOf({ msg, fault }: Line): string {
  return fault === undefined ? msg : `${msg} (${fault.name}: ${fault.message})`;
}

/** How many votes the recounts put right. */
export function repairsIn(bot: DrillBot): number {
  return linesOf(bot)
    .filter(({ msg }) => msg === 'A recount repaired votes.')
    .reduce((all, { added, removed, switched }) => {
      return all + Number(added) + Number(removed) + Number(switched);
    }, 0);
}

/** Ends the processes and checks what must be true at the end, whichever process died. */
export async function expectNoHarm(drill: Drill, digests: readonly Place[]): Promise<void> {
  const { guilds, sandbox } = drill;
  const noon = new Intl.DateTimeFormat('en-US', {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    timeZone: 'UTC',
  }).format(drill.noonMs);
  expect(await differences(drill)).toEqual([]);
  const due = new Set(digests.map(({ channel }) => channel));
  for (const { channel } of guilds.places) {
    expect(guilds.digests(channel)).toEqual(due.has(channel) ? [`## Daily digest · ${noon}`] : []);
  }
  const links = guilds.articles().map(({ link }) => link);
  expect(links.length).toBe(new Set(links).size);
  expect(sandbox.requests.count('PUT', /commands/)).toBe(1);
  expect(await Promise.all(drill.bots.map((bot) => bot.end()))).toEqual(drill.bots.map(() => 0));
  expect(drill.everyBot.filter((bot) => bot.hasDied()).map(({ shards }) => shards)).toEqual([]);
  expect(drill.everyBot.flatMap(faultsIn)).toEqual([]);
}

/** By default a cluster waits 15 s for a master before it elects a new one. */
const takeOverMs = 30_000;
const retryEveryMs = 500;

/**
 * Repeats the work while Redis is away, for as long as another server needs to take over; then it
 * throws. The work must be safe to repeat.
 */
async function retryThroughOutage<T>(work: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + takeOverMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error) || performance.now() > untilMs) throw error;
      await pause(retryEveryMs);
    }
  }
}
