import { parseArgs } from 'node:util';
import { createMessage } from '../discord-box/src/world/messages/change-message.ts';
import { onMetric } from '../src/runtime/metrics.ts';
import { readArticles } from '../src/ranking/articles/articles.ts';
import { setVote } from '../src/ranking/ballots/votes.ts';
import { type Scene, startScene } from '../test/fixtures/scene.ts';
import { grouped, round } from './table.ts';
import { until } from './until.ts';

/**
 * Measures the time and the requests until all tallies are correct after a gap, with the sandbox's
 * rate limits on. Run it with `npx tsx bench/convergence.ts [articles/channels/changed …]`;
 * `--tallies` skips the full recount, which takes two requests an article.
 * `--hidden` lets every change be one that equal counts hide.
 */
type Size = { articles: number; channels: number; changed: number };

const usual = ['100/1/10', '1000/10/100', '1000/1/100', '3000/10/300'];
/** Voters of an article; other messages between two articles. */
const mostVoters = 100;
const between = 10;
const deadlineMs = 600_000;
const lookEveryMs = 100;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tallies: { type: 'boolean', default: false },
    hidden: { type: 'boolean', default: false },
  },
});
console.log(
  '| open articles | channels | changed | tallies right after | requests | a full recount | requests |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const text of positionals.length > 0 ? positionals : usual) {
  const [articles = 0, channels = 0, changed = 0] = text.split('/').map(Number);
  console.log(await measure({ articles, channels, changed }));
}
process.exit();

async function measure({ articles, channels, changed }: Size): Promise<string> {
  const scene = await startScene({ rateLimits: true });
  const { sandbox } = scene;
  const members = scene.crowd(mostVoters);
  const ids: string[] = [];
  sandbox.gateway.events.set({ drop: 1, only: /^MESSAGE_/ });
  for (let c = 0; c < channels; c += 1) {
    const channel = sandbox.operator.createChannel({ name: `channel-${c}` });
    for (let a = c; a < articles; a += channels) {
      const [id = ''] = await scene.plant(channel.id);
      await vote(scene, id, members.slice(0, 10 + (a % (mostVoters - 9))));
      ids.push(id);
      const authorId = sandbox.admin;
      for (let n = 0; n < between; n += 1) createMessage(sandbox.world, channel, { authorId });
    }
  }
  if ((await differences(scene, ids)).length > 0) throw new Error('It does not begin equal.');
  // The start's own recount, which finds nothing.
  let isRecounted = false;
  const stopHearing = onMetric('recount', () => (isRecounted = true));
  scene.follow();
  await until(() => isRecounted, deadlineMs);
  stopHearing();

  for (let n = 0; n < changed; n += 1)
    change(scene, ids[Math.floor((n * articles) / changed)] ?? '', members, n);
  sandbox.gateway.events.set(undefined);
  const wanted = new Map(
    ids.map((id) => {
      const { ups, downs, both } = scene.shownOn(id);
      // A member who shows both has switched to 👎.
      return [id, { up: 1 + ups, down: downs + both }];
    }),
  );
  sandbox.requests.reset();
  const ready = new Promise((resolve) => scene.bot.client.ws.once('READY' as never, resolve));
  sandbox.gateway.drop({ resumable: false });
  await ready;
  const startMs = performance.now();
  await until(async () => (await wrongTallies(scene, ids, wanted)) === 0, deadlineMs, lookEveryMs);
  const tookMs = performance.now() - startMs;
  const asked = sandbox.requests.count('GET');
  const refused = sandbox.requests.count(undefined, undefined, 429);

  const full = values.tallies ? ['', ''] : await recountAll(scene, ids);
  await scene.stop();
  if (refused > 0) console.error(`${refused} requests were too many.`);
  const cells = [grouped(articles), channels, changed, `${round(tookMs / 1000)} s`, asked, ...full];
  return `| ${cells.join(' | ')} |`;
}

/** A full recount: how long, and how many requests. */
async function recountAll(scene: Scene, ids: readonly string[]): Promise<string[]> {
  const { requests } = scene.sandbox;
  requests.reset();
  const fromMs = performance.now();
  const report = await scene.recount({ full: true });
  const tookMs = performance.now() - fromMs;
  const wrong = await differences(scene, ids);
  if (report.unread.length + wrong.length > 0) throw new Error(`Not equal: ${wrong[0]}`);
  return [`${round(tookMs / 1000)} s`, grouped(requests.count('GET'))];
}

/** A few articles at a time, so that Redis answers within the time limit. */
async function differences(scene: Scene, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let i = 0; i < ids.length; i += 100) {
    found.push(...(await scene.differences(ids.slice(i, i + 100))));
  }
  return found;
}

/** Two thirds vote up. No events are sent; the votes are written to the ranking. */
async function vote(scene: Scene, id: string, voters: string[]): Promise<void> {
  const { ranking, clock } = scene.bot;
  const { guildId } = scene.sandbox;
  await Promise.all(
    voters.map((member, n) => {
      const up = n % 3 < 2;
      scene.react(member, id, up ? '👍' : '👎');
      const ballot = { guild: guildId, article: id, member };
      return setVote(ranking, { ...ballot, vote: up ? 'up' : 'down' }, clock.now());
    }),
  );
}

/** A missed change: a retraction, a switch, or a new vote. */
function change(scene: Scene, id: string, members: readonly string[], n: number): void {
  const [first = '', second = '', third = ''] = members;
  if (values.hidden) {
    scene.react(first, id, '👎');
    scene.unreact(third, id, '👎');
    return;
  }
  if (n % 3 === 0) scene.unreact(first, id, '👍');
  else if (n % 3 === 1) {
    scene.unreact(third, id, '👎');
    scene.react(third, id, '👍');
  } else {
    scene.unreact(second, id, '👍');
    scene.unreact(first, id, '👍');
  }
}

async function wrongTallies(
  scene: Scene,
  ids: readonly string[],
  wanted: ReadonlyMap<string, { up: number; down: number }>,
): Promise<number> {
  const found = await readArticles(scene.bot.ranking, scene.sandbox.guildId, ids);
  return found.filter((article) => {
    const right = article && wanted.get(article.id);
    return !right || right.up !== article.up || right.down !== article.down;
  }).length;
}
