import { MINUTE_MS } from '../../../src/runtime/clock.ts';
import { readEdition } from '../../../src/editions/stored-editions.ts';
import { unannounced } from '../../../src/articles/announced.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import { announceFromNow, readDigest } from '../../../src/digests/stored-digests.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { NOON } from '../../fixtures/test-clock.ts';
import { NONCE_WINDOW_MS } from '../../../discord-box/src/rest/send.ts';
import { type DigestScene, SIX, titlesOf } from '../digest-scene.ts';
import { type Outcome, play, type Schedule } from './simulation.ts';

export type Judged = Outcome & {
  /** What was promised and not held; null if all was. */
  fault: string | null;
  /** How often what should be there once is there at most. */
  copies: number;
  /** The one exception: what a process sent reached Discord later than Discord remembers a nonce. */
  isExcused: boolean;
};

/** Plays a schedule over one edition that is due, and judges it. */
export async function playDigest(scene: DigestScene, schedule: Schedule): Promise<Judged> {
  const { store } = scene.context;
  await scene.clear();
  await scene.setUp('daily', { count: 25 });
  const titles = new Map<string, string>();
  let posted = 0;
  /** Another draft would be another from now on. */
  async function changed(): Promise<void> {
    posted += 1;
    const title = `Article ${posted}`;
    const [id = ''] = await scene.postArticles([title], SIX - posted * MINUTE_MS, 2 + posted);
    titles.set(id, title);
  }
  await changed();
  scene.goTo(SIX);
  const readRun = async () => (await readDigest(store, scene.guild, 'daily'))?.run;
  const isOver = async () => (await readRun())?.lastSlotMs === SIX;
  const outcome = await play(scene, schedule, { changed, isOver });
  const edition = await readEdition(store, scene.guild, { name: 'daily', date: '2027-03-10' });
  const [message] = outcome.messages;
  const recorded = (edition?.articles ?? []).map(({ id }) => titles.get(id)).join(', ');
  const shown = (message === undefined ? [] : titlesOf(message)).join(', ');
  const faults = [
    outcome.messages.length > 1 && `It was posted ${outcome.messages.length} times.`,
    outcome.messages.length === 0 && 'It was never posted.',
    !(await isOver()) && 'It was never recorded.',
    edition?.message !== message?.id && 'Another message was recorded.',
    recorded !== shown && `Posted was ${shown}, and recorded ${recorded}.`,
  ];
  return judged(outcome, outcome.messages.length, faults);
}

/**
 * Plays a schedule over the announcements of a guild: one article is interesting at first, and another
 * one after each step that does not go well.
 */
export async function playAnnouncements(scene: DigestScene, schedule: Schedule): Promise<Judged> {
  const { store, ranking } = scene.context;
  const { guild } = scene;
  await scene.clear();
  await setScale(ranking, guild, { mark: 3 });
  await scene.redis.redis.set(storeKeys(store, guild).complete, scene.clock.now());
  await writeSetting(store, guild, 'announcements', scene.channel);
  await announceFromNow(store, guild);
  await scene.tick();
  const articles: string[] = [];
  async function changed(): Promise<void> {
    const title = `Article ${articles.length}`;
    const postedAtMs = NOON - articles.length * MINUTE_MS;
    articles.push(...(await scene.postArticles([title], postedAtMs, 3)));
  }
  await changed();
  scene.goTo(SIX);
  const isOver = async () => (await unannounced(store, guild, articles)).length === 0;
  const outcome = await play(scene, schedule, { changed, isOver });
  const lines = outcome.messages.flatMap(({ content }) => content.split('\n'));
  const counts = articles.map((id) => lines.filter((line) => line.endsWith(`/${id})`)).length);
  const faults = [
    counts.some((count) => count > 1) && 'An article was announced twice.',
    counts.some((count) => count === 0) && 'An article was never announced.',
    !(await isOver()) && 'An announcement was never recorded.',
  ];
  return judged(outcome, Math.max(...counts), faults);
}

function judged(outcome: Outcome, copies: number, faults: (string | false)[]): Judged {
  const isExcused = outcome.longestWayMs > NONCE_WINDOW_MS;
  return { ...outcome, copies, fault: faults.find((one) => one !== false) ?? null, isExcused };
}
