import { readFileSync } from 'node:fs';
import { folded, withoutAccents } from '../lists/fold.ts';
import { parseUrl } from '../../runtime/url.ts';

/** What an article says of its subject. */
export type About = { title: string; link: string; description?: string };

/** A word as the index spells it, and where it stands in its text (UTF-16 units). */
export type Word = { word: string; from: number; to: number };

/**
 * The words of a text that may say what it is about, in the order of the text: without the common ones of the seven
 * languages, in one spelling for singular and plural. Of Chinese, of kanji and of Korean each pair of neighbouring
 * signs, since no space ends a word there; katakana in one piece; no hiragana, of which endings are made.
 */
export function wordsIn(text: string): Word[] {
  const plain = text.normalize('NFKC');
  return Array.from(plain.matchAll(PIECES)).flatMap(({ 0: piece, index }) => {
    if (PAIRED.test(piece)) return segmentsOf(piece, index).flatMap(pairsOf);
    const word = oneSpelling(piece);
    return isCommon(word) ? [] : [{ word, from: index, to: index + piece.length }];
  });
}

/** A run of signs that are read in pairs, a word in katakana, or a word of another script: `node.js`, `c++`, `x86`. */
const PIECES =
  /[\p{sc=Han}\p{sc=Hangul}]+|[\p{sc=Katakana}ー]+|(?:(?![\p{sc=Han}\p{sc=Hangul}\p{sc=Katakana}\p{sc=Hiragana}ー])[\p{L}\p{M}\p{N}])+(?:\.(?=js\b|net\b)\p{L}+|\+\+|#(?!\w))?/gu;
const PAIRED = /^[\p{sc=Han}\p{sc=Hangul}]/u;

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

/** The words of a run by the dictionary of the runtime: a pair of signs of two words would be rare, and say nothing. */
function segmentsOf(run: string, at: number) {
  return Array.from(segmenter.segment(run), ({ segment, index }) => ({
    text: segment,
    from: at + index,
  }));
}

function pairsOf({ text, from }: { text: string; from: number }): Word[] {
  const signs = Array.from(text);
  let at = from;
  return signs.flatMap((sign, n) => {
    const word = sign + (signs[n + 1] ?? '');
    const pair = { word, from: at, to: at + word.length };
    at += sign.length;
    return n + 1 === signs.length || PARTICLES.test(word) || common.has(word) ? [] : [pair];
  });
}

/** Signs that are a word of grammar or a number, so that a pair with one of them spans two words. */
const PARTICLES =
  /[的了是在有不这那为以和与及或我你他她它们到从被把让使也就都而之其该每很最将对于由等个們這為與們會個一二三四五六七八九十百千万年月日号号第]/u;

/** Without case, accents, and the endings of number and gender. */
function oneSpelling(piece: string): string {
  const word = withoutAccents(folded(piece)).replace(/[.]/g, '');
  if (!/^[a-z]+$/.test(word)) return word;
  return withoutEnding(word);
}

/** `maps` and `map`, `libraries` and `library`, `Karten` and `Karte`, `Kartoffeln`, `nuevas` and `nuevo`. */
function withoutEnding(word: string): string {
  if (word.length < 4) return word;
  const one = word
    .replace(/(?<=..)ies$/, 'y')
    .replace(/(?<=[^siu])s$/, '')
    .replace(/(?<=...[elr])n$/, '');
  return one.length < 5 ? one : one.replace(/[aeo]$/, '');
}

function isCommon(word: string): boolean {
  return (
    word.length < 2 || /^\p{N}+$/u.test(word) || /^v?\d+[a-z]{0,2}$/.test(word) || common.has(word)
  );
}

/** A language a line, after its name. */
const common = new Set(
  readFileSync(new URL('./common-words.txt', import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ').slice(1))
    .flatMap((word) => [oneSpelling(word), word]),
);

/** Of a description, the first words tell most. */
const WORDS_OF_DESCRIPTION = 12;
const DESCRIPTION_LENGTH = 200;
const WORDS_OF_TITLE = 16;

/**
 * The words of an article's title and description. `isWithoutSite`: without what the title ends with after a sign, as in
 * `Grids – Red Blob Games`. That is the name of the site, which is no subject among articles of this site.
 */
export function wordsOf({ title, description = '' }: About, isWithoutSite = false) {
  const end = isWithoutSite ? title.search(SITE_NAME) : -1;
  return {
    title: wordsIn(end < 0 ? title : title.slice(0, end)).slice(0, WORDS_OF_TITLE),
    description: wordsIn(description.slice(0, DESCRIPTION_LENGTH)).slice(0, WORDS_OF_DESCRIPTION),
  };
}

const SITE_NAME = /\s[|–—·•»:-]\s(?!.*\s[|–—·•»:-]\s)/u;

/** Parts of paths that say nothing of a subject. */
const EMPTY_PARTS =
  /^(?:\d+|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|index\.\w+|(?:www|en|de|es|fr|ja|pt|zh|cn|us)(?:-\w+)?|blogs?|posts?|p|articles?|news|stor(?:y|ies)|wiki|watch|status|docs?|latest|stable|abs|pdf|questions?|comments?|item|entry|archives?|pages?|tags?|video|videos|s|r|a|v|c|t|user|users|html?|world|business|tech|technology|politics|science|sports?|opinion|culture|documents?|content|category|topics?|features?|press|entries)$/i;

/** A part of a site, such as `//github.com/redis/redis`; of `depth` 0 the site itself. */
export type Section = { name: string; depth: number; isOfForge: boolean };

/** The site of a link, and the sections in which its page is, from the widest. A page's own name is none. */
export function sectionsOf(link: string): Section[] {
  const url = parseUrl(link);
  if (url === null) return [];
  const host = url.hostname.replace(/^www\./, '');
  const isOfForge = FORGES.test(host);
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const folders = (isOfForge ? parts : parts.slice(0, -1)).filter(
    (part) => !EMPTY_PARTS.test(part),
  );
  return [0, 1, 2].slice(0, folders.length + 1).map((depth) => {
    const name = ['/', host, ...folders.slice(0, depth)].join('/').toLowerCase();
    return { name: name.slice(0, SECTION_LENGTH), depth, isOfForge };
  });
}

/** Whether a term is a section. No word has a slash. */
export const isSection = (term: string): boolean => term.startsWith('//');

const SECTION_LENGTH = 80;
/** The second part of a path is a project there, also where nothing follows. */
const FORGES = /^(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)$/;

/** All by which the index finds an article: bounded, without a word twice. */
export function termsOf(about: About): string[] {
  const { title, description } = wordsOf(about);
  const words = [...title, ...description].map(({ word }) => word);
  const sections = sectionsOf(about.link).map(({ name }) => name);
  return [...new Set([...sections, ...words])].filter((term) => term.length <= TERM_LENGTH);
}

/** Longer ones are no words. */
const TERM_LENGTH = SECTION_LENGTH;
