import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { EventFilter } from './event-faults.ts';
import type { Session } from './session.ts';

export type Gateway = {
  sessions: Map<string, Session>;
  sockets: Set<WebSocket>;
  events: EventFilter;
  /** Whether heartbeats are acknowledged; a client that hears nothing must reconnect by itself. */
  acknowledging: boolean;
  /** Whether connections are accepted at all. */
  open: boolean;
  heartbeatMs: number;
  /** When all members of a guild were last asked for, by the guild's id; undefined: as often as one likes. */
  membersAskedAtMs: Map<string, number> | undefined;
  /** Every IDENTIFY with a good token, in the order of arrival. */
  identifies: { shard: number; atMs: number; tooSoon: boolean }[];
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Cuts every connection; without `resumable` the sessions are forgotten as well. */
  drop(options?: { resumable?: boolean; code?: number }): void;
  /** Tells every session to reconnect and resume (op 7). */
  askToReconnect(): void;
  /** Tells every session that it is over (op 9). */
  invalidate(options?: { resumable?: boolean }): void;
  stop(): Promise<void>;
};
