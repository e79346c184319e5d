import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../src/clock.ts';
import { startApp } from '../src/start.ts';
import { createClient } from '../src/discord/client.ts';
import { createLog } from '../src/log.ts';
import { hear } from '../src/metrics.ts';
import { postArticle } from '../src/ranking/articles/articles.ts';
import type { Snowflake } from '../src/ranking/snowflake.ts';
import type { Bench } from './bench.ts';
import { memberId } from './material.ts';
import { median, race, ratio } from './rounds.ts';
import { grouped, round, type Row } from './table.ts';

type Place = {
  token: string;
  apiBase: string;
  guild: Snowflake;
  channel: Snowflake;
  messages: Snowflake[];
};

/**
 * Reactions at once: few enough that Redis answers the last one before the bot considers it down, even
 * on a slow disk.
 */
const EVENTS = 1000;
const CALM_EVENTS = 100;
const log = createLog('silent');
/** Finer than the system's milliseconds. */
const clock: Clock = { now: () => performance.timeOrigin + performance.now() };

/**
 * Measures reactions from the sandbox until the client has them and until Redis has the votes, and the
 * time of a vote from the packet to Redis's answer.
 */
export async function measureIntake({ server, rounds, quick }: Bench): Promise<Row[]> {
  const [alone, whole] = await Promise.all([openSandbox(), openSandbox()]);
  const client = createClient({ apiBase: alone.place.apiBase, log });
  let heard = counter();
  client.ws.on('MESSAGE_REACTION_ADD' as never, () => heard.count());
  const ready = once(client, 'clientReady');
  await client.login(alone.place.token);
  await ready;

  const { place } = whole;
  const bot = await startApp({ ...place, redis: await server.connect(), clock, log });
  for (const id of place.messages) {
    const link = `https://news.example/${id}`;
    await postArticle(bot.app.ranking, {
      guild: place.guild,
      id,
      title: `Article ${id}`,
      link,
      canonical: link,
      poster: memberId(0),
      home: place.channel,
      listed: true,
    });
  }
  let counted = counter();
  let delays: number[] = [];
  const end = hear('event', ({ seconds }) => {
    delays.push(seconds * 1_000_000);
    counted.count();
  });

  const events = quick ? 500 : EVENTS;
  const results = await race(
    [
      {
        name: 'client',
        slice: () => {
          heard = counter(events);
          return rate(alone.sandbox, events, heard.done);
        },
      },
      {
        name: 'bot',
        slice: () => {
          counted = counter(events);
          return rate(whole.sandbox, events, counted.done);
        },
      },
    ],
    rounds,
  );
  for (let seen = -1; seen < delays.length; await pause(200)) seen = delays.length;
  delays = [];
  for (let n = 0; n < CALM_EVENTS; n++) {
    counted = counter(1);
    whole.sandbox.send(1);
    await counted.done;
  }
  const calm = delays.toSorted((a, b) => a - b);
  end();
  await bot.stop();
  await client.destroy();
  for (const { sandbox } of [alone, whole]) sandbox.disconnect();
  const per = (name: keyof typeof results) => `${grouped(Math.round(median(results[name])))}/s`;
  const [p50 = 0, p99 = 0] = [calm[CALM_EVENTS / 2], calm[CALM_EVENTS - 2]];
  return [
    {
      what: 'reactions from the gateway until Redis holds them',
      frontpage: per('bot'),
      other: `discord.js alone, until it has them ${per('client')}`,
      result: 100 * ratio(results, 'bot', 'client'),
      unit: '%',
    },
    {
      what: 'delay of a vote from its packet to the commit, one at a time, p99 over p50',
      frontpage: `${round(p99)} µs`,
      other: `p50 ${round(p50)} µs`,
      result: p99 / p50,
      unit: '×',
    },
  ];
}

async function openSandbox(): Promise<{ sandbox: ChildProcess; place: Place }> {
  const sandbox = fork(new URL('intake-sandbox.ts', import.meta.url), {
    execArgv: process.execArgv,
  });
  const [place] = (await once(sandbox, 'message')) as [Place];
  return { sandbox, place };
}

async function rate(sandbox: ChildProcess, events: number, done: Promise<void>): Promise<number> {
  const start = performance.now();
  sandbox.send(events);
  await done;
  return (events / (performance.now() - start)) * 1000;
}

function counter(wanted = Number.POSITIVE_INFINITY) {
  let seen = 0;
  let resolve: () => void;
  const done = new Promise<void>((postEdition) => (resolve = postEdition));
  const count = (): void => {
    if (++seen === wanted) resolve();
  };
  return { done, count };
}
