import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { type Community, startCommunity } from '../discord-box/test/community.ts';
import { storeKeys } from '../src/redis/store-keys.ts';
import type { Bench } from './bench.ts';
import { startBot } from './bot-process.ts';
import { grouped, type Limits, type Row } from './table.ts';

const CASES: { guilds: number; limits: Limits }[] = [
  { guilds: 5, limits: { atLeast: 60, aim: 6 } },
  { guilds: 45, limits: { atLeast: 60, aim: 6 } },
  { guilds: 2500, limits: { atLeast: 60, aim: 30 } },
];
const BORN_MS = Date.UTC(2024, 0, 1);
const MINUTE_MS = 60_000;
/** Guilds that have just come are at rest when so few commands came in a row of seconds: their reads are compared a minute later. */
const QUIET = { seconds: 75, commands: 100, withinSeconds: 900 };

/** What the bot asks of Redis where nothing happens: the commands of a process a minute, by the wire. */
export async function measureRest({ server, quick }: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { guilds, limits } of quick ? CASES.slice(0, 1) : CASES) {
    await server.control.flushall();
    const sandbox = await startCommunity({ rateLimits: false });
    await addGuilds(sandbox, server.control, guilds - 1);
    // Before the bot: a monitor that begins among many commands confuses the client.
    const commands = await follow(server.control);
    const bot = await startBot(sandbox, { REDIS_URL: server.url });
    await atRest(commands.total);
    const minutes = quick ? 1 : 4;
    const [before, byName] = [commands.total(), new Map(commands.byName)];
    await pause(minutes * MINUTE_MS);
    const made = commands.total() - before;
    for (const [name, count] of commands.byName) {
      const more = count - (byName.get(name) ?? 0);
      if (more > 0) console.error(`${grouped(guilds)} guilds at rest: ${more / minutes} ${name}`);
    }
    commands.stop();
    bot.kill('SIGTERM');
    await once(bot, 'exit');
    await sandbox.stop();
    rows.push({
      what: `commands to Redis a minute of a process with ${grouped(guilds)} idle guilds`,
      of: '',
      result: made / minutes,
      unit: '',
      limits,
    });
  }
  return rows;
}

/** Guilds that the bot has read before: to read 2 500 new ones takes ten minutes at Discord's pace. */
async function addGuilds(sandbox: Community, redis: Redis, count: number): Promise<void> {
  const { operator, admin, applicationId } = sandbox;
  const since = { bornMs: BORN_MS, joinedMs: BORN_MS };
  for (let at = 1; at <= count; at += 1) {
    const { guild } = operator.createGuild({ name: `Idle ${at}`, owner: admin, ...since });
    await redis.set(storeKeys({ applicationId }, guild).complete, BORN_MS);
  }
}

/** Counts what comes over the wire. What a script does inside the server does not. */
async function follow(control: Redis) {
  const monitor = await control.monitor();
  const byName = new Map<string, number>();
  monitor.on('monitor', (_: string, [name = '']: string[], source: string) => {
    if (source === 'lua') return;
    const word = name.toLowerCase();
    byName.set(word, (byName.get(word) ?? 0) + 1);
  });
  return {
    byName,
    total: () => [...byName.values()].reduce((sum, count) => sum + count, 0),
    stop: () => monitor.disconnect(),
  };
}

async function atRest(total: () => number): Promise<void> {
  const deadline = performance.now() + QUIET.withinSeconds * 1000;
  for (let quiet = 0, before = total(); quiet < QUIET.seconds; ) {
    await pause(1000);
    const now = total();
    if (performance.now() > deadline) {
      throw new Error(`There is no rest: the last second had ${now - before} commands.`);
    }
    quiet = now - before > QUIET.commands ? 0 : quiet + 1;
    before = now;
  }
}
