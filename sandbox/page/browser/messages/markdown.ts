import { html, type TemplateResult } from 'lit';
import { moment } from '../state/clock.ts';
import { channelOf, commandLabel, isThread, nameOf, roleName } from '../state/state.ts';
import { withEmoji } from '../parts/emoji.ts';

type Piece = TemplateResult | string;
type Rule = [pattern: RegExp, make: (match: RegExpExecArray) => Piece];

/** Discord's markdown within a line; the first rule that matches counts. */
const RULES: Rule[] = [
  [/^\\([^\w\s])/, ([, character = '']) => character],
  [/^``(.+?)``(?!`)/s, ([, code]) => html`<discord-code>${withEmoji(code ?? '')}</discord-code>`],
  [/^`([^`]+)`/, ([, code]) => html`<discord-code>${withEmoji(code ?? '')}</discord-code>`],
  [/^\|\|(.+?)\|\|/s, ([, text = '']) => spoiler(text)],
  [/^\*\*\*(.+?)\*\*\*/s, ([, text = '']) => html`<strong><em>${inline(text)}</em></strong>`],
  [/^\*\*(.+?)\*\*/s, ([, text = '']) => html`<strong>${inline(text)}</strong>`],
  [/^__(.+?)__/s, ([, text = '']) => html`<u>${inline(text)}</u>`],
  [/^~~(.+?)~~/s, ([, text = '']) => html`<s>${inline(text)}</s>`],
  [/^\*(\S|\S.*?\S)\*/s, ([, text = '']) => html`<em>${inline(text)}</em>`],
  [/^_(\S|\S.*?\S)_(?!\w)/s, ([, text = '']) => html`<em>${inline(text)}</em>`],
  [
    /^<@!?(\d+)>/,
    ([, id = '']) => html`<discord-mention type="user">${nameOf(id)}</discord-mention>`,
  ],
  [
    /^<@&(\d+)>/,
    ([, id = '']) => html`<discord-mention type="role">${roleName(id)}</discord-mention>`,
  ],
  [/^@(everyone|here)\b/, ([, all]) => html`<discord-mention type="role">${all}</discord-mention>`],
  [/^<#(\d+)>/, ([, id = '']) => channelMention(id)],
  [/^<t:(-?\d+)(?::(\w))?>/, ([, seconds, style]) => time(Number(seconds) * 1000, style)],
  [
    /^<\/([^:>]+):\d+>/,
    ([, name = '']) =>
      html`<discord-mention type="slash">${commandLabel(name).slice(1)}</discord-mention>`,
  ],
  [/^<a?:(\w+):\d+>/, ([, name = '']) => `:${name}:`],
  [
    /^\[([^\]\n]+)\]\(<?(https?:\/\/[^\s>)]+)>?\)/,
    ([, text = '', url = '']) => link(url, inline(text)),
  ],
  [/^<(https?:\/\/[^\s>]+)>/, ([, url = '']) => link(url)],
  [/^https?:\/\/[^\s<]+[^\s<.,:;"')\]]/, ([url]) => link(url)],
];

/** Where plain text can end and a rule begin. */
const STARTS = /[\\`|*_~<@[]|https?:\/\//g;

export function inline(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plain = '';
  for (let rest = text; rest !== ''; ) {
    // An underscore within a word is none.
    const inWord = rest.startsWith('_') && /\w$/.test(plain);
    const found = inWord ? undefined : firstOf(rest);
    if (found !== undefined) {
      pieces.push(...withEmoji(plain));
      plain = '';
      pieces.push(found.piece);
      rest = rest.slice(found.length);
      continue;
    }
    STARTS.lastIndex = 1;
    const next = STARTS.exec(rest)?.index ?? rest.length;
    plain += rest.slice(0, next);
    rest = rest.slice(next);
  }
  return [...pieces, ...withEmoji(plain)];
}

function firstOf(rest: string): { piece: Piece; length: number } | undefined {
  for (const [pattern, make] of RULES) {
    const match = pattern.exec(rest);
    if (match !== null) return { piece: make(match), length: match[0].length };
  }
  return undefined;
}

/** A whole text: blocks of code, quotes, headings, lists, and lines. */
export function markdown(text: string): Piece[] {
  return text.split(/```(?:\w*\n)?([\s\S]*?)```/).flatMap((part, at) => {
    if (at % 2 === 1) return [html`<discord-pre>${part.replace(/\n$/, '')}</discord-pre>`];
    return part === '' ? [] : lines(part);
  });
}

function lines(text: string): Piece[] {
  const whole = /^(?:([\s\S]*?)\n)?>>> ([\s\S]+)$/.exec(text);
  if (whole !== null) {
    const [, before, quoted = ''] = whole;
    const quote = html`<discord-quote>${lines(quoted)}</discord-quote>`;
    return before === undefined ? [quote] : [...lines(before), quote];
  }
  const pieces: Piece[] = [];
  let afterBlock = true;
  for (const line of text.split('\n')) {
    const block = blockOf(line);
    if (block === undefined && !afterBlock) pieces.push('\n');
    pieces.push(...(block === undefined ? inline(line) : [block]));
    afterBlock = block !== undefined;
  }
  return pieces;
}

function blockOf(line: string): TemplateResult | undefined {
  const heading = /^(#{1,3}) +(.+)/.exec(line);
  if (heading !== null) {
    const [, marks = '', title = ''] = heading;
    return html`<discord-header level=${marks.length}>${inline(title)}</discord-header>`;
  }
  if (line.startsWith('> ')) return html`<discord-quote>${inline(line.slice(2))}</discord-quote>`;
  if (line.startsWith('-# ')) return html`<small class="subtext">${inline(line.slice(3))}</small>`;
  const item = /^( *)(?:[-*]|(\d+)\.) +(.+)/.exec(line);
  if (item === null) return undefined;
  const [, indent = '', number, what = ''] = item;
  return html`<div class="item" style="--depth:${Math.floor(indent.length / 2)}">
    <span>${number === undefined ? '•' : `${number}.`}</span><span>${inline(what)}</span>
  </div>`;
}

function spoiler(text: string): TemplateResult {
  return html`<discord-spoiler>${inline(text)}</discord-spoiler>`;
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
export function link(url: string, text?: Piece[]): TemplateResult {
  const jump = /^https:\/\/discord\.com\/channels\/[^/]+\/(\d+)(?:\/(\d+))?/.exec(url);
  if (jump === null) {
    return html`<a class="link" href=${url} target="_blank" rel="noreferrer noopener"
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
  return text
    .replace(/<@!?(\d+)>/g, (_, id: string) => `@${nameOf(id)}`)
    .replace(/<#(\d+)>/g, (_, id: string) => `#${channelOf(id)?.name ?? 'unknown'}`)
    .replace(/<@&(\d+)>/g, (_, id: string) => `@${roleName(id)}`)
    .replace(/<t:(-?\d+)(?::(\w))?>/g, (_, s: string, style?: string) =>
      moment(Number(s) * 1000, style),
    )
    .replace(/[*_~`|]{2,}|(?<!\w)[*_](?=\S)/g, '')
    .slice(0, 200);
}
