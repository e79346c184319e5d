import { setTimeout as pause } from 'node:timers/promises';
import { Status } from 'discord.js';
import { seededRandom } from '../../discord-box/src/index.ts';
import { readArticle } from '../../src/ranking/articles/articles.ts';
import { readRemoved } from '../../src/ranking/articles/removed.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import type { RunningBot } from '../../src/bot.ts';
import { inconsistencies } from '../ranking/consistency.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

type Trouble = 'none' | 'Redis is away' | 'the session is lost' | 'it restarts' | 'it dies' | 'two';

/** What a stress did, and what is wrong after it. */
export type Stress = {
  /** How often what happened, as a person reads it. */
  done: Record<string, number>;
  /** What is wrong after the look that follows every outage: of the tallies alone. */
  wrongTallies: string[];
  /** What is wrong after the night's work, or when all was restored and unlocked after it. */
  wrong: string[];
};

const OPEN = 10;
const CLOSED = 4;
const MEMBERS = 25;
/** A round of voting is as long as the shortest trouble. */
const ROUND_MS = 400;

/**
 * Members vote, switch and take back while a moderator removes, restores, moves and locks the same articles, and
 * the bot loses Redis, its session or its life, or two processes overlap.
 */
export async function voteBesideRemovals(
  seed: number,
  { rounds, troubles }: { rounds: number; troubles: readonly Trouble[] },
): Promise<Stress> {
  const scene = await startScene({ seed, follows: true, answerWithinMs: 6000 });
  try {
    return await playStress(scene, seed, { rounds, troubles });
  } finally {
    await scene.stop();
  }
}

async function playStress(
  scene: Scene,
  seed: number,
  { rounds, troubles }: { rounds: number; troubles: readonly Trouble[] },
): Promise<Stress> {
  const random = seededRandom(seed);
  const pick = <T>(all: readonly T[]): T => all[random.below(all.length)] as T;
  const { sandbox } = scene;
  const { general, rust } = sandbox.channels;
  const members = scene.crowd(MEMBERS);
  const done: Record<string, number> = {};
  const count = (what: string) => (done[what] = (done[what] ?? 0) + 1);

  const closed = await scene.plant(general.id, CLOSED);
  for (const id of closed) {
    for (const member of members.slice(0, 3 + random.below(9))) await scene.vote(member, id);
  }
  scene.clock.move(8 * DAY_MS);
  const frozen = new Map<string, string>();
  await scene.eventually(
    async () => {
      await scene.minute();
      const found = await Promise.all(closed.map((id) => scene.article(id)));
      for (const one of found) if (one?.closed) frozen.set(one.id, `${one.up} ${one.down}`);
      return frozen.size;
    },
    (size) => size === CLOSED,
    'closed',
  );
  const open = [
    ...(await scene.plant(general.id, OPEN / 2)),
    ...(await scene.plant(rust.id, OPEN / 2)),
  ];
  const articles = [...open, ...closed];

  const votes = setInterval(() => {
    for (let n = 0; n < 3; n += 1) {
      const article = random.below(12) === 0 ? pick(closed) : pick(open);
      const emoji = random.below(5) < 3 ? '👍' : '👎';
      if (random.below(3) > 0) scene.react(pick(members), article, emoji);
      else scene.unreact(pick(members), article, emoji);
      count('reactions');
    }
  }, 15);

  const over = new AbortController();
  async function moderate(): Promise<void> {
    while (!over.signal.aborted) {
      const id = pick(articles);
      const chosen = random.below(8);
      const home = pick([general.id, rust.id]);
      await actOn(scene, id, { chosen, home }).then(
        (what) => count(what),
        () => count('unanswered acts'),
      );
      await pause(random.below(60));
    }
  }
  const moderating = [moderate(), moderate()];
  const ended: Promise<unknown>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await pause(random.below(ROUND_MS));
    const trouble = pick(troubles);
    count(trouble);
    await makeTrouble(scene, trouble, { waitMs: 200 + random.below(1500), ended });
    await pause(random.below(ROUND_MS));
  }
  over.abort();
  clearInterval(votes);
  await Promise.all([...moderating, ...ended]);

  await scene.eventually(
    () => scene.bot.client.ws.shards.map(({ status }) => status),
    (all) => all.every((status) => status === Status.Ready),
    'connected',
  );
  await scene.whole();
  await nextLook(scene);
  const present = async () =>
    (await Promise.all(open.map((id) => scene.article(id)))).flatMap((one) => one?.id ?? []);
  const tallies = await soon(async () => wrongTallies(scene, await present()));
  // The night's work looks at who voted, and shows what a process died before showing.
  scene.clock.move(16.5 * HOUR_MS);
  const wrong = await soon(async () => {
    await scene.pass(MINUTE_MS);
    return wrongThings(scene, { open, articles, frozen });
  });
  if (wrong.length > 0) return { done, wrongTallies: tallies, wrong };
  for (const id of articles) await undoAll(scene, id);
  const wrongAfterUndoing = await soon(async () => {
    const left = (await Promise.all(open.map((id) => scene.article(id)))).filter(
      (one) => one === null || one.locked,
    );
    const found = await wrongThings(scene, { open, articles, frozen });
    return left.length > 0 ? [`${left.length} are removed or locked again`, ...found] : found;
  });
  return { done, wrongTallies: tallies, wrong: wrongAfterUndoing.map((one) => `undone: ${one}`) };
}

/** Restores and unlocks an article. The votes that it could not take meanwhile count then. */
async function undoAll(scene: Scene, id: string): Promise<void> {
  const { moderator } = scene.sandbox;
  async function isUndone(): Promise<boolean> {
    const article = await scene.article(id);
    if (article?.locked === false) return true;
    // Of a bot that is busy the panel may come too late to be pressed: it is opened again.
    await scene.moderate(moderator, article === null ? 'restore' : 'unlock', id).catch(() => {});
    return false;
  }
  await scene.eventually(isUndone, Boolean, `of ${id}, restored and unlocked`);
}

/** As the bot does: what could not be read, or is not settled yet, is read again. */
async function nextLook(scene: Scene): Promise<void> {
  let { unread, unsettled } = await scene.recount({ afterGap: true });
  for (let tries = 1; unread.length + unsettled.length > 0 && tries < 5; tries += 1) {
    const articles = [...unread, ...unsettled];
    ({ unread, unsettled } = await scene.recount({ afterGap: true, articles }));
  }
}

/** What is still wrong after a while. */
async function soon(ask: () => Promise<string[]>): Promise<string[]> {
  const untilMs = performance.now() + 20_000;
  for (;;) {
    const wrong = await ask();
    if (wrong.length === 0 || performance.now() > untilMs) return wrong;
    await pause(200);
  }
}

/** One act of a moderator with an article, as it is at that moment. Returns which. */
async function actOn(
  scene: Scene,
  id: string,
  { chosen, home }: { chosen: number; home: string },
): Promise<string> {
  const { moderator } = scene.sandbox;
  const article = await scene.article(id);
  const act = article === null ? 'restore' : (ACTS[chosen] ?? (article.locked ? 'unlock' : 'lock'));
  const given = act === 'move' ? home : 'By mistake.';
  const { kind } = await scene.moderate(moderator, act, id, given);
  return `${act}: ${kind}`;
}

const ACTS: readonly (undefined | 'remove' | 'move')[] = [
  'remove',
  'remove',
  'remove',
  'remove',
  'move',
  'move',
  undefined,
  undefined,
];

async function makeTrouble(
  scene: Scene,
  trouble: Trouble,
  { waitMs, ended }: { waitMs: number; ended: Promise<unknown>[] },
): Promise<void> {
  const before = scene.bot;
  switch (trouble) {
    case 'none':
      return pause(waitMs);
    case 'Redis is away':
      scene.redis.pause();
      await pause(waitMs * 2);
      return scene.redis.resume();
    case 'the session is lost':
      return scene.sandbox.gateway.invalidate({ resumable: waitMs % 2 === 0 });
    case 'it restarts':
      return scene.restartBot();
    case 'it dies':
      die(before);
      await scene.joinBot();
      scene.follow();
      // What it began goes nowhere.
      ended.push(before.stop().catch(() => {}));
      return;
    case 'two':
      await scene.joinBot();
      scene.follow();
      await pause(waitMs);
      await before.stop();
      return;
    default:
      return trouble satisfies never;
  }
}

/** It hears and writes nothing any more. */
function die({ store, client }: RunningBot): void {
  store.redis.disconnect();
  void client.destroy();
}

/** Where a tally is not what Discord shows. Of a member who shows both, either may be the vote, or none. */
async function wrongTallies(scene: Scene, articles: readonly string[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const id of articles) {
    const article = await scene.article(id);
    const { ups, downs, both } = scene.shownOn(id);
    // A locked article takes no votes.
    if (article === null || article.locked) continue;
    const [up, down] = [article.up - 1 - ups, article.down - downs];
    if (up < 0 || down < 0 || up + down > both) {
      wrong.push(`${id} says ${article.up} ${article.down}, shown are ${ups} ${downs} (${both})`);
    }
  }
  return wrong;
}

async function wrongThings(
  scene: Scene,
  {
    open,
    articles,
    frozen,
  }: {
    open: readonly string[];
    articles: readonly string[];
    frozen: ReadonlyMap<string, string>;
  },
): Promise<string[]> {
  const { sandbox, bot } = scene;
  const { guildId: guild, channels } = sandbox;
  const homes = [channels.general.id, channels.rust.id];
  const wrong = await inconsistencies(bot.ranking, guild);
  const pages = await scene.pages(homes);
  const listing = Object.entries(pages);
  const present: string[] = [];
  for (const id of articles) {
    const [article, removed] = await Promise.all([
      readArticle(bot.ranking, guild, id),
      readRemoved(bot.ranking, guild, id),
    ]);
    const of = article ?? removed?.article;
    if (of === undefined) {
      wrong.push(`${id} is neither there nor removed`);
      continue;
    }
    const { content } = scene.message(id);
    const isShown = content.includes(of.link);
    if (isShown !== (article !== null)) wrong.push(`${id} is shown: ${isShown}`);
    const tally = frozen.get(id);
    if (tally !== undefined && tally !== `${of.up} ${of.down}`) {
      wrong.push(`${id} had ${tally} at its closing, now ${of.up} ${of.down}`);
    }
    if (article === null) {
      const named = listing.filter(([, ids]) => ids.includes(id)).map(([list]) => list);
      if (named.length > 0) wrong.push(`${id} is removed, and listed by ${named.join(', ')}`);
      continue;
    }
    present.push(id);
    const [home = ''] = article.groups;
    if (!content.includes(`<#${home}>`)) wrong.push(`${id} shows another group than ${home}`);
    const lists = ['score all', 'time all', `score ${home}`, `time ${home}`];
    const missing = lists.filter((list) => pages[list]?.includes(id) !== true);
    if (missing.length > 0) wrong.push(`${id} is missing in ${missing.join(', ')}`);
    if (tally === undefined && !article.locked) wrong.push(...wrongReactions(scene, id));
  }
  const opened = present.filter((id) => open.includes(id));
  const unlocked: string[] = [];
  for (const id of opened) if ((await scene.article(id))?.locked === false) unlocked.push(id);
  return [...wrong, ...(await scene.differences(unlocked))];
}

/** The bot shows 👍 for the poster, and 👎 until a member does. */
function wrongReactions(scene: Scene, id: string): string[] {
  const { botId } = scene.sandbox.world.application;
  const others = scene.whoShows(id, '👎').filter((member) => member !== botId);
  const found: string[] = [];
  if (!scene.isOwn(id, '👍')) found.push(`${id} lacks the bot's 👍`);
  if (scene.isOwn(id, '👎') !== (others.length === 0)) {
    found.push(`${id} has ${others.length} 👎 of members, and the bot's: ${scene.isOwn(id, '👎')}`);
  }
  return found;
}
