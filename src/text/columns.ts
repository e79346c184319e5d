/** Letters of Chinese, Japanese and Korean, and signs that are as wide; Discord draws emoji wider still. */
const wide =
  /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6])/u;
const emoji = /^(?![\d#*©®™])\p{Emoji}/u;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** How much of a line a text takes, about: a Latin letter one column, a Chinese one two, an emoji three. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += widthOf(segment);
  return columns;
}

function widthOf(grapheme: string): number {
  if (emoji.test(grapheme)) return 3;
  return wide.test(grapheme) ? 2 : 1;
}

/** A word that is cut off by more than this share of the line is cut inside, since it is a long one. */
const LEAST_SHARE = 0.6;

/** Cuts a text that takes more columns, behind a word where one ends in time, and ends it with an ellipsis. */
export function fittingColumns(text: string, most: number): string {
  if (columnsOf(text) <= most) return text;
  let cut = '';
  let columns = 1;
  for (const { segment } of graphemes.segment(text)) {
    columns += widthOf(segment);
    if (columns > most) break;
    cut += segment;
  }
  // The next letter tells whether a word ends here.
  const isWhole = /^[\s\p{P}]/u.test(text.slice(cut.length)) || wide.test(text.slice(cut.length));
  const words = isWhole ? cut : cut.replace(/\s+\S*$/u, '');
  const shown = columnsOf(words) >= LEAST_SHARE * most ? words : cut;
  return `${shown.replace(/[\s,.:;·–—(-]+$/u, '')}…`;
}
