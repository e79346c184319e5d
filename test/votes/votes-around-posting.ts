import { type Answer, type Message, seededRandom } from '../../discord-box/src/index.ts';
import { directionOf } from '../../src/discord/vote-emoji.ts';
import { readVoters, type Voter } from '../../src/ranking/ballots/voters.ts';
import type { Scene } from '../fixtures/scene.ts';

/** What members did around the moment of posting, and what became of their votes. */
export type Figures = {
  posts: number;
  votes: number;
  /** Reads the votes that are not the member's last reaction that is still shown. */
  wrong: () => Promise<string[]>;
  /** The longest time (ms) from a vote to its place in the ranking, of votes that nobody changed. */
  slowestMs: number;
};

type Posting = {
  seed: number;
  posts: number;
  channels: readonly string[];
  /** Members who vote on each article. */
  votersEach: number;
  /** Posts one link; resolves when the member has an answer, if the way of posting has one. */
  post(channel: string, link: string): Promise<Answer | undefined>;
  /** The posts that are begun in one moment. */
  atOnce: number;
  /** Votes come in this time (ms) after the message: before the commit, at it, and after it. */
  withinMs: number;
  /** Events are lost: nobody can know which of two reactions is newer, and a member who shows both has none. */
  losesEvents?: boolean;
  /** Posts may be answered by an error, or not at all. */
  losesAnswers?: boolean;
};

/** The reactions that a member adds and takes back, in this order. */
const manners: readonly (readonly string[])[] = [
  ['+👍'],
  ['+👍'],
  ['+👎'],
  ['+👍🏽'],
  ['+👍', '+👎'],
  ['+👎', '+👍'],
  ['+👍', '-👍'],
  ['+👍', '-👍', '+👎'],
  ['+👍', '+👍🏽', '-👍'],
];

/** Posts links while members vote on each message from the moment that it is there. */
export async function voteAroundPosting(scene: Scene, posting: Posting): Promise<Figures> {
  const { sandbox, bot } = scene;
  const { world, guildId } = sandbox;
  const random = seededRandom(posting.seed);
  const crowd = scene.crowd(posting.votersEach * 3);
  /** Of each article: each member's reactions that are shown, the newest last. */
  const shown = new Map<string, Map<string, string[]>>();
  const unchanged: { article: string; member: string; sinceMs: number }[] = [];
  const pending: Promise<void>[] = [];

  function act(article: string, member: string, step: string): void {
    const emoji = step.slice(1);
    const of = shown.get(article)!;
    const before = (of.get(member) ?? []).filter((one) => one !== emoji);
    if (step.startsWith('+')) scene.react(member, article, emoji);
    else scene.unreact(member, article, emoji);
    of.set(member, step.startsWith('+') ? [...before, emoji] : before);
  }

  async function vote(article: string, member: string): Promise<void> {
    const steps = random.pick(manners);
    const waits = steps.map(() => (random.below(3) === 0 ? 0 : random.below(posting.withinMs)));
    for (const [i, step] of steps.entries()) {
      if (waits[i]! > 0) await new Promise((resolve) => setTimeout(resolve, waits[i]));
      act(article, member, step);
      const isOne = steps.length === 1;
      if (isOne) unchanged.push({ article, member, sinceMs: performance.now() });
    }
  }

  const stopListening = world.changes.listen(({ t, d }) => {
    const message = d as Pick<Message, 'id' | 'content'> & { author?: { id: string } };
    if (t !== 'MESSAGE_CREATE' || message.author?.id !== world.application.botId) return;
    if (!message.content.includes('https://around.example/')) return;
    shown.set(message.id, new Map());
    const from = random.below(crowd.length);
    for (let n = 0; n < posting.votersEach; n += 1) {
      pending.push(vote(message.id, crowd[(from + n) % crowd.length]!));
    }
  });

  /** By link, what its poster was answered: if the article is missing, this says why. */
  const answers = new Map<string, string>();
  async function unposted(): Promise<{ uncommitted: string[]; missing: [string, string][] }> {
    const missing = new Map(answers);
    const uncommitted: string[] = [];
    for (const id of shown.keys()) {
      const article = await scene.article(id);
      if (article) missing.delete(article.link);
      else uncommitted.push(id);
    }
    return { uncommitted, missing: [...missing] };
  }

  let slowestMs = 0;
  const ending = new AbortController();
  async function measure(): Promise<void> {
    while (!ending.signal.aborted || unchanged.length > 0) {
      const waiting = [...unchanged];
      const voters = new Map<string, Map<string, Voter>>();
      for (const article of new Set(waiting.map((one) => one.article))) {
        voters.set(article, await readVoters(bot.ranking, guildId, article));
      }
      const now = performance.now();
      for (const one of waiting) {
        const isCounted = voters.get(one.article)?.has(one.member) === true;
        if (!isCounted && now - one.sinceMs < 30_000) continue;
        slowestMs = Math.max(slowestMs, now - one.sinceMs);
        unchanged.splice(unchanged.indexOf(one), 1);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  const measured = measure();

  for (let n = 0; n < posting.posts; n += posting.atOnce) {
    const count = Math.min(posting.atOnce, posting.posts - n);
    await Promise.all(
      Array.from({ length: count }, (_, i) => {
        const channel = posting.channels[(n + i) % posting.channels.length]!;
        const link = `https://around.example/${posting.seed}/${n + i}`;
        answers.set(link, 'no answer');
        return posting.post(channel, link).then(
          (answer) => {
            const { kind, message } = answer ?? {};
            answers.set(link, `${kind}: ${message?.content}`);
          },
          (error: unknown) => {
            if (!posting.losesEvents && !posting.losesAnswers) throw error;
          },
        );
      }),
    );
  }
  const losesPosts = posting.losesEvents === true || posting.losesAnswers === true;
  await scene.eventually(
    unposted,
    ({ uncommitted, missing }) => uncommitted.length === 0 && (losesPosts || missing.length === 0),
    'all posted',
  );
  await Promise.all(pending);
  ending.abort();
  await measured;
  stopListening();
  await scene.settled();
  const votes = [...shown.values()].reduce((sum, of) => sum + of.size, 0);
  const wrong = () => wrongVotes(scene, shown, posting.losesEvents === true);
  return { posts: shown.size, votes, wrong, slowestMs };
}

async function wrongVotes(
  { bot, sandbox }: Scene,
  shown: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>,
  losesEvents: boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [article, of] of shown) {
    const voters = await readVoters(bot.ranking, sandbox.guildId, article);
    for (const [member, emojis] of of) {
      const vote = voters.get(member)?.vote ?? 'none';
      const wanted = directionOf(emojis.at(-1) ?? '') ?? 'none';
      const showsBoth = new Set(emojis.map((one) => directionOf(one))).size === 2;
      if (losesEvents && showsBoth) continue;
      if (vote !== wanted) wrong.push(`${article} ${member} shows ${emojis.join('')}: ${vote}`);
    }
  }
  return wrong;
}
