import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Community, startCommunity } from '../discord-box/test/community.ts';
import { addMember } from '../discord-box/src/world/guilds/change-member.ts';
import { addUser } from '../discord-box/src/world/users.ts';
import type { OptionValues } from '../discord-box/src/index.ts';
import { postArticle } from '../src/ranking/articles/articles.ts';
import { openRanking } from '../src/ranking/ranking.ts';
import { askTop, p95 } from './ask-top.ts';
import type { Bench } from './bench.ts';
import { startBot } from './bot-process.ts';
import { repeat } from './load.ts';
import { newArticle } from './material.ts';
import { grouped, round, type Row } from './table.ts';

/** So many of each command a second. A guild's limit of lists lasts for twelve seconds of them. */
const PER_SECOND = 10;
const MEMBERS = 40;

/** What goes through many articles of the guild in which it is given. */
const HEAVY: Record<string, { words: string; values?: OptionValues; focused?: string }> = {
  '`/me articles`': { words: 'me articles' },
  '`/top` of what needs a vote': { words: 'top', values: { show: 'unjudged' } },
  '`/top` by votes': { words: 'top', values: { period: 'month' } },
  '`/search`': { words: 'search', values: { words: 'headline' } },
  '`/stats server`': { words: 'stats server' },
  '`/stats members`': { words: 'stats members', values: { period: 'ever' } },
  '`/me remove` by a title': { words: 'me remove', values: { article: 'No such title' } },
  'completion of an article': {
    words: 'me remove',
    focused: 'article',
    values: { article: 'a headline' },
  },
};

type Place = { guild: string; general: string; members: string[] };

/** A member asks for the front page of a small guild, while members of a large one ask for long lists. */
export async function measureHeavyLists({ server, clock, quick }: Bench): Promise<Row[]> {
  const sandbox = await startCommunity({ clock, rateLimits: false, answerWithinMs: 30_000 });
  const articles = quick ? 2000 : 23_000;
  const seconds = quick ? 2 : 11;
  // Each command has a guild of its own, since one limit counts all of a guild's long lists.
  const places = Object.keys(HEAVY).map((name) => openPlace(sandbox, name));
  const bot = await startBot(sandbox, { REDIS_URL: server.url });
  const redis = await server.connect();
  // Filling may wait as long as it takes.
  redis.options.commandTimeout = 60_000;
  const ranking = openRanking({ redis, applicationId: sandbox.applicationId });
  try {
    for (let n = 0; n < 12; n += 1) {
      const values = { link: `https://example.com/${n}` };
      await sandbox.as(sandbox.admin).command(sandbox.channels.general.id, 'post', values);
    }
    for (const { guild, general, members } of places) {
      let made = 0;
      await repeat(articles, 64, async () => {
        const n = (made += 1);
        const article = newArticle(guild, n, { count: articles + 100, now: clock.now() });
        const poster = n % 1000 === 0 ? members[0]! : article.poster;
        await postArticle(ranking, { ...article, poster, home: general });
      });
    }
    await ranking.changes.flush();
    const rows: Row[] = [];
    for (const [at, [what, heavy]] of Object.entries(HEAVY).entries()) {
      rows.push(await compare(sandbox, places[at]!, what, heavy, seconds));
    }
    return rows;
  } finally {
    bot.kill('SIGTERM');
    await once(bot, 'exit');
    await sandbox.stop();
  }

  async function compare(
    sandbox: Community,
    place: Place,
    what: string,
    { words, values = {}, focused }: (typeof HEAVY)[string],
    seconds: number,
  ): Promise<Row> {
    const calm = await waits(sandbox, seconds * 1000);
    const took: number[] = [];
    const asked: Promise<void>[] = [];
    const ask = async () => {
      const member = sandbox.as(place.members[asked.length % MEMBERS]!);
      const startMs = performance.now();
      const answered =
        focused === undefined
          ? member.command(place.general, words, values)
          : member.complete(place.general, words, focused, values);
      await answered.then(
        () => took.push(performance.now() - startMs),
        () => took.push(Number.POSITIVE_INFINITY),
      );
    };
    const timer = setInterval(() => asked.push(ask()), 1000 / PER_SECOND);
    const beside = await waits(sandbox, seconds * 1000);
    clearInterval(timer);
    await Promise.all(asked);
    const of = `alone ${round(calm)} ms; the others themselves ${round(p95(took))} ms`;
    return {
      what: `/top beside ${PER_SECOND} a second in a guild of ${grouped(articles)}: ${what}, p95`,
      of,
      result: beside,
      unit: 'ms',
      limits: { atLeast: 300, aim: 100 },
    };
  }
}

function openPlace(sandbox: Community, name: string): Place {
  const place = sandbox.operator.createGuild({ name, owner: sandbox.admin });
  const guild = sandbox.world.guilds.get(place.guild)!;
  const members = Array.from({ length: MEMBERS }, (_, n) => {
    const { id } = addUser(sandbox.world, { username: `${guild.id}-${n}` });
    addMember(sandbox.world, guild, id);
    return id;
  });
  return { ...place, members };
}

/** The 95th percentile of the time from the command until its answer is there, in ms. */
async function waits(sandbox: Community, forMs: number): Promise<number> {
  const times: number[] = [];
  for (const endMs = performance.now() + forMs; performance.now() < endMs; await pause(30)) {
    times.push((await askTop(sandbox)).tookMs);
  }
  return p95(times);
}
