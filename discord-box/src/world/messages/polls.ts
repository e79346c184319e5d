import { GatewayIntentBits, MessageType } from 'discord-api-types/v10';
import type { Channel } from '../../model/channel.ts';
import type { Message, Poll } from '../../model/message.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import type { World } from '../../model/world.ts';
import { createMessage, touchMessage } from './change-message.ts';

/** A member chooses answers, by their numbers; none takes the vote back. */
export function votePoll(
  world: World,
  channel: Channel,
  message: Message,
  poll: Poll,
  userId: Snowflake,
  answers: readonly number[],
): void {
  for (const { id, voterIds } of poll.answers) {
    const chosen = answers.includes(id);
    if (chosen === voterIds.has(userId)) continue;
    if (chosen) voterIds.add(userId);
    else voterIds.delete(userId);
    world.changes.emit({
      t: chosen ? 'MESSAGE_POLL_VOTE_ADD' : 'MESSAGE_POLL_VOTE_REMOVE',
      d: {
        user_id: userId,
        channel_id: channel.id,
        message_id: message.id,
        ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
        answer_id: id,
      },
      ...(channel.guildId === null ? {} : { guildId: channel.guildId }),
      channelId: channel.id,
      intents:
        channel.guildId === null
          ? GatewayIntentBits.DirectMessagePolls
          : GatewayIntentBits.GuildMessagePolls,
    });
  }
}

/** It ends, by its author or by its time, and Discord tells of it in a message that replies to it. */
export function endPoll(world: World, channel: Channel, message: Message, poll: Poll): void {
  if (poll.isOver) return;
  poll.isOver = true;
  poll.endsAtMs = Math.min(poll.endsAtMs, world.clock.now());
  touchMessage(world, channel, message);
  const votes = poll.answers.map(({ voterIds }) => voterIds.size);
  const most = Math.max(...votes);
  const leading = poll.answers.filter(({ voterIds }) => voterIds.size === most);
  const [winner] = leading.length === 1 ? leading : [];
  const fields = {
    poll_question_text: poll.question,
    victor_answer_votes: most,
    total_votes: votes.reduce((total, count) => total + count, 0),
    ...(winner === undefined
      ? {}
      : { victor_answer_id: winner.id, victor_answer_text: winner.text }),
  };
  createMessage(world, channel, {
    authorId: message.authorId,
    type: MessageType.PollResult,
    replyTo: message.id,
    allowedMentions: { parse: [] },
    embeds: [
      {
        type: 'poll_result',
        fields: Object.entries(fields).map(([name, value]) => ({
          name,
          value: String(value),
          inline: false,
        })),
      },
    ],
  });
}
