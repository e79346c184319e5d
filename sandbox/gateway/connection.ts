import {
  ApplicationFlags,
  GatewayCloseCodes as Close,
  GatewayIntentBits as Intent,
  GatewayOpcodes as Op,
} from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { guildCreatePayload } from '../world/guild-payload.ts';
import { userPayload, type World } from '../world/world.ts';
import type { Gateway } from './gateway.ts';
import { dispatch, missed, openSession, type Session } from './session.ts';

const zIdentify = z.object({
  token: z.string(),
  intents: z.int().min(0),
  shard: z.tuple([z.int().min(0), z.int().min(1)]).optional(),
});
const zResume = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });
const zPayload = z.object({ op: z.enum(Op), d: z.unknown() });

/** One socket's life: HELLO, then IDENTIFY or RESUME, then heartbeats. */
export function connect(world: World, gateway: Gateway, socket: WebSocket, url: URL): void {
  const connection: Connection = { world, gateway, socket, session: undefined };
  if (url.searchParams.get('v') !== '10') return socket.close(Close.InvalidAPIVersion);
  send(socket, { op: Op.Hello, d: { heartbeat_interval: gateway.heartbeatMs } });
  // A client that stops beating is gone, whatever its socket says.
  let silence: NodeJS.Timeout;
  const listenForBeat = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => socket.close(Close.SessionTimedOut), gateway.heartbeatMs * 2);
  };
  listenForBeat();
  socket.on('error', () => socket.terminate());
  socket.on('close', (code) => {
    clearTimeout(silence);
    const { session } = connection;
    if (session?.socket !== socket) return;
    session.socket = null;
    tellPresence(world, gateway);
    // Closing with 1000 or 1001 ends the session; any other end leaves it to be resumed.
    if (code === 1000 || code === 1001) gateway.sessions.delete(session.id);
  });
  socket.on('message', (data) => {
    const payload = parse((data as Buffer).toString());
    if (payload === undefined) return socket.close(Close.DecodeError);
    if (payload.op === Op.Heartbeat) listenForBeat();
    receive(connection, payload);
  });
}

type Connection = {
  world: World;
  gateway: Gateway;
  socket: WebSocket;
  session: Session | undefined;
};

function receive(connection: Connection, { op, d }: z.output<typeof zPayload>): void {
  const { gateway, socket, session } = connection;
  switch (op) {
    case Op.Heartbeat:
      if (gateway.acknowledging) send(socket, { op: Op.HeartbeatAck });
      return;
    case Op.Identify:
      return session === undefined
        ? identify(connection, d)
        : socket.close(Close.AlreadyAuthenticated);
    case Op.Resume:
      return session === undefined
        ? resume(connection, d)
        : socket.close(Close.AlreadyAuthenticated);
    case Op.PresenceUpdate:
    case Op.VoiceStateUpdate:
      if (session === undefined) socket.close(Close.NotAuthenticated);
      return;
    case Op.RequestGuildMembers:
      return session === undefined
        ? socket.close(Close.NotAuthenticated)
        : sendMembers(connection, d);
    default:
      return socket.close(Close.UnknownOpcode);
  }
}

function identify(connection: Connection, d: unknown): void {
  const { world, gateway, socket } = connection;
  const asked = zIdentify.safeParse(d);
  if (!asked.success) return socket.close(Close.DecodeError);
  const { token, intents, shard: [shard, shardCount] = [0, 1] } = asked.data;
  if (token.replace(/^Bot /, '') !== world.application.token) {
    return socket.close(Close.AuthenticationFailed);
  }
  if (shard >= shardCount) return socket.close(Close.InvalidShard);
  const { privileged, id, botId } = world.application;
  const refused =
    (privileged.messageContent ? 0 : Intent.MessageContent) |
    (privileged.guildMembers ? 0 : Intent.GuildMembers) |
    (privileged.presences ? 0 : Intent.GuildPresences);
  if (intents >= 2 ** 26) return socket.close(Close.InvalidIntents);
  if ((intents & refused) !== 0) return socket.close(Close.DisallowedIntents);

  const session = openSession(socket, { shard, shardCount, intents });
  connection.session = session;
  const guilds = [...world.guilds.values()].filter(
    (guild) =>
      guild.members.has(botId) && Number((BigInt(guild.id) >> 22n) % BigInt(shardCount)) === shard,
  );
  dispatch(session, 'READY', {
    v: 10,
    user: { ...userPayload(world, botId), verified: true, mfa_enabled: true, email: null },
    guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
    session_id: session.id,
    resume_gateway_url: world.address.replace(/^http/, 'ws'),
    shard: [shard, shardCount],
    application: {
      id,
      flags: privileged.messageContent ? ApplicationFlags.GatewayMessageContentLimited : 0,
    },
  });
  gateway.sessions.set(session.id, session);
  tellPresence(world, gateway);
  if ((intents & Intent.Guilds) === 0) return;
  for (const guild of guilds) {
    if (!guild.unavailable) dispatch(session, 'GUILD_CREATE', guildCreatePayload(world, guild));
  }
}

function resume(connection: Connection, d: unknown): void {
  const { world, gateway, socket } = connection;
  const asked = zResume.safeParse(d);
  if (!asked.success) return socket.close(Close.DecodeError);
  if (asked.data.token.replace(/^Bot /, '') !== world.application.token) {
    return socket.close(Close.AuthenticationFailed);
  }
  const session = gateway.sessions.get(asked.data.session_id);
  const events = session === undefined ? undefined : missed(session, asked.data.seq);
  if (session === undefined || events === undefined) {
    return send(socket, { op: Op.InvalidSession, d: false });
  }
  // The old socket may not know yet that it is dead.
  if (session.socket !== null && session.socket !== socket) session.socket.terminate();
  for (const text of events) socket.send(text);
  session.socket = socket;
  connection.session = session;
  dispatch(session, 'RESUMED', {});
  tellPresence(world, gateway);
}

/** Tells the page whether the bot is there. */
function tellPresence(world: World, gateway: Gateway): void {
  world.changes.emit({
    t: 'SANDBOX_BOT',
    d: { online: isOnline(gateway) },
    intents: 0,
    pageOnly: true,
  });
}

export function isOnline(gateway: Gateway): boolean {
  return [...gateway.sessions.values()].some((session) => session.socket !== null);
}

/** Answers a request for members with what was asked for, in one chunk. */
function sendMembers({ world, session }: Connection, d: unknown): void {
  const asked = z
    .object({ guild_id: z.string(), nonce: z.string().optional() })
    .loose()
    .safeParse(d);
  if (!asked.success || session === undefined) return;
  const userIds = [(d as { user_ids?: string | string[] }).user_ids ?? []].flat();
  const members = world.guilds.get(asked.data.guild_id)?.members;
  const found = userIds.filter((id) => members?.has(id));
  dispatch(session, 'GUILD_MEMBERS_CHUNK', {
    guild_id: asked.data.guild_id,
    members: found.map((id) => ({ user: userPayload(world, id), roles: [], flags: 0 })),
    not_found: userIds.filter((id) => !found.includes(id)),
    chunk_index: 0,
    chunk_count: 1,
    ...(asked.data.nonce === undefined ? {} : { nonce: asked.data.nonce }),
  });
}

function parse(text: string): z.output<typeof zPayload> | undefined {
  try {
    return zPayload.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function send(socket: WebSocket, payload: object): void {
  socket.send(JSON.stringify(payload));
}
