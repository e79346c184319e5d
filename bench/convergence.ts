import { parseArgs } from 'node:util';
import { createMessage } from '../sandbox/discord/index.ts';
import { onMetric } from '../src/metrics.ts';
import { readArticles } from '../src/ranking/articles/articles.ts';
import { castVote } from '../src/ranking/ballots/votes.ts';
import { type Stage, startStage } from '../test/recount/stage.ts';
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
  const stage = await startStage({ rateLimits: true });
  const { sandbox } = stage;
  const members = stage.crowd(mostVoters);
  const ids: string[] = [];
  sandbox.gateway.events.set({ drop: 1, only: /^MESSAGE_/ });
  for (let c = 0; c < channels; c += 1) {
    const channel = sandbox.operator.createChannel({ name: `channel-${c}` });
    for (let a = c; a < articles; a += channels) {
      const [id = ''] = await stage.plant(channel.id);
      await vote(stage, id, members.slice(0, 10 + (a % (mostVoters - 9))));
      ids.push(id);
      const authorId = sandbox.admin;
      for (let n = 0; n < between; n += 1) createMessage(sandbox.world, channel, { authorId });
    }
  }
  if ((await differences(stage, ids)).length > 0) throw new Error('It does not begin equal.');
  // The start's own recount, which finds nothing.
  let isRecounted = false;
  const stopHearing = onMetric('recount', () => (isRecounted = true));
  stage.follow();
  await until(() => isRecounted, deadlineMs);
  stopHearing();

  for (let n = 0; n < changed; n += 1)
    change(stage, ids[Math.floor((n * articles) / changed)] ?? '', members, n);
  sandbox.gateway.events.set(undefined);
  const wanted = new Map(
    ids.map((id) => {
      const { ups, downs, both } = stage.shownOn(id);
      // A member who shows both has switched to 👎.
      return [id, { up: 1 + ups, down: downs + both }];
    }),
  );
  sandbox.requests.reset();
  const ready = new Promise((resolve) => stage.bot.app.client.ws.once('READY' as never, resolve));
  sandbox.gateway.drop({ resumable: false });
  await ready;
  const startMs = performance.now();
  await until(async () => (await wrongTallies(stage, ids, wanted)) === 0, deadlineMs, lookEveryMs);
  const tookMs = performance.now() - startMs;
  const asked = sandbox.requests.count('GET');
  const refused = sandbox.requests.count(undefined, undefined, 429);

  const full = values.tallies ? ['', ''] : await recountAll(stage, ids);
  await stage.stop();
  if (refused > 0) console.error(`${refused} requests were too many.`);
  const cells = [grouped(articles), channels, changed, `${round(tookMs / 1000)} s`, asked, ...full];
  return `| ${cells.join(' | ')} |`;
}

/** A full recount: how long, and how many requests. */
async function recountAll(stage: Stage, ids: readonly string[]): Promise<string[]> {
  const { requests } = stage.sandbox;
  requests.reset();
  const fromMs = performance.now();
  const report = await stage.recount({ full: true });
  const tookMs = performance.now() - fromMs;
  const wrong = await differences(stage, ids);
  if (report.unread.length + wrong.length > 0) throw new Error(`Not equal: ${wrong[0]}`);
  return [`${round(tookMs / 1000)} s`, grouped(requests.count('GET'))];
}

/** A few articles at a time, so that Redis answers within the time limit. */
async function differences(stage: Stage, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let i = 0; i < ids.length; i += 100) {
    found.push(...(await stage.differences(ids.slice(i, i + 100))));
  }
  return found;
}

/** Two thirds vote up. No events are sent; the votes are written to the ranking. */
async function vote(stage: Stage, id: string, voters: string[]): Promise<void> {
  const { ranking, clock } = stage.bot.app;
  const { guildId } = stage.sandbox;
  await Promise.all(
    voters.map((member, n) => {
      const up = n % 3 < 2;
      stage.react(member, id, up ? '👍' : '👎');
      const ballot = { guild: guildId, article: id, member };
      return castVote(ranking, { ...ballot, vote: up ? 'up' : 'down' }, clock.now());
    }),
  );
}

/** A missed change: a retraction, a switch, or a new vote. */
function change(stage: Stage, id: string, members: readonly string[], n: number): void {
  const [first = '', second = '', third = ''] = members;
  if (values.hidden) {
    stage.react(first, id, '👎');
    stage.unreact(third, id, '👎');
    return;
  }
  if (n % 3 === 0) stage.unreact(first, id, '👍');
  else if (n % 3 === 1) {
    stage.unreact(third, id, '👎');
    stage.react(third, id, '👍');
  } else {
    stage.unreact(second, id, '👍');
    stage.unreact(first, id, '👍');
  }
}

async function wrongTallies(
  stage: Stage,
  ids: readonly string[],
  wanted: ReadonlyMap<string, { up: number; down: number }>,
): Promise<number> {
  const found = await readArticles(stage.bot.app.ranking, stage.sandbox.guildId, ids);
  return found.filter((article) => {
    const right = article && wanted.get(article.id);
    return !right || right.up !== article.up || right.down !== article.down;
  }).length;
}
