import { randomBytes } from 'node:crypto';
import {
  ChannelType,
  GatewayIntentBits,
  MessageFlags,
  MessageType,
  PermissionFlagsBits as P,
} from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { createMessage, deleteMessages } from '../../world/messages/change-message.ts';
import { messagePayload } from '../../world/messages/message-payload.ts';
import { startPost } from '../../world/messages/threads.ts';
import { userPayload } from '../../world/user-payload.ts';
import { type Channel, holdsMessages, isForum } from '../../model/channel.ts';
import type { Message } from '../../model/message.ts';
import type { Webhook, World } from '../../model/world.ts';
import { needGuildPermission, needPermission, reachChannel, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';
import { applyEdit, contents, readDraft, refuseEmpty } from '../send.ts';

const MOST_WEBHOOKS = 15;
const PATH = '/webhooks/:application/:token';

/** Discord takes no name that looks like its own. */
const zName = z
  .string()
  .min(1)
  .max(80)
  .refine((name) => !/clyde|discord/i.test(name), { message: 'This name is not allowed.' });
const zWebhookForm = z.object({ name: zName, avatar: z.string().nullish() });
const zWebhookChange = z.object({
  name: zName.nullish(),
  avatar: z.string().nullish(),
  channel_id: z.string().nullish(),
});
const zFollower = z.object({ webhook_channel_id: z.string() });
const zAs = z.looseObject({
  username: zName.nullish(),
  avatar_url: z.string().nullish(),
  /** Of a new post in a forum. */
  thread_name: z.string().min(1).max(100).nullish(),
  applied_tags: z.array(z.string()).max(5).nullish(),
});

/**
 * Webhooks of channels, and what they write. Who knows the token needs no other right; the paths are
 * those of interactions, which answer to what is no webhook.
 */
export function channelWebhookRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;

  const payload = (webhook: Webhook) => {
    const { id, token, guildId, channelId, name, makerId, followedId } = webhook;
    const shown = {
      id,
      guild_id: guildId,
      channel_id: channelId,
      name,
      avatar: null,
      user: userPayload(world, makerId),
    };
    if (followedId === null) {
      const url = `https://discord.com/api/webhooks/${id}/${token}`;
      return { ...shown, type: 1, application_id: world.application.id, token, url };
    }
    return { ...shown, type: 2, application_id: null, ...sourceOf(world, followedId) };
  };
  const reachWebhook = (id: string): Webhook => {
    const webhook = world.webhooks.get(id);
    if (webhook === undefined || !world.channels.has(webhook.channelId)) {
      throw refuse('unknownWebhook');
    }
    return webhook;
  };
  /** By its id alone, for who may manage it. */
  const manage = (context: Context): Webhook => {
    const webhook = reachWebhook(context.req.param('application') ?? '');
    needPermission(world, reachChannel(world, webhook.channelId), P.ManageWebhooks);
    return webhook;
  };
  /** By its id and token; undefined: these are an interaction's. */
  const named = (context: Context): Webhook | undefined => {
    const id = context.req.param('application') ?? '';
    if (!world.webhooks.has(id)) return undefined;
    const webhook = reachWebhook(id);
    if (webhook.followedId !== null || webhook.token !== context.req.param('token'))
      throw refuse('invalidWebhookToken');
    return webhook;
  };
  /** The channel, or the thread that the query names. */
  const placeOf = (context: Context, { channelId }: Webhook): Channel => {
    const thread = context.req.query('thread_id');
    const channel = world.channels.get(thread ?? channelId);
    if (channel === undefined) throw refuse('unknownChannel');
    if (thread !== undefined && channel.parentId !== channelId) throw refuse('unknownChannel');
    return channel;
  };
  const change = async (context: Context, webhook: Webhook) => {
    const form = parseForm(zWebhookChange, (await readBody(context)).body);
    if (form.name != null) webhook.name = form.name;
    if (form.channel_id != null) webhook.channelId = reachChannel(world, form.channel_id).id;
    tellWebhooks(world, webhook);
    return context.json(payload(webhook));
  };
  const remove = (context: Context, webhook: Webhook) => {
    world.webhooks.delete(webhook.id);
    tellWebhooks(world, webhook);
    return context.body(null, 204);
  };

  const needRoom = (channel: Channel): void => {
    const there = [...world.webhooks.values()].filter(({ channelId }) => channelId === channel.id);
    if (there.length >= MOST_WEBHOOKS) throw refuse('tooManyWebhooks');
  };

  routes.post('/channels/:channel/webhooks', async (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    needPermission(world, channel, P.ManageWebhooks);
    if (channel.thread !== null || channel.guildId === null) throw refuse('notInThisChannel');
    const { name } = parseForm(zWebhookForm, (await readBody(context)).body);
    needRoom(channel);
    const webhook: Webhook = {
      id: world.snowflake(),
      token: randomBytes(51).toString('base64url'),
      name,
      guildId: channel.guildId,
      channelId: channel.id,
      makerId: botId,
      followedId: null,
    };
    world.webhooks.set(webhook.id, webhook);
    tellWebhooks(world, webhook);
    return context.json(payload(webhook));
  });
  /** What the announcement channel publishes comes to another one, which needs the permission alone. */
  routes.post('/channels/:channel/followers', async (context) => {
    const source = reachChannel(world, context.req.param('channel'));
    if (source.type !== ChannelType.GuildAnnouncement) throw refuse('notInThisChannel');
    const form = parseForm(zFollower, (await readBody(context)).body);
    const target = reachChannel(world, form.webhook_channel_id);
    needPermission(world, target, P.ManageWebhooks);
    if (target.type !== ChannelType.GuildText || target.guildId === null) {
      throw refuse('notInThisChannel');
    }
    needRoom(target);
    const followedId = source.id;
    const name = `${world.guilds.get(source.guildId ?? '')?.name} #${source.name}`;
    const place = { guildId: target.guildId, channelId: target.id };
    const id = world.snowflake();
    const webhook = { id, token: '', name, ...place, makerId: botId, followedId };
    world.webhooks.set(id, webhook);
    tellWebhooks(world, webhook);
    const origin = { messageId: null, channelId: source.id, guildId: source.guildId };
    const type = MessageType.ChannelFollowAdd;
    createMessage(world, target, { authorId: botId, type, content: name, origin });
    return context.json({ channel_id: source.id, webhook_id: id });
  });
  routes.get('/channels/:channel/webhooks', (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    needPermission(world, channel, P.ManageWebhooks);
    const found = [...world.webhooks.values()].filter(({ channelId }) => channelId === channel.id);
    return context.json(found.map(payload));
  });
  routes.get('/guilds/:guild/webhooks', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageWebhooks);
    const found = [...world.webhooks.values()].filter(({ guildId }) => guildId === guild.id);
    return context.json(found.map(payload));
  });
  routes.get('/webhooks/:application', (context) => context.json(payload(manage(context))));
  routes.patch('/webhooks/:application', (context) => change(context, manage(context)));
  routes.delete('/webhooks/:application', (context) => remove(context, manage(context)));

  routes.get(PATH, (context, next) => {
    const webhook = named(context);
    if (webhook === undefined) return next();
    const { user: _, ...shown } = payload(webhook);
    return Promise.resolve(context.json(shown));
  });
  routes.patch(PATH, (context, next) => {
    const webhook = named(context);
    return webhook === undefined ? next() : change(context, webhook);
  });
  routes.delete(PATH, async (context, next) => {
    const webhook = named(context);
    return webhook === undefined ? next() : remove(context, webhook);
  });

  routes.post(PATH, async (context, next) => {
    const webhook = named(context);
    if (webhook === undefined) return next();
    const channel = placeOf(context, webhook);
    if (!isForum(channel) && !holdsMessages(channel)) throw refuse('notTextChannel');
    if (channel.thread?.archived === true && channel.thread.locked) throw refuse('threadArchived');
    const { body, files } = await readBody(context);
    const { username, avatar_url: _, thread_name, applied_tags, ...rest } = parseForm(zAs, body);
    const isNamed = thread_name != null;
    if (isNamed && context.req.query('thread_id')) throw refuse('webhookHasBothThreads');
    if (isNamed && !isForum(channel)) throw refuse('webhookThreadElsewhere');
    if (!isNamed && isForum(channel)) throw refuse('webhookNeedsThread');
    const draft = readDraft(rest, files);
    refuseEmpty(draft);
    const settable =
      MessageFlags.SuppressEmbeds |
      MessageFlags.SuppressNotifications |
      MessageFlags.IsComponentsV2;
    const written = {
      ...contents(world, draft),
      webhook: { id: webhook.id, name: username ?? webhook.name },
      flags: (draft.form.flags ?? 0) & settable,
    };
    const post = {
      name: thread_name ?? '',
      ownerId: webhook.id,
      appliedTagIds: applied_tags ?? [],
    };
    const message = isNamed
      ? startPost(world, channel, post, written).message
      : createMessage(world, channel, { ...written, authorId: webhook.id });
    if (context.req.query('wait') !== 'true') return context.body(null, 204);
    return context.json(messagePayload(world, message));
  });

  const reachOwn = (context: Context, webhook: Webhook): { channel: Channel; message: Message } => {
    const channel = placeOf(context, webhook);
    const message = channel.messages.get(context.req.param('message') ?? '');
    if (message?.webhook?.id !== webhook.id) throw refuse('unknownMessage');
    return { channel, message };
  };
  routes.get(`${PATH}/messages/:message`, async (context, next) => {
    const webhook = named(context);
    if (webhook === undefined) return next();
    return context.json(messagePayload(world, reachOwn(context, webhook).message));
  });
  routes.patch(`${PATH}/messages/:message`, async (context, next) => {
    const webhook = named(context);
    if (webhook === undefined) return next();
    const { channel, message } = reachOwn(context, webhook);
    const { body, files } = await readBody(context);
    applyEdit(world, channel, message, readDraft(body, files, message));
    return context.json(messagePayload(world, message));
  });
  routes.delete(`${PATH}/messages/:message`, async (context, next) => {
    const webhook = named(context);
    if (webhook === undefined) return next();
    const { channel, message } = reachOwn(context, webhook);
    deleteMessages(world, channel, [message.id]);
    return context.body(null, 204);
  });

  return routes;
}

function tellWebhooks(world: World, { guildId, channelId }: Webhook): void {
  world.changes.emit({
    t: 'WEBHOOKS_UPDATE',
    d: { guild_id: guildId, channel_id: channelId },
    guildId,
    intents: GatewayIntentBits.GuildWebhooks,
  });
}

/** The channel that a webhook follows, and its guild, as far as they are still there. */
function sourceOf(world: World, followedId: string) {
  const channel = world.channels.get(followedId);
  const guild = world.guilds.get(channel?.guildId ?? '');
  if (channel === undefined || guild === undefined) return {};
  return {
    source_channel: { id: channel.id, name: channel.name },
    source_guild: { id: guild.id, name: guild.name, icon: null },
  };
}
