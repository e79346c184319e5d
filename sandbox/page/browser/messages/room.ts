import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { attempt } from '../acts.ts';
import { get } from '../api.ts';
import { dayOf, moment } from '../clock.ts';
import { channelLabel } from '../layout/channel-label.ts';
import { closeCommand } from '../compose/composer.ts';
import type { Panel } from '../panel.ts';
import {
  type Channel,
  channelOf,
  type Command,
  isNewer,
  isThread,
  type Message,
  redraw,
  state,
} from '../state/state.ts';
import { markSeen, seenIn } from '../state/unread.ts';
import { say } from '../words.ts';
import { withEmoji } from './emoji.ts';
import { inOrder, keep, part, readPart } from './history.ts';
import { messageView } from './message.ts';
import { followEnd, isAtEnd, keepPlace, onScroll, showMessage } from './scroll.ts';

const TOGETHER_MS = 420_000;
/** Until where the acting member had read when this channel was opened. */
let readUntil = '0';

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
    part.reading = true;
  }
  readUntil = seenIn(id);
  state.channelId = id;
  state.target = messageId;
  state.replyTo = '';
  state.drawer = '';
  await attempt(async () => {
    // What is in sight already need not be read again.
    if (messageId === '' || !state.messages.has(messageId)) await readPart(id, messageId);
    if (state.channelId !== id) return;
    followEnd(messageId === '');
    await readCommands();
    seeAll();
  });
  if (messageId !== '') showMessage(messageId);
}

/** A message as it now stands. */
export function keepMessage(message: Message): void {
  const { author, interaction_metadata: asked } = message;
  const isOwn = author.id === state.me || asked?.user.id === state.me;
  const atEnd = isAtEnd();
  if (keep(message)) {
    // What one does oneself is seen at once.
    if (isOwn && part.hasNewer) void openChannel(state.channelId);
    else if (isOwn || atEnd) followEnd(true);
    // What comes before one's eyes is not new.
    if (!document.hidden && isNewer(message.id, readUntil)) readUntil = message.id;
    seeAll();
  }
  redraw();
}

/** One more message in a thread that began at a message in sight. */
export function countInThread(threadId: string): void {
  const thread = state.messages.get(threadId)?.thread as Channel | undefined;
  if (thread !== undefined) thread.message_count = (thread.message_count ?? 0) + 1;
}

/** The message from which the open thread began, as it now stands. */
export function keepStarter(message: Message): void {
  if (message.id !== state.channelId) return;
  for (const shown of state.messages.values()) {
    if (shown.referenced_message?.id === message.id) shown.referenced_message = message as never;
  }
}

function seeAll(): void {
  if (document.hidden) return;
  let newest = '0';
  for (const id of state.messages.keys()) if (isNewer(id, newest)) newest = id;
  markSeen(state.channelId, newest);
}

/** After every drawing. */
export function follow(): void {
  keepPlace();
}

function openDrawer(which: 'channels' | 'side'): void {
  state.drawer = which;
  redraw();
}

export function roomView(panel: Panel): TemplateResult {
  const channel = channelOf(state.channelId);
  const parent =
    channel !== undefined && isThread(channel) ? channelOf(channel.parent_id ?? '') : undefined;
  const ordered = inOrder();
  return html`<header class="room-head">
      <button
        type="button"
        class="drawer-button"
        aria-label=${say('openChannels')}
        @click=${() => openDrawer('channels')}
      >
        ☰
      </button>
      <h2>
        ${
          parent === undefined
            ? nothing
            : html`<a
                class="parent"
                href="#${parent.id}/${channel?.id ?? ''}"
                title=${say('toParent', { channel: parent.name ?? '' })}
                >${withEmoji(channelLabel(parent))}</a
              >`
        }
        ${channel === undefined ? '…' : withEmoji(channelLabel(channel))}
      </h2>
      <p>${withEmoji(channel?.topic ?? '')}</p>
      <button
        type="button"
        class="drawer-button"
        aria-label=${panel.label()}
        @click=${() => openDrawer('side')}
      >
        ${withEmoji(panel.emoji)}
      </button>
    </header>
    <div id="messages" tabindex="-1" @scroll=${onScroll}>
      <discord-messages no-background role="log" aria-label=${say('messages')}>
        ${!part.reading && ordered.length === 0 ? html`<p class="note nothing">${say('empty')}</p>` : nothing}
        ${repeat(
          ordered,
          ({ id }) => id,
          (message, at) => row(message, ordered[at - 1]),
        )}
      </discord-messages>
    </div>
    ${
      part.hasNewer
        ? html`<button
            type="button"
            class="to-present"
            @click=${() => void toPresent()}
          >
            <span>${say('olderShown')}</span><strong>${say('toPresent')} ↓</strong>
          </button>`
        : nothing
    }`;
}

async function toPresent(): Promise<void> {
  await attempt(() => readPart(state.channelId, ''));
  followEnd(true);
  redraw();
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
