import {
  GuildScheduledEventEntityType as Kind,
  GuildScheduledEventStatus as Status,
  PermissionFlagsBits as P,
} from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Guild, ScheduledEvent } from '../../model/guild.ts';
import { compareIds } from '../../model/snowflakes.ts';
import type { World } from '../../model/world.ts';
import {
  addEvent,
  changeEvent,
  eventPayload,
  isUpcoming,
  tellEvent,
} from '../../world/guilds/scheduled-events.ts';
import { memberPayload } from '../../world/member-payload.ts';
import { guildPermissions, mayView } from '../../world/permissions.ts';
import { userPayload } from '../../world/user-payload.ts';
import { needGuildPermission, needPermission, reachChannel, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { formError, parseForm } from '../parse-form.ts';

const MOST_EVENTS = 100;
const zTime = z.iso.datetime({ offset: true });
const zChange = z.object({
  name: z.string().min(1).max(100).optional(),
  privacy_level: z.literal(2).optional(),
  scheduled_start_time: zTime.optional(),
  scheduled_end_time: zTime.nullish(),
  description: z.string().max(1000).nullish(),
  entity_type: z.enum(Kind).optional(),
  entity_metadata: z.object({ location: z.string().min(1).max(100).nullish() }).nullish(),
  channel_id: z.string().nullish(),
  status: z.enum(Status).optional(),
  image: z.string().nullish(),
  recurrence_rule: z.looseObject({ start: zTime, frequency: z.int().min(0).max(3) }).nullish(),
});
const zForm = zChange.omit({ status: true }).required({
  name: true,
  privacy_level: true,
  scheduled_start_time: true,
  entity_type: true,
});
const zUsersPage = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(100),
  before: z.string().regex(/^\d+$/).optional(),
  after: z.string().regex(/^\d+$/).default('0'),
});

/** From which state an event comes to which. */
const NEXT: Record<Status, Status[]> = {
  [Status.Scheduled]: [Status.Active, Status.Canceled],
  [Status.Active]: [Status.Completed],
  [Status.Completed]: [],
  [Status.Canceled]: [],
};

export function scheduledEventRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;
  const path = '/guilds/:guild/scheduled-events';

  const reach = (context: Context): { guild: Guild; event: ScheduledEvent } => {
    const guild = reachGuild(world, context.req.param('guild') ?? '');
    const event = guild.events.get(context.req.param('event') ?? '');
    if (event === undefined || !isSeen(event)) throw refuse('unknownEvent');
    return { guild, event };
  };
  const isSeen = ({ channelId }: ScheduledEvent): boolean => {
    const channel = channelId === null ? undefined : world.channels.get(channelId);
    return channelId === null || (channel !== undefined && mayView(world, channel, botId));
  };
  const show = (context: Context, guild: Guild, event: ScheduledEvent) => ({
    ...eventPayload(guild, event),
    creator: userPayload(world, event.makerId),
    ...(context.req.query('with_user_count') === 'true'
      ? { user_count: event.interestedIds.size }
      : {}),
  });
  /** `making`: the permission to make one, or to change this one, besides those of its place. */
  const needRights = (guild: Guild, kind: Kind, channelId: string | null, making: bigint) => {
    if (kind === Kind.External || channelId === null) {
      return needGuildPermission(world, guild, making);
    }
    const channel = reachChannel(world, channelId);
    const ofPlace =
      kind === Kind.Voice
        ? P.ViewChannel | P.Connect
        : P.ManageChannels | P.MuteMembers | P.MoveMembers;
    return needPermission(world, channel, making | ofPlace);
  };
  const needToChange = (guild: Guild, { makerId, kind, channelId }: ScheduledEvent) => {
    const mayManage = (guildPermissions(world, guild, botId) & P.ManageEvents) !== 0n;
    const isOwn = makerId === botId && !mayManage;
    needRights(guild, kind, channelId, isOwn ? P.CreateEvents : P.ManageEvents);
  };
  routes.get(path, (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const events = [...guild.events.values()].filter((one) => isUpcoming(one) && isSeen(one));
    return context.json(events.map((one) => show(context, guild, one)));
  });
  routes.get(`${path}/:event`, (context) => {
    const { guild, event } = reach(context);
    return context.json(show(context, guild, event));
  });
  routes.post(path, async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const form = parseForm(zForm, (await readBody(context)).body);
    needRights(guild, form.entity_type, form.channel_id ?? null, P.CreateEvents);
    const event: ScheduledEvent = {
      id: world.snowflake(),
      makerId: botId,
      name: form.name,
      description: null,
      kind: form.entity_type,
      status: Status.Scheduled,
      startsAtMs: Date.parse(form.scheduled_start_time),
      endsAtMs: null,
      channelId: null,
      location: null,
      recurrence: null,
      interestedIds: new Set([botId]),
      ...settingsOf(form),
    };
    refuseImpossible(world, event, true);
    if (guild.events.size >= MOST_EVENTS) throw refuse('tooManyEvents');
    addEvent(world, guild, event);
    return context.json(show(context, guild, event));
  });
  routes.patch(`${path}/:event`, async (context) => {
    const { guild, event } = reach(context);
    needToChange(guild, event);
    const form = parseForm(zChange, (await readBody(context)).body);
    const { status } = form;
    if (!isUpcoming(event)) throw refuse('eventIsOver');
    if (status !== undefined && status !== event.status && !NEXT[event.status].includes(status)) {
      const message = 'This status does not follow from the one before.';
      throw formError([{ path: ['status'], code: 'BASE_TYPE_CHOICES', message }]);
    }
    const change = settingsOf(form);
    refuseImpossible(world, { ...event, ...change }, change.startsAtMs !== undefined);
    changeEvent(world, guild, event, { ...change, ...(status === undefined ? {} : { status }) });
    return context.json(show(context, guild, event));
  });
  routes.delete(`${path}/:event`, (context) => {
    const { guild, event } = reach(context);
    needToChange(guild, event);
    guild.events.delete(event.id);
    tellEvent(world, guild, 'DELETE', event);
    return context.body(null, 204);
  });

  routes.get(`${path}/:event/users`, (context) => {
    const { guild, event } = reach(context);
    const { limit, before, after } = parseForm(zUsersPage, context.req.query());
    const ids = [...event.interestedIds].sort(compareIds);
    const page =
      before === undefined
        ? ids.filter((id) => compareIds(id, after) > 0).slice(0, limit)
        : ids.filter((id) => compareIds(id, before) < 0).slice(-limit);
    const withMember = context.req.query('with_member') === 'true';
    return context.json(
      page.map((id) => {
        const member = withMember ? guild.members.get(id) : undefined;
        return {
          guild_scheduled_event_id: event.id,
          user_id: id,
          user: userPayload(world, id),
          ...(member === undefined ? {} : { member: memberPayload(world, member) }),
        };
      }),
    );
  });

  return routes;
}

/** What a form says of an event, on top of what it was. */
function settingsOf(form: z.output<typeof zChange>): Partial<ScheduledEvent> {
  const { name, description, scheduled_start_time: starts, scheduled_end_time: ends } = form;
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(starts === undefined ? {} : { startsAtMs: Date.parse(starts) }),
    ...(ends === undefined ? {} : { endsAtMs: ends === null ? null : Date.parse(ends) }),
    ...(form.entity_type === undefined ? {} : { kind: form.entity_type }),
    ...(form.channel_id === undefined ? {} : { channelId: form.channel_id }),
    ...(form.entity_metadata === undefined
      ? {}
      : { location: form.entity_metadata?.location ?? null }),
    ...(form.recurrence_rule === undefined ? {} : { recurrence: form.recurrence_rule }),
  };
}

/** What each kind of event needs. `isTimed`: it says anew when it begins. */
function refuseImpossible(world: World, event: ScheduledEvent, isTimed: boolean): void {
  const { kind, channelId, location, startsAtMs, endsAtMs } = event;
  if (kind === Kind.External) {
    if (location === null) throw required(['entity_metadata', 'location']);
    if (endsAtMs === null) throw required(['scheduled_end_time']);
    if (channelId !== null) {
      const message = 'An event elsewhere has no channel.';
      throw formError([{ path: ['channel_id'], code: 'BASE_TYPE_INVALID', message }]);
    }
  } else if (channelId === null) throw required(['channel_id']);
  if (isTimed && startsAtMs <= world.clock.now()) {
    const code = 'GUILD_SCHEDULED_EVENT_SCHEDULE_PAST';
    const message = 'Cannot schedule event in the past.';
    throw formError([{ path: ['scheduled_start_time'], code, message }]);
  }
  if (endsAtMs !== null && endsAtMs <= startsAtMs) {
    const message = 'The event must end after it begins.';
    throw formError([{ path: ['scheduled_end_time'], code: 'BASE_TYPE_INVALID', message }]);
  }
}

function required(path: string[]) {
  return formError([{ path, code: 'BASE_TYPE_REQUIRED', message: 'This field is required' }]);
}
