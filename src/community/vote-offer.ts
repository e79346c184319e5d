import type { Collection, Guild, GuildEmoji } from 'discord.js';
import { directionOf, emojiIdOf, reactionOfSign } from '../discord/vote-emoji.ts';
import {
  isSign,
  parseSigns,
  signsText,
  THUMBS,
  unlessThumbs,
  type VoteSigns,
} from '../ranking/vote-signs.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { GuildRules } from './guild-rules.ts';
import type { Settings } from './settings.ts';

/** The settings of the two signs. */
export const SIGN_SETTINGS = { 'up-emoji': 'up', 'down-emoji': 'down' } as const;
export type SignSetting = keyof typeof SIGN_SETTINGS;

export function isSignSetting(name: string): name is SignSetting {
  return Object.hasOwn(SIGN_SETTINGS, name);
}

/**
 * What a new article in this group is posted with; undefined: 👍 and 👎. A newcomer would take the bot's own 👎 for a
 * member's, so a member's first article has none. `isFirst` is asked only where that makes a difference.
 */
export async function signsOfNew(
  settings: Settings,
  home: Snowflake,
  isFirst: () => Promise<boolean>,
): Promise<VoteSigns | undefined> {
  const offered = offeredIn(settings, home);
  const isDownOffered = offered.isDownOffered && !(await isFirst());
  return unlessThumbs({ ...offered, isDownOffered });
}

/** What articles of this group offer; null: of the guild. */
export function offeredIn(settings: Settings, home: Snowflake | null): VoteSigns {
  const isOther = home !== null && settings['votes-otherwise'].includes(home);
  return { ...signsOfGuild(settings), isDownOffered: (settings.votes === 'both') !== isOther };
}

/** The guild's signs of today. */
export function signsOfGuild(settings: Settings): VoteSigns {
  const { 'up-emoji': up, 'down-emoji': down } = settings;
  const signs = { up: up ?? THUMBS.up, down: down ?? THUMBS.down, isDownOffered: true };
  // A restored file can name one emoji twice.
  return parseSigns(signsText(signs)) ?? THUMBS;
}

/** The same for what is imported: nothing tells what members voted with when a message was new. */
export async function signsOfToday(
  { rules }: { rules: GuildRules },
  guild: Snowflake,
): Promise<VoteSigns> {
  return signsOfGuild((await rules.read(guild)).settings);
}

type Emojis = Collection<Snowflake, GuildEmoji>;

/** Whether everybody can use it: it is not one of a lapsed boost, for some roles only, or for another service's subscribers. */
function isForAll({ available, managed, roles }: GuildEmoji): boolean {
  return available !== false && !managed && roles.cache.size === 0;
}

/** The signs that are emoji of the server, but gone or not for everybody. One request if there are any of its own. */
export async function readLostSigns(guild: Guild, settings: Settings): Promise<SignSetting[]> {
  const names = Object.keys(SIGN_SETTINGS).filter(isSignSetting);
  const idOf = (name: SignSetting) => emojiIdOf(settings[name] ?? '');
  const own = names.filter((name) => idOf(name) !== null);
  if (own.length === 0) return [];
  const emojis: Emojis | null = await guild.emojis.fetch().catch(() => null);
  if (emojis === null) return [];
  return own.filter((name) => {
    const emoji = emojis.get(idOf(name)!);
    return emoji === undefined || !isForAll(emoji);
  });
}

/**
 * The sign that somebody typed: an emoji, or the name of one of the server's own. Null if not everybody can react with
 * it.
 */
export async function typedSign(guild: Guild, typed: string): Promise<string | null> {
  const text = typed.trim();
  // Without the selector, some signs are no emoji but a character.
  const standard = [text, `${text}\ufe0f`].find((one) => !/[<:]/.test(one) && isSign(one));
  if (standard !== undefined) return standard;
  const id = emojiIdOf(text);
  const name = /^:?(\w{2,32}):?$/.exec(text)?.[1]?.toLowerCase();
  if (id === null && name === undefined) return null;
  const emojis: Emojis = await guild.emojis.fetch();
  const found = emojis.find(
    (emoji) =>
      (id === null ? emoji.name?.toLowerCase() === name : emoji.id === id) && isForAll(emoji),
  );
  return found?.toString() ?? null;
}

/** Whether a sign already stands for the other vote. */
export function isOfOther(settings: Settings, name: SignSetting, sign: string): boolean {
  const direction = SIGN_SETTINGS[name];
  const signs = { ...signsOfGuild(settings), [direction]: THUMBS[direction] };
  const of = directionOf(reactionOfSign(sign), signs);
  return of !== null && of !== direction;
}
