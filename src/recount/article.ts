import type { APIMessage } from 'discord.js';
import type { Bot } from '../discord/bot.ts';
import { missing } from '../discord/permissions.ts';
import type { Article } from '../voting/articles.ts';
import { type Offset, writeOffset } from '../voting/offsets.ts';
import type { Direction } from '../voting/row.ts';
import type { Snowflake } from '../voting/snowflake.ts';
import { readVoters } from '../voting/voters.ts';
import { setVote } from '../voting/votes.ts';
import { countsOf, directions, shownBy } from './counts.ts';
import { difference, type Repair } from './difference.ts';
import { Incomplete, readReactors } from './reaction-lists.ts';
import type { Report } from './report.ts';

/** Votes that are written side by side. */
const writtenAtOnce = 200;

/**
 * Makes the votes of one article what the record says, for the directions that are read.
 * Whoever votes meanwhile is left alone, and a clear stops it. Throws where something could not be
 * read; then nothing was written.
 */
export async function recountArticle(
  bot: Bot,
  guild: Snowflake,
  article: Article,
  {
    message,
    wanted,
    offset,
    report,
  }: { message: APIMessage; wanted: readonly Direction[]; offset: Offset; report: Report },
): Promise<void> {
  const notes = bot.notes.begin(article.id);
  try {
    const reactors = await readReactors(bot, guild, article, message, wanted);
    const known = await readVoters(bot.ranking, guild, article.id);
    if (notes.cleared || !mayRead(bot, guild, article)) {
      throw new Incomplete('What was read does not count any more.');
    }
    report.read += 1;
    const repairs = difference(reactors, known);
    for (let i = 0; i < repairs.length && !notes.cleared; i += writtenAtOnce) {
      const left = repairs
        .slice(i, i + writtenAtOnce)
        .filter(({ member }) => !notes.members.has(member));
      const written = await Promise.all(left.map((repair) => write(bot, guild, article, repair)));
      written.forEach((counted, n) => counted && tell(report, left[n]));
    }
    // With live votes in between, the counts are of another moment than the lists.
    if (notes.cleared || notes.members.size > 0) return;
    for (const { member, vote, older } of repairs) {
      if (vote === 'none') known.delete(member);
      else known.set(member, { vote, older });
    }
    const counts = countsOf(message);
    const shown = shownBy(known.values());
    await writeOffset(bot.ranking, guild, article.id, {
      up: counts.up - shown.up,
      down: counts.down - shown.down,
      readAtMs: wanted.length === directions.length ? bot.clock.now() : offset.readAtMs,
    });
  } finally {
    notes.end();
  }
}

/** Where the bot knows that it may not read, an empty list means nothing. */
export function mayRead({ client }: Bot, guild: Snowflake, { channel, home }: Article): boolean {
  const channels = client.guilds.cache.get(guild)?.channels.cache;
  const place = channels?.get(channel) ?? channels?.get(home);
  return place !== undefined && missing(place, ['ViewChannel', 'ReadMessageHistory']).length === 0;
}

/** In the last recount the voting time is over already, and what is shown still counts. */
async function write(
  { ranking, clock }: Bot,
  guild: Snowflake,
  { id, closesAtMs }: Article,
  { member, vote, older }: Repair,
): Promise<boolean> {
  const now = Math.min(clock.now(), closesAtMs - 1);
  const { status } = await setVote(ranking, { guild, article: id, member, vote, older }, now);
  return status === 'counted';
}

function tell(report: Report, repair: Repair | undefined): void {
  if (repair?.was === 'none') report.added += 1;
  else if (repair?.vote === 'none') report.removed += 1;
  else report.switched += 1;
}
