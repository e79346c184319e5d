/** What a reader takes a text for, in whatever signs it is written. */

import unhomoglyph from 'unhomoglyph';
import { folded, withoutAccents } from '../ranking/lists/fold.ts';

/** One way to read a text. */
export type Spelling = {
  /** The words; in a further list, words whose letters stood apart are whole: `f r e e nitro`. */
  words: readonly (readonly string[])[];
  /** What stands between spaces, without the signs in it: `scam` for `sc-am` and `[s]cam`. */
  chunks: readonly string[];
  /** All of both, to find them by. */
  all: ReadonlySet<string>;
  /** Letters that stand alone, one after the other: `s p a m`. */
  runs: readonly string[];
  /** All letters. */
  whole: string;
};

/** What a text may be read as: as it stands, as a browser would show it, and without what marks it. */
export function spellings(text: string): Spelling[] {
  const shown = asShown(text);
  const texts = new Set([text, shown, unmarked(shown)]);
  const read = new Set([...texts].flatMap(readings).flatMap(shortenedWords));
  return [...read].map(spelling);
}

/** Also with letters once or twice that are drawn out, as no word has them: `scaaam`. */
function shortenedWords(text: string): string[] {
  if (!DRAWN_OUT.test(text)) return [text];
  return [
    text,
    ...['$1', '$1$1'].map((letters) => text.replace(new RegExp(DRAWN_OUT, 'gu'), letters)),
    // Beside such a letter, one that stands twice may be drawn out as well: `sccaaam`.
    text.replace(/(\p{L})\1+/gu, '$1'),
  ];
}

const DRAWN_OUT = /(\p{L})\1{2,}/u;

/** With signs as the letters that they stand or are taken for. */
function readings(text: string): string[] {
  const plain = bare(text);
  const asLetters = SIGNS.map((signs) => inLetters(plain, signs));
  // The capitals of other scripts look like Latin ones where the small letters do not.
  const capitals = bare(alike(inPlainLetters(text)));
  return [plain, capitals, ...[plain, ...asLetters].map(alike), ...asLetters];
}

function spelling(read: string): Spelling {
  // `he’ll` is two words, and no `hell`.
  const text = read.replace(/(?<=\p{L})'(?=ll(?!\p{L}))/gu, ' ');
  const words = wordsOf(text);
  const line = words.join(' ');
  const runs = line.match(APART) ?? [];
  const whole = line.replace(APART, joined);
  const lists = whole === line ? [words] : [words, whole.split(' ')];
  const chunks = text
    .split(/\s+/u)
    .map((chunk) => chunk.replace(NO_LETTERS, ''))
    .filter(Boolean);
  return {
    words: lists,
    chunks,
    all: new Set([...lists.flat(), ...chunks]),
    runs: runs.map(joined),
    whole: joined(line),
  };
}

const joined = (words: string) => words.replaceAll(' ', '');
const APART = /(?<!\S)\S(?: \S(?!\S)){2,}/gu;
const NO_LETTERS = /[^\p{L}\p{N}\p{M}]+/gu;

/** An apostrophe is within a word. */
export function wordsOf(text: string, between = NO_LETTERS): string[] {
  return text
    .replace(/(?<=\p{L})'(?=\p{L})/gu, '')
    .split(between)
    .filter(Boolean);
}

/** Signs that are written for letters, besides those that look alike to Unicode. */
const FOR_LETTERS: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '@': 'a',
  $: 's',
  '€': 'e',
  '!': 'i',
  '|': 'l',
};
/** Some stand for two letters. */
const SIGNS = [FOR_LETTERS, { ...FOR_LETTERS, '1': 'l', '!': 'l', '|': 'i' }];

function inLetters(plain: string, signs: Record<string, string>): string {
  return plain.replace(/\S+/gu, (chunk) =>
    // A number is none.
    /\p{L}/u.test(chunk)
      ? chunk.replace(/[0134578@$€]|[!|](?=[\p{L}\p{N}])/gu, (sign) => signs[sign]!)
      : chunk,
  );
}

/** In one case, without accents and marks, in plain letters. Until nothing changes: what is made small may look like another letter then. */
export function bare(text: string): string {
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  const once = bareOnce(text);
  const twice = bareOnce(once);
  return twice === once ? once : bareOnce(twice);
}

function bareOnce(text: string): string {
  return withoutAccents(folded(inPlainLetters(text)))
    .normalize('NFD')
    .replace(/([\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{N}])\p{M}+/gu, '$1')
    .normalize('NFC');
}

/** By what its signs look like, and by what Unicode's list leaves out. */
export function alike(text: string): string {
  return unhomoglyph(text).replace(/[ʍĸᴎɜ\u1401-\u167f]/gu, (sign) => LEFT_OUT[sign] ?? sign);
}

/** Of Canadian syllabics, a whole alphabet is in use. */
const SYLLABICS = Array.from('ᗩᗷᑕᗪᗴᖴᘜᕼᒍᒪᑎᑭᑫᖇᔕᑌᐯᗯ᙭ᘔ', (sign, n) => [
  sign,
  'abcdefghjlnpqrsuvwxz'[n]!,
]);
const LEFT_OUT: Record<string, string> = {
  ...Object.fromEntries(SYLLABICS),
  ʍ: 'rn',
  ᗰ: 'rn',
  ĸ: 'k',
  ᴎ: 'n',
  ɜ: 'e',
  ᕮ: 'e',
};

/** Small capitals, letters with a stroke or a tail, letters and words on discs and squares, which Unicode takes for signs of their own; nothing that cannot be seen. */
function inPlainLetters(text: string): string {
  return text
    .replace(BLANKS, ' ')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[ϲϹ]/gu, 'c')
    .normalize('NFKC')
    .replace(OTHER_FORMS, (sign) => PLAIN.get(sign)!)
    .replace(/[🅐-🅩🅰-🆉🇦-🇿]/gu, (sign) => {
      const first = DISCS.findLast((start) => start <= sign.codePointAt(0)!)!;
      return String.fromCharCode(97 + sign.codePointAt(0)! - first);
    });
}

/** Letters that are shown as a space. */
const BLANKS = /[\u115f\u1160\u2800\u3164\uffa0]/gu;
/** Where the letters on discs, on squares and of flags begin in Unicode. */
const DISCS = [0x1f150, 0x1f170, 0x1f1e6];
/** By the letter that each is taken for: its small capital, and what has a stroke or a tail. */
const FORMS = {
  a: 'ᴀⱥᶏ',
  b: 'ʙƀᵬᶀꞗ',
  c: 'ᴄƈȼɕᶝꞓꞔ𝼝',
  d: 'ᴅƌȡᵭᶁᶑꟈ𐞍',
  e: 'ᴇᶒⱸꬴ',
  f: 'ꜰᶂ',
  g: 'ɢʛꞡ',
  h: 'ʜⱨꞕɦ',
  i: 'ɪɨᶖ𝼚',
  j: 'ᴊʝᶨ',
  k: 'ᴋᶄⱪꝁꝃꝅꞣ',
  l: 'ʟȴƚɬᴌᶅᶪⱡɫꝉꞎꬷꬸꬹꭝ𐞛𐞝𝼄𝼑𝼓',
  m: 'ᴍᶆɱꬺ',
  n: 'ɴƞȵɲᶇᶮꞑꞥꬻ',
  o: 'ᴏⱺꝍ𝼛',
  p: 'ᴘᵱᶈᵽꝑꝓꝕ',
  q: 'ǫɋꝗꝙꞯ',
  r: 'ʀɍɾᵳᶉɽꞧꭆꭉ𐞩𝼖',
  s: 'ꜱȿᶊꞩʂꟊ𐞺𝼞',
  t: 'ᴛƫȶʈᶵⱦ𐞯𝼉',
  u: 'ᴜᶙꞹ',
  v: 'ᴠʋᶌᶹⱱⱴꝟ𐞰',
  w: 'ᴡⱳ',
  x: 'ᶍꭖꭗꭘꭙ',
  y: 'ʏ',
  z: 'ᴢɀʑᶎᶽⱬ',
  ab: '🆎',
  cl: '🆑',
  cool: '🆒',
  free: '🆓',
  id: '🆔',
  new: '🆕',
  ng: '🆖',
  ok: '🆗',
  sos: '🆘',
  up: '🆙',
  vs: '🆚',
};
const PLAIN = new Map(
  Object.entries(FORMS).flatMap(([plain, forms]) => Array.from(forms, (form) => [form, plain])),
);
const OTHER_FORMS = new RegExp(`[${[...PLAIN.keys()].join('')}]`, 'gu');

/** What is escaped can be escaped again. */
const ROUNDS = 4;

/** With escapes of addresses, HTML, JavaScript and mails as what they stand for, where that is a text. */
function asShown(text: string): string {
  let shown = text;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = shown;
    shown = before
      .replace(/(?:[%=][\da-f]{2})+/gi, (escapes) => ofBytes(escapes) ?? escapes)
      .replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\})/gi, (_, ...hex) =>
        ofCode(Number.parseInt(hex.slice(0, 3).join(''), 16)),
      )
      .replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));?/gi, (_, hex, tens) =>
        ofCode(hex === undefined ? Number(tens) : Number.parseInt(hex, 16)),
      )
      .replace(ENTITY, (_, letter, invisible, sign) => {
        if (letter !== undefined) return letter;
        if (invisible !== undefined) return '';
        return sign === undefined ? ' ' : ENTITY_SIGNS[sign.toLowerCase()]!;
      });
    if (shown === before) break;
  }
  return shown;
}

/** Signs that are read as letters, or escape further. */
const ENTITY_SIGNS: Record<string, string> = {
  amp: '&',
  percnt: '%',
  num: '#',
  semi: ';',
  dollar: '$',
  commat: '@',
  excl: '!',
  verbar: '|',
};
/** In this order: of a Latin letter, of what cannot be seen, of such a sign, of what is between words. */
const ENTITY = new RegExp(
  [
    '&([a-z])(?:acute|grave|circ|uml|tilde|ring|cedil|caron|breve|dot|macr|ogon|slash|strok|opf|scr|fr)(?:;|\\b)',
    '&(shy;?|(?:zwn?j|lrm|rlm|zerowidthspace|nobreak|applyfunction|invisible(?:comma|times)|af|ic|it);)',
    `&(amp|(?:${Object.keys(ENTITY_SIGNS).join('|')})(?=;));?`,
    '&(?:nbsp;?|[a-z][a-z\\d]{1,30};)',
  ].join('|'),
  'gi',
);

/** Without what is none in UTF-8. Null: nothing is, so that these were no escapes. */
function ofBytes(escapes: string): string | null {
  const text = Buffer.from(escapes.replace(/[%=]/g, ''), 'hex').toString();
  return text.replaceAll('\ufffd', '') || null;
}

function ofCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** Without Markdown, tags, and what cannot be seen: of these, a reader sees little or nothing within a word. */
function unmarked(text: string): string {
  return text
    .replace(BLANKS, '')
    .replace(/\[([^[\]]*)\] ?(?:\((?:[^()]|\([^()]*\))*\)|\[[^[\]]*\])/g, '$1')
    .replace(/<[^<>\s][^<>]*>/g, '')
    .replace(/[*_~`|\\]/g, '');
}
