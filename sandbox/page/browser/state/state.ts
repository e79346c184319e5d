import type { Locale } from 'discord-api-types/rest';
import type { APIMessage, APIRole, APIUser } from 'discord-api-types/v10';
import { knownLocale } from './known-locale.ts';

export type Person = { user: APIUser; nick: string | null; roles: string[]; locale: string };

export type Channel = {
  id: string;
  type: number;
  guild_id?: string;
  name?: string;
  topic?: string | null;
  parent_id?: string | null;
  nsfw?: boolean;
  /** Of a thread: its messages without the first. */
  message_count?: number;
  /** Of a thread that the acting member has joined. */
  member?: object;
  thread_metadata?: { archived: boolean; locked: boolean };
};

export type Guild = { id: string; name: string; ownerId: string; roles: APIRole[] };

export type Message = Omit<APIMessage, 'components'> & { components: Component[] };

/** Any component of a message or modal; `type` is Discord's number of its kind. */
export type Component = {
  type: number;
  custom_id?: string;
  style?: number;
  label?: string;
  emoji?: { name?: string };
  url?: string;
  disabled?: boolean;
  placeholder?: string;
  min_values?: number;
  max_values?: number;
  min_length?: number;
  max_length?: number;
  required?: boolean;
  value?: string;
  options?: { label: string; value: string; description?: string; default?: boolean }[];
  channel_types?: number[];
  default_values?: { id: string }[];
  description?: string;
  components?: Component[];
  component?: Component;
};

type Localized = Record<string, string> | null;

export type Option = {
  type: number;
  name: string;
  name_localizations?: Localized;
  description: string;
  description_localizations?: Localized;
  required?: boolean;
  autocomplete?: boolean;
  choices?: { name: string; name_localizations?: Localized; value: string | number }[];
  channel_types?: number[];
  min_value?: number;
  max_value?: number;
  min_length?: number;
  max_length?: number;
  options?: Option[];
};

export type Command = {
  id: string;
  type: 1 | 2 | 3;
  name: string;
  name_localizations?: Localized;
  description: string;
  description_localizations?: Localized;
  options?: Option[];
};

/** The page's state. It is read again when the acting member changes. */
export const state = {
  me: '',
  guild: { id: '', name: '', ownerId: '', roles: [] } as Guild,
  botId: '',
  botOnline: false,
  /** Members and the bot, by id. */
  people: new Map<string, Person>(),
  channels: [] as Channel[],
  channelId: '',
  /** The messages of the open channel, in no order. */
  messages: new Map<string, Message>(),
  commands: [] as Command[],
  /** The line over the composer: work under way, or a refusal. */
  status: '',
  refusal: '',
  /** The message that a jump link led to. */
  target: '',
  /** The message under the cursor or with the focus. */
  looked: '',
  drawer: '' as '' | 'channels' | 'side',
};

let draw = (): void => {};
let waiting = false;

export function drawWith(paint: () => void): void {
  draw = paint;
}

/** Draws soon, once for several changes in a row. */
export function redraw(): void {
  if (waiting) return;
  waiting = true;
  // Not an animation frame: a page in the background has none.
  setTimeout(() => {
    waiting = false;
    draw();
  });
}

export function nameOf(userId: string): string {
  const person = state.people.get(userId);
  return person?.nick ?? person?.user.global_name ?? person?.user.username ?? 'Unknown';
}

export function channelOf(id: string): Channel | undefined {
  return state.channels.find((channel) => channel.id === id);
}

export function roleName(id: string): string {
  return state.guild.roles.find((role) => role.id === id)?.name ?? 'unknown';
}

/** The client language of the acting member: the one that was chosen, or the browser's. */
export function locale(): string {
  return knownLocale(localStorage.getItem('locale') ?? navigator.language);
}

export function setLocale(next: `${Locale}`): void {
  localStorage.setItem('locale', next);
  redraw();
}

export function localized(name: string, names: Localized | undefined): string {
  return names?.[locale()] ?? name;
}

/** The label of a used command in the page's language. Message commands have no slash. */
export function commandLabel(used: string): string {
  const onMessage = state.commands.find(({ type, name }) => type === 3 && name === used);
  if (onMessage !== undefined) return localized(onMessage.name, onMessage.name_localizations);
  let within: readonly Pick<Command, 'name' | 'name_localizations' | 'options'>[] = state.commands;
  const words = used.split(' ').map((word) => {
    const found = within.find(({ name }) => name === word);
    within = found?.options ?? [];
    return localized(word, found?.name_localizations);
  });
  return `/${words.join(' ')}`;
}

/** A member's rank, which is shown after the name. */
export function rankOf(id: string): 'admin' | 'moderator' | 'member' {
  if (id === state.guild.ownerId) return 'admin';
  const roles = state.people.get(id)?.roles ?? [];
  return roles.some((role) => roleName(role) === 'Moderators') ? 'moderator' : 'member';
}

/** The members as whom the page can act: everybody but bots. */
export function actors(): Person[] {
  const order = ['admin', 'moderator', 'member'];
  return [...state.people.values()]
    .filter(({ user }) => user.bot !== true)
    .sort((a, b) => order.indexOf(rankOf(a.user.id)) - order.indexOf(rankOf(b.user.id)));
}

export function isThread(channel: Channel): boolean {
  return channel.thread_metadata !== undefined;
}

/** The newer has the longer or the greater number. */
function isNewer(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}

export function inOrder(): Message[] {
  return [...state.messages.values()].sort((a, b) => (isNewer(a.id, b.id) ? 1 : -1));
}
