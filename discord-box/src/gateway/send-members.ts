import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Member } from '../model/guild.ts';
import type { World } from '../model/world.ts';
import { memberPayload } from '../world/member-payload.ts';
import type { Connection } from './identify.ts';
import { dispatch } from './session.ts';

/** Discord answers for so many ids, or for so many names that begin with a text. */
const MOST_FOUND = 100;
const CHUNK = 1000;

const zRequest = z.object({
  guild_id: z.string(),
  query: z.string().optional(),
  limit: z.int().min(0).optional(),
  user_ids: z.union([z.string(), z.array(z.string())]).optional(),
  nonce: z.string().optional(),
});

/** Answers a request for members: by id, by how their name begins, or all of a guild. */
export function sendMembers({ world, session }: Connection, d: unknown): void {
  const asked = zRequest.safeParse(d);
  if (!asked.success || session === undefined) return;
  const { guild_id: guildId, query, limit = 0, user_ids, nonce } = asked.data;
  const members = world.guilds.get(guildId)?.members ?? new Map<string, Member>();
  let found: Member[];
  let missing: string[] = [];
  if (user_ids !== undefined) {
    const ids = [...new Set([user_ids].flat())].slice(0, MOST_FOUND);
    found = ids.flatMap((id) => members.get(id) ?? []);
    missing = ids.filter((id) => !members.has(id));
  } else if (query === '' && limit === 0) {
    if ((session.intents & Intent.GuildMembers) === 0) {
      console.error(
        'The bot asked for all members of a guild without the intent GuildMembers: Discord does not answer.',
      );
      return;
    }
    found = [...members.values()];
  } else {
    const most = limit === 0 ? MOST_FOUND : Math.min(limit, MOST_FOUND);
    found = [...members.values()]
      .filter((member) => nameOf(world, member).startsWith((query ?? '').toLowerCase()))
      .slice(0, most);
  }
  const count = Math.max(1, Math.ceil(found.length / CHUNK));
  for (let index = 0; index < count; index += 1) {
    const part = found.slice(index * CHUNK, (index + 1) * CHUNK);
    dispatch(session, 'GUILD_MEMBERS_CHUNK', {
      guild_id: guildId,
      members: part.map((member) => memberPayload(world, member)),
      not_found: missing,
      chunk_index: index,
      chunk_count: count,
      ...(nonce === undefined ? {} : { nonce }),
    });
  }
}

export function nameOf(world: World, { userId, nick }: Member): string {
  return (nick ?? world.users.get(userId)?.username ?? '').toLowerCase();
}
