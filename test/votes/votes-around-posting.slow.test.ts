import { afterEach, describe, expect, test } from 'vitest';
import { isWhole } from '../fixtures/sample.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';
import { runImport } from '../../src/history/import/run-import.ts';
import { beginImport } from '../../src/history/import/stored-imports.ts';
import { withLease } from '../../src/redis/lease.ts';
import { rebuildGuild } from '../../src/history/rebuild/rebuild-guild.ts';
import { type Figures, voteAroundPosting } from './votes-around-posting.ts';

const given = process.env['VOTES_SEED'];
const seed = Number(given ?? 1);
/** They take minutes, and a busy machine makes them wait: `VOTES_SEED=1 npm run test:slow -- test/votes`. */
const stress = given === undefined ? test.skip : test;
let scene: Scene;
afterEach(() => scene.stop());

/** Posts by a command, each time by another member. */
function byCommand(of: Scene) {
  const posters = of.crowd(150);
  return (channel: string, link: string) =>
    of.sandbox.as(posters.pop() ?? '').command(channel, 'post', { link });
}

function channelsOf({ sandbox }: Scene, count: number): string[] {
  const { operator, guildId } = sandbox;
  return Array.from(
    { length: count },
    (_, n) => operator.createChannel({ guild: guildId, name: `busy-${n}` }).id,
  );
}

/** Without a look of its own: nothing but what the votes themselves caused is waited for. */
async function expectRight(what: string, { posts, votes, wrong, slowestMs }: Figures) {
  const fromMs = performance.now();
  const atOnce = await wrong();
  let left = atOnce;
  while (left.length > 0 && performance.now() - fromMs < 20_000) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    left = await wrong();
  }
  const figures = `${posts} posts, ${votes} votes, ${atOnce.length} not right yet, ${left.length} wrong for good, the slowest early vote in ${Math.round(slowestMs)} ms`;
  console.log(`${what}: ${figures}`);
  expect(left).toEqual([]);
}

const usual = { seed, votersEach: 7, atOnce: 20, withinMs: 400 };

// Withstands (The gateway): Members vote in the moment of posting, before, at and after the commit
// → every vote counts at once and stays
describe('every vote around the moment of posting counts at once and stays', () => {
  stress('of 120 posts in 20 channels', async () => {
    scene = await startScene({ follows: true });
    const figures = await voteAroundPosting(scene, {
      ...usual,
      posts: 120,
      channels: channelsOf(scene, 20),
      post: byCommand(scene),
    });
    await expectRight('20 channels', figures);
  });

  test('every vote around the moment of posting counts at once and stays, of 30 posts in one channel', async () => {
    scene = await startScene({ follows: true });
    const figures = await voteAroundPosting(scene, {
      ...usual,
      posts: 30,
      atOnce: 30,
      channels: [scene.sandbox.channels.general.id],
      post: byCommand(scene),
    });
    await expectRight('one channel', figures);
  });

  stress('of pasted links', async () => {
    const privileged = { messageContent: true };
    scene = await startScene({ follows: true, privileged });
    const channels = channelsOf(scene, 6);
    await scene.eventually(
      () => channels.every((id) => scene.bot.client.channels.cache.has(id)),
      Boolean,
      'known',
    );
    await setSetting(scene.sandbox, 'link-channels', channels);
    const posters = scene.crowd(60);
    const figures = await voteAroundPosting(scene, {
      ...usual,
      posts: 60,
      channels,
      post: async (channel, link) => {
        scene.sandbox.as(posters.pop() ?? '').send(channel, `Look: ${link}`);
      },
    });
    await expectRight('pasted links', figures);
  });

  stress('beside a rebuild', async () => {
    scene = await startScene({ follows: true });
    const { bot } = scene;
    const { guild } = scene.sandbox;
    const rebuilds = setInterval(() => {
      const found = bot.client.guilds.cache.get(guild.id)!;
      bot.hold(rebuildGuild(bot, found, {}).catch(() => {}));
    }, 100);
    const figures = await voteAroundPosting(scene, {
      ...usual,
      posts: 68,
      channels: channelsOf(scene, 10),
      post: byCommand(scene),
    }).finally(() => clearInterval(rebuilds));
    await expectRight('beside a rebuild', figures);
  });

  stress('beside recounts of all lists', async () => {
    scene = await startScene({ follows: true });
    const recounts = setInterval(() => void scene.recount({ full: true }).catch(() => {}), 50);
    const figures = await voteAroundPosting(scene, {
      ...usual,
      posts: 68,
      channels: channelsOf(scene, 10),
      post: byCommand(scene),
    }).finally(() => clearInterval(recounts));
    await expectRight('beside recounts', figures);
  });

  stress('after a lost session', async () => {
    scene = await startScene({ follows: true });
    const { gateway } = scene.sandbox;
    const losses = setTimeout(() => gateway.invalidate(), 300);
    const figures = await voteAroundPosting(scene, {
      ...usual,
      posts: 66,
      channels: channelsOf(scene, 10),
      losesEvents: true,
      post: byCommand(scene),
    }).finally(() => clearTimeout(losses));
    await expectRight('after a lost session', figures);
  });

  stress('while answers of Discord lag behind its gateway by a second', async () => {
    scene = await startScene({ follows: true, answersLagMs: 2000 });
    scene.sandbox.faults.add({ method: 'GET', route: /messages/, staleMs: 1000, delayMs: 50 });
    const recounts = setInterval(() => void scene.recount({ full: true }).catch(() => {}), 500);
    const figures = await voteAroundPosting(scene, {
      ...usual,
      posts: 68,
      channels: channelsOf(scene, 10),
      post: byCommand(scene),
    }).finally(() => clearInterval(recounts));
    await expectRight('lagging answers', figures);
  });

  // Withstands (The gateway): Discord does not confirm a post, and members vote on it
  // → it is taken in with its votes, the newer of two reactions too
  test('every vote counts at once and stays around posts that Discord did not confirm, and that are taken in later', async () => {
    scene = await startScene({ follows: true, answersLagMs: 2000 });
    // The messages are there, and the answers to the commands are lost.
    const lost = {
      method: 'POST',
      route: /callback/,
      chance: 0.5,
      afterTheWork: true,
      status: 502,
    };
    const end = scene.sandbox.faults.add(lost);
    scene.sandbox.faults.add({ method: 'GET', route: /messages/, staleMs: 500 });
    const figures = await voteAroundPosting(scene, {
      ...usual,
      posts: 40,
      channels: channelsOf(scene, 8),
      losesAnswers: true,
      post: byCommand(scene),
    }).finally(end);
    await expectRight('taken in', figures);
  });

  stress('while a moderator removes and restores the articles', async () => {
    scene = await startScene({ follows: true });
    const { world, moderator } = scene.sandbox;
    const waiting: string[] = [];
    const stopListening = world.changes.listen(({ t, d }) => {
      const { id, content } = d as { id: string; content?: string };
      if (t === 'MESSAGE_CREATE' && content?.includes('https://around.example/') === true) {
        waiting.push(id);
      }
    });
    const restored: Promise<unknown>[] = [];
    const moderates = setInterval(() => {
      const id = waiting.shift();
      if (id === undefined) return;
      const restore = async () => {
        await scene.eventually(() => scene.article(id), Boolean, 'posted');
        await scene.moderate(moderator, 'remove', id, 'By mistake.');
        await scene.moderate(moderator, 'restore', id);
      };
      restored.push(restore());
    }, 60);
    const figures = await voteAroundPosting(scene, {
      ...usual,
      posts: 68,
      channels: channelsOf(scene, 10),
      post: byCommand(scene),
    }).finally(() => clearInterval(moderates));
    stopListening();
    await Promise.all(restored);
    await expectRight('beside removals and restores', figures);
  });

  stress('while the history of their channels is imported', async () => {
    scene = await startScene({ follows: true, privileged: { messageContent: true } });
    const { bot } = scene;
    const { guild } = scene.sandbox;
    const channels = channelsOf(scene, 10);
    await scene.eventually(
      () => channels.every((id) => bot.client.channels.cache.has(id)),
      Boolean,
      'known',
    );
    let next = 0;
    const imports = setInterval(() => {
      const plan = {
        channels: [channels[next % channels.length]!],
        fromMs: 0,
        untilMs: bot.clock.now(),
      };
      next += 1;
      const begun = { plan, by: scene.sandbox.admin, channel: channels[0]!, now: bot.clock.now() };
      const work = beginImport(bot.store, guild.id, begun).then(() =>
        withLease(bot, { guild: guild.id, work: 'import' }, (held) => {
          const needs = { ...bot, isComplete: async () => true };
          return runImport(needs, bot.client.guilds.cache.get(guild.id)!, held);
        }),
      );
      bot.hold(work.catch(() => {}));
    }, 100);
    const figures = await voteAroundPosting(scene, {
      ...usual,
      posts: 68,
      channels,
      post: byCommand(scene),
    }).finally(() => clearInterval(imports));
    await expectRight('beside imports', figures);
  });
});

/** As the bot does: what could not be read, or is not settled yet, is read again. */
async function nextLook(): Promise<void> {
  let { unread, unsettled } = await scene.recount({ afterGap: true });
  for (let tries = 1; unread.length + unsettled.length > 0; tries += 1) {
    expect(tries).toBeLessThan(5);
    const articles = [...unread, ...unsettled];
    ({ unread, unsettled } = await scene.recount({ afterGap: true, articles }));
  }
}

// Withstands (The gateway): Two processes with one token overlap while members post and vote
// → votes are right after the next look
test.runIf(isWhole)(
  'votes around posts by two processes with one token are right after the next look',
  async () => {
    scene = await startScene({ follows: true });
    const first = scene.bot;
    const channels = channelsOf(scene, 10);
    const joins = new Promise<void>((resolve) => setTimeout(resolve, 400)).then(async () => {
      await scene.joinBot();
      // As any process: what the first one leaves half done, its jobs take in.
      scene.follow();
    });
    const leaves = joins.then(() => first.stop());
    const figures = await voteAroundPosting(scene, {
      ...usual,
      posts: 68,
      channels,
      losesAnswers: true,
      post: byCommand(scene),
    });
    await leaves;
    const before = await figures.wrong();
    await nextLook();
    const left = await figures.wrong();
    const { posts, votes, slowestMs } = figures;
    console.log(
      `two processes: ${posts} posts, ${votes} votes, ${before.length} wrong before the next look, ${left.length} after it, the slowest early vote in ${Math.round(slowestMs)} ms`,
    );
    expect(left).toEqual([]);
  },
);
