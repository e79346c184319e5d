import { GatewayCloseCodes as Close, GatewayOpcodes as Op } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { parseJson } from '../model/json.ts';
import type { World } from '../model/world.ts';
import { soundPayload } from '../world/guilds/sounds.ts';
import { isWithin } from '../rest/limits.ts';
import type { Gateway } from './gateway.ts';
import { type Connection, identify, resume } from './identify.ts';
import { tellPresence } from './presence.ts';
import { acknowledge, dispatch, type Session } from './session.ts';
import { moveBot } from './move-bot.ts';
import { sendMembers } from './send-members.ts';
import { openWire, type Wire } from './wire.ts';

/**
 * Discord's HELLO never comes in one piece with the answer to the upgrade, and clients with a WebSocket of
 * their own (seyfert) lose what does.
 */
const HELLO_AFTER_MS = 10;

/** What Discord takes of one connection: bytes of a message, and messages in a minute. */
const MOST_BYTES = 4096;
const MOST_MESSAGES = 120;

/** Discord takes 6 to 8 as well, which are deprecated and say many things otherwise. */
const VERSIONS = [9, 10] as const;

const zPayload = z.object({ op: z.custom<Op>((op) => Number.isInteger(op)), d: z.unknown() });

/** One socket's life: HELLO, then IDENTIFY or RESUME, then heartbeats. */
export function connect(
  world: World,
  gateway: Gateway,
  socket: WebSocket,
  { url, host }: { url: URL; host: string | undefined },
): void {
  const version = VERSIONS.find((known) => String(known) === url.searchParams.get('v'));
  if (version === undefined) return socket.close(Close.InvalidAPIVersion);
  const wire = openWire(socket, url.searchParams.get('compress'));
  const encoding = url.searchParams.get('encoding') ?? 'json';
  if (wire === undefined || encoding !== 'json') {
    console.error(`This Discord in a box speaks JSON alone: it was asked for ${url.search}.`);
    return socket.close(Close.DecodeError);
  }
  const connection: Connection = {
    world,
    gateway,
    socket: wire,
    version,
    host,
    session: undefined,
  };
  const hello = { op: Op.Hello, d: { heartbeat_interval: gateway.heartbeatMs } };
  const greeting = setTimeout(() => send(wire, hello), HELLO_AFTER_MS);
  // A client that stops beating is gone, whatever its socket says.
  let silence: NodeJS.Timeout;
  const listenForBeat = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => socket.close(Close.SessionTimedOut), gateway.heartbeatMs * 2);
  };
  listenForBeat();
  socket.on('error', () => socket.terminate());
  socket.on('close', (code) => {
    clearTimeout(greeting);
    clearTimeout(silence);
    const { session } = connection;
    if (session?.socket !== wire) return;
    session.socket = null;
    session.lostAtMs = world.clock.now();
    tellPresence(world, gateway);
    // Closing with 1000 or 1001 ends the session; any other end leaves it to be resumed.
    if (code === 1000 || code === 1001) gateway.sessions.delete(session.id);
  });
  let lately: number[] = [];
  socket.on('message', (data) => {
    const nowMs = world.clock.now();
    lately = [...lately.filter((atMs) => isWithin(atMs, 60_000, nowMs)), nowMs];
    if (lately.length > MOST_MESSAGES) return socket.close(Close.RateLimited);
    const text = (data as Buffer).toString();
    const payload = Buffer.byteLength(text) > MOST_BYTES ? undefined : parse(text);
    if (payload === undefined) return socket.close(Close.DecodeError);
    if (payload.op === Op.Heartbeat) listenForBeat();
    receive(connection, payload);
  });
}

function receive(connection: Connection, { op, d }: z.output<typeof zPayload>): void {
  const { world, gateway, socket, session } = connection;
  switch (op) {
    case Op.Heartbeat:
      if (session !== undefined && typeof d === 'number') acknowledge(session, d);
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
      if (session === undefined) return socket.close(Close.NotAuthenticated);
      if (!zPresence.safeParse(d).success) socket.close(Close.DecodeError);
      return;
    case Op.VoiceStateUpdate:
      return session === undefined ? socket.close(Close.NotAuthenticated) : moveBot(connection, d);
    case Op.RequestGuildMembers:
      return session === undefined
        ? socket.close(Close.NotAuthenticated)
        : sendMembers(connection, d);
    case Op.RequestSoundboardSounds:
      return session === undefined
        ? socket.close(Close.NotAuthenticated)
        : sendSounds(world, session, d);
    default:
      return socket.close(Close.UnknownOpcode);
  }
}

const zPresence = z.object({
  since: z.number().nullish(),
  activities: z.array(z.object({ name: z.string(), type: z.int().optional() })).nullish(),
  status: z.enum(['online', 'dnd', 'idle', 'invisible', 'offline']),
  afk: z.boolean().nullish(),
});

const zSoundsRequest = z.object({ guild_ids: z.array(z.string()) });

function sendSounds(world: World, session: Session, d: unknown): void {
  for (const guildId of zSoundsRequest.safeParse(d).data?.guild_ids ?? []) {
    const guild = world.guilds.get(guildId);
    if (guild?.members.has(world.application.botId) !== true) continue;
    const sounds = [...guild.sounds.values()].map((sound) => soundPayload(guild, sound));
    dispatch(session, 'SOUNDBOARD_SOUNDS', { guild_id: guildId, soundboard_sounds: sounds });
  }
}

function parse(text: string): z.output<typeof zPayload> | undefined {
  try {
    return zPayload.parse(parseJson(text));
  } catch {
    return undefined;
  }
}

function send(socket: Wire, payload: object): void {
  socket.send(JSON.stringify(payload));
}
