import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setOverwrite } from '../../discord-box/src/world/channels/change-channel.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { translate } from '../../src/text/catalogue.ts';
import { deleteArticle, postArticle } from '../../src/ranking/articles/articles.ts';
import { readVoter, readVoters } from '../../src/ranking/ballots/voters.ts';
import type { Direction, Vote } from '../../src/ranking/row.ts';
import { recountArticlesInVoting } from '../../src/votes/recount/recount-guild.ts';
import { THUMBS } from '../../src/ranking/vote-signs.ts';
import type { RunningBot } from '../../src/bot.ts';
import { sample } from '../fixtures/sample.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

// One process posts an article and ends, and another begins. Each hears a part of what members do, and the
// first one's votes wait for its post.

let scene: Scene;
let first: RunningBot;
let second: RunningBot;
/** Of each case, an article of before the second process came, and another for what is written beside it. */
const articles: string[] = [];
beforeAll(async () => {
  scene = await startScene();
  articles.push(...(await scene.plant(scene.sandbox.channels.general.id, 12)));
  first = scene.bot;
  await scene.joinBot();
  second = scene.bot;
});
afterAll(() => scene.stop());

/** When a step comes: before the commit, after it while the first one's votes still wait, or after that. */
type Phase = 0 | 1 | 2;
type Change = { direction: Direction; shown: boolean };
type Step = Change & { phase: Phase };
type Member = {
  id: string;
  steps: Step[];
  /** The second process hears the steps from this one on. */
  begins: number;
  /** The first process hears the steps before this one. */
  ends: number;
};

/** Every way in which a member adds and takes back reactions in so many steps. */
function waysOf(length: number): Change[][] {
  if (length === 0) return [[]];
  return waysOf(length - 1).flatMap((way) =>
    (['up', 'down'] as const).map((direction) => {
      const before = way.filter((step) => step.direction === direction).at(-1);
      return [...way, { direction, shown: before?.shown !== true }];
    }),
  );
}

function phasesOf(length: number, from: Phase = 0): Phase[][] {
  if (length === 0) return [[]];
  return ([0, 1, 2] as const)
    .filter((phase) => phase >= from)
    .flatMap((phase) => phasesOf(length - 1, phase).map((rest) => [phase, ...rest]));
}

function allMembers(longest: number): Omit<Member, 'id'>[] {
  const members: Omit<Member, 'id'>[] = [];
  for (let length = 1; length <= longest; length += 1) {
    for (const way of waysOf(length)) {
      for (const phases of phasesOf(length)) {
        const steps = way.map((step, i) => ({ ...step, phase: phases[i]! }));
        for (let begins = 0; begins <= length; begins += 1) {
          // Together they hear everything.
          for (let ends = begins; ends <= length; ends += 1) members.push({ steps, begins, ends });
        }
      }
    }
  }
  return members;
}

/** The last reaction that was added and is still shown. */
function wantedOf(steps: readonly Step[]): Vote {
  const shown: Direction[] = [];
  for (const { direction, shown: is } of steps) {
    if (is) shown.push(direction);
    else shown.splice(shown.indexOf(direction), 1);
  }
  return shown.at(-1) ?? 'none';
}

/** A promise that is fulfilled at `end`. */
function untilEnded(): { promise: Promise<void>; end: () => void } {
  const ends: (() => void)[] = [];
  const promise = new Promise<void>((resolve) => {
    ends.push(resolve);
  });
  return { promise, end: () => ends.forEach((end) => end()) };
}

/** Lets all members react to one article, and returns whose vote is wrong after the next look of the second. */
async function playThrough(
  given: Omit<Member, 'id'>[],
  waiting: readonly RunningBot[],
): Promise<{ wrong: string[]; article: string; members: Member[] }> {
  const { sandbox } = scene;
  const { guildId: guild } = sandbox;
  const channel = sandbox.channels.general.id;
  const [other = '', article = ''] = articles.splice(0, 2);
  const { ranking } = second;
  const { title, link, poster } = (await scene.article(article))!;
  await deleteArticle(ranking, guild, article);
  const ids = scene.crowd(given.length + 6);
  const sentinels = ids.splice(-6);
  const members = given.map((one, n): Member => ({ ...one, id: ids[n]! }));

  const { promise: committed, end: commit } = untilEnded();
  for (const bot of waiting) {
    void bot.pendingPosts.track(channel, other, committed);
  }

  const tell = (bot: RunningBot, of: string, member: string, { direction, shown }: Change) =>
    bot.reactions.handle({
      kind: 'reaction',
      guild,
      channel,
      article: of,
      member,
      direction,
      shown,
      emoji: THUMBS[direction],
      burst: false,
      isBot: false,
      joinedAtMs: 0,
      roles: [],
      atMs: scene.clock.now(),
    });

  /** Resolves when the process has written all that it need not hold back. */
  async function written(bot: RunningBot): Promise<void> {
    const member = sentinels.pop()!;
    tell(bot, other, member, { direction: 'up', shown: true });
    await scene.eventually(
      () => readVoter(ranking, guild, other, member),
      (found) => found !== null,
      'written',
    );
  }

  async function play(phase: Phase): Promise<void> {
    for (const { id, steps, begins, ends } of members) {
      for (const [n, step] of steps.entries()) {
        if (step.phase !== phase) continue;
        scene.secretly(() => {
          if (step.shown) scene.react(id, article, THUMBS[step.direction]);
          else scene.unreact(id, article, THUMBS[step.direction]);
        });
        if (n < ends) tell(first, article, id, step);
        if (n >= begins) tell(second, article, id, step);
      }
    }
    await Promise.all([written(first), written(second)]);
  }

  await play(0);
  const named = { guild, id: article, title, link, linkName: link, poster, home: channel };
  await postArticle(ranking, { ...named, listed: true });
  await play(1);
  commit();
  await play(2);
  await recountArticlesInVoting(second, guild, { articles: [article], afterGap: true });
  const voters = await readVoters(ranking, guild, article);
  const wrong = members.flatMap(({ id, steps, begins, ends }) => {
    const vote = voters.get(id)?.vote ?? 'none';
    if (vote === wantedOf(steps)) return [];
    // Nobody knows which is newer: the first one could not write them, and only the second one is left.
    const wasLost = steps[0]?.phase === 0 && !waiting.includes(first);
    const heardNone = steps.every((step, n) => n < begins || !step.shown);
    if (wasLost && heardNone) return [];
    const told = steps.map(({ direction, shown, phase }, n) => {
      const by = `${n < ends ? '1' : ''}${n >= begins ? '2' : ''}`;
      return `${shown ? '+' : '-'}${direction} (at ${phase}, heard by ${by})`;
    });
    return [`${told.join(', ')}: ${JSON.stringify(voters.get(id) ?? null)}`];
  });
  return { wrong, article, members };
}

// Withstands (The gateway): Two processes with one token overlap, and each hears a part of what members do
// → every vote is right after the next look
test.each([
  ['of the first', () => [first]],
  ['of the second', () => [second]],
  ['of both', () => [first, second]],
  ['of none', () => []],
])(
  'while one process takes over from another and early votes %s wait, each vote is right after the next look',
  async (_, waiting) => {
    const { wrong } = await playThrough(sample(allMembers(3), 150), waiting());
    expect(wrong).toEqual([]);
  },
);

const up = { direction: 'up', shown: true, phase: 0 } as const;

test('votes that came before their article are found by the next look also where equal counts hide them', async () => {
  const { wrong } = await playThrough(
    [
      // One vote that nobody shows any more, and one that is missing.
      { steps: [up, { ...up, shown: false }], begins: 1, ends: 1 },
      { steps: [up], begins: 0, ends: 0 },
    ],
    [first],
  );
  expect(wrong).toEqual([]);
});

test('a reaction that another process takes for the older one is not taken away', async () => {
  const { world, channels, guildId } = scene.sandbox;
  const me = world.application.botId;
  const overwrite = { kind: 'member', allow: P.ManageMessages, deny: 0n } as const;
  setOverwrite(world, channels.general, me, overwrite);
  const mayManage = (bot: RunningBot) => {
    const guild = bot.client.guilds.cache.get(guildId);
    const channel = guild?.channels.cache.get(channels.general.id);
    return guild?.members.me?.permissionsIn(channel!).has('ManageMessages');
  };
  await scene.eventually(() => [first, second].every(mayManage), Boolean, 'permitted');
  const { wrong, article, members } = await playThrough(
    // The second one writes 👎 before the first one writes 👍.
    [{ steps: [up, { direction: 'down', shown: true, phase: 1 }], begins: 0, ends: 2 }],
    [first],
  );
  await new Promise<void>((resolve) => {
    first.queue.add(guildId, 'the last change', async () => resolve());
  });
  expect(wrong).toEqual([]);
  expect(scene.whoShows(article, '👎')).toContain(members[0]?.id);
});

// Withstands (Processes that die): A process that is stopping answers a /post before the next one does
// → the next one takes the answer for no article, and the link can be posted again
test('a /post that a stopping process has answered makes no article of that answer', async () => {
  const { sandbox } = scene;
  const { promise: held, end } = untilEnded();
  first.hold(held);
  const stopped = first.stop();
  sandbox.faults.add({ method: 'POST', route: /callback/, after: 1, times: 1, delayMs: 300 });
  const link = 'https://overlap.example/a';
  const { id: channel } = sandbox.channels.ai;
  const answered = await sandbox.as(sandbox.admin).command(channel, 'post', { link });
  expect(answered.message?.content).toBe(translate('en-US', 'stopping'));
  const { postings } = guildKeys(second.ranking, sandbox.guildId);
  const reserved = () => second.ranking.redis.exists(postings);
  await scene.eventually(reserved, (count) => count === 0, 'released');
  end();
  await stopped;
  const { message } = await sandbox.as(sandbox.admin).command(channel, 'post', { link });
  expect(message?.content).toContain('overlap.example');
  await scene.eventually(() => scene.article(message!.id), Boolean, 'posted');
});
