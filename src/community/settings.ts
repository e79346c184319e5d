import { z } from 'zod';
import { type Scale, TEXTBOOK, zSpan } from '../ranking/rules.ts';
import { isSign } from '../ranking/vote-signs.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';
import type { Key } from '../text/catalogue.ts';
import { stored } from '../redis/stored.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { expectDeletion } from './lost-records.ts';
import type { Store } from '../redis/store.ts';

/** How a setting is chosen: with a form, or with one of Discord's selects. */
type SettingKind =
  | 'mark'
  | 'span'
  | 'number'
  | 'switch'
  | 'discussion'
  | 'votes'
  | 'emoji'
  | 'language'
  | 'channel'
  | 'channels'
  | 'role'
  | 'roles';

/** A locale that `Intl` accepts: any other text would make date formatting throw. */
const zLocale = z.string().max(10).refine(isLocale);

/** What is known of a setting besides its type. */
type Meaning = {
  kind: SettingKind;
  /** Of a number: the greatest. */
  most?: number;
  /** Of what can be empty: the text that says what 0, or nothing chosen, means. */
  empty?: Key;
};

const meanings = z.registry<Meaning>();

function number(most: number, empty: Key, standard = 0) {
  const meaning: Meaning = { kind: 'number', most, empty };
  return z.int().min(0).max(most).default(standard).register(meanings, meaning);
}

const MARK_AT_MOST = 1_000_000;

/** Discord's selects take 25 at most. */
const CHOSEN_AT_MOST = 25;
function ids(kind: 'channels' | 'roles', empty: Key) {
  return z.array(zSnowflake).max(CHOSEN_AT_MOST).default([]).register(meanings, { kind, empty });
}

/** A sign of a vote; null: the thumb. */
function sign() {
  const own = z.string().refine((text) => isSign(text) && !text.startsWith(':'));
  return own.nullable().default(null).register(meanings, { kind: 'emoji' });
}

/** One role; null: @everyone. */
function role() {
  const meaning: Meaning = { kind: 'role', empty: 'settings.everyone' };
  return zSnowflake.nullable().default(null).register(meanings, meaning);
}

function channel() {
  const meaning: Meaning = { kind: 'channel', empty: 'settings.none' };
  return zSnowflake.nullable().default(null).register(meanings, meaning);
}

/**
 * A guild's settings. From this schema come the settings in `/frontpage panel`; a text
 * `settings.<name>` and its description go with each.
 */
const zSettings = z.object({
  /**
   * Up votes from which an article is interesting, if an admin fixed them; null: the nightly look
   * fits the mark. The ranking has the mark that applies.
   */
  mark: z
    .int()
    .min(1)
    .max(MARK_AT_MOST)
    .nullable()
    .default(null)
    .register(meanings, { kind: 'mark', most: MARK_AT_MOST }),
  /** Days that as many net votes as the mark are worth, if an admin fixed them; null as above. */
  span: zSpan.nullable().default(null).register(meanings, { kind: 'span' }),
  /** The language of messages that all members read; null: the guild's own. */
  language: zLocale.nullable().default(null).register(meanings, { kind: 'language' }),
  /** Who counts as everybody here: lists, digests and feeds of the whole guild hold what they may view. */
  everybody: role(),
  /** Whether age-restricted channels can be among these, where it is the whole guild that is so. */
  'age-restricted': z.boolean().default(false).register(meanings, { kind: 'switch' }),
  /** Who may post: any of these roles; empty: everybody. */
  'post-roles': ids('roles', 'settings.everyone'),
  'vote-roles': ids('roles', 'settings.everyone'),
  /** Days that an account must have existed, or a member must have been here. */
  'account-days': number(365, 'settings.unlimited'),
  'member-days': number(365, 'settings.unlimited'),
  /** Channels that are groups; empty: all that are not excluded. */
  groups: ids('channels', 'settings.all'),
  'no-groups': ids('channels', 'settings.none'),
  /** Channels where a link that somebody writes is posted; needs the MessageContent intent. */
  'link-channels': ids('channels', 'settings.none'),
  /** Channels where a link becomes an article when enough members like its message; needs the same intent. */
  'nomination-channels': ids('channels', 'settings.none'),
  /** The number of members who must like it; 0: none is made. */
  nominations: number(25, 'settings.never', 2),
  /** When an article gets a thread for its discussion: with its first reply, at once (true), or never (false). */
  discussion: z
    .union([z.literal('reply'), z.boolean()])
    .default('reply')
    .register(meanings, { kind: 'discussion' }),
  /** What the bot shows the way to under a new article; members' 👎 count in both. */
  votes: z.enum(['both', 'up']).default('both').register(meanings, { kind: 'votes' }),
  /** Groups with the other of the two. */
  'votes-otherwise': ids('channels', 'settings.none'),
  /** What members vote with under new articles, where it is not 👍 and 👎. */
  'up-emoji': sign(),
  'down-emoji': sign(),
  /** The channel where articles that became interesting are announced. */
  announcements: channel(),
  /** The channel that shows moderators' actions. */
  log: channel(),
  /** The number of days after which a link can be posted again; 0: never. */
  'repost-days': number(3650, 'settings.never'),
  /** Posts of a member in an hour; 0: no limit. No busy honest member meets the standard. */
  'posts-per-hour': number(1000, 'settings.unlimited', 60),
});

export type Settings = z.infer<typeof zSettings>;
export type SettingName = keyof Settings;

export const settingNames = Object.keys(zSettings.shape) as SettingName[];
export const STANDARD: Settings = zSettings.parse({});

/** Each value by itself, so that one that cannot be read costs no other. */
const storedSettings = new Map(
  settingNames.map((name) => [name, stored<z.ZodType>(`settings.${name}`, zSettings.shape[name])]),
);

export function isStandard(settings: Settings, name: SettingName): boolean {
  return JSON.stringify(settings[name]) === JSON.stringify(STANDARD[name]);
}

export function kindOf(name: SettingName): SettingKind {
  return meanings.get(zSettings.shape[name])!.kind;
}

/** What the ids of a setting's value name: one channel, channels or roles; null: it has no ids. */
export function idKindOf(name: SettingName): 'channel' | 'channels' | 'role' | 'roles' | null {
  const kind = kindOf(name);
  switch (kind) {
    case 'channel':
    case 'channels':
    case 'role':
    case 'roles':
      return kind;
    case 'mark':
    case 'span':
    case 'number':
    case 'switch':
    case 'discussion':
    case 'votes':
    case 'emoji':
    case 'language':
      return null;
    default:
      return kind satisfies never;
  }
}

/** Whether a setting names roles, or one. */
export function namesRoles(name: SettingName): boolean {
  const kind = idKindOf(name);
  return kind === 'role' || kind === 'roles';
}

/** The ids in a value of a setting; none where it is of another kind. */
export function idsOf(name: SettingName, value: Settings[SettingName]): Snowflake[] {
  return idKindOf(name) === null ? [] : ([value ?? []].flat() as Snowflake[]);
}

export function mostOf(name: SettingName): number {
  return meanings.get(zSettings.shape[name])?.most ?? 0;
}

/** The text of a setting whose value is 0 or that has nothing chosen; undefined if it is never empty. */
export function emptyTextOf(name: SettingName): Key | undefined {
  return meanings.get(zSettings.shape[name])?.empty;
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(zSettings.shape, name);
}

/** Undefined if the schema refuses the value. */
export function parseSetting<N extends SettingName>(
  name: N,
  value: unknown,
): Settings[N] | undefined {
  // `undefined` would become the default.
  if (value === undefined) return undefined;
  return zSettings.shape[name].safeParse(value).data as Settings[N] | undefined;
}

/** A guild's settings. A stored value that cannot be read falls back to its default, with a warning. */
export async function readSettings(store: Store, guild: Snowflake): Promise<Settings> {
  const found = await store.redis.hmget(storeKeys(store, guild).settings, ...settingNames);
  const settings: Record<string, unknown> = { ...STANDARD };
  const faults: string[] = [];
  for (const [i, name] of settingNames.entries()) {
    const json = found[i] ?? null;
    if (json === null) continue;
    const value = storedSettings.get(name)!.read(json);
    // Null is a default value, which is not stored.
    if (value === null) faults.push(name);
    else settings[name] = value;
  }
  if (faults.length > 0) {
    store.log.warn({ guild, faults }, 'Some stored settings cannot be read; defaults stand in.');
  }
  return settings as Settings;
}

/** What an admin fixed of the scale. Who fixed the textbook's mark and span has its arithmetic: no limit. */
export function fixedScale({ mark, span }: Settings): Partial<Scale> & Pick<Scale, 'isLimited'> {
  return {
    ...(mark === null ? {} : { mark }),
    ...(span === null ? {} : { spanDays: span }),
    isLimited: mark !== TEXTBOOK.mark || span !== TEXTBOOK.spanDays,
  };
}

export async function writeSetting<N extends SettingName>(
  store: Store,
  guild: Snowflake,
  name: N,
  value: Settings[N],
): Promise<void> {
  const { settings } = storeKeys(store, guild);
  const json = storedSettings.get(name)!.write(value);
  // A default value is not stored, so that a later version's default reaches the guild.
  if (json === JSON.stringify(STANDARD[name])) {
    await Promise.all([expectDeletion(store, guild), store.redis.hdel(settings, name)]);
  } else await store.redis.hset(settings, name, json);
}

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

export function languageOfGuild(
  { settings }: { settings: Settings },
  guild: { preferredLocale: string } | undefined,
): string | null {
  return settings.language ?? guild?.preferredLocale ?? null;
}

/** Who counts as everybody in the guild. */
export function everybodyBy(settings: Settings) {
  return { role: settings.everybody, seesAgeRestricted: settings['age-restricted'] };
}
