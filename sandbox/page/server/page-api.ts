import { type Context, Hono } from 'hono';
import { channelPayload } from '../../../discord-box/src/world/channels/channel-payload.ts';
import type { Gateway } from '../../../discord-box/src/gateway/gateway.ts';
import { isOnline } from '../../../discord-box/src/gateway/presence.ts';
import { rolePayload } from '../../../discord-box/src/world/guilds/guild-payload.ts';
import { memberPayload } from '../../../discord-box/src/world/member-payload.ts';
import { actAs } from '../../../discord-box/src/act/actor.ts';
import { ActorError } from '../../../discord-box/src/act/actor-error.ts';
import type { Snowflake } from '../../../discord-box/src/model/snowflakes.ts';
import type { World } from '../../../discord-box/src/model/world.ts';
import type { RequestLog } from '../../../discord-box/src/rest/request-log.ts';
import { userPayload } from '../../../discord-box/src/world/user-payload.ts';
import { VERBS } from './verbs.ts';

/** The number of messages that the page shows of a channel. */
const MOST_MESSAGES = 500;

type PageNeeds = {
  world: World;
  gateway: Gateway;
  requests: RequestLog;
  /** Whether the page lists a user among those that one can act as; all by default. */
  showsMember?(username: string): boolean;
  /** As whom the page acts at first; a member by default. */
  firstActor?: Snowflake | undefined;
};

/**
 * What the page uses, all under `/sandbox`: `GET community`, `GET clock`, `GET requests`,
 * `GET as/:user/channels|messages|commands`, `POST as/:user/<verb>`, and `more`.
 */
export function pageApi(parts: PageNeeds, more: Hono = new Hono()): Hono {
  const { world, gateway, requests } = parts;
  const api = new Hono();

  api.onError((error, context) => {
    const refused = error instanceof ActorError;
    if (!refused) console.error('The sandbox failed:', error);
    return context.json({ refused: error.message }, refused ? 422 : 500);
  });

  api.get('/community', (context) =>
    context.json({
      firstActor: parts.firstActor ?? null,
      bot: { ...userPayload(world, world.application.botId), online: isOnline(gateway) },
      guilds: [...world.guilds.values()].map((guild) => ({
        id: guild.id,
        name: guild.name,
        ownerId: guild.ownerId,
        unavailable: guild.unavailable,
        roles: [...guild.roles.values()].map(rolePayload),
        members: [...guild.members.values()].filter(isSomebody).map((member) => ({
          ...memberPayload(world, member),
          locale: world.users.get(member.userId)?.locale,
        })),
      })),
    }),
  );

  const isSomebody = ({ userId }: { userId: string }): boolean =>
    parts.showsMember?.(world.users.get(userId)?.username ?? '') ?? true;
  const actor = (context: Context) => {
    const userId = context.req.param('user') ?? '';
    if (!world.users.has(userId)) throw new ActorError('There is no such member.');
    return actAs(world, userId);
  };

  api.get('/as/:user/channels', (context) =>
    context.json(
      actor(context)
        .channels()
        .map((channel) => ({
          ...channelPayload(channel, world),
          ...(channel.thread?.memberIds.has(actor(context).userId) === true ? { member: {} } : {}),
        })),
    ),
  );
  api.get('/as/:user/messages', (context) =>
    context.json(actor(context).messages(channelOf(context), MOST_MESSAGES)),
  );
  api.get('/as/:user/commands', (context) =>
    context.json(actor(context).commands(channelOf(context))),
  );

  api.post('/as/:user/:verb', async (context) => {
    const verb = VERBS[context.req.param('verb')];
    if (verb === undefined) return context.notFound();
    const input = verb.form.safeParse(await context.req.json());
    if (!input.success) return context.json({ refused: input.error.message }, 400);
    return context.json((await verb.act(actor(context), input.data as never)) ?? null);
  });

  api.get('/clock', (context) => context.json({ nowMs: world.clock.now() }));
  api.get('/requests', (context) => context.json({ recent: requests.recent.slice(-200) }));
  api.route('/', more);
  return api;
}

function channelOf(context: Context): string {
  return context.req.query('channel') ?? '';
}
