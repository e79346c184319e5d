import { html, nothing, type TemplateResult } from 'lit';
import { moment } from '../state/clock.ts';
import { channelOf, commandLabel, isThread, nameOf, roleName } from '../state/state.ts';
import { ownEmojiAddress, withEmoji } from '../parts/emoji.ts';
import {
  parseInline,
  parseMarkdown,
  shownText,
  type Part,
  type Place,
} from '../../../../discord-box/src/world/markdown/parse.ts';

type Piece = TemplateResult | string;

/** A whole text: blocks of code, quotes, headings, lists, and lines. */
export function markdown(text: string, place: Place): Piece[] {
  return parseMarkdown(text, place).flatMap(view);
}

/** A part of a line. */
export function inline(text: string, place: Place): Piece[] {
  return parseInline(text, place).flatMap(view);
}

function view(part: Part): Piece | Piece[] {
  switch (part.type) {
    case 'text':
      return withEmoji(part.text);
    case 'code':
      return html`<discord-code>${withEmoji(part.text)}</discord-code>`;
    case 'code-block':
      return html`<discord-pre>${part.text}</discord-pre>`;
    case 'bold':
      return html`<strong>${views(part)}</strong>`;
    case 'italic':
      return html`<em>${views(part)}</em>`;
    case 'underline':
      return html`<u>${views(part)}</u>`;
    case 'strike':
      return html`<s>${views(part)}</s>`;
    case 'spoiler':
      return html`<discord-spoiler>${views(part)}</discord-spoiler>`;
    case 'quote':
      return html`<discord-quote>${views(part)}</discord-quote>`;
    case 'subtext':
      return html`<small class="subtext">${views(part)}</small>`;
    case 'heading':
      return html`<discord-header level=${part.level}>${views(part)}</discord-header>`;
    case 'item':
      return html`<div class="item" style="--depth:${part.depth}">
        <span>${part.number === null ? '•' : `${part.number}.`}</span><span>${views(part)}</span>
      </div>`;
    case 'link':
      return link(part.url, part.parts === null ? undefined : part.parts.flatMap(view), part.hover);
    case 'mention':
      return mentionView(part);
    case 'mention-all':
      return html`<discord-mention type="role">${part.of}</discord-mention>`;
    case 'time':
      return time(part.seconds * 1000, part.style);
    case 'command':
      return html`<discord-mention type="slash"
        >${commandLabel(part.name).slice(1)}</discord-mention
      >`;
    case 'emoji':
      // The page has no table of the names that Discord gives to emoji.
      if (part.kind === 'character') return withEmoji(part.emoji);
      if (part.kind === 'named') return `:${part.emoji}:`;
      return html`<img
        class="emoji"
        src=${ownEmojiAddress(part.emoji)}
        alt=":${part.emoji}:"
        draggable="false"
      />`;
  }
}

function views({ parts }: { parts: readonly Part[] }): Piece[] {
  return parts.flatMap(view);
}

function mentionView({ of, id }: Extract<Part, { type: 'mention' }>): TemplateResult {
  if (of === 'channel') return channelMention(id);
  const name = of === 'user' ? nameOf(id) : roleName(id);
  return html`<discord-mention type=${of}>${name}</discord-mention>`;
}

function channelMention(id: string): TemplateResult {
  const channel = channelOf(id);
  const kind = channel !== undefined && isThread(channel) ? 'thread' : 'channel';
  const type = channel?.type === 15 ? 'forum' : kind;
  return html`<a class="jump" href="#${id}"
    ><discord-mention type=${type}>${withEmoji(channel?.name ?? 'unknown')}</discord-mention></a
  >`;
}

/** A link into this Discord jumps within the page; any other opens apart and tells nothing. */
export function link(url: string, text?: Piece[], hover?: string): TemplateResult {
  const jump = /^https:\/\/discord\.com\/channels\/[^/]+\/(\d+)(?:\/(\d+))?/.exec(url);
  if (jump === null) {
    return html`<a
      class="link"
      href=${url}
      target="_blank"
      rel="noreferrer noopener"
      title=${hover ?? nothing}
      >${text ?? url}</a
    >`;
  }
  const [, channel = '', message] = jump;
  const href = `#${channel}${message === undefined ? '' : `/${message}`}`;
  if (text !== undefined) return html`<a class="link" href=${href}>${text}</a>`;
  const name = channelOf(channel)?.name ?? 'unknown';
  return html`<a class="jump" href=${href}
    ><discord-mention type="channel">${name}${message === undefined ? '' : withEmoji(' › 💬')}</discord-mention></a
  >`;
}

function time(ms: number, style: string | undefined): TemplateResult {
  return html`<discord-time title=${moment(ms, 'F')}>${moment(ms, style)}</discord-time>`;
}

/** The text without its marks, for labels and toasts. */
export function plain(text: string): string {
  return plainOf(parseMarkdown(text)).slice(0, 200);
}

function plainOf(parts: readonly Part[]): string {
  return parts.map(plainText).join('');
}

function plainText(part: Part): string {
  switch (part.type) {
    case 'mention':
      if (part.of === 'channel') return `#${channelOf(part.id)?.name ?? 'unknown'}`;
      return `@${part.of === 'user' ? nameOf(part.id) : roleName(part.id)}`;
    case 'mention-all':
      return `@${part.of}`;
    case 'time':
      return moment(part.seconds * 1000, part.style);
    case 'command':
      return `/${part.name}`;
    default:
      return 'parts' in part && part.parts !== null ? plainOf(part.parts) : shownText([part]);
  }
}
