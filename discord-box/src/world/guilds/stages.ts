import { GatewayIntentBits } from 'discord-api-types/v10';
import type { Guild, Stage } from '../../model/guild.ts';
import type { Json } from '../../model/message.ts';
import type { World } from '../../model/world.ts';

export function stagePayload(guild: Guild, { id, channelId, topic, eventId }: Stage): Json {
  return {
    id,
    guild_id: guild.id,
    channel_id: channelId,
    topic,
    privacy_level: 2,
    discoverable_disabled: true,
    guild_scheduled_event_id: eventId,
  };
}

/** A stage opens, gets another topic, or closes. */
export function tellStage(world: World, guild: Guild, verb: string, stage: Stage): void {
  world.changes.emit({
    t: `STAGE_INSTANCE_${verb}`,
    d: stagePayload(guild, stage),
    guildId: guild.id,
    intents: GatewayIntentBits.Guilds,
  });
}
