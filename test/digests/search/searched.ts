import type { DigestScene } from '../digest-scene.ts';
import { type Judged, playAnnouncements, playDigest } from './play-guild.ts';
import { type Aim, tellingSchedules } from './schedules.ts';
import type { Fate, Schedule, Taken } from './simulation.ts';

/** What is searched, each by a kind of play and in circumstances of its own. */
export type Searched = {
  play: (scene: DigestScene, schedule: Schedule) => Promise<Judged>;
  /** What went wrong in it; null: nothing, or the one exception. */
  wrong: (judged: Judged) => string | null;
  /** Default: the bot may read the channel back. */
  mayRead?: boolean;
  /** What its schedules go to first. */
  aim?: Aim;
};

const once = ({ fault, isExcused }: Judged) => (isExcused ? null : fault);
/**
 * What stands is recorded too, but where a process stood still and Redis forgot who took over: the token that it has
 * is valid again. Also then it never comes twice.
 */
const onceOrLate = (judged: Judged) => (judged.copies > 1 || !judged.isLate ? once(judged) : null);

/** By what must hold. */
export const searched = {
  'an edition is posted once': { play: (...of) => playDigest(...of), wrong: once },
  'an article is announced once': { play: (...of) => playAnnouncements(...of), wrong: once },
  'an unread edition is posted at most once': {
    play: (...of) => playDigest(...of),
    wrong: ({ fault, copies }) => (copies > 1 ? fault : null),
    mayRead: false,
  },
  'an edition in a busy channel is posted once, and published to its followers': {
    play: (...of) => playDigest(...of, { isBusy: true, isFollowed: true }),
    wrong: once,
  },
  'an article is announced once in a busy channel by processes of different clocks': {
    play: (...of) => playAnnouncements(...of, { isBusy: true, clocksDiffer: true }),
    wrong: once,
  },
  'an edition is posted once by processes of different clocks': {
    play: (...of) => playDigest(...of, { clocksDiffer: true }),
    wrong: once,
  },
  'an edition is posted once while a manager changes its settings': {
    play: (...of) => playDigest(...of, { isManaged: true }),
    wrong: once,
  },
  'each of two editions is posted once': {
    play: (...of) => playDigest(...of, { digests: 2 }),
    wrong: once,
  },
  'an edition with a link that Discord refuses is posted once': {
    play: (...of) => playDigest(...of, { isRefused: true }),
    wrong: once,
  },
  'an article is announced once beside one whose link Discord refuses': {
    play: (...of) => playAnnouncements(...of, { isRefused: true }),
    wrong: once,
  },
  'an article is not announced after it was removed': {
    play: (...of) => playAnnouncements(...of, { isRemoved: true }),
    wrong: once,
  },
  'an article that a lowered mark made interesting is not announced': {
    play: (...of) => playAnnouncements(...of, { isMarkLowered: true }),
    wrong: once,
  },
  'an edition is posted once where Redis is set back': {
    play: (...of) => playDigest(...of),
    wrong: onceOrLate,
    aim: 'a Redis that is set back',
  },
  'an article is announced once where Redis is set back': {
    play: (...of) => playAnnouncements(...of),
    wrong: onceOrLate,
    aim: 'a Redis that is set back',
  },
  'an edition that was edited says what is recorded': {
    play: (...of) => playDigest(...of),
    wrong: once,
    aim: 'the edits of an edition',
  },
  'an edition that was edited says what is recorded after its articles were removed': {
    play: (...of) => playDigest(...of, { isRemoved: true }),
    wrong: once,
    aim: 'the edits of an edition',
  },
  'an edition that two processes send says what is recorded': {
    play: (...of) => playDigest(...of),
    wrong: once,
    aim: 'a send that another process overtakes',
  },
  'an edition is posted once where nothing changes meanwhile': {
    play: (...of) => playDigest(...of, { isStill: true }),
    wrong: once,
    aim: 'a look that fails',
  },
  'an article is announced once where nothing changes meanwhile': {
    play: (...of) => playAnnouncements(...of, { isStill: true }),
    wrong: once,
    aim: 'a look that fails',
  },
} satisfies Record<string, Searched>;
export type Search = keyof typeof searched;
export const searches = Object.keys(searched) as Search[];

/** A schedule in which something went wrong. */
export type Finding = {
  /** The how manieth it was. */
  played: number;
  processes: number;
  fates: [step: number, fate: Fate][];
  wrong: string;
};

/** Plays one schedule. Returns what went wrong; null if nothing did. */
export async function playOnce(
  scene: DigestScene,
  what: Search,
  schedule: Schedule,
): Promise<{ wrong: string | null; trace: Taken[]; tookMs: number }> {
  const { play, wrong }: Searched = searched[what];
  const judged = await play(scene, schedule);
  const { trace, tookMs } = judged;
  return { wrong: wrong(judged), trace, tookMs };
}

/**
 * Plays the schedules that find most, until one goes wrong, or `isEnough` says so of how many were
 * played. The bot must be permitted to read the channel, or not, before: `mayRead`.
 */
export async function search(
  scene: DigestScene,
  what: Search,
  { seed, isEnough }: { seed: number; isEnough: (played: number) => boolean },
): Promise<{ played: number; found: (Finding & { trace: Taken[] }) | null }> {
  const { aim }: Searched = searched[what];
  let played = 0;
  const traces = new Map<1 | 2, Taken[]>();
  const telling = () => tellingSchedules(traces, { seed, aim });
  for (const { processes, fates } of chain(wellGoing, telling)) {
    if (isEnough(played)) break;
    played += 1;
    const { wrong, trace } = await playOnce(scene, what, { processes, fates });
    if (wrong !== null) {
      return { played, found: { played, processes, fates: [...fates], wrong, trace } };
    }
    if (fates.size === 0) traces.set(processes as 1 | 2, trace);
  }
  return { played, found: null };
}

function* wellGoing(): Generator<Schedule> {
  for (const processes of [1, 2]) yield { processes, fates: new Map() };
}

function* chain<T>(...parts: (() => Iterable<T>)[]): Generator<T> {
  for (const part of parts) yield* part();
}
