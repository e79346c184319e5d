import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { attempt } from '../acts.ts';
import { read } from '../state/api.ts';
import { dayOf, moment } from '../state/clock.ts';
import { channelLabel } from '../parts/channel-label.ts';
import { icon } from '../parts/icon.ts';
import { leaveComposer } from '../compose/composer.ts';
import type { Panel } from '../panel.ts';
import {
  channelOf,
  type Command,
  inOrder,
  isThread,
  type Message,
  redraw,
  state,
} from '../state/state.ts';
import { say } from '../state/words.ts';
import { withEmoji } from '../parts/emoji.ts';
import { messageView } from './message.ts';
import { followEnd, onScroll, showMessage } from './scroll.ts';

const TOGETHER_MS = 420_000;
/** Nothing of the channel is here yet. */
let reading = true;

export function isReading(): boolean {
  return reading;
}

export async function readCommands(): Promise<void> {
  const { me, channelId } = state;
  if (channelId === '') return;
  const commands = await read<Command[]>(`as/${me}/commands?channel=${channelId}`);
  if (state.me !== me || state.channelId !== channelId) return;
  state.commands = commands;
  redraw();
}

/** Shows a channel, at its end or at one of its messages. If the open one is reread, what is in sight stays there. */
export async function openChannel(
  id: string,
  messageId = '',
  why: 'go' | 'reread' = 'go',
): Promise<void> {
  const stays = why === 'reread' && id === state.channelId && !reading;
  if (id !== state.channelId) {
    leaveComposer(() => {
      state.channelId = id;
    });
    state.messages = new Map();
    reading = true;
  }
  if (!stays) {
    state.target = messageId;
    state.drawer = '';
  }
  await attempt(async () => {
    const { me } = state;
    const messages = await read<Message[]>(`as/${me}/messages?channel=${id}`);
    if (state.channelId !== id || state.me !== me) return;
    state.messages = new Map(messages.map((message) => [message.id, message]));
    reading = false;
    if (!stays) followEnd(messageId === '');
    await readCommands();
  });
  if (messageId !== '' && !stays) showMessage(messageId);
}

/** Keeps the present state of a message. */
export function keepMessage(message: Message): void {
  const { author, interaction_metadata: asked } = message;
  const isOwn = author.id === state.me || asked?.user.id === state.me;
  // The member's own message is scrolled into view.
  if (isOwn && !state.messages.has(message.id)) followEnd(true);
  state.messages.set(message.id, message);
  redraw();
}

/** Keeps the present state of the message from which the open thread was started. */
export function keepStarter(message: Message): void {
  if (message.id !== state.channelId) return;
  for (const shown of state.messages.values()) {
    if (shown.referenced_message?.id === message.id) shown.referenced_message = message as never;
  }
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
        ${icon('menu')}
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
        ${withEmoji(panel.button())}
      </button>
    </header>
    <div id="messages" tabindex="-1" @scroll=${onScroll}>
      <discord-messages no-background role="log" aria-label=${say('messages')}>
        ${!reading && ordered.length === 0 ? html`<p class="note nothing">${say('empty')}</p>` : nothing}
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
  const follows =
    !newDay &&
    before?.author.id === message.author.id &&
    sent - earlier < TOGETHER_MS &&
    message.interaction_metadata === undefined &&
    !message.referenced_message &&
    message.embeds.length === 0;
  return html`${
    newDay ? html`<div class="day" role="separator"><span>${moment(sent, 'D')}</span></div>` : ''
  }${messageView(message, follows)}`;
}
