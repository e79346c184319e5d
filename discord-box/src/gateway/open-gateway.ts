import { GatewayCloseCodes as Close, GatewayIntentBits } from 'discord-api-types/v10';
import { WebSocketServer } from 'ws';
import type { World } from '../model/world.ts';
import type { Change } from '../model/changes.ts';
import { mayRead, mayView } from '../world/permissions.ts';
import type { Random } from '../world/random.ts';
import { connect } from './connection.ts';
import { openEventFilter } from './event-faults.ts';
import type { Gateway } from './gateway.ts';
import { dispatch, shardOf } from './session.ts';

export function openGateway(
  world: World,
  random: Random,
  { heartbeatMs, rateLimits }: { heartbeatMs: number; rateLimits: boolean },
): Gateway {
  const server = new WebSocketServer({ noServer: true });
  const stopListening = world.changes.listen((change) => deliver(world, gateway, change));
  const gateway: Gateway = {
    sessions: new Map(),
    sockets: new Set(),
    events: openEventFilter(random),
    acknowledging: true,
    open: true,
    heartbeatMs,
    membersAskedAtMs: rateLimits ? new Map() : undefined,
    identifies: [],
    upgrade: (request, socket, head) => {
      if (!gateway.open) {
        socket.destroy();
        return;
      }
      server.handleUpgrade(request, socket, head, (accepted) => {
        gateway.sockets.add(accepted);
        accepted.on('close', () => gateway.sockets.delete(accepted));
        const { host } = request.headers;
        connect(world, gateway, accepted, {
          url: new URL(request.url ?? '/', 'ws://discord'),
          host,
        });
      });
    },
    drop: ({ resumable = true, code } = {}) => {
      if (!resumable) gateway.sessions.clear();
      for (const socket of gateway.sockets) {
        if (code === undefined) socket.terminate();
        else socket.close(code);
      }
    },
    askToReconnect: () => sendAll(gateway, { op: 7, d: null }),
    invalidate: ({ resumable = false } = {}) => {
      sendAll(gateway, { op: 9, d: resumable });
      if (!resumable) gateway.sessions.clear();
    },
    stop: () => {
      stopListening();
      for (const socket of gateway.sockets) socket.close(Close.UnknownError);
      const lingering = setTimeout(() => {
        for (const socket of gateway.sockets) socket.terminate();
      }, 500);
      return new Promise((resolve) => {
        server.close(() => {
          clearTimeout(lingering);
          resolve();
        });
      });
    },
  };
  return gateway;
}

function sendAll(gateway: Gateway, payload: object): void {
  const text = JSON.stringify(payload);
  for (const { socket } of gateway.sessions.values()) socket?.send(text);
}

/** Gives a change to each session that asked for it and may see it. */
function deliver(world: World, gateway: Gateway, change: Change): void {
  if (change.pageOnly === true || gateway.sessions.size === 0) return;
  if (!reachesBot(world, change)) return;
  for (const session of gateway.sessions.values()) {
    if (shardOf(change, session.shardCount) !== session.shard) continue;
    if (change.intents !== 0 && (session.intents & change.intents) === 0) continue;
    const reads = (session.intents & GatewayIntentBits.MessageContent) !== 0;
    const d = reads ? change.d : (change.withoutContent ?? change.d);
    gateway.events.pass(change.t, () => dispatch(session, change.t, d));
  }
}

function reachesBot(world: World, change: Change): boolean {
  const { botId } = world.application;
  if (change.guildId !== undefined) {
    const guild = world.guilds.get(change.guildId);
    if (guild === undefined || !guild.members.has(botId)) return false;
    if (guild.unavailable && change.t !== 'GUILD_DELETE') return false;
  }
  if (change.channelId === undefined) return true;
  const channel = world.channels.get(change.channelId);
  if (channel === undefined) return true;
  const sees = change.t.startsWith('MESSAGE_') ? mayRead : mayView;
  return sees(world, channel, botId);
}
