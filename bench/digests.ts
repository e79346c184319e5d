import { startSandbox, type Sandbox } from '../sandbox/tour/sandbox.ts';
import { addReaction, createMessage } from '../sandbox/discord/index.ts';
import { articleMessage, carriedBy } from '../src/articles/messages/message.ts';
import { createLog } from '../src/log.ts';
import { openDigestContext } from '../src/digest/posting/context.ts';
import { nextSlot } from '../src/digest/schedule/slots.ts';
import { runDueDigests } from '../src/digest/run-due.ts';
import type { RunningApp } from '../src/app.ts';
import { startApp } from '../src/start.ts';
import { recountById } from '../src/recount/guild.ts';
import { saveDigest } from '../src/records/digests/digests.ts';
import { setDue } from '../src/records/digests/due.ts';
import { type Digest, zDigest } from '../src/records/digests/digest.ts';
import { postArticle, readArticle } from '../src/ranking/articles/articles.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import type { Bench } from './bench.ts';
import { rotate } from './rounds.ts';
import { grouped, type Limits, round, type Row } from './table.ts';
import { until } from './until.ts';

const HOUR_MS = 3_600_000;
/** Articles of a guild that are candidates for its digest. */
const ARTICLES = 12;

/** All guilds' digests are due in the same minute, while members post, read and vote. */
export async function measureDigests({ server, clock: real, quick }: Bench): Promise<Row[]> {
  const guilds = quick ? 20 : 1000;
  const log = createLog('error');
  let offsetMs = 0;
  const clock = { now: () => real.now() + offsetMs };
  const sandbox = await startSandbox({ clock });
  const redis = await server.connect();
  const { token, apiBase } = sandbox;
  const places = Array.from({ length: guilds }, (_, at) => {
    const place = { name: `guild ${at}`, owner: sandbox.admin };
    return sandbox.operator.createGuild(place);
  });
  const running = await startApp({ token, apiBase, redis, clock, log });
  const { app } = running;
  await until(() => places.every(({ guild }) => app.client.guilds.cache.get(guild)?.available));
  const { schedule } = digestOf(sandbox.channels.general.id, 0);
  const dueMs = nextSlot(schedule, clock.now()).atMs;
  for (const { guild, general } of places) {
    await fill(sandbox, app.ranking, guild, general, clock.now());
    await saveDigest(app.store, guild, 'daily', digestOf(general, clock.now() - HOUR_MS));
    await setDue(app.store, guild, 'daily', dueMs);
  }
  const calm = await observed(sandbox, running, new Promise((end) => setTimeout(end, 5000)));

  sandbox.requests.reset();
  offsetMs += dueMs - clock.now();
  const context = openDigestContext(app, (guild, articles) => recountById(app, guild, articles));
  const start = performance.now();
  let rushMs = 0;
  const rush = runDueDigests(context).then(() => (rushMs = performance.now() - start));
  const busy = await observed(sandbox, running, rush);
  const requests = sandbox.requests;
  const refused = requests.count(undefined, undefined, 429);
  if (refused > 0) console.error([...requests.counts].filter(([of]) => of.endsWith(' 429')));
  const digests = places.map(({ general }) => digestsIn(sandbox, general));
  const posted = digests.filter(({ length }) => length === 1).length;
  await running.stop();
  await sandbox.stop();
  if (posted === 0) throw new Error('No digest was due.');
  const minute = `${grouped(guilds)} digests due in one minute`;
  return [
    row(`${minute}: posted once`, grouped(posted), posted, { atLeast: guilds, aim: guilds }),
    row(
      `${minute}: until the last`,
      `${round(rushMs / 1000)} s`,
      rushMs / 1000,
      quick ? undefined : { atLeast: 80, aim: 75 },
    ),
    row(`${minute}: answers of 429`, String(refused), refused, { atLeast: 0, aim: 0 }),
    ...(['top', 'post', 'vote'] as const).map((kind) =>
      besides(`meanwhile /${kind}, p95`.replace('/vote', 'a vote'), busy[kind], calm[kind]),
    ),
  ];
}

/** Members' waits in ms: for a list, for a posted article, and until a vote is counted. */
type Observed = Record<'top' | 'post' | 'vote', number[]>;

async function observed(
  sandbox: Sandbox,
  { app }: RunningApp,
  during: Promise<unknown>,
): Promise<Observed> {
  const waits: Observed = { top: [], post: [], vote: [] };
  const { general } = sandbox.channels;
  const over = new AbortController();
  void during.finally(() => over.abort());
  const timed = async (kind: 'top' | 'post' | 'vote', act: () => Promise<unknown>) => {
    const start = performance.now();
    await act();
    waits[kind].push(performance.now() - start);
  };
  for (let n = 0; !over.signal.aborted; n += 1) {
    // They take turns, because a member may post 60 links an hour.
    const [poster = '', reader = '', ...voters] = rotate(sandbox.members, n);
    const link = `https://example.com/${app.clock.now()}`;
    await timed('top', () => sandbox.as(reader).command(general.id, 'top'));
    await timed('post', () => sandbox.as(poster).command(general.id, 'post', { link }));
    const id = general.messageIds.at(-1) ?? '';
    await until(async () => (await readArticle(app.ranking, sandbox.guildId, id)) !== null);
    for (const voter of voters.slice(0, 3)) {
      const before = (await readArticle(app.ranking, sandbox.guildId, id))?.up ?? 0;
      await timed('vote', async () => {
        sandbox.as(voter).react(general.id, id, '👍');
        await until(async () => {
          const article = await readArticle(app.ranking, sandbox.guildId, id);
          return (article?.up ?? 0) > before;
        });
      });
    }
    await Promise.race([during, new Promise((resolve) => setTimeout(resolve, 1000))]);
  }
  return waits;
}

/** Articles with messages, so that the recount has something to read. */
async function fill(
  sandbox: Sandbox,
  ranking: Ranking,
  guild: string,
  general: string,
  now: number,
): Promise<void> {
  const channel = sandbox.world.channels.get(general)!;
  for (let at = 0; at < ARTICLES; at += 1) {
    const id = sandbox.world.snowflake(now - (at + 1) * 60_000);
    const link = `https://example.com/${id}`;
    const title = `Article ${at} of a guild among many`;
    const known = { guild, id, title, link, canonical: link, poster: sandbox.admin };
    const posted = await postArticle(ranking, { ...known, home: general, listed: true });
    if (posted.status !== 'posted') throw new Error(`An article is ${posted.status}.`);
    const { article } = posted;
    const { content } = articleMessage({ ...carriedBy(article, false), ...article }, null);
    const authorId = sandbox.world.application.botId;
    const message = createMessage(sandbox.world, channel, { id, authorId, content });
    for (const name of ['👍', '👎']) {
      addReaction(sandbox.world, channel, message, authorId, { id: null, name }, false);
    }
  }
}

function digestOf(channel: string, since: number): Digest {
  return zDigest.parse({
    channel,
    schedule: { every: 'day', time: '18:00', zone: 'UTC' },
    slotsFromMs: Math.floor(since),
    createdAtMs: Math.floor(since),
    savedAtMs: Math.floor(since),
  });
}

function digestsIn(sandbox: Sandbox, channel: string): string[] {
  const messages = [...(sandbox.world.channels.get(channel)?.messages.values() ?? [])];
  return messages.filter(({ content }) => content.includes('Daily digest')).map(({ id }) => id);
}

function besides(what: string, busy: number[], quiet: number[]): Row {
  const [now, before] = [p95(busy), p95(quiet)];
  const result = now / before;
  const other = `quiet ${round(before)} ms`;
  return { what, frontpage: `${round(now)} ms`, other, result, unit: '×' };
}

function p95(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.95)] ?? Number.NaN;
}

function row(what: string, frontpage: string, result: number, limits?: Limits): Row {
  return { what, frontpage, other: '', result, unit: '', ...(limits ? { limits } : {}) };
}
