import {
  GatewayIntentBits,
  GuildScheduledEventEntityType as Kind,
  GuildScheduledEventStatus as Status,
} from 'discord-api-types/v10';
import type { Guild, ScheduledEvent } from '../../model/guild.ts';
import type { Json } from '../../model/message.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import type { World } from '../../model/world.ts';

export function eventPayload(guild: Guild, event: ScheduledEvent): Json {
  const { id, channelId, location, makerId, startsAtMs, endsAtMs } = event;
  return {
    id,
    guild_id: guild.id,
    channel_id: channelId,
    creator_id: makerId,
    name: event.name,
    description: event.description,
    image: null,
    scheduled_start_time: new Date(startsAtMs).toISOString(),
    scheduled_end_time: endsAtMs === null ? null : new Date(endsAtMs).toISOString(),
    privacy_level: 2,
    status: event.status,
    entity_type: event.kind,
    entity_id: guild.stages.get(channelId ?? '')?.id ?? null,
    entity_metadata: location === null ? null : { location },
    recurrence_rule: event.recurrence,
    guild_scheduled_event_exceptions: [],
  };
}

export function isUpcoming({ status }: ScheduledEvent): boolean {
  return status === Status.Scheduled || status === Status.Active;
}

export function tellEvent(
  world: World,
  guild: Guild,
  verb: 'CREATE' | 'UPDATE' | 'DELETE',
  event: ScheduledEvent,
): void {
  world.changes.emit({
    t: `GUILD_SCHEDULED_EVENT_${verb}`,
    d: eventPayload(guild, event),
    guildId: guild.id,
    intents: GatewayIntentBits.GuildScheduledEvents,
  });
}

export function addEvent(world: World, guild: Guild, event: ScheduledEvent): void {
  guild.events.set(event.id, event);
  tellEvent(world, guild, 'CREATE', event);
}

/** One that is over is told of once more, and then listed no longer. */
export function changeEvent(
  world: World,
  guild: Guild,
  event: ScheduledEvent,
  change: Partial<ScheduledEvent>,
): void {
  Object.assign(event, change);
  tellEvent(world, guild, 'UPDATE', event);
  if (!isUpcoming(event)) guild.events.delete(event.id);
}

/** A member says that it will come, or takes that back. */
export function setInterest(
  world: World,
  guild: Guild,
  event: ScheduledEvent,
  userId: Snowflake,
  isInterested: boolean,
): void {
  if (event.interestedIds.has(userId) === isInterested) return;
  if (isInterested) event.interestedIds.add(userId);
  else event.interestedIds.delete(userId);
  world.changes.emit({
    t: `GUILD_SCHEDULED_EVENT_USER_${isInterested ? 'ADD' : 'REMOVE'}`,
    d: { guild_scheduled_event_id: event.id, user_id: userId, guild_id: guild.id },
    guildId: guild.id,
    intents: GatewayIntentBits.GuildScheduledEvents,
  });
}

/** Discord says "on the order of hours". */
const GIVEN_UP_AFTER_MS = 3 * 3_600_000;

/** What goes on elsewhere begins and ends by its times; what nobody began is cancelled some hours later. */
export function moveEventsOn(world: World, guild: Guild): void {
  const nowMs = world.clock.now();
  for (const event of guild.events.values()) {
    const { status, startsAtMs, endsAtMs } = event;
    const isElsewhere = event.kind === Kind.External;
    if (isElsewhere && status === Status.Scheduled && startsAtMs <= nowMs) {
      changeEvent(world, guild, event, { status: Status.Active });
    } else if (isElsewhere && status === Status.Active && (endsAtMs ?? Infinity) <= nowMs) {
      changeEvent(world, guild, event, { status: Status.Completed });
    } else if (status === Status.Scheduled && startsAtMs + GIVEN_UP_AFTER_MS <= nowMs) {
      changeEvent(world, guild, event, { status: Status.Canceled });
    }
  }
}
