import {
  isBelowPublicSuffix,
  type LinkRefusal,
  type ParsedLink,
  parseLink,
  parseTypedLink,
} from './parse.ts';
import { parseUrl } from '../../runtime/url.ts';

/** A link as it stands in a text, and how its writer marked it. */
type WrittenLink = {
  written: string;
  /** What stands in the brackets of a masked link; empty for others. */
  words: string;
  /** It stands between `||`. */
  isSpoiler: boolean;
  /** It stands between angles, so that Discord shows no preview of it. */
  isSuppressed: boolean;
};

type Accepted = Extract<ParsedLink, { status: 'accepted' }>;
export type FoundLink = Accepted & Omit<WrittenLink, 'written'>;
type Refused = { status: 'refused'; reason: LinkRefusal };

const TEXT_AT_MOST = 10_000;
const LINKS_AT_MOST = 20;

/**
 * The first link in a message that can be posted. Links to Discord itself, such as to a message, are
 * skipped. If none can be posted, the reason is that of the first link.
 */
export function findLink(text: string): FoundLink | Refused | { status: 'none' } {
  const found = writtenLinks(text)
    .map(read)
    .filter((link) => link.status === 'refused' || !discordHost.test(link.host));
  return found.find(({ status }) => status === 'accepted') ?? found[0] ?? { status: 'none' };
}

/** Whether a link leads to a file that somebody attached in Discord. Outside of Discord it opens for a day. */
export function isFileOfDiscord(link: string): boolean {
  return /^https?:\/\/(?:cdn\.discordapp\.com|media\.discordapp\.net)\/(?:ephemeral-)?attachments\//i.test(
    link,
  );
}

/**
 * The links of a message that can be posted, each page once, without those to Discord itself.
 */
export function findLinks(text: string): FoundLink[] {
  const found = writtenLinks(text)
    .map(read)
    .filter((link) => link.status === 'accepted' && !discordHost.test(link.host)) as FoundLink[];
  return found.filter(
    ({ canonical }, at) => found.findIndex((other) => other.canonical === canonical) === at,
  );
}

const discordHost = /^(?:[a-z]+\.)?discord(?:app)?\.com$/;

function read({ written, ...marks }: WrittenLink): FoundLink | Refused {
  const link = parseLink(written);
  return link.status === 'accepted' ? { ...link, ...marks } : link;
}

/** The signs without a shape that stand before and after what somebody copied. */
const unseen =
  /^[\s\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+|[\s\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]{1,1000}$/gu;

/** A link alone is taken as it is, whatever stands in it. */
const bare = /^https?:\/\/[^\s，。、；：！？…「」『』【】《》（）“”]+$/iu;

/** As many signs as before: the end of a line is one sign, and a host's dots are dots. */
function withPlainSigns(text: string, isTyped = false): string {
  const plain = text.replaceAll('\u0085', '\n');
  const withDots = plain.replace(hostWithDots, withDotsInHost);
  return isTyped ? withDots.replace(typedHostWithDots, withDotsInHost) : withDots;
}

const hostWithDots =
  /(?<=https?:\/\/)[\p{L}\p{N}.-]{1,250}(?:[。．｡][\p{L}\p{N}.-]{1,250}){1,10}/giu;
const typedHostWithDots = /^\s*[\p{L}\p{N}.-]{1,250}(?:[。．｡][\p{L}\p{N}.-]{1,250}){1,10}/giu;

const isHost = (name: string) => isBelowPublicSuffix(parseUrl(`https://${name}`)?.hostname ?? '');

/** Input methods write a Chinese or Japanese full stop for a dot. Behind a whole host it ends a sentence. */
function withDotsInHost(host: string): string {
  const [before = ''] = host.trim().split(/[。．｡]/, 1);
  const dotted = host.replace(/[。．｡]/g, '.');
  return isHost(before) || !isHost(dotted.trim()) ? host : dotted;
}

/** Some copy a link with the marks of code around it. A loop, since an expression looks again from each mark. */
function withoutCodeMarks(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === '`') start += 1;
  while (end > start && text[end - 1] === '`') end -= 1;
  const inside = text.slice(start, end);
  const isCode = start > 0 && end < text.length && !inside.includes('`');
  return isCode ? inside.trim() : text;
}

/**
 * The link that a member typed or pasted: bare, marked as in a message, or with a text around it.
 * Without a scheme, https is meant. `others`: it is the first of several. A text that can be a link with
 * a space in it is refused, since it would be posted without its end.
 */
export function readTypedLink(input: unknown): (FoundLink & { others: boolean }) | Refused {
  const typed = typeof input === 'string' ? input.slice(0, TEXT_AT_MOST) : '';
  const trimmed = withPlainSigns(typed, true).replace(unseen, '');
  const text = withoutCodeMarks(trimmed);
  const written = writtenLinks(text);
  const [first] = bare.test(text) ? [] : written;
  if (first === undefined) {
    const hasSpace = /\s/.test(text);
    const link = parseTypedLink(hasSpace ? text : withoutSignBehind(text));
    if (link.status === 'refused') return link;
    if (hasSpace) return { status: 'refused', reason: 'space' };
    return { ...link, words: '', isSpoiler: false, isSuppressed: false, others: false };
  }
  const others = written.some((one) => one.written !== first.written);
  if (!others && hasSpaceInside(text, first.written)) return { status: 'refused', reason: 'space' };
  const read = written.map((one) => readLink(one));
  const link = read.find(({ status }) => status === 'accepted') ?? read[0]!;
  return link.status === 'accepted' ? { ...link, others } : link;
}

const readLink = read;

/** Punctuation behind a link that stands alone. A bracket stays, and the mark at the end of a wiki's title. */
function withoutSignBehind(link: string): string {
  const signs = link.includes('/wiki/') ? ENDS_ALONE : `${ENDS_ALONE}!—»${ENDS_OF_SCRIPTS}`;
  let end = link.length;
  while (end > 0 && signs.includes(link[end - 1]!)) end -= 1;
  return link.slice(0, end);
}

/** Whether the text is a link and one or two words behind it, or what cannot be words. */
function hasSpaceInside(text: string, link: string): boolean {
  if (!text.startsWith(link)) return false;
  const tail = /^[^\S\n]+(\S[^\n]*)/.exec(text.slice(link.length))?.[1] ?? '';
  if (tail === '') return false;
  const words = tail.split(/\s+/);
  return words.length <= 2 ? /^[\w.%~+/?=&#-]+$/.test(tail.replace(/\s/g, '')) : isPath(tail);
}

/** Slashes, parameters, or the ending of a file: a part of an address. */
function isPath(tail: string): boolean {
  return /[/=%]\w|\w[/=]|\.[a-z0-9]{2,5}$/i.test(tail);
}

/**
 * The links of a text, each as far as its writer meant it. Discord's rules, and where these take a part of
 * the sentence too, those of the sentence: Chinese and Japanese punctuation, quotes, and marks that were
 * opened before the link end it.
 */
export function writtenLinks(text: string): WrittenLink[] {
  const plain = withPlainSigns(text.slice(0, TEXT_AT_MOST));
  const read = withoutCode(plain);
  const spoilers = spoilersOf(read);
  const isSpoiler = (at: number) => spoilers.some(({ from, to }) => from < at && at < to);
  const labels = labelsOf(read);
  const links: WrittenLink[] = [];
  const scheme = /https?:\/\//gi;
  for (let found = scheme.exec(read); found !== null; found = scheme.exec(read)) {
    const at = found.index;
    const label = labels.find(({ from, to }) => from < at && at < to);
    const mask = labels.findLast(({ to }) => to < at);
    const isMasked = mask !== undefined && /^\]\(\s{0,10}<?$/.test(read.slice(mask.to, at));
    const words = isMasked ? plain.slice(mask.from + 1, mask.to).replace(/\\([[\]])/g, '$1') : '';
    if (label !== undefined) {
      scheme.lastIndex = label.to;
      continue;
    }
    const { end, ...link } = linkAt(read, at);
    if (link.written.length > found[0].length)
      links.push({ ...link, words, isSpoiler: isSpoiler(at) });
    if (links.length >= LINKS_AT_MOST) break;
    scheme.lastIndex = Math.max(end, scheme.lastIndex);
  }
  return links;
}

type Range = { from: number; to: number };

/** Code becomes spaces: what stands in it is no link. */
function withoutCode(text: string): string {
  const runs = [...text.matchAll(/`+/g)].filter(({ index }) => text[index - 1] !== '\\');
  let shown = text;
  for (let i = 0; i < runs.length; i += 1) {
    const from = runs[i]!;
    const close = runs.findIndex((run, at) => at > i && run[0] === from[0]);
    if (close < 0) continue;
    const to = runs[close]!.index + from[0].length;
    shown = shown.slice(0, from.index) + ' '.repeat(to - from.index) + shown.slice(to);
    i = close;
  }
  return shown;
}

/** The texts between two `||`. */
function spoilersOf(text: string): Range[] {
  const marks = [...text.matchAll(/\\[^]|\|\|/g)].filter(([mark]) => mark === '||');
  const ranges: Range[] = [];
  for (let i = 0; i + 1 < marks.length; i += 2) {
    ranges.push({ from: marks[i]!.index, to: marks[i + 1]!.index });
  }
  return ranges;
}

const LABEL_AT_MOST = 1000;

/** The texts of masked links, with brackets in pairs or escaped: an address in one is not the link's. */
function labelsOf(text: string): Range[] {
  return [...text.matchAll(/\]\(\s{0,10}<?https?:\/\//gi)].flatMap(({ index: to }) => {
    let depth = 1;
    for (let from = to - 1; from >= 0 && to - from <= LABEL_AT_MOST; from -= 1) {
      const sign = text[from];
      if (sign === '\n') break;
      if (text[from - 1] === '\\') continue;
      if (sign === ']') depth += 1;
      if (sign === '[' && (depth -= 1) === 0) return to - from > 1 ? { from, to } : [];
    }
    return [];
  });
}

/** What ends a link wherever it stands: white space, angles, quotes, and what has no shape. */
const run = /[^\s<>"`\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/y;
/** Chinese and Japanese punctuation and brackets, typographic quotes, and dashes of a sentence. */
const sentence =
  /\|\||[，。、；：？！…‥「」『』【】《》〈〉〔〕〖〗〘〙〚〛｛｝［］＂＇“”„‟«»‹›｜—]/;

function linkAt(
  text: string,
  at: number,
): Omit<WrittenLink, 'isSpoiler' | 'words'> & { end: number } {
  run.lastIndex = at;
  const whole = run.exec(text)?.[0] ?? '';
  const before = text.slice(0, at);
  const isTarget = /\]\(\s{0,10}<?$/.test(before.slice(-13));
  const isSuppressed = before.endsWith('<') && text[at + whole.length] === '>';
  if (isSuppressed) return { written: whole, isSuppressed, end: at + whole.length };
  const isAlone = !isTarget && text.trim() === whole;
  let link = whole.slice(0, endOfSentence(whole));
  for (const mark of ['**', '~~', '__']) {
    if (before.endsWith(mark)) link = link.split(mark, 1)[0]!;
  }
  if (isTarget) link = link.slice(0, unopened(link));
  link = withoutEscapes(isTarget ? link : withoutTail(link, before, isAlone));
  return { written: link, isSuppressed, end: at + Math.max(link.length, 1) };
}

/** A full-width bracket is a part of a link only after letters of its kind, as in 三体（小说）. */
function endOfSentence(link: string): number {
  const end = link.search(sentence);
  const cut = end < 0 ? link : link.slice(0, end);
  const opened = cut.indexOf('（');
  const closed = cut.indexOf('）');
  if (opened < 0) return closed < 0 ? cut.length : closed;
  if (closed < opened || !/[^ -~]/.test(cut[opened - 1] ?? '')) {
    return closed >= 0 && closed < opened ? closed : opened;
  }
  const rest = cut.slice(closed + 1);
  const next = rest.search(/[（）]/);
  return next < 0 ? cut.length : closed + 1 + next;
}

/** Where the bracket around a masked link's address closes. */
function unopened(link: string): number {
  let depth = 0;
  for (let i = 0; i < link.length; i += 1) {
    if (link[i] === '(') depth += 1;
    if (link[i] === ')' && (depth -= 1) < 0) return i;
  }
  return link.length;
}

/** As Discord ends a link, and the dash of a sentence. */
const ENDS_ALONE = `.,:;"'–`;
/** What ends a sentence in other scripts: Arabic, Hindi, Armenian, Hebrew, Amharic, Burmese, Khmer. */
const ENDS_OF_SCRIPTS = '؟؛،۔।॥։׃።፣፤፧၊။។៕';
const BRACKETS: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/**
 * Without punctuation and marks after a link in a sentence, and brackets that the link did not open. A
 * link that stands alone ends as Discord ends it, without an exclamation mark that is none of a wiki's title.
 */
function withoutTail(link: string, before: string, isAlone: boolean): string {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const isUnderlined = /(?:^|[^\p{L}\p{N}_])_{1,3}(?=\S|$)/u.test(line);
  const ends = isAlone
    ? `${ENDS_ALONE}${link.includes('/wiki/') ? '' : `!${ENDS_OF_SCRIPTS}`}`
    : `${ENDS_ALONE}${ENDS_OF_SCRIPTS}?!*~|‘’\\${isUnderlined ? '_' : ''}`;
  let end = link.length;
  const count = (sign: string) => link.split(sign).length - 1;
  const unopened = Object.fromEntries(
    Object.entries(BRACKETS).map(([closing, opening]) => [
      closing,
      count(closing) - count(opening),
    ]),
  );
  for (; end > 0; end -= 1) {
    const last = link[end - 1]!;
    const isLeftOver = (unopened[last] ?? 0) > 0;
    if (!isLeftOver && !ends.includes(last)) break;
    if (isLeftOver) unopened[last]! -= 1;
  }
  return link.slice(0, end);
}

/** `a\_b` is how bots write `a_b`; before a letter, a backslash ends the link. */
function withoutEscapes(link: string): string {
  const plain = link.replace(/\\([_*~|()[\]])/g, '$1');
  const end = plain.indexOf('\\');
  return end < 0 ? plain : plain.slice(0, end);
}
