import { moveEventsOn } from './guilds/scheduled-events.ts';
import { endPoll } from './messages/polls.ts';
import { archiveIfIdle } from './messages/threads.ts';
import type { World } from '../model/world.ts';

const EVERY_MS = 300;

/** What this Discord does by itself as time goes on: threads archive, polls end. Returns how to end it. */
export function actByTime(world: World): () => void {
  const timer = setInterval(() => {
    const nowMs = world.clock.now();
    for (const guild of world.guilds.values()) moveEventsOn(world, guild);
    for (const channel of world.channels.values()) archiveIfIdle(world, channel);
    for (const [messageId, channelId] of world.openPolls) {
      const channel = world.channels.get(channelId);
      const message = channel?.messages.get(messageId);
      const poll = message?.poll;
      const isDue = poll && poll.endsAtMs <= nowMs;
      if (channel && message && isDue) endPoll(world, channel, message, poll);
      if (!poll || poll.isOver) world.openPolls.delete(messageId);
    }
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
