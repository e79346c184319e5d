import { type Client, Events, type Guild } from 'discord.js';
import { notifyAdmins } from '../community/admin-messages.ts';
import { findLostRecords } from '../community/lost-records.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import { readBoard } from '../board/stored-board.ts';
import { deadIn, hasChannel } from '../community/dead-references.ts';
import { languageOfGuild, namesRoles, settingNames } from '../community/settings.ts';
import { digestTitle } from '../digests/command/describe.ts';
import { deadInDigest } from '../digests/dead-references.ts';
import { readDigests } from '../digests/stored-digests.ts';
import { isGone } from '../discord/requests/is-gone.ts';
import type { Requests } from '../discord/requests/requests.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Due } from '../due/due.ts';
import type { Kind } from '../due/kind.ts';
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
  /** A look is planned when something is deleted. */
  due: Due;
}

const SIDE_BY_SIDE = 4;

/**
 * Looks whether a guild's records are gone, or name what was deleted: when it arrives, in its night, and after a
 * deletion.
 */
export function referencesKind(needs: DeadReferencesNeeds): Kind {
  const { client, due } = needs;
  // What cannot be planned while Redis is away is planned when the guild arrives anew.
  const look = (guild: Snowflake): void => void due.plan(guild, 'references', 0).catch(() => {});
  client.on(Events.GuildRoleDelete, ({ guild }) => look(guild.id));
  client.on(Events.ChannelDelete, (channel) => {
    if (!channel.isDMBased()) look(channel.guildId);
  });
  return {
    name: 'references',
    sideBySide: SIDE_BY_SIDE,
    standing: async () => [{ row: 'references', atMs: 0 }],
    async run({ guild: id }) {
      const guild = client.guilds.cache.get(id);
      if (!guild?.available) return { atMs: null };
      await tellLoss(needs, guild);
      await tellDeadReferences(needs, guild);
      return { atMs: null };
    },
  };
}

/**
 * Tells the guild's admins once of each deleted role or channel that a setting, a digest or the board names, also
 * when it was deleted while the bot was off. Call it for a guild that is reachable.
 */
async function tellDeadReferences(needs: DeadReferencesNeeds, guild: Guild): Promise<void> {
  const { store, rules, log } = needs;
  const key = storeKeys(store, guild.id).references;
  const told = new Set((await store.redis.get(key))?.split(' '));
  const dead: Dead[] = [];
  for (const one of await findDead(needs, guild)) {
    // Discord's list of roles is whole. A channel that is not in the cache is asked for.
    const isSure = told.has(one.id) || one.isRole || (await isGone(needs, guild.id, one.id));
    if (isSure) dead.push(one);
  }
  const ids = [...new Set(dead.map(({ id }) => id))];
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

type Dead = { id: Snowflake; isRole: boolean; name: (locale: string | null) => string };

async function findDead({ store, rules }: DeadReferencesNeeds, guild: Guild): Promise<Dead[]> {
  const { settings } = await rules.read(guild.id);
  const ofSettings = settingNames.map((setting) => ({
    ids: deadIn(guild, settings, setting),
    isRole: () => namesRoles(setting),
    name: (locale: string | null) => translate(locale, `settings.${setting}`),
  }));
  const ofDigests = (await readDigests(store, guild.id)).map((stored) => ({
    ids: deadInDigest(guild, stored.digest),
    isRole: (id: Snowflake) => id === stored.digest.role,
    name: (locale: string | null) => digestTitle(locale ?? 'en', stored),
  }));
  const board = await readBoard(store, guild.id);
  const ofBoard = {
    ids: board === null || hasChannel(guild, board.choice.channel) ? [] : [board.choice.channel],
    isRole: () => false,
    name: (locale: string | null) => translate(locale, 'frontpage.button.board'),
  };
  return [...ofSettings, ...ofDigests, ofBoard].flatMap(({ ids, isRole, name }) =>
    ids.map((id) => ({ id, isRole: isRole(id), name })),
  );
}

const SAID_TO_HOST =
  'Stored records of a guild are gone, and nobody deleted them. Restore them: docs/recovery.md says how.';

const RECORDS = {
  settings: 'data.kind.setting',
  digests: 'data.kind.digest',
  blocks: 'data.kind.block',
  optedOut: 'data.kind.opted-out',
} as const;

/** Says once that records of a guild are gone, in the log and to the guild's admins. */
async function tellLoss(
  needs: DeadReferencesNeeds,
  { id: guild, ownerId, preferredLocale }: Guild,
): Promise<void> {
  const lost = await findLostRecords(needs.store, guild);
  if (lost.length === 0) return;
  needs.log.error({ guild, lost }, SAID_TO_HOST);
  const locale = languageOfGuild(await needs.rules.reload(guild), { preferredLocale });
  const names = lost.map((name) => translate(locale, RECORDS[name])).join(', ');
  const text = translate(locale, 'check-up.record.gone', { names });
  await notifyAdmins(needs, { guild }, text, ownerId);
}
