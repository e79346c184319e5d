import type { LinkName } from '../../ranking/articles/walk.ts';
import { lockArticle } from '../../ranking/articles/edit.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { putArticle, putRemoved, standingOf } from '../../ranking/articles/restore.ts';
import { LAST_RECOUNT_MS, VOTING_OPEN_MS } from '../../ranking/rules.ts';
import { snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { castVote } from '../../ranking/ballots/votes.ts';
import { noteAnnounced } from '../digests/announced.ts';
import { SWEEP_SECONDS } from '../digests/posting-claims.ts';
import type { ArticleLine, LineOf, VotesLine } from './format.ts';
import type { Fate, Merge, MergeOptions } from './merge.ts';
import { storeKeys } from '../../redis/keys.ts';
import type { Store } from '../../redis/store.ts';

/** Articles, and votes on them, that one step writes. */
const ARTICLES_AT_ONCE = 100;
const VOTES_AT_ONCE = 500;

/** `awaited`: the bot reads its result from its message when it rebuilds the guild. */
export type ArticleFate = Fate | 'awaited';

export type ArticleOptions = MergeOptions & {
  madeAtMs: number;
  /** The file's application, in whose name articles of another one are taken over. */
  application: string;
  /** The ranking holds all that Discord does, so no rebuild is to come. */
  isBorn: boolean;
  merge: Pick<Merge, 'optedOut' | 'erased' | 'erasing' | 'mark'>;
  /** The article as it stands in the guild today. */
  fit(article: ArticleLine): ArticleLine;
  onArticle(fate: ArticleFate): void;
};

type Unit = {
  article: ArticleLine;
  fate: ArticleFate | null;
  /** Its votes are written: it is new, or an interrupted restore left it. */
  isOpen: boolean;
  votes: VotesLine['votes'];
};

const LINK_NAMES: Record<ArticleLine['known'], LinkName> = {
  guild: 0,
  channel: 1,
  own: 2,
  none: null,
};

/** One script cannot write it. */
function isStepwise({ state, known, removedAtMs }: ArticleLine): boolean {
  return state !== 'closed' || known === 'none' || removedAtMs !== undefined;
}

/** What was removed has no name; put back, it wants the one that it would have today. */
function linkNameOf({ known, listed, removedAtMs }: ArticleLine): LinkName {
  if (removedAtMs !== undefined) return listed ? 0 : 1;
  return LINK_NAMES[known];
}

/**
 * Adds the articles of a file that the ranking does not know, with their votes, in bounded steps.
 * What it knows stays as it is, but what an interrupted restore began, which is finished.
 */
export function openArticleRestore(
  { ranking, store }: { ranking: Ranking; store: Store },
  options: ArticleOptions,
) {
  const { guild, now, write, isForeign, madeAtMs, merge } = options;
  const keys = storeKeys(store.applicationId, guild);
  let units: Unit[] = [];
  let votes = 0;

  /** What is a member's in the file was erased since, or is not to be counted. */
  const isErased = (member: string): boolean => (merge.erased.get(member) ?? 0) > madeAtMs;
  const counts = (member: string): boolean => !isErased(member) && !merge.optedOut.has(member);

  async function judge(fresh: readonly Unit[]): Promise<void> {
    if (fresh.length === 0) return;
    const ids = fresh.map(({ article }) => article.id);
    const [standing, begun] = await Promise.all([
      standingOf(ranking, guild, ids),
      store.redis.smismember(keys.restoring, ...ids),
    ]);
    for (const [i, unit] of fresh.entries()) {
      unit.fate = fateOf(unit.article, standing[i]!, begun[i] === 1);
      unit.isOpen = unit.fate === 'added' && unit.article.state !== 'closed';
      options.onArticle(unit.fate);
    }
  }

  function fateOf(
    { id, poster, state, removedAtMs }: ArticleLine,
    standing: 'present' | 'removed' | 'unknown',
    isBegun: boolean,
  ): ArticleFate {
    if (standing === 'removed') return 'kept';
    if (standing === 'present' && !isBegun) return 'kept';
    if (merge.erasing.has(id) || isErased(poster)) return 'left';
    const isRemoved = removedAtMs !== undefined;
    if (isForeign && isRemoved) return 'left';
    const standsFromMs = snowflakeTimeMs(id) + VOTING_OPEN_MS + LAST_RECOUNT_MS;
    const hasResult = state !== 'closed' && !isRemoved && now >= standsFromMs;
    return hasResult && !options.isBorn ? 'awaited' : 'added';
  }

  async function add(fresh: readonly Unit[]): Promise<void> {
    const added = fresh.filter(({ fate }) => fate === 'added').map(({ article }) => article);
    if (added.length === 0) return;
    const stepwise = added.filter(isStepwise).map(({ id }) => id);
    if (stepwise.length > 0) await store.redis.sadd(keys.restoring, ...stepwise);
    // Before it is seen that they are interesting.
    const known = added.filter(
      ({ id, announced, up }) => isNews(id) && (announced || up >= merge.mark()),
    );
    await noteAnnounced(
      store,
      guild,
      known.map(({ id }) => id),
    );
    if (isForeign) {
      // Nobody is to take their messages for the bot's own.
      const pairs = added.flatMap(({ id }) => [id, options.application]);
      await store.redis.hset(keys.imported, ...pairs);
    }
    // What was removed gives way: its link may have been posted again.
    await Promise.all(added.filter((one) => one.removedAtMs === undefined).map(post));
    await Promise.all(added.filter((one) => one.removedAtMs !== undefined).map(post));
  }

  const isNews = (id: string): boolean => now - snowflakeTimeMs(id) < SWEEP_SECONDS * 1000;

  async function post(line: ArticleLine): Promise<void> {
    const { groups, thread, comment, removedAtMs, state, up, down, ...rest } = line;
    const [home = '', ...others] = groups;
    await putArticle(
      ranking,
      {
        guild,
        id: rest.id,
        title: rest.title,
        link: rest.link,
        poster: rest.poster,
        ...(comment === undefined ? {} : { comment }),
        home,
        groups: others,
        ...(thread === undefined ? {} : { channel: thread }),
        // What was removed is not shown to the whole guild until it is removed again.
        listed: rest.listed && removedAtMs === undefined,
        ...(state === 'closed' ? { tally: { up, down, closed: true } } : {}),
      },
      linkNameOf(line),
    );
  }

  async function vote({ article: { id }, votes }: Unit): Promise<void> {
    // Voting may be over, and the votes not frozen yet.
    const at = Math.min(now, snowflakeTimeMs(id) + VOTING_OPEN_MS - 1);
    const ballot = { guild, article: id };
    await Promise.all(
      votes
        .filter(([member]) => counts(member))
        .map(([member, vote, both]) =>
          castVote(ranking, { ...ballot, member, vote, older: both === 'both' }, at),
        ),
    );
  }

  async function finish({ article }: Unit): Promise<void> {
    const { id, link, groups, state, removedAtMs } = article;
    if (state === 'locked') await lockArticle(ranking, { guild, article: id, locked: true });
    if (removedAtMs === undefined) return;
    const removed = { guild, id, link, home: groups[0]! };
    await putRemoved(ranking, removed, linkNameOf(article), removedAtMs);
  }

  /** `isLast`: no more lines are to come, also not of the last article. */
  async function flush(isLast: boolean): Promise<void> {
    const fresh = units.filter(({ fate }) => fate === null);
    await judge(fresh);
    if (write) {
      await add(fresh);
      await Promise.all(units.filter(({ isOpen }) => isOpen).map(vote));
      const whole = (isLast ? units : units.slice(0, -1)).filter(({ fate }) => fate === 'added');
      const begun = whole.filter(({ article }) => isStepwise(article));
      await Promise.all(begun.map(finish));
      if (begun.length > 0) {
        await store.redis.srem(keys.restoring, ...begun.map(({ article }) => article.id));
      }
    }
    units = isLast ? [] : units.slice(-1);
    for (const unit of units) unit.votes = [];
    votes = 0;
  }

  return {
    async take(line: LineOf<'article' | 'votes'>): Promise<void> {
      if (line.kind === 'article') {
        if (units.length >= ARTICLES_AT_ONCE || votes >= VOTES_AT_ONCE) await flush(true);
        const fitted = options.fit(line);
        const article = isForeign ? { ...fitted, state: 'closed' as const } : fitted;
        units.push({ article, fate: null, isOpen: false, votes: [] });
        return;
      }
      const unit = units.at(-1)!;
      if (isForeign) return;
      unit.votes.push(...line.votes);
      votes += line.votes.length;
      if (votes >= VOTES_AT_ONCE) await flush(false);
    },
    async end(): Promise<void> {
      await flush(true);
      // What another file's restore began stays as far as it came; a recount makes it whole.
      if (write) await store.redis.del(keys.restoring);
    },
  };
}
