import type { Guild } from 'discord.js';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { GREY } from '../discord/interactions/components.ts';
import { type LogChannelNeeds, writeToLogChannel } from '../community/admin-messages.ts';
import { fittedAtOnce, fittedMark, markByMembers } from '../ranking/articles/fit-mark.ts';
import { fitChannelScales } from '../ranking/articles/fit-channel.ts';
import { readVotesKnown } from '../ranking/articles/fit-sample.ts';
import { fittedSpan, readPosting } from '../ranking/articles/fit-span.ts';
import { readOwnScale, readScale, setScale } from '../ranking/articles/mark.ts';
import type { Scale } from '../ranking/rules.ts';
import { groupsOf } from '../discord/access/visibility.ts';
import { fixedScale, readSettings } from '../community/settings.ts';
import { translate } from '../text/catalogue.ts';
import { spanText } from '../text/facts.ts';

/** What a guild's first mark needs. */
interface ScaleNeeds {
  /** Where the guild's scale and articles are. */
  ranking: Ranking;
  /** Where its settings are. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
}
/** What fitting needs: it says in the log channel what moved. */
interface FitNeeds extends LogChannelNeeds, ScaleNeeds {}

/**
 * Gives a guild that has no mark yet a mark and a span: what an admin fixed, else the mark by its number of
 * members, and the span by what it has posted. A guild that has a mark alone gets its span at night.
 * The articles of a guild that was scored by another version of the score are scored anew.
 */
export async function startGuildMark(
  { store, ranking, clock }: ScaleNeeds,
  guild: Guild,
): Promise<void> {
  const fixed = fixedScale(await readSettings(store, guild.id));
  if ((await readOwnScale(ranking, guild.id)).mark !== null) {
    // Limited or not: an earlier version did not store it.
    return setScale(ranking, guild.id, { isLimited: fixed.isLimited });
  }
  // A guild that was fetched over REST has only the approximate number.
  const members = guild.memberCount || (guild.approximateMemberCount ?? 1);
  const posting = await readPosting(ranking, { guild: guild.id }, clock.now());
  const fitted = { mark: markByMembers(members), spanDays: fittedSpan(null, posting) };
  await setScale(ranking, guild.id, { ...fitted, ...fixed });
}

/**
 * Fits the mark and the span, and says what moved in the log channel. The mark moves by one step at most, or
 * `at once` to where it fits. What an admin fixed stays. Then the scales of the channels that have their own.
 */
export async function fitGuildMark(
  needs: FitNeeds,
  guild: Guild,
  pace: 'by a step' | 'at once' = 'by a step',
): Promise<void> {
  const { ranking, clock } = needs;
  const { mark: before } = await readScale(ranking, guild.id);
  const votes = await readVotesKnown(ranking, { guild: guild.id }, clock.now());
  const fit = (from: number) => fittedMark(from, { ...votes, members: guild.memberCount });
  await fitScale(needs, guild, pace === 'at once' ? fittedAtOnce(before, fit) : fit(before));
}

/** The same for the span alone, which may move at any time and by any number of steps. */
export async function fitGuildSpan(needs: FitNeeds, guild: Guild): Promise<void> {
  await fitScale(needs, guild, (await readScale(needs.ranking, guild.id)).mark);
}

/** Sets this mark and the fitted span, unless they are fixed, and says in the log channel what moved. */
async function fitScale(needs: FitNeeds, guild: Guild, mark: number): Promise<void> {
  const { store, ranking, clock } = needs;
  const now = clock.now();
  const before = await readScale(ranking, guild.id);
  const posting = await readPosting(ranking, { guild: guild.id }, now);
  const fitted = { mark, spanDays: fittedSpan(before.spanDays, posting) };
  await setScale(ranking, guild.id, {
    ...fitted,
    ...fixedScale(await readSettings(store, guild.id)),
  });
  // An admin may have fixed it between the two. Where nobody did, this changes nothing.
  const fixed = fixedScale(await readSettings(store, guild.id));
  await setScale(ranking, guild.id, fixed);
  const after = { ...fitted, ...fixed };
  await fitChannelScales(ranking, guild.id, {
    scale: after,
    isFixed: fixed.spanDays !== undefined,
    groups: groupsOf(guild).map(({ id }) => id),
    members: guild.memberCount,
    now,
  });
  if (after.mark === before.mark && after.spanDays === before.spanDays) return;
  const timestamp = new Date(now).toISOString();
  await writeToLogChannel(needs, guild.id, (locale) => {
    const description = movesText(locale, before, after);
    return { embeds: [{ color: GREY, description, timestamp }] };
  });
}

/** A sentence for each of the two that moved. */
function movesText(locale: string | null, before: Scale, after: Scale): string {
  const sentences: string[] = [];
  if (after.mark !== before.mark) {
    sentences.push(translate(locale, 'audit.fitted', { before: before.mark, after: after.mark }));
  }
  if (after.spanDays !== before.spanDays) {
    const span = (scale: Scale) => spanText(locale, scale.spanDays);
    const moved = { before: span(before), after: span(after) };
    sentences.push(translate(locale, 'audit.fitted.span', moved));
  }
  return sentences.join('\n');
}
