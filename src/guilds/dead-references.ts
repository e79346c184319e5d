import { type Client, Events, type Guild } from 'discord.js';
import { notifyAdmins } from '../community/admin-messages.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import { readBoard } from '../board/stored-board.ts';
import { deadIn, hasChannel } from '../community/dead-references.ts';
import { languageOfGuild, settingNames } from '../community/settings.ts';
import { titleOf } from '../digests/content/edition-message.ts';
import { deadInDigest } from '../digests/dead-references.ts';
import { readDigests } from '../digests/stored-digests.ts';
import type { Requests } from '../discord/requests/requests.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { type Clock, HOUR_MS, MINUTE_MS } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';

export interface DeadReferencesNeeds {
  /** Tells of deleted roles and channels. */
  client: Client;
  /** Where the digests are, and which ids were told. */
  store: Store;
  /** The guild's settings. */
  rules: GuildRules;
  /** Requests that can wait. */
  requests: Requests;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
}

/** Up to an hour, by guild, so that the guilds of one start do not stay in one minute. */
function lookEveryMs(guild: Snowflake): number {
  return HOUR_MS - (Number(BigInt(guild) % 60n) * MINUTE_MS) / 4;
}

/**
 * Returns what is to be called each minute for a guild that is reachable. It looks at the first call, after a
 * deletion, and once an hour, since a restored file can name what is gone.
 */
export function openDeadReferences(needs: DeadReferencesNeeds): (guild: Guild) => Promise<void> {
  const { client, clock } = needs;
  /** When each guild is next looked at. */
  const dueMs = new Map<Snowflake, number>();
  client.on(Events.GuildRoleDelete, ({ guild }) => void dueMs.delete(guild.id));
  client.on(Events.GuildAvailable, ({ id }) => void dueMs.delete(id));
  client.on(Events.ChannelDelete, (channel) => {
    if (!channel.isDMBased()) dueMs.delete(channel.guildId);
  });
  return async (guild) => {
    const now = clock.now();
    if (now < (dueMs.get(guild.id) ?? 0)) return;
    // Noted first, so that a deletion meanwhile is looked at again.
    dueMs.set(guild.id, now + lookEveryMs(guild.id));
    try {
      await tellDeadReferences(needs, guild);
    } catch (error) {
      dueMs.delete(guild.id);
      throw error;
    }
  };
}

/**
 * Tells the guild's admins once of each deleted role or channel that a setting, a digest or the board names, also
 * when it was deleted while the bot was off. Call it for a guild that is reachable.
 */
async function tellDeadReferences(needs: DeadReferencesNeeds, guild: Guild): Promise<void> {
  const { store, rules, log } = needs;
  const dead = await findDead(needs, guild);
  const ids = [...new Set(dead.map(({ id }) => id))];
  const key = storeKeys(store, guild.id).references;
  const told = new Set((await store.redis.get(key))?.split(' '));
  const news = dead.filter(({ id }) => !told.has(id));
  // Noted first, so that a death before the message costs a message and does not repeat one.
  if (ids.length === 0 && told.size > 0) await store.redis.del(key);
  else if (news.length > 0 || told.size > ids.length) await store.redis.set(key, ids.join(' '));
  if (news.length === 0) return;
  log.warn({ guild: guild.id, ids }, 'Settings name what was deleted.');
  const locale = languageOfGuild(await rules.read(guild.id), guild);
  const names = [...new Set(news.map(({ name }) => name(locale)))].join(', ');
  const text = translate(locale, 'references.gone', { names });
  await notifyAdmins(needs, { guild: guild.id }, text, guild.ownerId);
}

type Dead = { id: Snowflake; name: (locale: string | null) => string };

async function findDead({ store, rules }: DeadReferencesNeeds, guild: Guild): Promise<Dead[]> {
  const { settings } = await rules.read(guild.id);
  const ofSettings = settingNames.map((setting) => ({
    ids: deadIn(guild, settings, setting),
    name: (locale: string | null) => translate(locale, `settings.${setting}`),
  }));
  const ofDigests = (await readDigests(store, guild.id)).map((stored) => ({
    ids: deadInDigest(guild, stored.digest),
    name: (locale: string | null) => titleOf(locale ?? 'en', stored.name),
  }));
  const board = await readBoard(store, guild.id);
  const ofBoard = {
    ids: board === null || hasChannel(guild, board.choice.channel) ? [] : [board.choice.channel],
    name: (locale: string | null) => translate(locale, 'frontpage.button.board'),
  };
  return [...ofSettings, ...ofDigests, ofBoard].flatMap(({ ids, name }) =>
    ids.map((id) => ({ id, name })),
  );
}
