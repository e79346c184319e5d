import { isDeepStrictEqual } from 'node:util';
import type { Ranking } from '../ranking.ts';
import { type Scale, type Span, SPANS } from '../rules.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { readChannelScales, setChannelScales } from '../lists/channel-scales.ts';
import { fittedAtOnce, fittedMark, type KnownVotes } from './fit-mark.ts';
import { readVotesKnown } from './fit-sample.ts';
import { fittedSpan, type Posting, readPosting } from './fit-span.ts';

/** What was posted less often in 30 days says nothing, and stands on one page. */
const LEAST_POSTED = 10;

/** A channel's next span; null: it posts as often as its guild, or next to nothing. `before`: its scale so far. */
export function fittedChannelSpan(
  before: Scale | null,
  guild: Scale,
  posting: Posting,
): Span | null {
  if (posting.articles < LEAST_POSTED) return null;
  const span = fittedSpan(before?.spanDays ?? guild.spanDays, posting);
  return span > guild.spanDays ? span : null;
}

/** A channel's next mark, for the order of its list: a step from the one before, or at once where there was none. */
export function fittedChannelMark(before: Scale | null, guild: Scale, votes: KnownVotes): number {
  const fit = (mark: number) => fittedMark(mark, votes);
  return before ? fit(before.mark) : fittedAtOnce(guild.mark, fit);
}

/**
 * Fits the scale of each channel that has one of its own: as the guild's, a step of its mark at a time, and at
 * once where it had none. `scale`: the guild's, which is fixed for all channels where `isFixed`.
 */
export async function fitChannelScales(
  ranking: Ranking,
  guild: Snowflake,
  options: {
    scale: Scale;
    isFixed: boolean;
    groups: readonly Snowflake[];
    members: number;
    now: number;
  },
): Promise<void> {
  const { scale, isFixed, groups, members, now } = options;
  const { scales: before, stored } = await readChannelScales(ranking, guild, groups);
  const after = new Map<Snowflake, Scale>();
  const mayDiffer = !isFixed && scale.spanDays < SPANS.at(-1)!;
  for (const group of mayDiffer ? groups : []) {
    const own = before.get(group) ?? null;
    const posting = await readPosting(ranking, { guild, group }, now);
    const spanDays = fittedChannelSpan(own, scale, posting);
    if (spanDays === null) continue;
    const votes = await readVotesKnown(ranking, { guild, group }, now);
    const mark = fittedChannelMark(own, scale, { ...votes, members });
    after.set(group, { mark, spanDays, isLimited: true });
  }
  const isSet = stored === after.size && isDeepStrictEqual(before, after);
  if (!isSet) await setChannelScales(ranking, guild, after);
}
