import {
  ChannelType,
  ComponentType,
  type Guild,
  type GuildMember,
  SelectMenuDefaultValueType,
} from 'discord.js';
import { groupOf, GROUP_SELECT_TYPES, mayView } from '../discord/access/visibility.ts';
import {
  type ActionRow,
  channelSelect,
  choiceSelect,
  row,
} from '../discord/interactions/components.ts';
import { limits } from '../discord/limits.ts';
import { UserError } from '../discord/user-error.ts';
import { setScale } from '../ranking/articles/mark.ts';
import { type Span, SPANS } from '../ranking/rules.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import {
  emptyTextOf,
  idKindOf,
  idsOf,
  kindOf,
  mostOf,
  parseSetting,
  type SettingName,
  type Settings,
  writeSetting,
} from '../community/settings.ts';
import { announceFromNow } from '../digests/stored-digests.ts';
import { spanText } from '../text/facts.ts';
import { languageName, languages, numberText, translate } from '../text/catalogue.ts';
import { code, fitting } from '../text/clean.ts';
import { hasChannel, hasRole, livingMentions } from '../community/dead-references.ts';
import { logAction } from '../community/moderation-log.ts';
import type { LogChannelNeeds } from '../community/admin-messages.ts';
import type { Store } from '../redis/store.ts';
import type { Ranking } from '../ranking/ranking.ts';

type Value = Settings[SettingName];

/** The values of settings that are chosen from a list of ours. */
const choices: Partial<Record<string, readonly (boolean | number | string | null)[]>> = {
  span: [null, ...SPANS],
  switch: [true, false],
  language: [null, ...languages.keys()],
};

/** Whether a value is typed in a form. */
export function isTyped(name: SettingName): boolean {
  return kindOf(name) === 'number' || kindOf(name) === 'mark';
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
  const isThere = kind === 'roles' ? hasRole : hasChannel;
  const chosen = idsOf(name, value).filter((id) => isThere(guild, id));
  if (kind === 'roles') {
    return row({
      type: ComponentType.RoleSelect,
      ...common,
      min_values: 0,
      max_values: limits.selectOptions,
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
  return kind === 'roles' && chosen.includes(everyone) ? [] : chosen;
}

/** Parses a number that was typed in a form. The refusal names the valid values. */
export function typedValue(name: SettingName, typed: string): Value {
  if (!isTyped(name)) throw new UserError('stale');
  const text = typed.trim();
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
  needs: LogChannelNeeds & { store: Store; ranking: Ranking },
  by: GuildMember,
  name: SettingName,
  input: unknown,
): Promise<void> {
  const value = parseSetting(name, input);
  if (value === undefined || !isHere(by, name, value)) throw new UserError('stale');
  const guild = by.guild.id;
  const { settings } = await needs.rules.refresh(guild);
  await writeSetting(needs.store, guild, name, value);
  if (name === 'announcements') await announceFromNow(needs.store, guild);
  await applyToRanking(needs, guild, name, value);
  await needs.rules.refresh(guild);
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

/** What is fitted from now on goes on from where it is. */
async function applyToRanking(
  { ranking }: LogChannelNeeds & { store: Store; ranking: Ranking },
  guild: Snowflake,
  name: SettingName,
  value: Value,
): Promise<void> {
  if (value === null) return;
  if (name === 'mark') await setScale(ranking, guild, { mark: value as number });
  if (name === 'span') await setScale(ranking, guild, { spanDays: value as Span });
}

function isHere(by: GuildMember, name: SettingName, value: Value): boolean {
  const { channels, roles } = by.guild;
  const kind = idKindOf(name);
  if (kind === null) return true;
  return idsOf(name, value).every((id) => {
    if (kind === 'roles') return roles.cache.has(id);
    const channel = channels.cache.get(id);
    if (channel === undefined || !mayView(by, id)) return false;
    return kind === 'channel' ? channel.isSendable() : groupOf(channel) === channel;
  });
}

/** The valid numbers of a setting, and the meaning of an empty form. */
export function rangeText(locale: string, name: SettingName): string {
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
    case 'language':
      return value === null
        ? translate(locale, 'settings.language.server')
        : languageName(value as string);
    case 'channel':
    case 'channels':
    case 'roles': {
      const ids = idsOf(name, value);
      const listed = guild ? livingMentions(guild, kind === 'roles' ? '@&' : '#', ids, locale) : [];
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
