import { type APIApplication, type APIUser, REST, Routes } from 'discord.js';
import type { DiscordClock } from '../discord/discord-clock.ts';
import type { Log } from '../log.ts';
import { readGuilds } from '../records/guilds.ts';
import { setOptedOut } from '../records/opted-out.ts';
import { openStore } from '../redis/store.ts';
import { openRanking } from '../ranking/ranking.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { openOwnMessages } from '../discord/access/own-messages.ts';
import { createClient } from '../discord/client.ts';
import { openPace } from '../discord/requests/pace.ts';
import { openRequestQueue } from '../discord/requests/queue.ts';
import { openRefusals } from '../discord/requests/refusals.ts';
import { eraseMember, finishErasing } from './erase.ts';

/**
 * Erases a member in every guild. It uses only REST, so the bot may run or not. With `optOut`, the
 * member is also opted out, and nothing new is stored.
 */
export async function forgetEverywhere(
  settings: {
    token: string;
    apiBase: string;
    redis: Parameters<typeof openStore>[0];
    clock: DiscordClock;
    log: Log;
    optOut: boolean;
  },
  member: Snowflake,
): Promise<{ guild: Snowflake; posts: number; votes: number }[]> {
  const { token, apiBase, redis, clock, log } = settings;
  const rest = new REST({ api: apiBase }).setToken(token);
  clock.follow(rest);
  const { id } = (await rest.get(Routes.currentApplication())) as APIApplication;
  const { id: self } = (await rest.get(Routes.user())) as APIUser;
  const client = createClient({ apiBase, log });
  client.rest.setToken(token);
  const ranking = openRanking(redis, id);
  const store = openStore(redis, id, log);
  const stopping = new AbortController().signal;
  const ownMessages = openOwnMessages(client, self);
  const refusals = openRefusals(client, store, clock, log);
  const requests = openRequestQueue(client, ownMessages, refusals, openPace(client), stopping);
  const tools = { requests, ranking, store, clock, log, stopping };
  const done = [];
  for (const guild of await readGuilds(store)) {
    const { posts, votes } = await eraseMember(tools, guild, member);
    if (settings.optOut) await setOptedOut(store, guild, member, true);
    await finishErasing(tools, guild);
    if (posts + votes.length > 0) done.push({ guild, posts, votes: votes.length });
  }
  await ranking.changes.flush();
  await client.destroy();
  return done;
}
