import { type Channel, isThread, nameOf, state } from '../state/state.ts';
import { say } from '../state/words.ts';

export const FORUM = 15;
export const DIRECT = 1;

export function channelLabel(channel: Channel): string {
  if (channel.type === DIRECT) return `@ ${nameOf(state.botId)}`;
  const mark = isThread(channel) ? '› ' : channel.type === FORUM ? '💬 ' : '# ';
  const archived = channel.thread_metadata?.archived === true ? ` (${say('archived')})` : '';
  return `${mark}${channel.name}${channel.nsfw === true ? ' 🔞' : ''}${archived}`;
}
