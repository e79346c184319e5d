import { randomBytes } from 'node:crypto';
import type { Change } from '../model/changes.ts';
import { type Exchanges, tellEvent } from '../model/exchanges.ts';
import type { Wire } from './wire.ts';

/** One identified connection of the bot: what it asked for, and what it was sent, for a resume. */
export type Session = {
  id: string;
  shard: number;
  shardCount: number;
  intents: number;
  sequence: number;
  /** The latest events, oldest first, as they were sent. */
  sent: { sequence: number; text: string }[];
  /** null while the connection is lost. */
  socket: Wire | null;
  /** Where every event is told of. */
  exchanges: Exchanges;
  /** When the connection was lost; null while there is one. */
  lostAtMs: number | null;
};

/** How many events wait for a resume; a longer gap cannot be resumed. */
const REPLAYED = 5000;

export function openSession(
  socket: Wire,
  exchanges: Exchanges,
  asked: { shard: number; shardCount: number; intents: number },
): Session {
  return {
    id: randomBytes(16).toString('hex'),
    ...asked,
    sequence: 0,
    sent: [],
    socket,
    exchanges,
    lostAtMs: null,
  };
}

/** Sends an event, or keeps it for the resume. */
export function dispatch(session: Session, t: string, d: unknown): void {
  session.sequence += 1;
  const text = JSON.stringify({ op: 0, t, s: session.sequence, d });
  session.sent.push({ sequence: session.sequence, text });
  if (session.sent.length > REPLAYED * 1.2) session.sent.splice(0, REPLAYED / 5);
  session.socket?.send(text);
  tellEvent(session.exchanges, t, text);
}

/** A client's heartbeat says up to which event it has all: those are not sent again. */
export function acknowledge(session: Session, sequence: number): void {
  const kept = session.sent.findIndex((event) => event.sequence > sequence);
  session.sent.splice(0, kept === -1 ? session.sent.length : kept);
}

/** All that came after a sequence number, in order; undefined when too much has been forgotten. */
export function missed(session: Session, after: number): string[] | undefined {
  if (after > session.sequence) return undefined;
  const oldest = session.sent[0]?.sequence ?? session.sequence + 1;
  if (after + 1 < oldest) return undefined;
  return session.sent.filter((event) => event.sequence > after).map((event) => event.text);
}

/** A guild belongs to one shard; what has no guild goes to the first. */
export function shardOf(change: Change, shardCount: number): number {
  return change.guildId === undefined
    ? 0
    : Number((BigInt(change.guildId) >> 22n) % BigInt(shardCount));
}
