import { AuditLogEvent as Action } from 'discord-api-types/v10';
import type { Context, MiddlewareHandler } from 'hono';
import type { Json } from '../model/message.ts';
import type { World } from '../model/world.ts';
import { noteInAuditLog } from '../world/guilds/audit-log.ts';

/** What stands in the audit log for a request: the action, and the parameter or the response that names whom. */
type Noted = { action: Action; of: string };
const MADE = 'response';

const NOTED: Record<string, Noted> = {
  'PATCH /guilds/:guild': { action: Action.GuildUpdate, of: 'guild' },
  'POST /guilds/:guild/channels': { action: Action.ChannelCreate, of: MADE },
  'PATCH /channels/:channel': { action: Action.ChannelUpdate, of: 'channel' },
  'DELETE /channels/:channel': { action: Action.ChannelDelete, of: 'channel' },
  'PUT /channels/:channel/permissions/:target': {
    action: Action.ChannelOverwriteUpdate,
    of: 'channel',
  },
  'DELETE /channels/:channel/permissions/:target': {
    action: Action.ChannelOverwriteDelete,
    of: 'channel',
  },
  'DELETE /guilds/:guild/members/:user': { action: Action.MemberKick, of: 'user' },
  'PUT /guilds/:guild/bans/:user': { action: Action.MemberBanAdd, of: 'user' },
  'DELETE /guilds/:guild/bans/:user': { action: Action.MemberBanRemove, of: 'user' },
  'PATCH /guilds/:guild/members/:user': { action: Action.MemberUpdate, of: 'user' },
  'PUT /guilds/:guild/members/:user/roles/:role': { action: Action.MemberRoleUpdate, of: 'user' },
  'DELETE /guilds/:guild/members/:user/roles/:role': {
    action: Action.MemberRoleUpdate,
    of: 'user',
  },
  'POST /guilds/:guild/roles': { action: Action.RoleCreate, of: MADE },
  'PATCH /guilds/:guild/roles/:role': { action: Action.RoleUpdate, of: 'role' },
  'DELETE /guilds/:guild/roles/:role': { action: Action.RoleDelete, of: 'role' },
  'POST /channels/:channel/invites': { action: Action.InviteCreate, of: MADE },
  'POST /channels/:channel/webhooks': { action: Action.WebhookCreate, of: MADE },
  'POST /guilds/:guild/emojis': { action: Action.EmojiCreate, of: MADE },
  'PATCH /guilds/:guild/emojis/:emoji': { action: Action.EmojiUpdate, of: 'emoji' },
  'DELETE /guilds/:guild/emojis/:emoji': { action: Action.EmojiDelete, of: 'emoji' },
  'POST /guilds/:guild/auto-moderation/rules': {
    action: Action.AutoModerationRuleCreate,
    of: MADE,
  },
  'PATCH /guilds/:guild/auto-moderation/rules/:rule': {
    action: Action.AutoModerationRuleUpdate,
    of: 'rule',
  },
  'DELETE /guilds/:guild/auto-moderation/rules/:rule': {
    action: Action.AutoModerationRuleDelete,
    of: 'rule',
  },
  'POST /guilds/:guild/stickers': { action: Action.StickerCreate, of: MADE },
  'PATCH /guilds/:guild/stickers/:sticker': { action: Action.StickerUpdate, of: 'sticker' },
  'DELETE /guilds/:guild/stickers/:sticker': { action: Action.StickerDelete, of: 'sticker' },
  'POST /guilds/:guild/soundboard-sounds': { action: Action.SoundboardSoundCreate, of: MADE },
  'PATCH /guilds/:guild/soundboard-sounds/:sound': {
    action: Action.SoundboardSoundUpdate,
    of: 'sound',
  },
  'DELETE /guilds/:guild/soundboard-sounds/:sound': {
    action: Action.SoundboardSoundDelete,
    of: 'sound',
  },
  'PUT /guilds/:guild/onboarding': { action: Action.OnboardingUpdate, of: 'guild' },
  'POST /channels/:channel/followers': { action: Action.WebhookCreate, of: MADE },
  'POST /guilds/:guild/scheduled-events': { action: Action.GuildScheduledEventCreate, of: MADE },
  'PATCH /guilds/:guild/scheduled-events/:event': {
    action: Action.GuildScheduledEventUpdate,
    of: 'event',
  },
  'DELETE /guilds/:guild/scheduled-events/:event': {
    action: Action.GuildScheduledEventDelete,
    of: 'event',
  },
  'POST /channels/:channel/messages/bulk-delete': {
    action: Action.MessageBulkDelete,
    of: 'channel',
  },
  'DELETE /channels/:channel/messages/:message': { action: Action.MessageDelete, of: 'author' },
  'POST /channels/:channel/threads': { action: Action.ThreadCreate, of: MADE },
  'POST /channels/:channel/messages/:message/threads': { action: Action.ThreadCreate, of: MADE },
};

const OF_THREADS: Partial<Record<Action, Action>> = {
  [Action.ChannelUpdate]: Action.ThreadUpdate,
  [Action.ChannelDelete]: Action.ThreadDelete,
};

const OF_OVERWRITES = [Action.ChannelOverwriteUpdate, Action.ChannelOverwriteDelete];
/** What an entry tells of something new; clients read an invite's code from there. */
const TOLD = ['name', 'type', 'code', 'max_age', 'max_uses', 'uses', 'temporary'];

/** Writes down what the bot did, with the reason that it gave. */
export function audited(world: World, routeOf: (context: Context) => string): MiddlewareHandler {
  return async (context, next) => {
    const noted = NOTED[`${context.req.method} ${routeOf(context)}`];
    if (noted === undefined) return next();
    const { botId } = world.application;
    // Looked at before: afterwards, what was deleted is gone.
    const [, channelId = '', , messageId = ''] =
      /\/channels\/(\d+)(\/messages\/(\d+))?/.exec(context.req.path) ?? [];
    const channel = world.channels.get(channelId);
    const authorId = channel?.messages.get(messageId)?.authorId;
    const [, named] = /\/guilds\/(\d+)/.exec(context.req.path) ?? [];
    const guild = world.guilds.get(named ?? channel?.guildId ?? '');
    await next();
    if (!context.res.ok || guild === undefined) return undefined;
    // Of messages, only those of others are noted.
    if (noted.of === 'author' && authorId === botId) return undefined;
    const last = context.req.path.split('/').at(-1) ?? '';
    const isThread = channel?.thread != null;
    const body = await bodyOf(context);
    const changesRoles = noted.action === Action.MemberUpdate && 'roles' in body;
    const moves = noted.action === Action.MemberUpdate && 'channel_id' in body;
    const ofVoice = body['channel_id'] === null ? Action.MemberDisconnect : Action.MemberMove;
    const ofThread = isThread ? OF_THREADS[noted.action] : undefined;
    const made = noted.of === MADE ? ((await context.res.clone().json()) as Json) : ({} as Json);
    noteInAuditLog(world, guild, {
      action: changesRoles ? Action.MemberRoleUpdate : moves ? ofVoice : (ofThread ?? noted.action),
      byId: botId,
      targetId: moves ? null : targetOf(),
      reason: reasonOf(context),
      options: optionsOf(),
      changes: changesOf(),
    });
    return undefined;

    function targetOf(): string | null {
      if (noted!.of === 'channel') return channelId;
      if (noted!.of === 'guild') return guild!.id;
      if (noted!.of === 'author') return authorId ?? null;
      if (noted!.of === MADE) {
        const id = made['id'] ?? made['sound_id'] ?? made['webhook_id'];
        return typeof id === 'string' ? id : null;
      }
      const user = /\/(?:members|bans)\/([^/]+)/.exec(context.req.path)?.[1] ?? last;
      return user === '@me' ? botId : user;
    }
    function optionsOf(): Json | undefined {
      if (moves) return { channel_id: body['channel_id'] ?? undefined, count: '1' };
      if (noted!.action === Action.MessageDelete) return { channel_id: channelId, count: '1' };
      if (OF_OVERWRITES.includes(noted!.action)) {
        const role = guild!.roles.get(last);
        return role === undefined
          ? { id: last, type: '1' }
          : { id: last, type: '0', role_name: role.name };
      }
      if (noted!.action !== Action.MessageBulkDelete) return undefined;
      return { count: String(new Set(body['messages'] as string[]).size) };
    }
    function changesOf(): Json[] | undefined {
      if (noted!.of === MADE) {
        return TOLD.filter((key) => key in made).map((key) => ({ key, new_value: made[key] }));
      }
      const role = guild!.roles.get(last);
      if (noted!.action !== Action.MemberRoleUpdate || role === undefined) return undefined;
      const key = context.req.method === 'PUT' ? '$add' : '$remove';
      return [{ key, new_value: [{ id: role.id, name: role.name }] }];
    }
  };
}

async function bodyOf(context: Context): Promise<Json> {
  if (context.req.header('content-type')?.startsWith('application/json') !== true) return {};
  const body: unknown = await context.req.json().catch(() => ({}));
  return typeof body === 'object' && body !== null ? (body as Json) : {};
}

/** Clients write it as a part of an address. */
export function reasonOf(context: Context): string {
  const header = context.req.header('x-audit-log-reason') ?? '';
  try {
    return decodeURIComponent(header).slice(0, 512);
  } catch {
    return header.slice(0, 512);
  }
}
