import type { Guild } from 'discord.js';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { GREY } from '../discord/interactions/components.ts';
import { type LogChannelNeeds, writeToLogChannel } from '../community/admin-messages.ts';
import { fittedMark, markByMembers } from '../ranking/articles/fit-mark.ts';
import { closedUps, readSample, type Sampled } from '../ranking/articles/fit-sample.ts';
import { fittedSpan, readPosting } from '../ranking/articles/fit-span.ts';
import { readOwnScale, readScale, setScale } from '../ranking/articles/mark.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Scale } from '../ranking/rules.ts';
import { readSettings } from '../community/settings.ts';
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
 */
export async function startGuildMark(
  { store, ranking, clock }: ScaleNeeds,
  guild: Guild,
): Promise<void> {
  if ((await readOwnScale(ranking, guild.id)).mark !== null) return;
  const fixed = await readSettings(store, guild.id);
  // A guild that was fetched over REST has only the approximate number.
  const members = guild.memberCount || (guild.approximateMemberCount ?? 1);
  const now = clock.now();
  const mark = fixed.mark ?? markByMembers(members);
  const posting = await readPosting(ranking, guild.id, now);
  const sample = await readSample(ranking, guild.id, now);
  const spanDays = fixed.span ?? fittedSpan(null, posting, { sample, mark, now });
  await setScale(ranking, guild.id, { mark, spanDays });
}

/**
 * Fits the mark and the span, and says what moved in the log channel. The mark moves by one step at most, or
 * `at once` to where it fits. What an admin fixed stays.
 */
export async function fitGuildMark(
  needs: FitNeeds,
  guild: Guild,
  pace: 'by a step' | 'at once' = 'by a step',
): Promise<void> {
  const { store, ranking, clock } = needs;
  const { mark: fixed } = await readSettings(store, guild.id);
  const { mark: before } = await readScale(ranking, guild.id);
  const now = clock.now();
  const sample = await readSample(ranking, guild.id, now);
  let mark = before;
  if (fixed === null) {
    const ups = closedUps(sample, now);
    const fit = (from: number) => fittedMark(from, { ups, members: guild.memberCount });
    mark = pace === 'at once' ? lastOf(before, fit) : fit(before);
  }
  await fitScale(needs, guild.id, mark, sample);
}

/** The same for the span alone, which may move at any time and by any number of steps. */
export async function fitGuildSpan(needs: FitNeeds, guild: Snowflake): Promise<void> {
  const sample = await readSample(needs.ranking, guild, needs.clock.now());
  await fitScale(needs, guild, (await readScale(needs.ranking, guild)).mark, sample);
}

/** Sets this mark and the fitted span, and says in the log channel what moved. */
async function fitScale(
  needs: FitNeeds,
  guild: Snowflake,
  mark: number,
  sample: readonly Sampled[],
): Promise<void> {
  const { store, ranking, clock } = needs;
  const now = clock.now();
  const before = await readScale(ranking, guild);
  const { span: fixed } = await readSettings(store, guild);
  const posting = await readPosting(ranking, guild, now);
  const fitted = fittedSpan(before.spanDays, posting, { sample, mark, now });
  const after = { mark, spanDays: fixed ?? fitted };
  if (after.mark === before.mark && after.spanDays === before.spanDays) return;
  await setScale(ranking, guild, after);
  const timestamp = new Date(now).toISOString();
  await writeToLogChannel(needs, guild, (locale) => {
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

/** Repeats a step until it changes nothing, or would lead back. */
function lastOf(first: number, step: (mark: number) => number): number {
  const seen = new Set([first]);
  for (let mark = first; ; ) {
    const next = step(mark);
    if (seen.has(next)) return mark;
    seen.add(next);
    mark = next;
  }
}
