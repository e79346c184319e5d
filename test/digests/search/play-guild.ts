import { ChannelType } from 'discord.js';
import { createChannel } from '../../../discord-box/src/world/channels/change-channel.ts';
import type { Channel } from '../../../discord-box/src/index.ts';
import { MINUTE_MS } from '../../../src/runtime/clock.ts';
import { readEdition } from '../../../src/editions/stored-editions.ts';
import { unannounced } from '../../../src/articles/announced.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import { announceFromNow } from '../due-digests.ts';
import { readDigest, saveDigest } from '../../../src/digests/stored-digests.ts';
import { CLAIM_MS } from '../../../src/digests/posting/run-digest.ts';
import { retitleArticle } from '../../../src/ranking/articles/edit.ts';
import { removeArticle } from '../../../src/ranking/articles/removed.ts';
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
  /** A process stood still for longer than its claim, or a request of it was on its way for so long. */
  isLate: boolean;
};

/** Where a schedule is played. */
export type Place = {
  /** Members filled the channel, so that a read-back has two pages. */
  isBusy?: boolean;
  /** The channel has followers, to whom an edition is published. */
  isFollowed?: boolean;
  /** The clocks of the processes differ, by as much as they can before they are set by Discord's. */
  clocksDiffer?: boolean;
  /** How many digests are due at once. */
  digests?: 1 | 2;
  /** Discord refuses the link of one article. */
  isRefused?: boolean;
  /**
   * The first article is removed at the first step that does not go well; of an edition's, at each such step the
   * one before.
   */
  isRemoved?: boolean;
  /** A manager changes what does not show at each step that does not go well, which stops what is not sent yet. */
  isManaged?: boolean;
  /** The guild stays as it is. */
  isStill?: boolean;
  /** The mark was just lowered, which made an old article interesting. */
  isMarkLowered?: boolean;
};

/** The first process believes that it is late, the third that it is early. */
const AHEAD_MS = [30_000, 0, -30_000];
/** A page of a read-back. */
const PAGE = 100;
/** What is so when a process begins to send was asked at most this long before. */
const ASKED_BEFORE_MS = 25_000;
const DATE = '2027-03-10';

/** Plays a schedule over the editions that are due, and judges them. */
export async function playDigest(
  scene: DigestScene,
  schedule: Schedule,
  {
    isBusy = false,
    isFollowed = false,
    clocksDiffer = false,
    digests = 1,
    isRefused = false,
    isRemoved = false,
    isManaged = false,
    isStill = false,
  }: Place = {},
): Promise<Judged> {
  const { store, ranking } = scene.context;
  const { guild } = scene;
  await scene.clear();
  const channel = await channelOf(scene, isFollowed);
  const names = ['daily', 'other'].slice(0, digests);
  for (const name of names) {
    const savedBy = scene.sandbox.admin;
    await scene.setUp(name, { count: 25, channel: channel.id, publish: isFollowed, savedBy });
  }
  /** By each title that an article had. */
  const articles = new Map<string, string>();
  const titles = openTitles(scene);
  let posted = 0;
  /** Another draft would be another from now on. */
  async function change(): Promise<void> {
    posted += 1;
    const title = `Article ${posted}`;
    const [id = ''] = await scene.postArticles([title], SIX - posted * MINUTE_MS, 2 + posted);
    articles.set(title, id);
    // What was drafted with its title is no longer current, and would not be published.
    const [[first, article] = [title, id]] = articles;
    if (posted > 1 && isRemoved) {
      const before = `Article ${posted - 1}`;
      titles.replace(before);
      await removeArticle(ranking, guild, articles.get(before) ?? '', scene.clock.now());
    } else if (posted > 1) {
      const retitled = `${first} of ${posted}`;
      articles.set(retitled, article);
      titles.replace(posted === 2 ? first : `${first} of ${posted - 1}`);
      await retitleArticle(ranking, { guild, article, title: retitled });
    }
    for (const { name, digest } of isManaged ? await readAll() : []) {
      await saveDigest(store, guild, name, { ...digest, count: 25 - posted });
    }
  }
  const readAll = async () => {
    const all = await Promise.all(names.map((name) => readDigest(store, guild, name)));
    return all.filter((one) => one !== null);
  };
  await change();
  const changed = isStill ? async () => {} : change;
  const first = new Set(isRemoved ? [] : articles.values());
  const [refused = ''] = isRefused
    ? await scene.postArticles(['Refused'], SIX - MINUTE_MS / 2, 2)
    : [];
  if (isRefused) articles.set('Refused', refused);
  refuseLink(scene, refused);
  if (isBusy) fill(scene, channel);
  scene.goTo(clocksDiffer ? SIX - AHEAD_MS[0]! / 2 : SIX);
  const isOver = async () => (await readAll()).every(({ run }) => run.lastSlotMs === SIX);
  const aheadMs = clocksDiffer ? AHEAD_MS : [];
  const outcome = await play(scene, schedule, { channel, aheadMs, changed, isOver });
  const notes = outcome.messages.filter(({ content }) => !content.startsWith('## '));
  const faults = [
    notes.length > (isRefused ? 1 : 0) &&
      'A manager was told of a failure that was none, or twice.',
    titles.staleIn(outcome),
  ];
  const copies: number[] = [];
  for (const { name, digest } of await readAll()) {
    const edition = await readEdition(store, guild, { name, date: DATE });
    const messages = outcome.messages.filter(({ content }) =>
      (name === 'daily' ? /^## Daily digest/ : /^## (?!Daily)/).test(content),
    );
    const [message] = messages;
    const titles = message === undefined ? [] : titlesOf(message);
    const shown = titles.map((title) => articles.get(title));
    const recorded = (edition?.articles ?? []).map(({ id }) => id);
    const named = recorded.map((id) => [...articles].find(([, one]) => one === id)?.[0]);
    copies.push(messages.length);
    faults.push(
      messages.length > 1 && `It was posted ${messages.length} times.`,
      messages.length === 0 && 'It was never posted.',
      !(await isOver()) && 'It was never recorded.',
      edition?.message !== message?.id && 'Another message was recorded.',
      recorded.join() !== shown.join() &&
        // Nobody can stop an edit on its way; by then another process has gone on.
        outcome.longestEditMs <= CLAIM_MS &&
        `Posted was ${titles.join(', ')}, and recorded ${named.join(', ')}.`,
      [...first].some((id) => !shown.includes(id)) &&
        outcome.longestEditMs <= CLAIM_MS &&
        'An article is missing in it.',
      isFollowed && outcome.published === 0 && 'It was never published.',
      isManaged && digest.count !== 25 - posted && 'A change of its settings was lost.',
    );
  }
  return judged(schedule, outcome, Math.max(...copies), faults);
}

/** The channel of the digests; followers need one of another kind. */
async function channelOf(scene: DigestScene, isFollowed: boolean): Promise<Channel> {
  const { world, guildId } = scene.sandbox;
  if (!isFollowed) return world.channels.get(scene.channel)!;
  const known = [...world.channels.values()].find(({ name }) => name === 'news');
  if (known !== undefined) return known;
  const news = createChannel(world, { guildId, name: 'news', type: ChannelType.GuildAnnouncement });
  await scene.settled();
  return news;
}

/** Discord knows the link of this article alone as harmful; of none where it is empty. */
function refuseLink({ sandbox }: DigestScene, article: string): void {
  const { harmfulHosts } = sandbox.world;
  harmfulHosts.clear();
  if (article !== '') harmfulHosts.add(`example.com/${article}`);
}

/** Puts a page of members' messages before what is posted. The gateway does not tell of them. */
function fill({ sandbox }: DigestScene, channel: Channel): void {
  const { world, admin } = sandbox;
  const { id: first } = sandbox.as(admin).send(channel.id, 'Hello.');
  const message = channel.messages.get(first)!;
  channel.messages.clear();
  channel.messageIds.length = 0;
  for (let at = 0; at < PAGE; at += 1) {
    const id = world.snowflake(SIX - MINUTE_MS + at);
    channel.messages.set(id, { ...message, id });
    channel.messageIds.push(id);
  }
}

/**
 * Plays a schedule over the announcements of a guild: one article is interesting at first, and another
 * one after each step that does not go well.
 */
export async function playAnnouncements(
  scene: DigestScene,
  schedule: Schedule,
  {
    isBusy = false,
    clocksDiffer = false,
    isRefused = false,
    isRemoved = false,
    isMarkLowered = false,
    isStill = false,
  }: Place = {},
): Promise<Judged> {
  const { store, ranking } = scene.context;
  const { guild } = scene;
  await scene.clear();
  const channel = await channelOf(scene, false);
  await setScale(ranking, guild, { mark: 3 });
  await scene.redis.redis.set(storeKeys(store, guild).complete, scene.clock.now());
  await writeSetting(store, guild, 'announcements', scene.channel);
  await announceFromNow(store, guild);
  await scene.tick();
  const articles: string[] = [];
  const titles = openTitles(scene);
  async function change(): Promise<void> {
    const count = articles.length;
    const postedAtMs = NOON - count * MINUTE_MS;
    articles.push(...(await scene.postArticles([`Article ${count}`], postedAtMs, 3)));
    // What was planned with its title is no longer so.
    const [article = ''] = articles;
    if (!isRemoved || count === 1) titles.replace(`Article 0 of ${count}`);
    if (isRemoved && count > 0) await removeArticle(ranking, guild, article, scene.clock.now());
    else await retitleArticle(ranking, { guild, article, title: `Article 0 of ${count + 1}` });
  }
  const old = isMarkLowered ? await scene.postArticles(['Old'], NOON + MINUTE_MS, 2) : [];
  if (isMarkLowered) await setScale(ranking, guild, { mark: 2 });
  else await change();
  const changed = isStill ? async () => {} : change;
  const refused = isRefused ? await scene.postArticles(['Refused'], NOON + MINUTE_MS, 3) : [];
  refuseLink(scene, refused[0] ?? '');
  if (isBusy) fill(scene, channel);
  scene.goTo(SIX);
  /** All but what was removed. */
  const awaited = () => [...articles.slice(isRemoved && articles.length > 1 ? 1 : 0), ...refused];
  const isOver = async () => (await unannounced(store, guild, awaited())).length === 0;
  const aheadMs = clocksDiffer ? AHEAD_MS : [];
  const outcome = await play(scene, schedule, { channel, aheadMs, changed, isOver });
  const lines = outcome.messages.flatMap(({ content }) => content.split('\n'));
  const countOf = (id: string) => lines.filter((line) => line.endsWith(`/${id})`)).length;
  const counts = [...articles, ...refused].map(countOf);
  const faults = [
    counts.some((count) => count > 1) && 'An article was announced twice.',
    // Beside a lowered mark, nobody can tell what became interesting by votes in the same minute.
    !isMarkLowered &&
      awaited().some((id) => countOf(id) === 0) &&
      'An article was never announced.',
    old.some((id) => countOf(id) > 0) && 'What a lowered mark made interesting was announced.',
    titles.staleIn(outcome),
    !(await isOver()) && 'An announcement was never recorded.',
  ];
  return judged(schedule, outcome, Math.max(...counts), faults);
}

/** Notes when an article's title was replaced, or the article removed, at a step of a play. */
function openTitles(scene: DigestScene) {
  const untilMs = new Map<string, number>();
  return {
    replace(title: string): void {
      untilMs.set(title, scene.clock.now());
    },
    /** Whether a process began to send a message that says what was no longer so for long. */
    staleIn({ sent }: Outcome): string | false {
      const isStale = sent.some(({ content, begunAtMs }) =>
        [...content.matchAll(/Article \d+(?: of \d+)?/g)].some(
          ([title]) => begunAtMs - (untilMs.get(title) ?? Infinity) > ASKED_BEFORE_MS,
        ),
      );
      return isStale && 'It was sent with what was no longer so.';
    },
  };
}

function judged(
  { fates }: Schedule,
  outcome: Outcome,
  copies: number,
  faults: (string | false)[],
): Judged {
  const isExcused = outcome.longestWayMs > NONCE_WINDOW_MS;
  const isLate = [...fates.values()].some((fate) => /pauses (?!a moment)|arrives late/.test(fate));
  const fault = faults.find((one) => one !== false) ?? null;
  return { ...outcome, copies, fault, isExcused, isLate };
}
