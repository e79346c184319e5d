import type { APIMessage } from 'discord.js';
import { holds, memberBlock } from '../../community/blocks.ts';
import { isApiError } from '../../discord/api-errors.ts';
import { remember } from '../../discord/remember.ts';
import { ChannelRefused, isOfOneMessage } from '../../discord/requests/refusals.ts';
import { type Article, deleteArticle, readArticle } from '../../ranking/articles/articles.ts';
import { setResult } from '../../ranking/articles/closing.ts';
import { VOTING_OPEN_MS } from '../../ranking/rules.ts';
import { withLease } from '../../redis/lease.ts';
import { fault } from '../../runtime/log.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { type Both, countsOf } from '../../votes/recount/counts.ts';
import { Incomplete, readReactors } from '../../votes/recount/lists.ts';
import { readMessage } from '../../votes/recount/messages.ts';
import { withoutLeftOut } from '../../votes/recount/recount-article.ts';
import { signsOfToday } from '../../community/vote-offer.ts';
import type { ImportNeeds } from './import-needs.ts';
import { countVotes, forgetVotes, nextVotes, wantVotes } from './stored-imports.ts';

/**
 * The counts of a message do not say who reacted: the poster, a bot, or somebody whose votes do not count.
 * So the lists are read after the articles are there, a few at a time, since each costs a request.
 * The front page shows the articles of the last week first, and every list those with the most votes.
 */
export function urgencyOf(article: Snowflake, { up }: Both, now: number): number {
  const isYoung = now < snowflakeTimeMs(article) + VOTING_OPEN_MS;
  return up + (isYoung ? OF_LAST_WEEK : 0);
}

/** The least urgency of the articles of the last week. */
export const OF_LAST_WEEK = 1_000_000;

/** Articles whose lists are read at once: those of different channels do not wait for one another's limits. */
const SIDE_BY_SIDE = 4;

/** Lists that could not be read whole are read once more, behind all others. */
export const LAST_TRY = -1;

/** The reactions of messages that were read a moment ago: without them, a message is requested again. */
const seen = new Map<Snowflake, Pick<APIMessage, 'reactions'>>();
const SEEN_AT_MOST = 5000;

/** Call it with a message that was read, whose lists may be read soon. */
export function seeReactions({ id, reactions }: APIMessage): void {
  if (reactions) remember(seen, id, { reactions }, SEEN_AT_MOST);
}

/**
 * Reads the lists of all articles that wait for it at least that urgently, in one process, until none is left.
 * Throws when `ended` is aborted or the bot stops.
 */
export async function readImportedVotes(
  needs: ImportNeeds,
  guild: Snowflake,
  ended: AbortSignal,
  options: VotesOptions = {},
): Promise<void> {
  if ((await countVotes(needs.store, guild)) === 0) return;
  await withLease(needs, { guild, work: 'import-votes' }, ({ signal }) =>
    readVotesUnder(needs, guild, AbortSignal.any([signal, ended]), options),
  );
}

/** The same for who has the lease. */
export async function readVotesUnder(
  needs: ImportNeeds,
  guild: Snowflake,
  signal: AbortSignal,
  { least = () => LAST_TRY }: VotesOptions = {},
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const next = (await nextVotes(needs.store, guild, SIDE_BY_SIDE)).filter(
      ({ urgency }) => urgency >= least(),
    );
    if (next.length === 0) return;
    await Promise.all(
      next.map(({ article, urgency }) => correctVotes(needs, guild, article, urgency)),
    );
  }
}

type VotesOptions = {
  /** Less urgent lists wait; default: none does. */
  least?: () => number;
};

/** Makes the result of one imported article equal to the lists of who reacted. */
export async function correctVotes(
  needs: ImportNeeds,
  guild: Snowflake,
  id: Snowflake,
  urgency = 0,
): Promise<void> {
  const { ranking, store, log } = needs;
  const article = await readArticle(ranking, guild, id);
  try {
    if (article !== null) {
      const result = await readResult(needs, guild, article);
      if (result === null) await deleteArticle(ranking, guild, id);
      else await setResult(ranking, { guild, article: id, ...result });
    }
    await forgetVotes(store, guild, id);
  } catch (error) {
    const isKnown =
      error instanceof Incomplete ||
      error instanceof ChannelRefused ||
      isApiError(error, 'UnknownChannel') ||
      // One message that Discord cannot show stops no other.
      isOfOneMessage(error);
    if (!isKnown) throw error;
    log.info({ ...fault(error), guild, article: id }, 'The votes of an import stay as counted.');
    if (urgency === LAST_TRY) await forgetVotes(store, guild, id);
    else await wantVotes(store, guild, id, LAST_TRY);
  }
}

/**
 * The final result of a member's message: one up vote for its poster, and one vote for each member who shows
 * one of the two reactions and may vote. Null if the message is gone.
 */
async function readResult(
  needs: ImportNeeds,
  guild: Snowflake,
  { id, channel, poster, postedAtMs }: Article,
): Promise<Both | null> {
  const { clock, rules } = needs;
  const message = seen.get(id) ?? (await readMessage(needs, guild, channel, id));
  seen.delete(id);
  if (message === null) return null;
  const signs = await signsOfToday(needs, guild);
  const counts = countsOf(message, signs);
  const of = { id, channel, poster, signs, up: 1 + counts.up, down: counts.down };
  try {
    const reading = await readReactors(needs, guild, of, message);
    if (reading === null) throw new Incomplete('Members react while the lists are read.');
    const { reactors } = reading;
    const { up, down } = await withoutLeftOut(needs, guild, reactors, new Map(), { postedAtMs });
    const { blocks } = await rules.read(guild);
    const now = clock.now();
    const mayVote = (member: Snowflake): boolean => {
      const block = memberBlock(blocks, member);
      return !(holds(block, now) && block.voting);
    };
    // Lists do not show which of two reactions is newer, so a member who shows both has no vote.
    return {
      up: 1 + [...up].filter((member) => !down.has(member) && mayVote(member)).length,
      down: [...down].filter((member) => !up.has(member) && mayVote(member)).length,
    };
  } catch (error) {
    if (isApiError(error, 'UnknownMessage')) return null;
    throw error;
  }
}
