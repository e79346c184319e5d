import { type LinkRefusal, type ParsedLink, parseLink, parseTypedLink } from './parse.ts';

/** A link as it stands in a text, and how its writer marked it. */
type WrittenLink = {
  written: string;
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
  const trimmed = typed.replace(unseen, '');
  const text = withoutCodeMarks(trimmed);
  const written = writtenLinks(text);
  const [first] = bare.test(text) ? [] : written;
  if (first === undefined) {
    const link = parseTypedLink(text);
    if (link.status === 'refused') return link;
    if (/\s/.test(text)) return { status: 'refused', reason: 'space' };
    return { ...link, isSpoiler: false, isSuppressed: false, others: false };
  }
  const others = written.some((one) => one.written !== first.written);
  if (!others && hasSpaceInside(text, first.written)) return { status: 'refused', reason: 'space' };
  const read = written.map((one) => readLink(one));
  const link = read.find(({ status }) => status === 'accepted') ?? read[0]!;
  return link.status === 'accepted' ? { ...link, others } : link;
}

const readLink = read;

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
  const read = withoutCode(text.slice(0, TEXT_AT_MOST));
  const spoilers = spoilersOf(read);
  const isSpoiler = (at: number) => spoilers.some(({ from, to }) => from < at && at < to);
  const labels = labelsOf(read);
  const links: WrittenLink[] = [];
  const scheme = /https?:\/\//gi;
  for (let found = scheme.exec(read); found !== null; found = scheme.exec(read)) {
    const at = found.index;
    const label = labels.find(({ from, to }) => from < at && at < to);
    if (label !== undefined) {
      scheme.lastIndex = label.to;
      continue;
    }
    const { end, ...link } = linkAt(read, at);
    if (link.written.length > found[0].length) links.push({ ...link, isSpoiler: isSpoiler(at) });
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

/** The texts of masked links: an address in one is not the link's. */
function labelsOf(text: string): Range[] {
  return [...text.matchAll(/\[([^[\]\n]{1,1000})\]\(\s{0,10}<?https?:\/\//gi)].map((found) => ({
    from: found.index,
    to: found.index + found[1]!.length + 1,
  }));
}

/** What ends a link wherever it stands: white space, angles, quotes, and what has no shape. */
const run = /[^\s<>"`\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/y;
/** Chinese and Japanese punctuation and brackets, typographic quotes, and dashes of a sentence. */
const sentence =
  /\|\||[，。、；：？！…‥「」『』【】《》〈〉〔〕〖〗〘〙〚〛｛｝［］＂＇“”„‟«»‹›｜—]/;

function linkAt(text: string, at: number): Omit<WrittenLink, 'isSpoiler'> & { end: number } {
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

const BRACKETS: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/**
 * Without punctuation and marks after a link in a sentence, and brackets that the link did not open. A
 * link that stands alone ends as Discord ends it: `Yahoo!` has its sign.
 */
function withoutTail(link: string, before: string, isAlone: boolean): string {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const isUnderlined = /(?:^|[^\p{L}\p{N}_])_{1,3}(?=\S|$)/u.test(line);
  const ends = isAlone ? `.,:;"'` : `.,:;"'?!*~|‘’\\${isUnderlined ? '_' : ''}`;
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
