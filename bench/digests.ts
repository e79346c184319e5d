import { DAY_MS, HOUR_MS } from '../src/runtime/clock.ts';
import { startCommunity, type Community } from '../discord-box/test/community.ts';
import { addReaction } from '../discord-box/src/world/messages/reactions.ts';
import { createMessage } from '../discord-box/src/world/messages/change-message.ts';
import { articleMessage } from '../src/articles/messages/article-message.ts';
import { createLog } from '../src/runtime/log.ts';
import { openDigestContext } from '../src/digests/posting/posting-context.ts';
import { nextSlot } from '../src/digests/schedule/slots.ts';
import { planDigest, runDueDigests } from '../test/digests/due-digests.ts';
import { startBot } from '../src/bot.ts';
import { recountArticlesInVoting } from '../src/votes/recount/recount-guild.ts';
import { storeKeys } from '../src/redis/store-keys.ts';
import { saveDigest } from '../src/digests/stored-digests.ts';
import { type Digest, zDigest } from '../src/digests/digest-settings.ts';
import { postArticle, readArticle, readArticles } from '../src/ranking/articles/articles.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import { writeDraft } from '../src/digests/content/draft.ts';
import { walkNewest } from '../src/ranking/lists/ranked.ts';
import { type Bench, fillGuild } from './bench.ts';
import { CHANNELS, guildId } from './material.ts';
import { median, race, ratio } from './rounds.ts';
import { grouped, type Limits, round, type Row } from './table.ts';
import { until } from './until.ts';

/** Articles of a guild that are candidates for its digest. */
const ARTICLES = 12;

export async function measureDigests(bench: Bench): Promise<Row[]> {
  return [...(await measureDraft(bench)), ...(await measureRush(bench))];
}

/** Articles of a busy guild that are in voting, each of which an edition may choose. */
const IN_VOTING = 3000;

/**
 * An edition looks twice at all that is in voting, before and after a recount, and for first posts at what came
 * before. Until 0.2, when it looked at what was posted since the last one, the same took 2.5 such walks.
 */
async function measureDraft(bench: Bench): Promise<Row[]> {
  const { server, clock, rounds, quick } = bench;
  const ranking = await server.openRanking();
  const guild = guildId(1);
  const count = quick ? 300 : IN_VOTING;
  await fillGuild(bench, ranking, guild, count);
  const { redis, applicationId } = ranking;
  const log = createLog('error');
  const context = { ranking, store: { redis, applicationId, log }, log, clock };
  const untilMs = clock.now();
  const edition = {
    guild,
    name: 'daily',
    digest: digestOf(CHANNELS[0]!, untilMs),
    locale: 'en',
    period: { fromMs: untilMs - DAY_MS, untilMs },
    date: '2026-11-21',
  };
  const draft = () =>
    writeDraft({ ...context, deployedCommands: async () => [], recount: async () => {} }, edition);
  const walk = async () => {
    let seen = 0;
    for await (const step of walkNewest(ranking, { guild }, 0, Infinity)) seen += step.length;
    if (seen !== count) throw new Error(`A walk saw ${seen} articles.`);
  };
  const results = await race(
    [
      { name: 'draft', slice: () => timed(draft) },
      { name: 'walk', slice: () => timed(walk) },
    ],
    rounds,
  );
  const limits = quick ? undefined : { atLeast: 7.5, aim: 5 };
  const what = `the draft of an edition, ${grouped(count)} articles in voting, in walks through them`;
  return [
    {
      ...row(what, ratio(results, 'draft', 'walk'), '×', limits),
      of: `${round(median(results.draft))} ms, ${round(median(results.walk))} ms`,
    },
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** All guilds' digests are due in the same minute. */
async function measureRush({ server, clock: real, quick }: Bench): Promise<Row[]> {
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
    await planDigest(running.store, guild, 'daily', dueMs);
    // A bot without its jobs never finds a guild whole.
    await redis.set(storeKeys(running.store, guild).complete, clock.now());
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

/**
 * Articles with messages, so that the recount has something to read, and a member's vote for each, as it comes in
 * from Discord: nothing is in a digest that nobody but its poster voted for.
 */
async function fill(
  sandbox: Community,
  ranking: Ranking,
  guild: string,
  general: string,
  now: number,
): Promise<void> {
  const channel = sandbox.world.channels.get(general)!;
  const voter = sandbox.operator.addPerson({ username: `voter ${guild}`, guild });
  const ids: string[] = [];
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
    addReaction(sandbox.world, channel, message, voter, { id: null, name: '👍' }, false);
    ids.push(id);
  }
  await until(async () => (await readArticles(ranking, guild, ids)).every((one) => one?.up === 2));
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
