import type { Guild, GuildMember, NonThreadGuildBasedChannel } from 'discord.js';
import {
  kindOf,
  mostOf,
  parseSetting,
  type SettingKind,
  type SettingName,
  type Settings,
  settingNames,
  STANDARD,
} from '../../records/settings.ts';
import { type Key, languages, translate } from '../../text/catalogue.ts';
import { mentions } from '../../text/mentions.ts';
import { cleanTitle, code, fitting } from '../../text/clean.ts';
import { UserError } from '../../discord/user-error.ts';
import { groupOf, mayView } from '../../discord/access/visibility.ts';

type Asker = { guild: Guild; member: GuildMember };

const nothing = /^(none|off|-|无|没有)$/i;
const unlimited = /^(0|none|off|-|any|no limit|unlimited|never|无|没有|不限|无限制|从不)?$/i;
const on = /^(on|yes|true|1|开|开启|是)$/i;
const off = /^(off|no|none|false|0|-|关|关闭|否|无)$/i;
const fitted = /^(fitted|fit|auto|automatic|自动|自动调整)?$/i;
const theServers = /^(server|guild|服务器)$/i;
const channelMention = /^(?:<#)?(\d{5,20})>?$/;
const roleMention = /^(?:<@&)?(\d{5,20})>?$/;

/** Parses a typed value: numbers, mentions, `none`. The refusal names the valid values. */
export function typedValue<N extends SettingName>(
  asker: Asker,
  name: N,
  typed: string,
  current: Settings,
): Settings[N] {
  const text = typed.trim();
  const value = isEmptyText(name, text) ? [] : readers[kindOf(name)](text, current, asker.guild);
  return checkedValue(asker, name, value, text);
}

/** Checks a value from a select or from text against the guild and the schema. */
export function checkedValue<N extends SettingName>(
  asker: Asker,
  name: N,
  value: unknown,
  given = '',
): Settings[N] {
  const parsed = parseSetting(name, value);
  if (parsed.status === 'refused' || !isHere(asker, name, parsed.value)) {
    throw new UserError('settings.refused', {
      given: given === '' ? '—' : code(given),
      setting: (locale) => settingText(locale, name),
      kind: (locale) => kindText(locale, name),
    });
  }
  return parsed.value;
}

const readers: Record<SettingKind, (text: string, current: Settings, guild: Guild) => unknown> = {
  mark: (text) => (fitted.test(text) || isSaid(text, 'settings.fitted') ? null : wholeNumber(text)),
  number: (text) =>
    unlimited.test(text) || isSaid(text, 'settings.unlimited') || isSaid(text, 'settings.never')
      ? 0
      : wholeNumber(text),
  switch: (text) => {
    if (on.test(text) || isSaid(text, 'settings.on')) return true;
    return off.test(text) || isSaid(text, 'settings.off') ? false : undefined;
  },
  language: (text) => {
    if (theServers.test(text)) return null;
    const typed = text.toLocaleLowerCase();
    return [...languages.keys()].find((known) =>
      [known, languageName(known), new Intl.Locale(known).language, ownName(known)].some(
        (called) => called.toLocaleLowerCase() === typed,
      ),
    );
  },
  channel: (text, _, guild) =>
    isNothing(text) ? null : ids(text, channelMention, '#', groupsOf(guild))?.[0],
  channels: (text, _, guild) =>
    isNothing(text) ? [] : ids(text, channelMention, '#', groupsOf(guild)),
  roles: (text, _, guild) =>
    isNothing(text) ? [] : ids(text, roleMention, '@', [...guild.roles.cache.values()]),
  names: (text, current) => {
    if (isNothing(text)) return {};
    const [, channel = '', name = ''] = /^(?:<#)?(\d{5,20})>?\s*(.*)$/u.exec(text) ?? [];
    return channel === '' ? undefined : renamed(current['group-names'], channel, name);
  },
};

function isNothing(text: string): boolean {
  return nothing.test(text) || isSaid(text, 'settings.none');
}

/** Whether the typed text equals this message in one of the languages. */
function isSaid(text: string, key: Key): boolean {
  const typed = text.toLocaleLowerCase();
  return [...languages.keys()].some(
    (locale) => translate(locale, key).toLocaleLowerCase() === typed,
  );
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The groups' names with one changed; an empty name removes the entry. */
export function renamed(
  names: Settings['group-names'],
  channel: string,
  name: string,
): Settings['group-names'] {
  const { [channel]: _, ...others } = names;
  const clean = cleanTitle(name);
  return clean === '' ? others : { ...others, [channel]: clean };
}

export type Names = Settings['group-names'];

/** The groups with different names in two values of the setting. */
export function differing(was: Names, is: Names): string[] {
  return Object.keys({ ...was, ...is }).filter((id) => was[id] !== is[id]);
}

/** The texts of a change, each at most `length` characters long. Of group names, only changed ones. */
export function changeTexts<N extends SettingName>(
  locale: string | null,
  name: N,
  [was, is]: readonly [Settings[N], Settings[N]],
  length: number,
): { before: string; after: string } {
  let shown = [was, is];
  if (name === 'group-names') {
    const changed = differing(was as Names, is as Names);
    const only = (names: Names) =>
      Object.fromEntries(Object.entries(names).filter(([id]) => changed.includes(id)));
    shown = [only(was as Names), only(is as Names)] as Settings[N][];
  }
  const [before = '', after = ''] = shown.map((value) => valueText(locale, name, value, length));
  return { before, after };
}

function groupsOf({ channels }: Guild): NonThreadGuildBasedChannel[] {
  return [...channels.cache.values()].filter(
    (channel): channel is NonThreadGuildBasedChannel => groupOf(channel) === channel,
  );
}

/** Parses mentions, ids, and typed names without a space, such as `#rust`. */
function ids(
  text: string,
  mention: RegExp,
  sign: string,
  named: readonly { id: string; name: string }[],
): string[] | undefined {
  const byName = (word: string): string | undefined => {
    if (!word.startsWith(sign)) return undefined;
    const found = named.filter(({ name }) => name === word.slice(sign.length));
    return found.length === 1 ? found[0]?.id : undefined;
  };
  const words = text
    .replaceAll('>', '> ')
    .split(/[\s,，、]+/)
    .filter(Boolean);
  const found = words.map((word) => mention.exec(word)?.[1] ?? byName(word));
  if (found.length === 0 || found.includes(undefined)) return undefined;
  return [...new Set(found as string[])];
}

/** Whether the value is in this guild and the member may view it. */
function isHere({ guild, member }: Asker, name: SettingName, value: unknown): boolean {
  const kind = kindOf(name);
  if (kind === 'language') return value === null || languages.has(value as string);
  if (kind === 'roles') {
    return (value as string[]).every((id) => id !== guild.id && guild.roles.cache.has(id));
  }
  const isGroup = (id: string): boolean => {
    const channel = guild.channels.cache.get(id);
    return channel !== undefined && groupOf(channel) === channel && mayView(member, id);
  };
  if (kind === 'channels') return (value as string[]).every(isGroup);
  if (kind === 'names') return Object.keys(value as object).every(isGroup);
  if (kind !== 'channel' || value === null) return true;
  const channel = guild.channels.cache.get(value as string);
  return channel?.isSendable() === true && mayView(member, channel.id);
}

/** The description of a setting's valid values. */
export function kindText(locale: string, name: SettingName): string {
  const kind = kindOf(name);
  if (kind === 'mark') {
    const isFitted = translate(locale, 'settings.fitted');
    return translate(locale, 'settings.kind.mark', { max: mostOf(name), fitted: isFitted });
  }
  if (kind !== 'number') return translate(locale, `settings.kind.${kind}`);
  const empty = emptyText(locale, name);
  return translate(locale, 'settings.kind.number', { max: mostOf(name), empty });
}

/** The text of a value, at most `length` characters long. Members' texts are shown as code. */
export function valueText<N extends SettingName>(
  locale: string | null,
  name: N,
  value: Settings[N],
  length = 800,
): string {
  const none = translate(locale, 'settings.none');
  const more = (left: number) => translate(locale, 'mod.more', { more: left });
  const listed = (texts: string[]) =>
    fitting(texts, { length, between: ', ', more }) || emptyText(locale, name);
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
      return value === null ? none : `<#${value as string}>`;
    case 'channels':
      return listed((value as string[]).map((id) => mentions('#', [id])));
    case 'roles':
      return listed((value as string[]).map((id) => mentions('@&', [id])));
    default: {
      const names = Object.entries(value as Settings['group-names']);
      return listed(names.map(([id, text]) => `${mentions('#', [id])} ${code(text)}`));
    }
  }
}

/** Whether the text is the one shown for an empty list, such as `everyone`. */
function isEmptyText(name: SettingName, typed: string): boolean {
  if (kindOf(name) !== 'roles' && kindOf(name) !== 'channels') return false;
  const text = typed.toLocaleLowerCase();
  return [...languages.keys()].some(
    (locale) => emptyText(locale, name).toLocaleLowerCase() === text,
  );
}

/** The meaning of an empty list, and of 0. */
export function emptyText(locale: string | null, name: SettingName): string {
  if (kindOf(name) === 'number') {
    return translate(locale, name === 'repost-days' ? 'settings.never' : 'settings.unlimited');
  }
  if (kindOf(name) === 'roles') return translate(locale, 'settings.everyone');
  return translate(locale, name === 'groups' ? 'settings.all' : 'settings.none');
}

/** The language as Unicode names it, without the country. */
function ownName(locale: string): string {
  const { language } = new Intl.Locale(locale);
  return new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
}

/** The mark that applies, and whether it is fitted or fixed. */
export function markText(locale: string, mark: number, settings: Settings): string {
  const is = settings.mark === null ? 'fitted' : 'fixed';
  return translate(locale, 'frontpage.mark', { mark, is });
}

/** A language's own name for itself. */
export function languageName(locale: string): string {
  return translate(locale, 'language.own');
}

export function isStandard<N extends SettingName>(name: N, value: Settings[N]): boolean {
  return JSON.stringify(value) === JSON.stringify(STANDARD[name]);
}

/** The settings as a table for the documents, in Markdown. */
export function settingsTable(locale: string): string {
  const columns = ['setting', 'about', 'kind', 'default'] as const;
  const head = columns.map((column) => translate(locale, `settings.column.${column}`));
  const rows = settingNames.map((name) =>
    cells([
      `${settingText(locale, name)} (\`${name}\`)`,
      translate(locale, `settings.about.${name}`),
      kindText(locale, name),
      valueText(locale, name, STANDARD[name]),
    ]),
  );
  return [cells(head), cells(head.map(() => '---')), ...rows].join('\n');
}

function cells(texts: string[]): string {
  return `| ${texts.join(' | ')} |`;
}

/** The displayed name of a setting. */
export function settingText(locale: string, name: SettingName): string {
  return translate(locale, `settings.${name}`);
}
