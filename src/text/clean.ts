import { domainToUnicode } from 'node:url';

/** Discord's limit for an embed's title. */
export const MAX_TITLE_LENGTH = 256;
/** In stored characters. When a comment is shown, each can have a backslash before it. */
export const MAX_COMMENT_LENGTH = 1000;
const LINES_AT_MOST = 10;

/** White space, and the space of Braille. */
const spaces = /[\s\u2800]+/gu;
/**
 * Characters without a shape that can hide, reorder or break the text around them. Some of Unicode's
 * format characters have a shape, such as the end of a verse in Arabic. Joiners are judged apart.
 */
const invisible =
  /(?!\u200c|\u200d|[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u180e\u{110bd}\u{110cd}\u{e0020}-\u{e007f}])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u115f\u1160\u3164\uffa0]|\u034f/gu;
/** Scripts whose letters change their shape, or their meaning, by a joiner between them. */
const joiningScripts =
  'Arabic Syriac Nko Mandaic Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu ' +
  'Kannada Malayalam Sinhala Khmer Myanmar Tibetan Javanese Balinese';
const anyScript = joiningScripts.replace(/(\w+) ?/g, '\\p{scx=$1}');
const letter = `(?=[\\p{L}\\p{M}])[${anyScript}]`;
/** The joiners and tags that belong to letters, flags and emoji. */
const keptJoiners = [
  // می‌خواهم
  `(?<=${letter})\\u200c(?=${letter})`,
  // ශ්‍රී, also at the end of a word: ه‍
  `(?<=${letter})\\u200d(?!\\u200c|\\u200d)`,
  '(?<=\\p{Script=Mongolian})\\u180e(?=\\p{Script=Mongolian})',
  '(?<=\\p{Extended_Pictographic}|\\p{Emoji_Modifier}|\\ufe0f)\\u200d(?=\\p{Extended_Pictographic})',
  // The flags of England, Scotland and Wales are a black flag and the letters of gbeng, gbsct or gbwls.
  '(?<=\\u{1f3f4})\\u{e0067}\\u{e0062}' +
    '(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}',
].join('|');
const joinersAndTags = new RegExp(
  `(${keptJoiners})|[\\u180e\\u200c\\u200d\\u{e0020}-\\u{e007f}]`,
  'gu',
);
const stacked = /(\p{M}{4})\p{M}+/gu;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * A member's title as one line of visible text that fits an embed's title.
 * Empty when nothing visible is left. Cleaning a clean title changes nothing.
 */
export function cleanTitle(text: string): string {
  const bars = text.trim();
  if (isSpoiler(bars)) return asSpoiler(bars);
  const line = cleanLine(text, MAX_TITLE_LENGTH);
  return isSpoiler(line) ? asSpoiler(line) : line;
}

/** Like `cleanTitle`, for a line of at most `length` UTF-16 units. */
export function cleanLine(text: string, length: number): string {
  // Segmenting is linear but slow, and no line needs more than this.
  const line = text
    .slice(0, 8 * length)
    .replace(spaces, ' ')
    .replace(invisible, '')
    .replace(joinersAndTags, '$1')
    .replace(/ {2,}/g, ' ')
    .normalize('NFC')
    .replace(stacked, '$1')
    .trim();
  return isBlank(line) ? '' : shortened(line, length);
}

/**
 * Whether nothing of a text can be seen: it is empty, or of signs without a shape, such as those that
 * Unicode has not assigned, which every font shows as it likes.
 */
export function isBlank(text: string): boolean {
  return !/[^\s\p{M}\p{C}\u115f\u1160\u2800\u3164\uffa0]/u.test(text);
}

/** A poster's comment as a few lines of visible text; empty if no visible text is left. */
export function cleanComment(text: string): string {
  const lines = text
    .slice(0, 8 * MAX_COMMENT_LENGTH)
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => cleanLine(line, MAX_COMMENT_LENGTH))
    .filter((line) => line !== '');
  return shortened(lines.slice(0, LINES_AT_MOST).join('\n'), MAX_COMMENT_LENGTH);
}

/** Cuts a text between graphemes to at most `length` UTF-16 units, including an ellipsis. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  let cut = '';
  for (const { segment } of graphemes.segment(text)) {
    if (cut.length + segment.length > length - 1) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}

/**
 * A member's title for a message's own text, where Discord parses markdown, links and mentions:
 * shown letter for letter and nothing more, a spoiler's hidden. Discord drops a backslash before
 * punctuation.
 */
export function plainText(title: string, length: number): string {
  const bars = isSpoiler(title) ? '||' : '';
  const text = escaped(shortened(cleanTitle(withoutBars(title)), length));
  return `${bars}${text}${bars}`;
}

/**
 * A spoiler's title stands between two bars, as its poster wrote it in Discord: in its message, in Redis
 * and in exports, so that nothing else needs to carry the mark.
 */
const spoiler = /^\|\|((?:(?!\|\|)[^])+)\|\|$/;

export function isSpoiler(title: string): boolean {
  return spoiler.test(title);
}

/** The title without the bars of a spoiler; any other title as it is. */
export function withoutBars(title: string): string {
  return spoiler.exec(title)?.[1] ?? title;
}

/** The title as a spoiler's. */
export function asSpoiler(title: string): string {
  const inner = cleanLine(withoutBars(title), MAX_TITLE_LENGTH - 4).replace(/\|{2,}/g, '|');
  return inner === '' ? '' : `||${inner}||`;
}

function escaped(text: string): string {
  return text
    .replace(/[\\*_~|`[\]<>]/g, '\\$&')
    .replace(COLON, '\\:')
    .replace(/@(?=everyone|here)/g, '\\@');
}

/** A colon of an address, or one with which the name of an emoji can begin. */
const COLON = /:(?=\/\/|[^\s:]{1,64}:)/g;

/** Escaped text at the start of a line, where Discord also reads headings, quotes and lists. */
export function plainLine(text: string): string {
  return text.replace(/^(\s*)([#>+-])/, '$1\\$2').replace(/^(\s*\d+)([.)])/, '$1\\$2');
}

/** Escapes a poster's words, so that a message shows no Markdown, links or mentions of theirs. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\*_~|`[\]()<>@]/g, '\\$&')
    .replace(COLON, '\\:')
    .replace(/^([^\S\n]*)([#+>-])/gm, '$1\\$2')
    .replace(/^([^\S\n]*\d+)([.)])/gm, '$1\\$2');
}

/** The inverse of `escapeMarkdown`: Discord returns a message as it was sent. */
export function unescapeMarkdown(text: string): string {
  return text.replace(/\\([\\*_~|`[\]()<>@:#+>.-])/g, '$1');
}

/** A member's text within our own, as code, where Discord parses neither markdown nor mentions. */
export function code(text: string, length = 200): string {
  const line = cleanLine(text, length).replaceAll('`', 'ˋ');
  return line === '' ? '—' : `\`${line}\``;
}

/**
 * Joins as many of the texts as fit into `length`. No text is cut, because cut code, mentions and
 * links would break. `more` makes the text for the number left out, of `total`.
 */
export function fitting(
  texts: readonly string[],
  {
    length,
    between = '\n',
    total = texts.length,
    more,
  }: { length: number; between?: string; total?: number; more: (left: number) => string },
): string {
  const joined = (count: number): string => {
    const left = total - count;
    return [...texts.slice(0, count), ...(left > 0 ? [more(left)] : [])].join(between);
  };
  let count = texts.length;
  while (count > 0 && joined(count).length > length) count -= 1;
  return joined(count);
}

/** Fewer words than these point to a link, as `here` and `source` do, and name nothing. */
const NAMING_LENGTH = 10;

/**
 * A link's title in the words that its writer put over it, `[A good title](https://…)`; empty where these name
 * nothing or are an address. A sign of Chinese or Japanese says as much as two letters.
 */
export function titleOfWords(words: string): string {
  const title = cleanTitle(words.replace(/\*{1,3}|~~|__|`|\\(?=[^\p{L}\p{N}\s])/gu, ''));
  const length =
    title.length +
    (title.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu) ?? []).length;
  const isAddress = !title.includes(' ') && /^(?:https?:|www\.)|[^.]\.[^.]/i.test(title);
  return isAddress || (length < NAMING_LENGTH && !title.includes(' ')) ? '' : title;
}

/** The title of an article without a title of its own: the link's host and path. */
export function titleOfLink(href: string): string {
  const url = new URL(href);
  const path = url.pathname === '/' ? '' : decoded(url.pathname);
  return cleanTitle(`${shownHost(url.host)}${path}`);
}

/** A path in its own letters, as a reader knows it. */
export function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** A single one of these letters can look like a Latin one, as メ looks like x. */
const ownLetters =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]{2,}$/u;

/**
 * A host with its Chinese, Japanese and Korean labels in their own letters. All others stay in
 * punycode: they can look like the name of another site.
 */
export function shownHost(host: string): string {
  return host.replace(/(?<=^|\.)xn--[a-z0-9-]+/g, (label) => {
    const letters = domainToUnicode(label);
    return ownLetters.test(letters) ? letters : label;
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for HTML and its attributes. Chrome reads these five when it imports bookmarks, and no other: with `&#38;`, a link with `&` leads elsewhere. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
