import { array, number, object, optional, nullish, string, union } from 'zod/mini';
import type { $ZodType } from 'zod/v4/core';
import type { Schemas } from './schemas.ts';

/** What a request to a route holds, and what a good answer to it. */
export type RouteContract = {
  body?: $ZodType;
  /** Absent: 204 without a body. */
  answer?: $ZodType;
};

const THREAD_MEMBERS = '/channels/:channel/thread-members/:user';
const MESSAGE = '/channels/:channel/messages/:message';
const REACTIONS = `${MESSAGE}/reactions`;
const CALLBACK = '/interactions/:interaction/:token/callback';
const WEBHOOK = '/webhooks/:application/:token';

/** The specification's `Paths`, which the package has as types alone, for the routes served here. */
export function routeContracts(s: Schemas): Record<string, RouteContract> {
  const get = (name: string): $ZodType => {
    const schema = s[`${name}Schema`];
    if (schema === undefined) throw new Error(`The specification has no ${name}.`);
    return schema;
  };
  const list = (name: string) => array(get(name));
  const oneOf = (...names: string[]) => union(names.map(get) as [$ZodType]);

  const message = get('MessageResponse');
  const channel = oneOf('GuildChannelResponse', 'ThreadResponse', 'PrivateChannelResponse');
  const command = get('ApplicationCommandResponse');
  const application = get('PrivateApplicationResponse');
  const webhookEdit = get('IncomingWebhookUpdateRequestPartial');
  const commands = (base: string): Record<string, RouteContract> => ({
    [`GET ${base}`]: { answer: list('ApplicationCommandResponse') },
    [`PUT ${base}`]: { body: list('ApplicationCommandUpdateRequest'), answer: array(command) },
    [`POST ${base}`]: { body: get('ApplicationCommandCreateRequest'), answer: command },
    [`GET ${base}/:command{\\d+}`]: { answer: command },
    [`PATCH ${base}/:command`]: {
      body: get('ApplicationCommandPatchRequestPartial'),
      answer: command,
    },
    [`DELETE ${base}/:command`]: {},
  });

  return {
    'GET /gateway': { answer: get('GatewayResponse') },
    'GET /gateway/bot': { answer: get('GatewayBotResponse') },
    'GET /applications/@me': { answer: application },
    'GET /oauth2/applications/@me': { answer: application },
    'GET /users/@me': { answer: get('UserPIIResponse') },
    'GET /users/@me/guilds': { answer: list('MyGuildResponse') },
    'DELETE /users/@me/guilds/:guild': {},
    'POST /users/@me/channels': {
      body: get('CreatePrivateChannelRequest'),
      answer: get('PrivateChannelResponse'),
    },
    'GET /users/:user': { answer: get('UserResponse') },

    ...commands('/applications/:application/commands'),
    ...commands('/applications/:application/guilds/:guild/commands'),
    'GET /applications/:application/guilds/:guild/commands/permissions': {
      answer: list('CommandPermissionsResponse'),
    },

    'GET /guilds/:guild': { answer: get('GuildWithCountsResponse') },
    'GET /guilds/:guild/channels': { answer: array(channel) },
    'POST /guilds/:guild/channels': {
      body: get('CreateGuildChannelRequest'),
      answer: get('GuildChannelResponse'),
    },
    'GET /guilds/:guild/threads/active': { answer: get('ThreadsResponse') },
    'GET /guilds/:guild/roles': { answer: list('GuildRoleResponse') },
    'GET /guilds/:guild/roles/:role': { answer: get('GuildRoleResponse') },
    'GET /guilds/:guild/members': { answer: list('GuildMemberResponse') },
    'GET /guilds/:guild/members/:user': { answer: get('GuildMemberResponse') },

    'GET /channels/:channel': { answer: channel },
    'PATCH /channels/:channel': {
      body: oneOf('UpdateThreadRequestPartial', 'UpdateGuildChannelRequestPartial'),
      answer: channel,
    },
    'DELETE /channels/:channel': { answer: channel },
    'PUT /channels/:channel/permissions/:target': {
      // The specification says number; the documentation and Discord itself take texts.
      body: object({
        type: optional(number()),
        allow: nullish(string()),
        deny: nullish(string()),
      }),
    },
    'DELETE /channels/:channel/permissions/:target': {},
    'GET /channels/:channel/threads/archived/public': { answer: get('ThreadsResponse') },
    'GET /channels/:channel/threads/archived/private': { answer: get('ThreadsResponse') },
    'POST /channels/:channel/threads': {
      body: oneOf('CreateForumThreadRequest', 'CreateTextThreadWithoutMessageRequest'),
      answer: get('CreatedThreadResponse'),
    },
    [`PUT ${THREAD_MEMBERS}`]: {},
    [`DELETE ${THREAD_MEMBERS}`]: {},
    'POST /channels/:channel/typing': {},

    'GET /channels/:channel/messages': { answer: array(message) },
    'POST /channels/:channel/messages': { body: get('MessageCreateRequest'), answer: message },
    'POST /channels/:channel/messages/bulk-delete': {
      body: object({ messages: list('SnowflakeType') }),
    },
    [`GET ${MESSAGE}`]: { answer: message },
    [`PATCH ${MESSAGE}`]: { body: get('MessageEditRequestPartial'), answer: message },
    [`DELETE ${MESSAGE}`]: {},
    [`POST ${MESSAGE}/threads`]: {
      body: get('CreateTextThreadWithMessageRequest'),
      answer: get('ThreadResponse'),
    },
    [`GET ${REACTIONS}/:emoji`]: { answer: list('UserResponse') },
    [`PUT ${REACTIONS}/:emoji/@me`]: {},
    [`DELETE ${REACTIONS}/:emoji/@me`]: {},
    [`DELETE ${REACTIONS}/:emoji/:user`]: {},
    [`DELETE ${REACTIONS}/:emoji`]: {},
    [`DELETE ${REACTIONS}`]: {},

    [`POST ${CALLBACK}`]: {
      body: oneOf(
        'CreateMessageInteractionCallbackRequest',
        'UpdateMessageInteractionCallbackRequest',
        'ModalInteractionCallbackRequest',
        'ApplicationCommandAutocompleteCallbackRequest',
      ),
      answer: get('InteractionCallbackResponse'),
    },
    [`POST ${WEBHOOK}`]: { body: get('IncomingWebhookRequestPartial'), answer: message },
    [`GET ${WEBHOOK}/messages/:message`]: { answer: message },
    [`PATCH ${WEBHOOK}/messages/:message`]: { body: webhookEdit, answer: message },
    [`DELETE ${WEBHOOK}/messages/:message`]: {},
  };
}
