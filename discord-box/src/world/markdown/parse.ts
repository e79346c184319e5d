import { delimited, type Mark } from './delimited.ts';
import { bareLink, maskedLink, suppressedLink } from './links.ts';
import { emojiAt, namedEmojiAt } from './emoji.ts';

/** A part of a text as Discord's client shows it. */
export type Part =
  | { type: 'text' | 'code' | 'code-block'; text: string }
  | {
      type: 'bold' | 'italic' | 'underline' | 'strike' | 'spoiler' | 'quote' | 'subtext';
      parts: Part[];
    }
  | { type: 'heading'; level: number; parts: Part[] }
  /** An item of a list, with its number or without. */
  | { type: 'item'; depth: number; number: number | null; parts: Part[] }
  /**
   * `parts`: the text of a masked link. `isSuppressed`: written between angles, it has no preview. `hover`:
   * what a desktop client shows where the pointer rests.
   */
  | { type: 'link'; url: string; parts: Part[] | null; isSuppressed: boolean; hover?: string }
  | { type: 'mention'; of: 'user' | 'role' | 'channel'; id: string }
  | { type: 'mention-all'; of: 'everyone' | 'here' }
  | { type: 'time'; seconds: number; style: string }
  | { type: 'command'; name: string }
  /** A character, the name of a standard emoji, or the name of an emoji of a guild. */
  | { type: 'emoji'; emoji: string; kind: 'character' | 'named' | 'custom' };

/**
 * Where a text stands. The text of a masked link may hold an emoji in an embed, and not in the content
 * of a message.
 */
export type Place = 'content' | 'embed';

type Context = {
  place: Place;
  /**
   * `link`: the text of a masked link, where only marks and emoji count and a backslash is a letter.
   * `link-test`: the same text while Discord looks whether it may mask a link.
   */
  within: 'text' | 'link' | 'link-test';
  /** The text begins where its line begins. */
  startsLine: boolean;
  isInQuote: boolean;
  isInList: boolean;
};

/**
 * Discord's markdown, as its desktop client reads the content of a message or the description of an
 * embed. From the public record of its behaviour: api-docs issues 6088, 6185, 6565, 6810 and 7721, and
 * cases that others tried on the client. Parts that only some clients know are text here.
 */
export function parseMarkdown(text: string, place: Place = 'content'): Part[] {
  const whole = { within: 'text', startsLine: true, isInQuote: false, isInList: false } as const;
  return parse(text, { place, ...whole });
}

/** Like `parseMarkdown`, for a text that begins no line: it has no headings, quotes and lists. */
export function parseInline(text: string, place: Place): Part[] {
  const part = { within: 'text', startsLine: false, isInQuote: false, isInList: false } as const;
  return parse(text, { place, ...part });
}

/** The letters that a reader sees, without those in code blocks and of what is drawn. */
export function shownText(parts: readonly Part[]): string {
  return parts.map((part) => ('text' in part ? part.text : textOf(part))).join('');
}

function textOf(part: Exclude<Part, { text: string }>): string {
  if (part.type === 'emoji') return part.kind === 'character' ? part.emoji : `:${part.emoji}:`;
  if (part.type === 'link') return part.parts === null ? part.url : shownText(part.parts);
  return 'parts' in part ? shownText(part.parts) : '';
}

/** All parts, those within others too. */
export function* allParts(parts: readonly Part[]): Generator<Part> {
  for (const part of parts) {
    yield part;
    if ('parts' in part && part.parts !== null) yield* allParts(part.parts);
  }
}

type Found = { part: Part | null; end: number };

function parse(text: string, context: Context): Part[] {
  const parts: Part[] = [];
  let plain = '';
  let at = 0;
  const flush = (): void => {
    if (plain !== '') parts.push({ type: 'text', text: plain });
    plain = '';
  };
  while (at < text.length) {
    if (context.within !== 'link-test' && isPlain(text, at)) {
      plain += text[at];
      at += 1;
      continue;
    }
    const escaped = context.within === 'text' ? escapeAt(text, at) : null;
    if (escaped !== null) {
      plain += escaped.shown;
      at = escaped.end;
      continue;
    }
    const found = partAt(text, at, context);
    if (found === null) {
      plain += text[at];
      at += 1;
      continue;
    }
    if (found.part === null) plain += text.slice(at, found.end);
    else if (found.part.type === 'text') plain += found.part.text;
    else {
      flush();
      parts.push(found.part);
    }
    at = found.end;
  }
  flush();
  return parts;
}

/** Most letters begin nothing. */
function isPlain(text: string, at: number): boolean {
  return /^[a-gi-rt-z ,.;!?()='"]$/i.test(text[at] ?? '');
}

const SHRUG = '¯\\_(ツ)_/¯';

/** A backslash takes the meaning of any sign after it, and is not shown. */
function escapeAt(text: string, at: number): { shown: string; end: number } | null {
  if (text.startsWith(SHRUG, at)) return { shown: SHRUG, end: at + SHRUG.length };
  if (text[at] !== '\\') return null;
  const next = text[at + 1] ?? '';
  return /^[^A-Za-z0-9\s]$/.test(next) ? { shown: next, end: at + 2 } : null;
}

function partAt(text: string, at: number, context: Context): Found | null {
  const marked = markedAt(text, at, context);
  if (marked !== null) return marked;
  const sign = signAt(text, at);
  if (sign !== null) return sign;
  if (context.within === 'link') return null;
  return referenceAt(text, at) ?? linkAt(text, at, context) ?? blockAt(text, at, context);
}

const MARKS: [Mark, Extract<Part, { parts: Part[] }>['type']][] = [
  ['*', 'italic'],
  ['_', 'italic'],
  ['**', 'bold'],
  ['__', 'underline'],
  ['~~', 'strike'],
  ['||', 'spoiler'],
];

/** Code, and text between marks: of two that begin here, the longer one. */
function markedAt(text: string, at: number, context: Context): Found | null {
  if (text[at] === '`') return codeAt(text, at, context);
  let longest: Found | null = null;
  for (const [mark, type] of MARKS) {
    if (!text.startsWith(mark, at)) continue;
    const inner = delimited(text, at, mark);
    if (inner === null || inner.end <= (longest?.end ?? 0)) continue;
    const parts = parse(inner.text, inside(text, at, context));
    longest = { part: { type, parts } as Part, end: inner.end };
  }
  return longest;
}

function inside(text: string, at: number, context: Context, more: Partial<Context> = {}): Context {
  return { ...context, startsLine: isLineStart(text, at, context, /^$/), ...more };
}

function isLineStart(text: string, at: number, { startsLine }: Context, before: RegExp): boolean {
  const from = text.lastIndexOf('\n', at - 1) + 1;
  return before.test(text.slice(from, at)) && (from > 0 || startsLine);
}

const codeBlock = /```(?:[\w+.-]*\n)?((?:(?!```)[^])*[^\n`](?:(?!```)[^])*)```/y;
const codes = /(`+)([^]+?)(?<!`)\1(?!`)/y;

function codeAt(text: string, at: number, { within }: Context): Found | null {
  const block = within === 'link' ? null : matchAt(codeBlock, text, at);
  if (block !== null) {
    const shown = (block[1] ?? '').replace(/^\n+|\n+$/g, '');
    return { part: { type: 'code-block', text: shown }, end: at + block[0].length };
  }
  const inline = matchAt(codes, text, at);
  if (inline === null) return null;
  return { part: { type: 'code', text: inline[2] ?? '' }, end: at + inline[0].length };
}

const time = /<t:(-?\d{1,13})(?::([tTdDfFR]))?>/y;
const custom = /<a?:(\w{2,32}):(\d{15,20})>/y;

/** Times and emoji, which may stand within the text of a masked link too. */
function signAt(text: string, at: number): Found | null {
  const when = matchAt(time, text, at);
  if (when !== null) {
    const [whole, seconds, style = 'f'] = when;
    return { part: { type: 'time', seconds: Number(seconds), style }, end: at + whole.length };
  }
  const own = matchAt(custom, text, at);
  if (own !== null) {
    const [whole, emoji = ''] = own;
    return { part: { type: 'emoji', emoji, kind: 'custom' }, end: at + whole.length };
  }
  const named = namedEmojiAt(text, at);
  if (named !== null) {
    const part = { type: 'emoji', emoji: named, kind: 'named' } as const;
    return { part, end: at + named.length + 2 };
  }
  const emoji = emojiAt(text, at);
  if (emoji === null) return null;
  return { part: { type: 'emoji', emoji, kind: 'character' }, end: at + emoji.length };
}

const mention = /<(@!?|@&|#)(\d{1,20})>/y;
const command = /<\/([^:<>]+):\d{1,20}>/y;
const all = /@(everyone|here)/y;
const mentioned = { '@': 'user', '@!': 'user', '@&': 'role', '#': 'channel' } as const;

function referenceAt(text: string, at: number): Found | null {
  const found = matchAt(mention, text, at);
  if (found !== null) {
    const [whole, sign = '', id = ''] = found;
    const of = mentioned[sign as keyof typeof mentioned];
    return { part: { type: 'mention', of, id }, end: at + whole.length };
  }
  const named = matchAt(command, text, at);
  if (named !== null) {
    return { part: { type: 'command', name: named[1] ?? '' }, end: at + named[0].length };
  }
  const everyone = matchAt(all, text, at);
  if (everyone === null) return null;
  const of = everyone[1] === 'here' ? 'here' : 'everyone';
  return { part: { type: 'mention-all', of }, end: at + everyone[0].length };
}

function linkAt(text: string, at: number, context: Context): Found | null {
  const bare = bareLink(text, at) ?? suppressedLink(text, at);
  if (bare !== null) {
    const { url, isSuppressed, end, shown } = bare;
    if (url === null) return { part: { type: 'text', text: shown }, end };
    return { part: { type: 'link', url, parts: null, isSuppressed }, end };
  }
  const masked = maskedLink(text, at);
  if (masked === null) return null;
  const { url, body, hover, isSuppressed, end } = masked;
  if (url === null || !mayMask(body, context) || !mayHover(hover)) return { part: null, end };
  const parts = parse(withoutHidden(body), { ...context, within: 'link' });
  const more = hover === '' ? {} : { hover };
  return { part: { type: 'link', url, parts, isSuppressed, ...more }, end };
}

/** A link's text may hold neither mentions nor addresses, and outside embeds no emoji. */
function mayMask(body: string, context: Context): boolean {
  const test = { ...context, within: 'link-test', startsLine: true } as const;
  const parts = parse(withoutLookAlikes(withoutHidden(body)), test);
  const isBanned = (part: Part): boolean =>
    ['link', 'mention', 'mention-all', 'command'].includes(part.type) ||
    (part.type === 'emoji' && context.place === 'content');
  for (const part of allParts(parts)) if (isBanned(part)) return false;
  return parts.some((part) => part.type !== 'text' || part.text.trim() !== '');
}

/** An emoji in what shows beside the pointer leaves the link raw, in embeds too (api-docs 6315). */
function mayHover(hover: string): boolean {
  for (let at = 0; at < hover.length; at += 1) if (emojiAt(hover, at) !== null) return false;
  return true;
}

/** What has no shape is left out of a masked link's text, the joiners of words and emoji too. */
function withoutHidden(text: string): string {
  return text.replace(/[\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]|(?! )\p{Zs}/gu, '');
}

/** `http:∕∕` and the like count as addresses. */
function withoutLookAlikes(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[ː˸։׃∶꞉︰;]/g, ':')
    .replace(/[⁄∕╱⟋⧸ノ丿]/g, '/')
    .replace(/H(?=[Tt]{2}[Pp])/g, 'h')
    .replace(/(?<=h)[Tt]{2}[Pp](?=[Ss]?:\/\/)/g, 'ttp');
}

const heading = /(#{1,3})[^\S\n]+(?!#)([^\n]+)\n?/y;
const subtext = /-#[^\S\n]+(?!-#)([^\n]+)\n?/y;
const quote = />[^\S\n]([^\n]*)(?:\n|$)/y;
const restQuoted = />>> ([^]*)/y;
const item = /(?:[*-]|(\d{1,9})\.)[^\S\n]+([^\n]+)\n?/y;

/** Headings, small text, quotes and lists, at the start of a line. */
function blockAt(text: string, at: number, context: Context): Found | null {
  if (!isLineStart(text, at, context, /^ *$/)) return null;
  const indent = at - (text.lastIndexOf('\n', at - 1) + 1);
  const whole = { startsLine: true } as const;
  const small = indent === 0 ? matchAt(subtext, text, at) : null;
  if (small !== null) {
    const parts = parse(small[1] ?? '', { ...context, startsLine: false });
    return { part: { type: 'subtext', parts }, end: at + small[0].length };
  }
  const head = indent === 0 && !context.isInList ? matchAt(heading, text, at) : null;
  if (head !== null) {
    const parts = parse(head[2] ?? '', { ...context, startsLine: false });
    return { part: { type: 'heading', level: head[1]!.length, parts }, end: at + head[0].length };
  }
  const rest = context.isInQuote ? null : matchAt(restQuoted, text, at);
  if (rest !== null) {
    const parts = parse(rest[1] ?? '', { ...context, ...whole, isInQuote: true });
    return { part: { type: 'quote', parts }, end: text.length };
  }
  const quoted = context.isInQuote ? [] : linesAt(quote, text, at);
  if (quoted.length > 0) {
    const lines = quoted.map((line) => line[1] ?? '').join('\n');
    const parts = parse(lines, { ...context, ...whole, isInQuote: true });
    const length = quoted.reduce((sum, [line]) => sum + line.length, 0);
    return { part: { type: 'quote', parts }, end: at + length };
  }
  const found = matchAt(item, text, at);
  if (found === null) return null;
  const [matched, number, inner = ''] = found;
  const parts = parse(inner, { ...context, ...whole, isInList: true });
  const depth = Math.floor(indent / 2);
  const listed = number === undefined ? null : Number(number);
  return { part: { type: 'item', depth, number: listed, parts }, end: at + matched.length };
}

function linesAt(pattern: RegExp, text: string, from: number): RegExpExecArray[] {
  const lines: RegExpExecArray[] = [];
  for (let at = from; at < text.length; ) {
    const found = matchAt(pattern, text, at);
    if (found === null) break;
    lines.push(found);
    at += found[0].length;
  }
  return lines;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
