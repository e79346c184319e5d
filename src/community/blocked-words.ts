/** Words and phrases that may not stand in an article, in whatever spelling a reader takes for them. */

import unhomoglyph from 'unhomoglyph';
import { folded, withoutAccents } from '../ranking/lists/fold.ts';

/** Of a phrase, as it is stored. */
export const MAX_WORDS_LENGTH = 100;
export const STARS_AT_MOST = 4;

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
/** Scripts without spaces between words, where a word has no ends to be seen. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/**
 * A phrase as it is stored: folded, its words separated by single spaces. `*` stands for any letters. Null if no
 * word is left that says enough (one letter would be in each title), or too much is.
 */
export function storedWords(typed: string): string | null {
  const phrase = wordsOf(bare(typed), /[^\p{L}\p{N}\p{M}*]+/u)
    .join(' ')
    .replace(/\*+/g, '*');
  const letters = phrase.replace(/[^\p{L}\p{N}]/gu, '');
  const isEnough = Array.from(letters).length > 1 || UNSPACED.test(letters);
  const stars = phrase.split('*').length - 1;
  return isEnough && phrase.length <= MAX_WORDS_LENGTH && stars <= STARS_AT_MOST ? phrase : null;
}

/** One way to read a text. */
type Spelling = {
  words: readonly string[];
  /** Letters that stand alone, one after the other: `s p a m`. */
  runs: readonly string[];
  /** All letters. */
  whole: string;
};

/**
 * Whether a text has a phrase, as `storedWords` returns it: in any case, with or without accents, with signs that
 * look like its letters, with gaps between them. Whole words, unless the phrase says otherwise by `*`. It takes time
 * by the length of the text.
 */
export function hasWords(text: readonly Spelling[], phrase: string): boolean {
  const forms = known.get(phrase) ?? formsOf(phrase);
  if (known.size >= KNOWN_AT_MOST) known.clear();
  known.set(phrase, forms);
  return forms.some((form) => text.some((spelling) => isIn(spelling, form)));
}

/** What a text may be read as. */
export function spellings(text: string): Spelling[] {
  const plain = bare(text);
  const asLetters = plain.replace(/\S+/gu, (chunk) =>
    // A number is none.
    /\p{L}/u.test(chunk)
      ? chunk.replace(/[0134578@$€]|[!|](?=[\p{L}\p{N}])/gu, (sign) => FOR_LETTERS[sign]!)
      : chunk,
  );
  // The capitals of other scripts look like Latin ones where the small letters do not.
  const capitals = bare(alike(inPlainLetters(text)));
  // Of the marks and blanks within a word, a reader sees little or nothing.
  const unmarked = bare(text.replace(BLANKS, '').replace(/[*_~`|]/gu, ''));
  const read = [plain, asLetters, alike(plain), alike(asLetters), capitals, alike(unmarked)];
  return [...new Set(read)].map((one) => {
    const words = wordsOf(one, /[^\p{L}\p{N}\p{M}]+/u);
    const runs = words.join(' ').match(/(?<!\S)\S(?: \S(?!\S)){2,}/gu) ?? [];
    return { words, runs: runs.map((run) => run.replaceAll(' ', '')), whole: words.join('') };
  });
}

type Form = { words: readonly string[]; joined: string; isUnspaced: boolean };

/** A cache of what phrases are looked for as. */
const known = new Map<string, Form[]>();
const KNOWN_AT_MOST = 20_000;

function formsOf(phrase: string): Form[] {
  const looking = alike(phrase);
  // Some letters look like signs, which no word of a text has.
  const forms = /[^\p{L}\p{N}\p{M}* ]/u.test(looking) ? [phrase] : [phrase, looking];
  return [...new Set(forms)].map((form) => ({
    words: form.split(' '),
    joined: form.replaceAll(' ', ''),
    isUnspaced: UNSPACED.test(form),
  }));
}

function isIn({ words, runs, whole }: Spelling, { words: wanted, joined, isUnspaced }: Form) {
  if (isUnspaced) return matches(whole, `*${joined}*`);
  if (runs.some((run) => matches(run, `*${joined}*`))) return true;
  if (words.some((word) => matches(word, joined))) return true;
  return words.some((_, at) => wanted.every((each, n) => matches(words[at + n] ?? '', each)));
}

/** Whether a word is of a pattern, in which `*` stands for any letters. Each part is taken where it comes first. */
function matches(word: string, pattern: string): boolean {
  const [start = '', ...parts] = pattern.split('*');
  const end = parts.pop();
  if (end === undefined) return word === start;
  if (!word.startsWith(start)) return false;
  let from = start.length;
  for (const part of parts) {
    const at = word.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return word.length - end.length >= from && word.endsWith(end);
}

/** Until nothing changes: what is made small may look like another letter then. */
function bare(text: string): string {
  const once = withoutAccents(folded(inPlainLetters(text)));
  const twice = withoutAccents(folded(inPlainLetters(once)));
  return twice === once ? once : withoutAccents(folded(inPlainLetters(twice)));
}

/** By what its signs look like, and by what Unicode's list leaves out. */
function alike(text: string): string {
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

/** An apostrophe is within a word. */
function wordsOf(text: string, between: RegExp): string[] {
  return text
    .replace(/(?<=\p{L})'(?=\p{L})/gu, '')
    .split(between)
    .filter(Boolean);
}

/** Small capitals and letters on dark discs and squares, which Unicode takes for signs of their own; nothing that cannot be seen. */
function inPlainLetters(text: string): string {
  return text
    .replace(BLANKS, ' ')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[ϲϹ]/gu, 'c')
    .normalize('NFKC')
    .replace(
      /[ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ]/gu,
      (sign) => 'abcdefghijklmnopqrstuvwyz'[SMALL.indexOf(sign)]!,
    )
    .replace(/[🅐-🅩🅰-🆉🇦-🇿]/gu, (sign) => {
      const first = DISCS.findLast((start) => start <= sign.codePointAt(0)!)!;
      return String.fromCharCode(97 + sign.codePointAt(0)! - first);
    });
}

/** Letters that are shown as a space. */
const BLANKS = /[\u115f\u1160\u2800\u3164\uffa0]/gu;
const SMALL = Array.from('ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ');
/** Where the letters on discs, on squares and of flags begin in Unicode. */
const DISCS = [0x1f150, 0x1f170, 0x1f1e6];
