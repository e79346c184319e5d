import {
  ChannelType,
  type Client,
  DiscordjsError,
  DiscordjsErrorCodes,
  type Guild,
  type GuildBasedChannel,
} from 'discord.js';
import { readSettings } from '../../community/settings.ts';
import {
  MESSAGE_PERMISSIONS,
  missingPermissions,
  type Permission,
  permissionNames,
} from '../../discord/access/permissions.ts';
import { isApiError, isLastingRefusal } from '../../discord/api-errors.ts';
import type { Requests } from '../../discord/requests/requests.ts';
import { type Messages, openMessages, type Refusal } from '../../messages/messages.ts';
import { openWarnings, type Warn } from '../../redis/errors.ts';
import type { Store } from '../../redis/store.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { translate } from '../../text/catalogue.ts';
import type { DraftContext } from '../content/draft.ts';

export type ChannelState =
  /** The guild belongs to another process, or Discord does not show it now. */
  | { status: 'elsewhere' }
  | { status: 'open'; locale: string; mayReadBack: boolean }
  | ({ status: 'broken'; locale: string } & Refusal);

export const DIGEST_CHANNEL_TYPES = [ChannelType.GuildText, ChannelType.GuildAnnouncement] as const;

export const DIGEST_PERMISSIONS: Permission[] = [...MESSAGE_PERMISSIONS, 'ReadMessageHistory'];

/** What the posting of editions and announcements uses. */
export interface DigestContext extends DraftContext {
  /** Sends editions; its cache tells which channels and roles are there. */
  client: Client;
  /** Where the schedules, their history and the leases are, and the members who opted out. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
  /** Digests have their own turn in it, before what can wait. */
  requests: Requests;
  /** Sends and finds messages in the channels of digests. */
  channels: Messages;
  /** Logs the same fault once, until it was gone for a while. */
  warn: Warn;
}

/** Without `recount`, editions show the tallies as they are. */
export function openDigestContext(
  needs: Omit<DigestContext, 'recount' | 'channels' | 'warn'>,
  recount?: DraftContext['recount'],
): DigestContext {
  const channels = openMessages(needs);
  return { ...needs, channels, warn: openWarnings(needs.log), recount };
}

/** Whether something can be posted in the channel, and in which language. */
export async function readState(
  { client, store }: { client: Client; store: Store },
  guildId: Snowflake,
  channelId: Snowflake,
): Promise<ChannelState> {
  const guild = client.guilds.cache.get(guildId);
  if (!guild?.available || !guild.members.me) return { status: 'elsewhere' };
  const locale = (await readSettings(store, guildId)).language ?? guild.preferredLocale;
  const channel = await findChannel(guild, channelId);
  if (channel === 'gone') return { status: 'broken', locale, reason: 'gone', detail: '' };
  if (channel === 'hidden') {
    return { status: 'broken', locale, reason: 'missing', detail: 'ViewChannel' };
  }
  const lack = missingPermissions(channel, MESSAGE_PERMISSIONS);
  if (lack.length > 0) return { status: 'broken', locale, reason: 'missing', detail: lack.join() };
  const mayReadBack = missingPermissions(channel, ['ReadMessageHistory']).length === 0;
  return { status: 'open', locale, mayReadBack };
}

async function findChannel(
  guild: Guild,
  id: string,
): Promise<GuildBasedChannel | 'gone' | 'hidden'> {
  try {
    return guild.channels.cache.get(id) ?? (await guild.channels.fetch(id)) ?? 'gone';
  } catch (error) {
    const isElsewhere =
      error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.GuildChannelUnowned;
    if (isApiError(error, 'MissingAccess')) return 'hidden';
    if (isElsewhere || isLastingRefusal(error)) return 'gone';
    throw error;
  }
}

/** Explains why nothing can be posted in a channel, and how to repair it. */
export function brokenText(
  locale: string,
  channel: Snowflake,
  { reason, detail }: Refusal,
): string {
  const permissions = reason === 'missing' ? detail.split(',') : [];
  return translate(locale, `digest.broken.${reason}`, {
    channel: `<#${channel}>`,
    // Nothing was asked where Discord refused before.
    code: detail || 'none',
    permissions: permissionNames(permissions as Permission[]),
  });
}
