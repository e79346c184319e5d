import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Member } from '../model/guild.ts';
import type { World } from '../model/world.ts';
import { memberPayload } from '../world/member-payload.ts';
import { isWithin } from '../rest/limits.ts';
import type { Gateway } from './gateway.ts';
import type { Connection } from './identify.ts';
import { dispatch } from './session.ts';

/** Discord sends members for so many ids, or for so many names that begin with a text. */
const MOST_FOUND = 100;
const CHUNK = 1000;
/** All members of a guild are sent once in this time. */
const ALL_EVERY_MS = 30_000;

const zRequest = z.object({
  guild_id: z.string(),
  query: z.string().optional(),
  limit: z.int().min(0).optional(),
  user_ids: z.union([z.string(), z.array(z.string())]).optional(),
  /** One that is too long is left out. */
  nonce: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= 32)
    .optional()
    .catch(undefined),
});

/** Sends the members that are asked for: by id, by how their name begins, or all of a guild. */
export function sendMembers({ world, gateway, session }: Connection, d: unknown): void {
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
        'The bot asked for all members of a guild without the intent GuildMembers: Discord sends none.',
      );
      return;
    }
    const waitMs = untilAllowed(gateway, guildId, world.clock.now());
    if (waitMs > 0) {
      const meta = { guild_id: guildId, ...(nonce === undefined ? {} : { nonce }) };
      dispatch(session, 'RATE_LIMITED', { opcode: 8, retry_after: waitMs / 1000, meta });
      return;
    }
    found = [...members.values()];
  } else {
    const most = limit === 0 ? MOST_FOUND : Math.min(limit, MOST_FOUND);
    const begins = (query ?? '').toLowerCase();
    found = [...members.values()]
      .filter((member) => namesOf(world, member).some((name) => name.startsWith(begins)))
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

/** How long until all members of a guild may be asked for again. Asking counts only where it is allowed. */
function untilAllowed({ membersAskedAtMs }: Gateway, guildId: string, nowMs: number): number {
  const lastMs = membersAskedAtMs?.get(guildId);
  if (lastMs !== undefined && isWithin(lastMs, ALL_EVERY_MS, nowMs)) {
    return lastMs + ALL_EVERY_MS - nowMs;
  }
  membersAskedAtMs?.set(guildId, nowMs);
  return 0;
}

function namesOf(world: World, { userId, nick }: Member): string[] {
  return [world.users.get(userId)?.username ?? '', nick ?? ''].map((name) => name.toLowerCase());
}
