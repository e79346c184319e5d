import { GatewayIntentBits } from 'discord-api-types/v10';
import type { Channel } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';
import { mayView } from '../permissions.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import { channelPayload, gatewayChannel } from './channel-payload.ts';

/**
 * Makes a change of permissions. The bot is told of the channels that it sees from now on, or no more, and of
 * the threads in channels that it did not see before. `told`: the change itself tells of this channel.
 */
export function tellVisibility(
  world: World,
  guildId: Snowflake | null,
  change: () => void,
  told?: Channel,
): void {
  const sees = (channel: Channel): boolean => mayView(world, channel, world.application.botId);
  const inGuild = [...world.channels.values()].filter((channel) => channel.guildId === guildId);
  const channels = inGuild.filter(({ thread }) => thread === null);
  const seen = new Set(channels.filter(sees));
  change();
  if (guildId === null) return;
  const emit = (t: string, d: Record<string, unknown>): void =>
    world.changes.emit({ t, d, guildId, intents: GatewayIntentBits.Guilds });
  const changed = channels.filter((channel) => sees(channel) !== seen.has(channel));
  for (const channel of changed) {
    if (channel !== told) emit('CHANNEL_UPDATE', gatewayChannel(world, channel));
  }
  const shown = new Set(changed.filter(sees).map(({ id }) => id));
  const threads = inGuild.filter(
    (one) => one.thread?.archived === false && shown.has(one.parentId ?? '') && sees(one),
  );
  if (threads.length === 0) return;
  emit('THREAD_LIST_SYNC', {
    guild_id: guildId,
    channel_ids: [...shown],
    threads: threads.map((thread) => channelPayload(thread)),
    members: [],
  });
}
