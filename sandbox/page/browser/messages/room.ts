import { html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { attempt } from '../acts.ts';
import { get } from '../api.ts';
import { dayOf, moment } from '../clock.ts';
import { channelLabel } from '../layout/channel-label.ts';
import { closeCommand } from '../compose/composer.ts';
import { messageView } from './message.ts';
import { channelOf, type Command, isNewer, type Message, redraw, state } from '../state/state.ts';
import { markSeen, seenIn } from '../state/unread.ts';
import { say } from '../words.ts';

const TOGETHER_MS = 420_000;
/** Until where the acting member had read when this channel was opened. */
let readUntil = '0';
let toEnd = true;
/** Of another channel nothing is left, and of this one nothing is here yet. */
let reading = true;

export async function readCommands(): Promise<void> {
  if (state.channelId === '') return;
  state.commands = await get<Command[]>(`as/${state.me}/commands?channel=${state.channelId}`);
  redraw();
}

/** Shows a channel, at its end or at one of its messages. */
export async function openChannel(id: string, messageId = ''): Promise<void> {
  if (id !== state.channelId) {
    closeCommand();
    state.messages = new Map();
    reading = true;
  }
  readUntil = seenIn(id);
  state.channelId = id;
  state.target = messageId;
  state.replyTo = '';
  state.drawer = '';
  await attempt(async () => {
    const messages = await get<Message[]>(`as/${state.me}/messages?channel=${id}`);
    if (state.channelId !== id) return;
    state.messages = new Map(messages.map((message) => [message.id, message]));
    reading = false;
    toEnd = messageId === '';
    await readCommands();
    seeAll();
  });
  if (messageId !== '') showTarget(messageId);
}

function showTarget(id: string): void {
  // Drawn by now: `attempt` has asked for it before.
  setTimeout(() => {
    const target = document.querySelector<HTMLElement>(`#message-${id}`);
    target?.scrollIntoView({ block: 'center' });
    target?.focus({ preventScroll: true });
  }, 50);
}

/** A message as it now stands. */
export function keepMessage(message: Message): void {
  const isNew = !state.messages.has(message.id);
  state.messages.set(message.id, message);
  if (isNew) {
    const { author, interaction_metadata: asked } = message;
    // What one does oneself is seen at once.
    toEnd ||= isAtEnd() || author.id === state.me || asked?.user.id === state.me;
    // What comes before one's eyes is not new.
    if (!document.hidden && isNewer(message.id, readUntil)) readUntil = message.id;
    seeAll();
  }
  redraw();
}

function seeAll(): void {
  if (document.hidden) return;
  let newest = '0';
  for (const id of state.messages.keys()) if (isNewer(id, newest)) newest = id;
  markSeen(state.channelId, newest);
}

function list(): HTMLElement | null {
  return document.querySelector('#messages');
}

function isAtEnd(): boolean {
  const shown = list();
  return shown === null || shown.scrollHeight - shown.scrollTop - shown.clientHeight < 120;
}

/** After every drawing: who was at the end stays there. */
export function follow(): void {
  const shown = list();
  if (!toEnd || shown === null) return;
  toEnd = false;
  const scroll = (): void => {
    shown.scrollTop = shown.scrollHeight;
  };
  scroll();
  // The components draw themselves a moment later.
  requestAnimationFrame(scroll);
  setTimeout(scroll, 60);
}

export function roomView(): TemplateResult {
  const channel = channelOf(state.channelId);
  const ordered = [...state.messages.values()].sort((a, b) => (isNewer(a.id, b.id) ? 1 : -1));
  return html`<header class="room-head">
      <button
        type="button"
        class="drawer-button"
        aria-label=${say('openChannels')}
        @click=${() => {
          state.drawer = 'channels';
          redraw();
        }}
      >
        ☰
      </button>
      <h2>${channel === undefined ? '…' : channelLabel(channel)}</h2>
      <p>${channel?.topic ?? ''}</p>
      <button
        type="button"
        class="drawer-button"
        aria-label=${say('openSide')}
        @click=${() => {
          state.drawer = 'side';
          redraw();
        }}
      >
        🧭
      </button>
    </header>
    <div id="messages" tabindex="-1">
      <discord-messages no-background role="log" aria-label=${say('messages')}>
        ${!reading && ordered.length === 0 ? html`<p class="note nothing">${say('empty')}</p>` : ''}
        ${repeat(
          ordered,
          ({ id }) => id,
          (message, at) => row(message, ordered[at - 1]),
        )}
      </discord-messages>
    </div>`;
}

function row(message: Message, before: Message | undefined): TemplateResult {
  const sent = Date.parse(message.timestamp);
  const earlier = before === undefined ? 0 : Date.parse(before.timestamp);
  const newDay = before === undefined || dayOf(sent) !== dayOf(earlier);
  const fromHere =
    before !== undefined && isNewer(message.id, readUntil) && !isNewer(before.id, readUntil);
  const follows =
    !newDay &&
    !fromHere &&
    before?.author.id === message.author.id &&
    sent - earlier < TOGETHER_MS &&
    message.interaction_metadata === undefined &&
    !message.referenced_message &&
    message.embeds.length === 0;
  return html`${
    newDay ? html`<div class="day" role="separator"><span>${moment(sent, 'D')}</span></div>` : ''
  }${
    fromHere
      ? html`<div class="day new" role="separator"><span>${say('newMessages')}</span></div>`
      : ''
  }${messageView(message, follows)}`;
}
