import { GatewayIntentBits } from 'discord-api-types/v10';
import type { Channel } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';
import { mayView } from '../permissions.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import { channelPayload } from './channel-payload.ts';

/** Makes a change of permissions. The bot is told of the threads in channels that it did not see before. */
export function syncThreads(world: World, guildId: Snowflake | null, change: () => void): void {
  const sees = (channel: Channel): boolean => mayView(world, channel, world.application.botId);
  const inGuild = [...world.channels.values()].filter((channel) => channel.guildId === guildId);
  const hidden = inGuild.filter(({ thread }) => thread === null).filter((one) => !sees(one));
  change();
  const shown = new Set(hidden.filter(sees).map(({ id }) => id));
  const threads = inGuild.filter(
    (one) => one.thread?.archived === false && shown.has(one.parentId ?? '') && sees(one),
  );
  if (guildId === null || threads.length === 0) return;
  world.changes.emit({
    t: 'THREAD_LIST_SYNC',
    d: {
      guild_id: guildId,
      channel_ids: [...shown],
      threads: threads.map((thread) => channelPayload(thread)),
      members: [],
    },
    guildId,
    intents: GatewayIntentBits.Guilds,
  });
}
