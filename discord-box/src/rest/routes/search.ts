import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { channelPayload } from '../../world/channels/channel-payload.ts';
import { messagePayload } from '../../world/messages/message-payload.ts';
import type { Channel } from '../../model/channel.ts';
import type { Message } from '../../model/message.ts';
import { compareIds, isSnowflake } from '../../model/snowflakes.ts';
import type { World } from '../../model/world.ts';
import { guildPermissions, mayView } from '../../world/permissions.ts';
import { mayReadHistory, reachGuild } from '../access.ts';
import { refuse } from '../errors.ts';
import { formError, parseForm } from '../parse-form.ts';

const zSnowflake = z.string().refine((id) => isSnowflake(id.padStart(15, '0')), {
  params: { code: 'NUMBER_TYPE_COERCE' },
  message: 'Value is not snowflake.',
});
const zTruth = z.enum(['true', 'false']).transform((text) => text === 'true');

/** The filters that this Discord knows. It refuses the other documented ones rather than ignore them. */
const zQuery = z.object({
  limit: z.coerce.number().int().min(1).max(25).default(25),
  offset: z.coerce.number().int().min(0).max(9975).default(0),
  max_id: zSnowflake.optional(),
  min_id: zSnowflake.optional(),
  channel_id: z.array(zSnowflake).max(500).default([]),
  author_id: z.array(zSnowflake).max(100).default([]),
  author_type: z.array(z.enum(['user', 'bot', 'webhook'])).default([]),
  has: z.array(z.enum(['link', '-link', 'embed'])).default([]),
  sort_by: z.enum(['timestamp', 'relevance']).default('timestamp'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
  include_nsfw: zTruth.default(false),
});
type Query = z.output<typeof zQuery>;
const LISTS = ['channel_id', 'author_id', 'author_type', 'has'];

/** Search Guild Messages, from its documentation of August 2026. */
export function searchRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;

  routes.get('/guilds/:guild/messages/search', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    if ((guildPermissions(world, guild, botId) & P.ReadMessageHistory) === 0n) {
      throw refuse('missingPermissions');
    }
    // The documentation says only that it is restricted without the intent.
    if (!world.application.privileged.messageContent) throw refuse('missingAccess');
    const query = readQuery(context);
    if (world.unindexed.has(guild.id)) {
      const message = 'Index not yet available. Try again later';
      return context.json({ message, code: 110000, documents_indexed: 0, retry_after: 2 }, 202);
    }
    const channels = [...world.channels.values()].filter(
      (channel) => channel.guildId === guild.id && isSearched(world, channel, query),
    );
    const found = channels
      .flatMap((channel) => [...channel.messages.values()])
      .filter((message) => fits(message, query) && isByOne(world, message, query))
      .sort((a, b) => (query.sort_order === 'asc' ? 1 : -1) * compareIds(a.id, b.id));
    const shown = found.slice(query.offset, query.offset + query.limit);
    const threads = channels.filter(
      ({ id, thread }) => thread !== null && shown.some((message) => message.channelId === id),
    );
    return context.json({
      doing_deep_historical_index: false,
      total_results: found.length,
      messages: shown.map((message) => {
        const { reactions: _, ...payload } = messagePayload(world, message);
        return [{ ...payload, hit: true }];
      }),
      threads: threads.map((thread) => channelPayload(thread)),
      members: [],
    });
  });

  return routes;
}

function readQuery(context: Context): Query {
  const given = context.req.queries();
  const entries = Object.entries(given).map(([name, values]) => {
    if (!(name in zQuery.shape)) {
      const message = 'This Discord does not know this filter.';
      throw formError([{ path: [name], code: 'BASE_TYPE_INVALID', message }]);
    }
    return [name, LISTS.includes(name) ? values : values.at(-1)] as const;
  });
  return parseForm(zQuery, Object.fromEntries(entries));
}

/** Messages of a thread are not in its channel: whoever wants them names the thread. */
function isSearched(world: World, channel: Channel, { channel_id, include_nsfw }: Query): boolean {
  if (channel_id.length > 0 && !channel_id.includes(channel.id)) return false;
  const holder = channel.thread === null ? channel : world.channels.get(channel.parentId ?? '');
  if (holder?.ageRestricted === true && !include_nsfw) return false;
  return mayView(world, channel, world.application.botId) && mayReadHistory(world, channel);
}

function fits(message: Message, { min_id, max_id, author_id, has }: Query): boolean {
  if (message.onlyFor !== null) return false;
  if (min_id !== undefined && compareIds(message.id, min_id) <= 0) return false;
  if (max_id !== undefined && compareIds(message.id, max_id) >= 0) return false;
  if (author_id.length > 0 && !author_id.includes(message.authorId)) return false;
  const hasLink = /https?:\/\/[^\s<>]/i.test(message.content);
  const hasEmbed = message.embeds.length + message.previews.length > 0;
  return has.every((one) => (one === 'embed' ? hasEmbed : hasLink === (one === 'link')));
}

function isByOne(world: World, { authorId, webhook }: Message, { author_type }: Query): boolean {
  const isBot = world.users.get(authorId)?.bot === true;
  const type = webhook !== null ? 'webhook' : isBot ? 'bot' : 'user';
  return author_type.length === 0 || author_type.includes(type);
}
