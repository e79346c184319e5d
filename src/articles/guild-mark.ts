import type { Guild } from 'discord.js';
import type { App } from '../app.ts';
import { GREY } from '../discord/interactions/components.ts';
import { type LogChannelParts, writeToLogChannel } from '../community/admin-messages.ts';
import { fittedMark, markByMembers, readClosedUps } from '../ranking/articles/fit-mark.ts';
import { readMark, readOwnMark, setMark } from '../ranking/articles/mark.ts';
import { readSettings } from '../community/settings.ts';
import { translate } from '../text/catalogue.ts';

/** Gives a guild that has no mark yet the fixed one, or the step by its number of members. */
export async function startGuildMark(
  { store, ranking }: Pick<App, 'store' | 'ranking'>,
  guild: Guild,
): Promise<void> {
  if ((await readOwnMark(ranking, guild.id)) !== null) return;
  const { mark: fixed } = await readSettings(store, guild.id);
  // A guild that was fetched over REST has only the approximate number.
  const members = guild.memberCount || (guild.approximateMemberCount ?? 1);
  await setMark(ranking, guild.id, fixed ?? markByMembers(members));
}

/** Moves the mark by one step at most, and says so in the log channel. A fixed mark stays. */
export async function fitGuildMark(
  app: LogChannelParts & Pick<App, 'ranking' | 'store' | 'clock'>,
  guild: Guild,
): Promise<void> {
  const { store, ranking, clock } = app;
  if ((await readSettings(store, guild.id)).mark !== null) return;
  const before = await readMark(ranking, guild.id);
  const ups = await readClosedUps(ranking, guild.id, clock.now());
  const after = fittedMark(before, { ups, members: guild.memberCount });
  if (after === before) return;
  await setMark(ranking, guild.id, after);
  const timestamp = new Date(clock.now()).toISOString();
  await writeToLogChannel(app, guild.id, (locale) => {
    const description = translate(locale, 'audit.fitted', { before, after });
    return { embeds: [{ color: GREY, description, timestamp }] };
  });
}
