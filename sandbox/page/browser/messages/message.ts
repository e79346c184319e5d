import type { APIReaction } from 'discord-api-types/v10';
import { html, nothing, type TemplateResult } from 'lit';
import { dismiss, react, unreact } from '../acts.ts';
import { faceOf } from '../parts/avatars.ts';
import { sentAt } from '../state/clock.ts';
import { componentView } from './component.ts';
import { embedView } from './embed.ts';
import { emojiAddress, ownEmojiAddress, withEmoji } from '../parts/emoji.ts';
import { icon } from '../parts/icon.ts';
import { inline, markdown, plain } from './markdown.ts';
import { openMessageMenu } from './message-menu.ts';
import {
  type Channel,
  channelOf,
  commandLabel,
  type Message,
  nameOf,
  rankOf,
  redraw,
  state,
} from '../state/state.ts';
import { say } from '../state/words.ts';

const THREAD_STARTER = 21;
const EPHEMERAL = 64;
const LOADING = 128;
const NAME_COLOURS = { admin: 'var(--admin)', moderator: 'var(--moderator)', member: undefined };

/** A message as the acting member sees it. `follows`: the message before it has the same author. */
export function messageView(message: Message, follows: boolean): TemplateResult {
  const starter =
    (message.type as number) === THREAD_STARTER ? message.referenced_message : undefined;
  // A thread begins with the message from which it was started.
  if (starter) return messageView(starter as unknown as Message, false);
  const ephemeral = ((message.flags ?? 0) & EPHEMERAL) !== 0;
  const loading = ((message.flags ?? 0) & LOADING) !== 0;
  const name = nameOf(message.author.id);
  const classes = [
    ephemeral ? 'ephemeral' : '',
    state.target === message.id ? 'target' : '',
    follows ? 'follows' : '',
  ];
  const menu = (event: MouseEvent | KeyboardEvent): void => openMessageMenu(event, message);
  return html`<discord-message
    id="message-${message.id}"
    class=${classes.join(' ').trim() || nothing}
    role="article"
    tabindex="0"
    aria-label="${name}, ${sentAt(Date.parse(message.timestamp))}: ${labelOf(message)}"
    .author=${name}
    .avatar=${faceOf(message.author.id)}
    .bot=${message.author.bot === true}
    .roleColor=${NAME_COLOURS[rankOf(message.author.id)]}
    .timestamp=${sentAt(Date.parse(message.timestamp))}
    ?message-body-only=${follows}
    @mouseenter=${() => look(message)}
    @focusin=${() => look(message)}
    @contextmenu=${menu}
    @keydown=${(event: KeyboardEvent) => steer(event, menu)}
  >
    ${aboveView(message)}
    ${loading ? html`<em class="note">${say('thinking')}</em>` : contentView(message)}
    ${message.embeds.map((embed) => embedView(embed, message))}
    ${attachmentsView(message)}
    ${
      message.components.length > 0
        ? html`<div slot="components">
          ${message.components.map((part) => componentView(part, message))}
        </div>`
        : nothing
    }
    ${reactionsView(message)}
    ${message.thread === undefined ? nothing : threadView(message.thread as Channel)}
    ${ephemeral ? dismissView(message) : toolsView(message)}
  </discord-message>`;
}

/** Discord says "edited" on the last line, also where that line is a small one. */
function contentView({ content, edited_timestamp: edited }: Message): TemplateResult {
  if (edited === null || content === '')
    return html`<span class="lines">${markdown(content, 'content')}</span>`;
  const lines = content.split('\n');
  const last = lines.pop() ?? '';
  const note = html`<small class="note"> ${say('edited')}</small>`;
  if (!last.startsWith('-# '))
    return html`<span class="lines">${markdown(content, 'content')}</span>${note}`;
  return html`<span class="lines">${markdown(lines.join('\n'), 'content')}<small class="subtext"
      >${inline(last.slice(3), 'content')}${note}</small
    ></span>`;
}

/** The thread that began at the message, under it. A new name is told of the thread alone. */
function threadView(thread: Channel): TemplateResult {
  const name = channelOf(thread.id)?.name ?? thread.name ?? '';
  return html`<a slot="thread" class="thread-link" href="#${thread.id}">
    <strong>${withEmoji(name)}</strong>
    <span>${say(thread.message_count === 1 ? 'threadMessage' : 'threadMessages', { n: thread.message_count ?? 0 })} ›</span>
  </a>`;
}

function look(message: Message): void {
  if (state.looked === message.id) return;
  state.looked = message.id;
  redraw();
}

/** Arrows go from message to message, Enter opens what can be done. */
function steer(event: KeyboardEvent, menu: (event: KeyboardEvent) => void): void {
  const element = event.currentTarget as HTMLElement;
  if (event.target !== element) return;
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const;
  if (event.key === 'Enter') menu(event);
  else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    let next = element[step[event.key]];
    while (next !== null && !next.matches('discord-message')) next = next[step[event.key]];
    (next as HTMLElement | null)?.focus();
  }
}

function labelOf(message: Message): string {
  return plain(message.content || message.embeds[0]?.title || message.embeds[0]?.description || '');
}

function aboveView(message: Message): TemplateResult | typeof nothing {
  const used = message.interaction;
  if (used !== undefined) {
    return html`<div slot="reply" class="used">
      <img src=${faceOf(used.user.id)} alt="" /><strong>${withEmoji(nameOf(used.user.id))}</strong>
      ${say('used')} <span>${commandLabel(used.name)}</span>
    </div>`;
  }
  const to = message.referenced_message;
  if (to === undefined || to === null) return nothing;
  return html`<discord-reply slot="reply" .author=${nameOf(to.author.id)} .avatar=${faceOf(to.author.id)}
    >${withEmoji(firstLine(plain(to.content || (to.embeds[0]?.title ?? ''))))}</discord-reply
  >`;
}

/** What a reply quotes stands in one line, which the page cuts where its room ends. */
function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? '';
}

/** A file that an embed shows is not shown again. */
function attachmentsView({ attachments, embeds }: Message): TemplateResult | typeof nothing {
  const shown = new Set(embeds.flatMap(({ image, thumbnail }) => [image?.url, thumbnail?.url]));
  const files = attachments.filter(({ filename }) => !shown.has(`attachment://${filename}`));
  if (files.length === 0) return nothing;
  return html`<discord-attachments slot="attachments">
    ${files.map((file) => {
      const { pathname } = new URL(file.url, location.href);
      const words = file.description ?? file.filename;
      return file.content_type?.startsWith('image/') === true
        ? html`<img class="picture" src=${pathname} alt=${words} />`
        : html`<a class="file" href=${pathname} download=${file.filename}>${withEmoji('📄')} ${file.filename}</a>`;
    })}
  </discord-attachments>`;
}

function reactionsView(message: Message): TemplateResult | typeof nothing {
  const { reactions = [] } = message;
  if (reactions.length === 0) return nothing;
  return html`<discord-reactions slot="reactions">${reactions.map((one) => reactionView(message, one))}</discord-reactions>`;
}

function reactionView(message: Message, { emoji, count, me }: APIReaction): TemplateResult {
  const name = emoji.name ?? '';
  const isOwn = emoji.id !== null && emoji.id !== undefined;
  const toggle = () => (me ? unreact : react)(message, isOwn ? `${name}:${emoji.id}` : name);
  return html`<discord-reaction
    role="button"
    tabindex="0"
    aria-pressed=${me}
    aria-label="${name} ${count === 1 ? say('reaction') : say('reactions', { n: count })}"
    .emoji=${isOwn ? ownEmojiAddress(name) : (emojiAddress(name) ?? name)}
    .name=${name}
    .count=${count}
    ?reacted=${me}
    @click=${toggle}
    @keydown=${(event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      void toggle();
    }}
  ></discord-reaction>`;
}

function dismissView(message: Message): TemplateResult {
  return html`<div slot="thread" class="only-you">
    ${withEmoji('👁️')} ${say('onlyYou')} •
    <button type="button" class="as-link" @click=${() => dismiss(message)}>${say('dismiss')}</button>
  </div>`;
}

function toolsView(message: Message): TemplateResult {
  return html`<div slot="thread" class="tools" role="group" aria-label=${say('actions')}>
    ${['👍', '👎'].map(
      (emoji) =>
        html`<button
          type="button"
          title=${say('reactWith', { emoji })}
          aria-label=${say('reactWith', { emoji })}
          @click=${() => react(message, emoji)}
        >
          ${withEmoji(emoji)}
        </button>`,
    )}
    <button
      type="button"
      title=${say('actions')}
      aria-label=${say('actions')}
      aria-haspopup="menu"
      @click=${(event: MouseEvent) => openMessageMenu(event, message)}
    >
      ${icon('more')}
    </button>
  </div>`;
}
