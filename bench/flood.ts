import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../sandbox/tour/bot/free-port.ts';
import { type Community, startCommunity } from '../discord-box/test/community.ts';
import { askTop, p95 } from './ask-top.ts';
import type { Bench } from './bench.ts';
import { startBot } from './bot-process.ts';
import { grouped, round, type Row } from './table.ts';

const PER_SECOND = 5000;
const POSTS = 12;

/** A member asks for the front page, again and again, while a crowd asks for the public page. */
export async function measureFlood({ server, clock, quick }: Bench): Promise<Row[]> {
  const sandbox = await startCommunity({ clock, rateLimits: false });
  const port = await freePort();
  const bot = await startBot(sandbox, { REDIS_URL: server.url, WEB_PORT: String(port) });
  try {
    return [await compare(sandbox, port, quick ? 20 : 200)];
  } finally {
    bot.kill('SIGTERM');
    await once(bot, 'exit');
    await sandbox.stop();
  }
}

async function compare(sandbox: Community, port: number, asked: number): Promise<Row> {
  const admin = sandbox.as(sandbox.admin);
  const { general } = sandbox.channels;
  for (let n = 0; n < POSTS; n += 1) {
    await admin.command(general.id, 'post', { link: `https://example.com/${n}` });
  }
  const panel = (await admin.command(general.id, 'frontpage panel')).message?.id ?? '';
  const web = (await admin.press(general.id, panel, 'frontpage|web|open')).message?.id ?? '';
  await admin.press(general.id, web, 'frontpage|web|show');
  const calm = await waits(sandbox, asked);
  const visitors = [`http://127.0.0.1:${port}`, `/g/${sandbox.guildId}`, String(PER_SECOND)];
  const crowd = fork(new URL('flood-process.ts', import.meta.url), visitors);
  let counts = { sent: 0, answered: 0, pages: 0 };
  crowd.on('message', (told) => (counts = told as typeof counts));
  await pause(2000);
  const before = { ...counts, atMs: performance.now() };
  const flooded = await waits(sandbox, asked);
  await once(crowd, 'message');
  const seconds = (performance.now() - before.atMs) / 1000;
  const rate = (kind: 'answered' | 'pages') =>
    grouped(Math.round((counts[kind] - before[kind]) / seconds));
  crowd.disconnect();
  return {
    what: `/top beside ${grouped(PER_SECOND)} web requests a second, p95`,
    of: `${rate('answered')} answers/s, ${rate('pages')} of them pages, without visitors ${round(calm)} ms`,
    result: flooded,
    unit: 'ms',
    limits: { atLeast: 300, aim: 100 },
  };
}

/** The 95th percentile of the time from the command until its answer is there, in ms. */
async function waits(sandbox: Community, count: number): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    times.push((await askTop(sandbox)).tookMs);
    await pause(20);
  }
  return p95(times);
}
