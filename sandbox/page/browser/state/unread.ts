import { type Channel, isNewer, state } from './state.ts';

/** The last message that the acting member has seen in each channel, kept by this browser. */
let seen: Record<string, string> = {};
/** How often the member was mentioned since, by channel. */
const pings = new Map<string, number>();

const place = () => `seen ${state.me}`;

export function readSeen(): void {
  pings.clear();
  seen = {};
  try {
    seen = JSON.parse(localStorage.getItem(place()) ?? '{}') as Record<string, string>;
  } catch {
    // What cannot be read counts as nothing seen yet.
  }
  // A channel that was never opened begins as read: only what is new from now on counts.
  for (const { id, last_message_id: last } of state.channels) seen[id] ??= last ?? '0';
}

/** `told`: a message that is newer than what the channel's list says. */
export function markSeen(channelId: string, told?: string | null): void {
  pings.delete(channelId);
  if (!told) return;
  if (!isNewer(told, seen[channelId] ?? '0')) return;
  seen[channelId] = told;
  localStorage.setItem(place(), JSON.stringify(seen));
}

export function addPing(channelId: string): void {
  pings.set(channelId, (pings.get(channelId) ?? 0) + 1);
}

export const pingsIn = (channelId: string): number => pings.get(channelId) ?? 0;

export const seenIn = (channelId: string): string => seen[channelId] ?? '0';

export function isUnread({ id, last_message_id: last }: Channel): boolean {
  return Boolean(last) && isNewer(last ?? '0', seen[id] ?? last ?? '0');
}
