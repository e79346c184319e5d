import { HOUR_MS } from '../src/runtime/clock.ts';
import { startCommunity, type Community } from '../discord-box/test/community.ts';
import { addReaction } from '../discord-box/src/world/messages/reactions.ts';
import { createMessage } from '../discord-box/src/world/messages/change-message.ts';
import { articleMessage } from '../src/articles/messages/article-message.ts';
import { createLog } from '../src/runtime/log.ts';
import { openDigestContext } from '../src/digests/posting/posting-context.ts';
import { nextSlot } from '../src/digests/schedule/slots.ts';
import { runDueDigests } from '../src/digests/run-due.ts';
import { startBot } from '../src/bot.ts';
import { recountArticlesInVoting } from '../src/votes/recount/compare.ts';
import { saveDigest, setDue } from '../src/digests/stored-digests.ts';
import { type Digest, zDigest } from '../src/digests/digest-settings.ts';
import { postArticle, readArticle } from '../src/ranking/articles/articles.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import type { Bench } from './bench.ts';
import { grouped, type Limits, type Row } from './table.ts';
import { until } from './until.ts';

/** Articles of a guild that are candidates for its digest. */
const ARTICLES = 12;

/** All guilds' digests are due in the same minute. */
export async function measureDigests({ server, clock: real, quick }: Bench): Promise<Row[]> {
  const guilds = quick ? 20 : 1000;
  const log = createLog('error');
  let offsetMs = 0;
  const clock = { now: () => real.now() + offsetMs };
  const sandbox = await startCommunity({ clock });
  const redis = await server.connect();
  const { token, apiBase } = sandbox;
  const places = Array.from({ length: guilds }, (_, at) => {
    const place = { name: `guild ${at}`, owner: sandbox.admin };
    return sandbox.operator.createGuild(place);
  });
  const running = await startBot({ token, apiBase, redis, clock, log });
  await until(() => places.every(({ guild }) => running.client.guilds.cache.get(guild)?.available));
  const { schedule } = digestOf(sandbox.channels.general.id, 0);
  const dueMs = nextSlot(schedule, clock.now()).atMs;
  for (const { guild, general } of places) {
    await fill(sandbox, running.ranking, guild, general, clock.now());
    await saveDigest(running.store, guild, 'daily', digestOf(general, clock.now() - HOUR_MS));
    await setDue(running.store, guild, 'daily', dueMs);
  }
  sandbox.requests.reset();
  offsetMs += dueMs - clock.now();
  const context = openDigestContext(running, (guild, articles) =>
    recountArticlesInVoting(running, guild, { articles }),
  );
  const start = performance.now();
  await runDueDigests(context);
  const rushMs = performance.now() - start;
  const requests = sandbox.requests;
  const refused = requests.count(undefined, undefined, 429);
  if (refused > 0) console.error([...requests.counts].filter(([of]) => of.endsWith(' 429')));
  const digests = places.map(({ general }) => digestsIn(sandbox, general));
  const posted = digests.filter(({ length }) => length === 1).length;
  await running.stop();
  await sandbox.stop();
  if (posted === 0) throw new Error('No digest was due.');
  const minute = `${grouped(guilds)} digests due at once`;
  return [
    row(`${minute}: posted once`, posted, '', { atLeast: guilds, aim: guilds }),
    row(
      `${minute}: until the last`,
      rushMs / 1000,
      's',
      quick ? undefined : { atLeast: 80, aim: 75 },
    ),
    row(`${minute}: answers of 429`, refused, '', { atLeast: 0, aim: 0 }),
  ];
}

/** Articles with messages, so that the recount has something to read. */
async function fill(
  sandbox: Community,
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
    const known = { guild, id, title, link, linkName: link, poster: sandbox.admin };
    const posted = await postArticle(ranking, { ...known, home: general, listed: true });
    if (posted.status !== 'posted') throw new Error(`An article is ${posted.status}.`);
    const article = (await readArticle(ranking, guild, id))!;
    const content = articleMessage({ ...article, beside: false }, null);
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

function digestsIn(sandbox: Community, channel: string): string[] {
  const messages = [...(sandbox.world.channels.get(channel)?.messages.values() ?? [])];
  return messages.filter(({ content }) => content.includes('Daily digest')).map(({ id }) => id);
}

function row(what: string, result: number, unit: Row['unit'], limits?: Limits): Row {
  return { what, of: '', result, unit, ...(limits ? { limits } : {}) };
}
