/** Words and phrases that may not stand in an article, in whatever spelling a reader takes for them. */

import { alike, bare, type Spelling, wordsOf } from './spellings.ts';

/** Of a phrase, as it is stored. */
export const MAX_WORDS_LENGTH = 100;
export const STARS_AT_MOST = 4;

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

/**
 * Whether a text has a phrase, as `storedWords` returns it: in any case, with or without accents, with signs that
 * look like its letters, with gaps or signs between them. Whole words, unless the phrase says otherwise by `*`. It
 * takes time by the length of the text.
 */
export function hasWords(text: readonly Spelling[], phrase: string): boolean {
  const forms = known.get(phrase) ?? formsOf(phrase);
  if (known.size >= KNOWN_AT_MOST) known.clear();
  known.set(phrase, forms);
  return forms.some((form) => text.some((spelling) => isIn(spelling, form)));
}

/** What a word is compared with: its parts, between which any letters may stand. */
type Pattern = readonly string[];
type Form = {
  words: readonly Pattern[];
  /** All its words as one. */
  joined: Pattern;
  /** As it may stand among other letters. */
  within: Pattern;
  /** What a text without any of these does not have; null: it may have any. */
  among: readonly string[] | null;
  isUnspaced: boolean;
};

/** A cache of what phrases are looked for as. */
const known = new Map<string, Form[]>();
const KNOWN_AT_MOST = 20_000;

function formsOf(phrase: string): Form[] {
  const looking = alike(phrase);
  // Some letters look like signs, which no word of a text has.
  const forms = /[^\p{L}\p{N}\p{M}* ]/u.test(looking) ? [phrase] : [phrase, looking];
  return [...new Set(forms)].map((form) => {
    const words = form.split(' ');
    const whole = words.join('');
    const joined = whole.split('*');
    return {
      words: words.map((word) => word.split('*')),
      joined,
      among: form.includes('*') ? null : [words[0]!, whole],
      within: ['', ...joined, ''],
      isUnspaced: UNSPACED.test(form),
    };
  });
}

function isIn({ words, chunks, all, runs, whole }: Spelling, form: Form): boolean {
  if (form.isUnspaced) return matches(whole, form.within);
  if (runs.some((run) => matches(run, form.within))) return true;
  if (form.among !== null && !form.among.some((word) => all.has(word))) return false;
  if (words.some((list) => isAmong(list, form))) return true;
  // The ends of a chunk are no ends of words: `has-seen` has no `*ass*`.
  return form.joined[0] !== '' && isAmong(chunks, form);
}

function isAmong(words: readonly string[], { words: wanted, joined }: Form): boolean {
  return words.some(
    (word, at) =>
      matches(word, joined) ||
      (wanted.length > 1 && wanted.every((each, n) => matches(words[at + n] ?? '', each))),
  );
}

/** Whether a word is of a pattern. Each part is taken where it comes first. */
function matches(word: string, [start = '', ...parts]: Pattern): boolean {
  if (!word.startsWith(start)) return false;
  if (parts.length === 0) return word.length === start.length;
  const end = parts.at(-1)!;
  let from = start.length;
  for (const part of parts.slice(0, -1)) {
    const at = word.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return word.length - end.length >= from && word.endsWith(end);
}
