import { html, nothing, type TemplateResult } from 'lit';
import { does } from '../acts.ts';
import { type Chosen, commandFormView, openCommandForm } from './command-form.ts';
import { DIRECT } from '../parts/channel-label.ts';
import { withoutEmoji } from '../parts/emoji.ts';
import { icon } from '../parts/icon.ts';
import { channelOf, localized, nameOf, type Option, redraw, state } from '../state/state.ts';
import { say } from '../state/words.ts';

const SUBCOMMANDS = [1, 2];
let typed = '';
let active = 0;
let chosen: Chosen | null = null;

/** What was typed in places that were left, by `place`. */
const drafts = new Map<string, string>();

/** The member who writes and the channel; empty while no channel is open. */
const place = (): string => (state.channelId === '' ? '' : `${state.me} ${state.channelId}`);

/**
 * Goes to another channel, or on as another member. What was typed waits there for a return; what was typed
 * before any channel was open goes along.
 */
export function leaveComposer(go: () => void): void {
  const from = place();
  chosen = null;
  go();
  if (from !== '' && from !== place()) {
    drafts.set(from, typed);
    typed = drafts.get(place()) ?? '';
  }
  active = 0;
  redraw();
}

export function closeCommand(): void {
  chosen = null;
  typed = '';
  redraw();
}

/** Every command and subcommand that can be chosen here. */
export function choosable(): Chosen[] {
  type Node = { name: string; name_localizations?: Option['name_localizations'] } & Pick<
    Option,
    'description' | 'description_localizations' | 'options'
  >;
  const walk = (node: Node, words: string, label: string): Chosen[] => {
    const subs = (node.options ?? []).filter((option) => SUBCOMMANDS.includes(option.type));
    const description = localized(node.description, node.description_localizations);
    if (subs.length === 0) return [{ words, label, description, options: node.options ?? [] }];
    return subs.flatMap((sub) =>
      walk(sub, `${words} ${sub.name}`, `${label} ${localized(sub.name, sub.name_localizations)}`),
    );
  };
  return state.commands
    .filter((command) => command.type === 1)
    .flatMap((command) =>
      walk(command, command.name, localized(command.name, command.name_localizations)),
    );
}

function suggested(): Chosen[] {
  if (!typed.startsWith('/') || chosen !== null) return [];
  const wanted = typed.slice(1).trimEnd().toLowerCase();
  const found = choosable().filter(
    ({ words, label }) => words.startsWith(wanted) || label.toLowerCase().startsWith(wanted),
  );
  const exact = found.filter(({ words, label }) => [words, label.toLowerCase()].includes(wanted));
  return [...new Set([...exact, ...found])];
}

/** Opens a command's form with the values that were typed already. */
export function takeCommand(words: string, values: Record<string, string> = {}): boolean {
  const command = choosable().find((one) => one.words === words);
  if (command === undefined) return false;
  take(command, values);
  return true;
}

function take(command: Chosen, values: Record<string, string> = {}): void {
  typed = '';
  chosen = command;
  openCommandForm(command, values, () => {
    // An answer may come after the form was closed, or another one opened.
    if (chosen === command) closeAndReturn();
  });
  redraw();
}

function closeAndReturn(): void {
  closeCommand();
  setTimeout(() => field()?.focus());
}

/** Moves the focus to the composer. `text` is put in if it is empty. */
export function focusComposer(text = ''): void {
  state.drawer = '';
  if (typed === '' && text !== '' && chosen === null) setTyped(text);
  setTimeout(() => {
    const writing = field() ?? document.querySelector<HTMLElement>('#command input');
    writing?.focus();
    field()?.setSelectionRange(typed.length, typed.length);
  });
}

const field = () => document.querySelector<HTMLTextAreaElement>('#text');

function setTyped(text: string): void {
  typed = text;
  active = 0;
  // At once: what is typed before the next drawing comes behind it.
  const writing = field();
  if (writing && writing.value !== text) writing.value = text;
  redraw();
}

function isDirect(): boolean {
  return channelOf(state.channelId)?.type === DIRECT;
}

async function send(): Promise<void> {
  const content = typed;
  if (content.trim() === '') return;
  // The note above says why; as plain text it would have no answer.
  if (isDirect() && content.startsWith('/')) return;
  const from = place();
  // It waits in the field until a channel is open.
  if (from === '') return;
  setTyped('');
  const sent = await does('send', { channel: state.channelId, content });
  if (sent !== undefined) return;
  // What was refused comes back, before what was typed since.
  const before = (since: string): string => (since === '' ? content : `${content}\n${since}`);
  if (place() === from) setTyped(before(typed));
  else drafts.set(from, before(drafts.get(from) ?? ''));
}

function keys(event: KeyboardEvent): void {
  const found = suggested();
  const command = found[active];
  if (event.key === 'Escape') {
    setTyped('');
  } else if (command !== undefined && (event.key === 'Tab' || event.key === 'Enter')) {
    take(command);
  } else if (found.length > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
    active = (active + (event.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length;
    redraw();
  } else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    void send();
  } else return;
  event.preventDefault();
}

export function composerView(): TemplateResult {
  return html`<div id="bottom">
    <p id="status" role="status">${state.status}</p>
    <p id="refusal" role="alert">${state.refusal}</p>
    ${chosen === null ? [suggestionsView(), plainView()] : commandFormView()}
  </div>`;
}

function suggestionsView(): TemplateResult | typeof nothing {
  const found = suggested();
  if (!typed.startsWith('/')) return nothing;
  return html`<div id="commands" role="listbox" aria-label=${say('commands')}>
    ${found.length === 0 ? html`<p class="note">${say(isDirect() ? 'onlyInServer' : 'noCommand')}</p>` : nothing}
    ${found.map(
      (one, at) =>
        html`<button
          type="button"
          role="option"
          id="command-${at}"
          tabindex="-1"
          aria-selected=${at === active}
          @click=${() => take(one)}
        >
          <strong>/${one.label}</strong><small>${one.description}</small>
        </button>`,
    )}
  </div>`;
}

function plainView(): TemplateResult {
  const channel = channelOf(state.channelId);
  const name = isDirect() ? `@${nameOf(state.botId)}` : `#${channel?.name ?? ''}`;
  return html`<form
    id="composer"
    @submit=${(event: Event) => {
      event.preventDefault();
      const [command] = suggested();
      if (command === undefined) void send();
      else take(command);
    }}
  >
    <textarea
      id="text"
      rows="1"
      maxlength="2000"
      aria-autocomplete="list"
      aria-controls=${typed.startsWith('/') ? 'commands' : nothing}
      aria-activedescendant=${suggested().length > 0 ? `command-${active}` : nothing}
      aria-label=${say('placeholder', { channel: name })}
      placeholder=${say('placeholder', { channel: withoutEmoji(name) })}
      .value=${typed}
      @input=${(event: Event) => setTyped((event.target as HTMLTextAreaElement).value)}
      @keydown=${keys}
    ></textarea>
    <button class="primary" aria-label=${say('send')}>${icon('send')}</button>
  </form>`;
}
