import {
  ApplicationFlags,
  GatewayCloseCodes as Close,
  GatewayIntentBits as Intent,
  GatewayOpcodes as Op,
} from 'discord-api-types/v10';
import { z } from 'zod';
import { gatewayAt } from '../discord-hosts.ts';
import { guildCreatePayload } from '../world/guilds/guild-payload.ts';
import type { World } from '../model/world.ts';
import { ownUserPayload } from '../world/user-payload.ts';
import type { Gateway } from './gateway.ts';
import { tellPresence } from './presence.ts';
import { startsLeft } from '../world/starts-left.ts';
import { dispatch, missed, openSession, type Session } from './session.ts';
import type { Wire } from './wire.ts';

export type Connection = {
  world: World;
  gateway: Gateway;
  socket: Wire;
  /** Of the API, as the address says. */
  version: 9 | 10;
  /** By which name it came here. */
  host: string | undefined;
  session: Session | undefined;
};

const zIdentify = z.object({
  token: z.string(),
  intents: z.int().min(0),
  shard: z.tuple([z.int().min(0), z.int().min(1)]).optional(),
});
const zResume = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });

export function identify(connection: Connection, d: unknown): void {
  const { world, gateway, socket, version } = connection;
  const asked = zIdentify.safeParse(d);
  if (!asked.success) return socket.close(Close.DecodeError);
  const { token, shard: [shard, shardCount] = [0, 1] } = asked.data;
  let { intents } = asked.data;
  if (!isToken(world, token)) return socket.close(Close.AuthenticationFailed);
  const left = startsLeft(world);
  left.remaining -= 1;
  if (left.remaining < 0) {
    world.application.tokenIsReset = true;
    console.error('The bot began a session too often today: Discord has reset its token.');
    return gateway.drop({ resumable: false, code: Close.AuthenticationFailed });
  }
  if (shard >= shardCount) return socket.close(Close.InvalidShard);
  if (!mayBegin(connection, shard)) {
    socket.send(JSON.stringify({ op: Op.InvalidSession, d: false }));
    return;
  }
  const { privileged, id, botId } = world.application;
  const notSwitchedOn =
    (privileged.messageContent ? 0 : Intent.MessageContent) |
    (privileged.guildMembers ? 0 : Intent.GuildMembers) |
    (privileged.presences ? 0 : Intent.GuildPresences);
  // Before version 10, who has the intent switched on need not ask for it.
  if (version === 9 && privileged.messageContent) intents |= Intent.MessageContent;
  if (intents >= 2 ** 26) return socket.close(Close.InvalidIntents);
  if ((intents & notSwitchedOn) !== 0) return socket.close(Close.DisallowedIntents);

  const session = openSession(socket, world.exchanges, { shard, shardCount, intents });
  connection.session = session;
  const guilds = [...world.guilds.values()].filter(
    (guild) =>
      guild.members.has(botId) && Number((BigInt(guild.id) >> 22n) % BigInt(shardCount)) === shard,
  );
  dispatch(session, 'READY', {
    v: version,
    user: ownUserPayload(world),
    guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
    session_id: session.id,
    resume_gateway_url: gatewayAt(world.address, connection.host),
    shard: [shard, shardCount],
    application: {
      id,
      flags: privileged.messageContent ? ApplicationFlags.GatewayMessageContentLimited : 0,
    },
    // Undocumented and empty for bots, and some clients read them.
    user_settings: {},
    private_channels: [],
    relationships: [],
    presences: [],
  });
  forgetOldSessions(world, gateway);
  gateway.sessions.set(session.id, session);
  tellPresence(world, gateway);
  if ((intents & Intent.Guilds) === 0) return;
  for (const guild of guilds) {
    if (!guild.unavailable) dispatch(session, 'GUILD_CREATE', guildCreatePayload(world, guild));
  }
}

function isToken({ application }: World, token: string): boolean {
  return !application.tokenIsReset && token.replace(/^Bot /, '') === application.token;
}

/** How long a lost session can be resumed. Discord says no time; clients see some minutes. */
const RESUMABLE_MS = 5 * 60_000;

function forgetOldSessions({ clock }: World, { sessions }: Gateway): void {
  for (const [id, { lostAtMs }] of sessions) {
    if (lostAtMs !== null && clock.now() - lostAtMs > RESUMABLE_MS) sessions.delete(id);
  }
}

/** Too soon after another session of its bucket, Discord responds as to a session that is no more. */
function mayBegin({ world, gateway }: Connection, shard: number): boolean {
  const { concurrency, everyMs } = world.identifies;
  const atMs = world.clock.now();
  const last = gateway.identifies.findLast(
    (one) => !one.tooSoon && one.shard % concurrency === shard % concurrency,
  );
  const sinceMs = last === undefined ? everyMs : atMs - last.atMs;
  // A clock that was set back ends the wait.
  const tooSoon = sinceMs >= 0 && sinceMs < everyMs;
  gateway.identifies.push({ shard, atMs, tooSoon });
  return !tooSoon;
}

export function resume(connection: Connection, d: unknown): void {
  const { world, gateway, socket } = connection;
  const asked = zResume.safeParse(d);
  if (!asked.success) return socket.close(Close.DecodeError);
  if (!isToken(world, asked.data.token)) return socket.close(Close.AuthenticationFailed);
  forgetOldSessions(world, gateway);
  const session = gateway.sessions.get(asked.data.session_id);
  const events = session === undefined ? undefined : missed(session, asked.data.seq);
  if (session === undefined || events === undefined) {
    socket.send(JSON.stringify({ op: Op.InvalidSession, d: false }));
    return;
  }
  // The old socket may not know yet that it is dead.
  if (session.socket !== null && session.socket !== socket) session.socket.terminate();
  for (const text of events) socket.send(text);
  session.socket = socket;
  session.lostAtMs = null;
  connection.session = session;
  dispatch(session, 'RESUMED', {});
  tellPresence(world, gateway);
}
