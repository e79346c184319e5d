import type { Guild, GuildMember } from 'discord.js';
import {
  kindOf,
  mostOf,
  parseSetting,
  type SettingName,
  type Settings,
} from '../../records/settings.ts';
import { languageName, languages, translate } from '../../text/catalogue.ts';
import { mentions } from '../../text/mentions.ts';
import { code, fitting } from '../../text/clean.ts';
import { UserError } from '../../discord/user-error.ts';
import { groupOf, mayView } from '../../discord/access/visibility.ts';

type Asker = { guild: Guild; member: GuildMember };

/** Parses a number that was typed in a form. The refusal names the valid values. */
export function typedValue<N extends SettingName>(name: N, typed: string): Settings[N] {
  const text = typed.trim();
  const empty = kindOf(name) === 'mark' ? null : 0;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  const value = parseSetting(name, text === '' ? empty : number);
  if (value !== undefined) return value;
  throw new UserError('settings.refused', {
    given: code(text),
    setting: (locale) => translate(locale, `settings.${name}`),
    range: (locale) => rangeText(locale, name),
  });
}

/** A value from a select, or undefined if it is not of this guild or the member may not view it. */
export function checkedValue<N extends SettingName>(
  asker: Asker,
  name: N,
  value: unknown,
): Settings[N] | undefined {
  const parsed = parseSetting(name, value);
  return parsed !== undefined && isHere(asker, name, parsed) ? parsed : undefined;
}

function isHere({ guild, member }: Asker, name: SettingName, value: unknown): boolean {
  const isGroup = (id: string): boolean => {
    const channel = guild.channels.cache.get(id);
    return channel !== undefined && groupOf(channel) === channel && mayView(member, id);
  };
  switch (kindOf(name)) {
    case 'language':
      return value === null || languages.has(value as string);
    case 'roles':
      return (value as string[]).every((id) => guild.roles.cache.has(id));
    case 'channels':
      return (value as string[]).every(isGroup);
    case 'channel': {
      const channel = guild.channels.cache.get((value ?? '') as string);
      return value === null || (channel?.isSendable() === true && mayView(member, channel.id));
    }
    default:
      return true;
  }
}

/** The valid numbers of a setting, and the meaning of an empty form. */
export function rangeText(locale: string, name: SettingName): string {
  const empty = kindOf(name) === 'mark' ? translate(locale, 'settings.fitted') : undefined;
  const values = { max: mostOf(name), empty: empty ?? emptyText(locale, name) };
  return translate(locale, 'settings.range', values);
}

/** The text of a value, at most `length` characters long. */
export function valueText<N extends SettingName>(
  locale: string | null,
  name: N,
  value: Settings[N],
  length = 800,
): string {
  const more = (left: number) => translate(locale, 'mod.more', { more: left });
  const listed = (kind: '#' | '@&') =>
    fitting(
      (value as string[]).map((id) => mentions(kind, [id])),
      { length, between: ', ', more },
    ) || emptyText(locale, name);
  switch (kindOf(name)) {
    case 'mark':
      return value === null ? translate(locale, 'settings.fitted.choice') : `${value as number}`;
    case 'number':
      return value === 0 ? emptyText(locale, name) : `${value as number}`;
    case 'switch':
      return translate(locale, value === true ? 'settings.on' : 'settings.off');
    case 'language':
      return value === null
        ? translate(locale, 'settings.language.server')
        : languageName(value as string);
    case 'channel':
      return value === null ? translate(locale, 'settings.none') : `<#${value as string}>`;
    case 'channels':
      return listed('#');
    case 'roles':
      return listed('@&');
  }
}

/** The meaning of an empty list, and of 0. */
function emptyText(locale: string | null, name: SettingName): string {
  if (kindOf(name) === 'number') {
    return translate(locale, name === 'repost-days' ? 'settings.never' : 'settings.unlimited');
  }
  if (kindOf(name) === 'roles') return translate(locale, 'settings.everyone');
  return translate(locale, name === 'groups' ? 'settings.all' : 'settings.none');
}

/** The mark that applies, and whether it is fitted or fixed. */
export function markText(locale: string, mark: number, settings: Settings): string {
  const is = settings.mark === null ? 'fitted' : 'fixed';
  return translate(locale, 'frontpage.mark', { mark, is });
}
