import {
  ChannelType,
  ComponentType,
  type Guild,
  type GuildMember,
  SelectMenuDefaultValueType,
} from 'discord.js';
import { groupOf, GROUP_SELECT_TYPES, requireView } from '../discord/access/visibility.ts';
import {
  type ActionRow,
  channelSelect,
  choiceSelect,
  row,
} from '../discord/interactions/components.ts';
import { limits } from '../discord/limits.ts';
import { THUMBS } from '../ranking/vote-signs.ts';
import {
  isOfOther,
  isSignSetting,
  SIGN_SETTINGS,
  type SignSetting,
  typedSign,
} from '../community/vote-offer.ts';
import { UserError } from '../discord/user-error.ts';
import { setChannelScales } from '../ranking/lists/channel-scales.ts';
import { setScale } from '../ranking/articles/mark.ts';
import { SPANS } from '../ranking/rules.ts';
import {
  emptyTextOf,
  fixedScale,
  idKindOf,
  namesRoles,
  idsOf,
  kindOf,
  mostOf,
  parseSetting,
  readSettings,
  type SettingName,
  type Settings,
  writeSetting,
} from '../community/settings.ts';
import { readAllReports, refreshReports } from '../community/stored-reports.ts';
import { ANNOUNCE } from '../digests/stored-digests.ts';
import type { Due } from '../due/due.ts';
import { spanText } from '../text/facts.ts';
import { languageName, languages, numberText, translate } from '../text/catalogue.ts';
import { code, fitting } from '../text/clean.ts';
import { hasChannel, hasRole, livingMentions } from '../community/dead-references.ts';
import { logAction } from '../community/moderation-log.ts';
import type { LogChannelNeeds } from '../community/admin-messages.ts';
import type { Store } from '../redis/store.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

type Value = Settings[SettingName];

/** When articles get threads, in the order in which the set-up offers it. */
export const DISCUSSION_CHOICES = ['reply', true, false] as const;

/** The values of settings that are chosen from a list of ours. */
const choices: Partial<Record<string, readonly (boolean | number | string | null)[]>> = {
  span: [null, ...SPANS],
  switch: [true, false],
  discussion: DISCUSSION_CHOICES,
  votes: ['both', 'up'],
  language: [null, ...languages.keys()],
};

/** Whether a value is typed in a form. */
export function isTyped(name: SettingName): boolean {
  return ['number', 'mark', 'emoji'].includes(kindOf(name));
}

/**
 * A select that shows a setting's value, of roles and channels those that are there: what was deleted would be
 * chosen again. `chosenValue` reads what a member chooses in it.
 */
export function settingSelect(
  locale: string,
  guild: Guild,
  name: SettingName,
  value: Value,
  common: { custom_id: string; placeholder?: string },
): ActionRow {
  const kind = kindOf(name);
  const offered = choices[kind]?.map((one) => ({
    label: valueText(locale, null, name, one),
    value: String(one),
  }));
  if (offered) return choiceSelect(common, offered, String(value));
  const isThere = namesRoles(name) ? hasRole : hasChannel;
  const chosen = idsOf(name, value).filter((id) => isThere(guild, id));
  if (namesRoles(name)) {
    return row({
      type: ComponentType.RoleSelect,
      ...common,
      min_values: 0,
      max_values: kind === 'role' ? 1 : limits.selectOptions,
      default_values: chosen.map((id) => ({ id, type: SelectMenuDefaultValueType.Role })),
    });
  }
  const isOne = kind === 'channel';
  const types = isOne ? [ChannelType.GuildText, ChannelType.GuildAnnouncement] : GROUP_SELECT_TYPES;
  return channelSelect(common, types, chosen, { isOne });
}

/** The value that a member chose in a `settingSelect`. `changeSetting` checks it. */
export function chosenValue(
  name: SettingName,
  chosen: readonly string[],
  everyone: string,
): unknown {
  const kind = kindOf(name);
  if (choices[kind]) return choices[kind].find((one) => String(one) === chosen[0]);
  if (kind === 'channel') return chosen[0] ?? null;
  // No role means everyone.
  if (kind === 'role') return chosen[0] === everyone ? null : (chosen[0] ?? null);
  return kind === 'roles' && chosen.includes(everyone) ? [] : chosen;
}

/** Parses a number or an emoji that was typed in a form. The refusal names the valid values. */
export async function typedValue(guild: Guild, name: SettingName, typed: string): Promise<Value> {
  if (!isTyped(name)) throw new UserError('stale');
  const text = typed.trim();
  if (isSignSetting(name)) {
    const sign = text === '' ? null : await typedSign(guild, text);
    if (text !== '' && sign === null) {
      throw new UserError('settings.emoji.refused', { input: code(text) });
    }
    return sign;
  }
  const empty = kindOf(name) === 'mark' ? null : 0;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  const value = parseSetting(name, text === '' ? empty : number);
  if (value !== undefined) return value;
  throw new UserError('settings.refused', {
    input: code(text),
    setting: (locale) => translate(locale, `settings.${name}`),
    range: (locale) => rangeText(locale, name),
  });
}

/**
 * Changes a setting and updates everything that depends on it. Refuses a value that is not valid or not
 * of this guild, and a channel that the member may not view.
 */
export async function changeSetting(
  needs: LogChannelNeeds & { store: Store; ranking: Ranking; due: Due },
  by: GuildMember,
  name: SettingName,
  input: unknown,
): Promise<void> {
  const value = parseSetting(name, input);
  if (value === undefined) throw new UserError('stale');
  const guild = by.guild.id;
  const { settings } = await needs.rules.refresh(guild);
  const before = idsOf(name, settings[name]);
  const chosen = idsOf(name, value).filter((id) => !before.includes(id));
  for (const id of chosen) requireHere(by, name, id);
  if (isSignSetting(name) && typeof value === 'string') {
    if (isOfOther(settings, name, value))
      throw new UserError('settings.emoji.taken', { emoji: value });
  }
  await writeSetting(needs.store, guild, name, value);
  // What is fitted from now on goes on from where it is.
  if (name === 'mark' || name === 'span') {
    const fixed = fixedScale(await readSettings(needs.store, guild));
    await setScale(needs.ranking, guild, fixed);
    if (fixed.spanDays !== undefined) await setChannelScales(needs.ranking, guild, new Map());
  }
  await needs.rules.refresh(guild);
  // What is begun by it goes by the new rules.
  if (name === 'announcements') await needs.due.planAt(guild, ANNOUNCE, 0);
  if (name === 'log') await showWaiting(needs, guild);
  if (JSON.stringify(settings[name]) === JSON.stringify(value)) return;
  await logAction(needs, { by }, (locale, who) =>
    translate(locale, 'audit.setting', {
      by: who,
      setting: translate(locale, `settings.${name}`),
      before: valueText(locale, by.guild, name, settings[name]),
      after: valueText(locale, by.guild, name, value),
    }),
  );
}

/** Has the reports about which nobody has decided stand in the log channel, and nowhere else. */
async function showWaiting(
  { store, due }: { store: Store; due: Due },
  guild: Snowflake,
): Promise<void> {
  const all = await readAllReports(store, guild, 0);
  const waiting = [...all].flatMap(([article, { open }]) => (open.length > 0 ? [article] : []));
  await refreshReports({ due }, guild, waiting);
}

/** Refuses an id that is not of this guild, or of no use for the setting. Those that stay were asked before. */
function requireHere(by: GuildMember, name: SettingName, id: Snowflake): void {
  const { channels, roles } = by.guild;
  const kind = idKindOf(name);
  if (namesRoles(name)) {
    if (!roles.cache.has(id)) throw new UserError('stale');
    return;
  }
  const channel = channels.cache.get(id);
  if (channel === undefined) throw new UserError('stale');
  requireView(by, id);
  const isOk = kind === 'channel' ? channel.isSendable() : groupOf(channel) === channel;
  if (!isOk) throw new UserError('stale');
}

/** The valid numbers of a setting, and the meaning of an empty form. */
export function rangeText(locale: string, name: SettingName): string {
  if (kindOf(name) === 'emoji') {
    return translate(locale, 'settings.emoji', { empty: valueText(locale, null, name, null) });
  }
  const isMark = kindOf(name) === 'mark';
  const empty = isMark ? translate(locale, 'settings.fitted') : emptyText(locale, name);
  return translate(locale, 'settings.range', { max: mostOf(name), empty });
}

/** The text of a value, at most `length` characters long. Without a guild, of one that names no ids. */
export function valueText(
  locale: string | null,
  guild: Guild | null,
  name: SettingName,
  value: Value,
  length = 800,
): string {
  const more = (left: number) => translate(locale, 'mod.more', { more: left });
  const kind = kindOf(name);
  switch (kind) {
    case 'mark':
      return value === null
        ? translate(locale, 'settings.fitted.choice')
        : numberText(locale, Number(value));
    case 'span':
      return value === null
        ? translate(locale, 'settings.fitted.choice')
        : spanText(locale, Number(value));
    case 'number':
      return value === 0 ? emptyText(locale, name) : numberText(locale, Number(value));
    case 'switch':
      return translate(locale, value === true ? 'settings.on' : 'settings.off');
    case 'discussion':
      if (value === false) return translate(locale, 'settings.off');
      return translate(locale, `settings.discussion.${value === 'reply' ? 'reply' : 'always'}`);
    case 'votes':
      return translate(locale, value === 'up' ? 'settings.votes.up' : 'settings.votes.both');
    case 'emoji':
      return (value as string | null) ?? THUMBS[SIGN_SETTINGS[name as SignSetting]];
    case 'language':
      return value === null
        ? translate(locale, 'settings.language.server')
        : languageName(value as string);
    case 'channel':
    case 'channels':
    case 'role':
    case 'roles': {
      const ids = idsOf(name, value);
      const sign = namesRoles(name) ? '@&' : '#';
      const listed = guild ? livingMentions(guild, sign, ids, locale) : [];
      return fitting(listed, { length, between: ', ', more }) || emptyText(locale, name);
    }
    default:
      return kind satisfies never;
  }
}

/** What an empty list or 0 means. */
function emptyText(locale: string | null, name: SettingName): string {
  return translate(locale, emptyTextOf(name) ?? 'settings.none');
}
