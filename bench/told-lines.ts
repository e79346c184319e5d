import { scoreOf } from '../src/ranking/rules.ts';
import { Digest } from './editions.ts';
import { highest } from './random.ts';
import {
  type Hour,
  OPEN_HOURS,
  type Post,
  simulateReaders,
  VOTERS,
  type Voters,
} from './readers.ts';

// What the thread of an article would be told in its life, in the communities of `readers.ts`, where every article
// had a thread: an upper bound.

const RATES = [3, 6, 10, 16, 22, 58];
const SEEDS = [0, 1];
const LINES = ['star', 'led', 'first', 'closed'] as const;
type Line = (typeof LINES)[number];

function toldIn(articlesADay: number, voting: Voters, seed: number): Set<Line>[] {
  const told = new Map<Post, Set<Line>>();
  const over: Set<Line>[] = [];
  let first: { post: Post; sinceHour: number } | undefined;
  let beganAt: number | undefined;
  const digest = new Digest('votes');
  function look(at: Hour): void {
    const { hour, listed, scale } = at;
    beganAt ??= hour;
    const began = beganAt;
    const open = listed.filter((post) => hour - post.hour < OPEN_HOURS);
    for (const post of open) {
      if (!told.has(post) && post.hour >= began) told.set(post, new Set());
      if (post.up >= scale.mark) told.get(post)?.add('star');
    }
    const judged = listed.filter(({ up, down }) => up + down > 1);
    const [best] = highest(judged, (post) => scoreOf(post, post.seconds, scale), 1);
    if (best !== first?.post) first = best && { post: best, sinceHour: hour };
    if (first && hour - first.sinceHour >= 24) told.get(first.post)?.add('first');
    const [leader] = digest.look(at);
    if (leader) told.get(leader)?.add('led');
    for (const [post, lines] of told) {
      if (hour - post.hour < OPEN_HOURS) continue;
      if (post.up - post.down > 1) lines.add('closed');
      over.push(lines);
      told.delete(post);
    }
  }
  simulateReaders(articlesADay, { rule: 'fitted', voting, seed, look });
  return over;
}

console.log(`| articles a day | voters | lines | ${LINES.join(' | ')} |`);
for (const rate of RATES) {
  for (const voting of VOTERS) {
    const lives = SEEDS.flatMap((seed) => toldIn(rate, voting, seed));
    const mean = (holds: (lines: Set<Line>) => number) =>
      (lives.reduce((sum, lines) => sum + holds(lines), 0) / lives.length).toFixed(2);
    const each = LINES.map((line) => mean((lines) => (lines.has(line) ? 1 : 0)));
    console.log(`| ${rate} | ${voting} | ${mean(({ size }) => size)} | ${each.join(' | ')} |`);
  }
}
