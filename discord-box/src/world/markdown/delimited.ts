/** The marks around a text that Discord shows in another way. */
export type Mark = '*' | '_' | '**' | '__' | '~~' | '||';

/** The text between a mark at `at` and the next one that can end it; null if there is none. */
export function delimited(
  text: string,
  at: number,
  mark: Mark,
): { text: string; end: number } | null {
  const start = at + mark.length;
  if (mark === '*' && /^\s/.test(text.slice(start, start + 1))) return null;
  const isSingle = mark.length === 1;
  // These two do not look at backslashes.
  const hasEscapes = mark !== '~~' && mark !== '||';
  for (let i = start; i < text.length; ) {
    if (i > start && text.startsWith(mark, i)) {
      const inner = endedBy(mark, text, start, i);
      if (inner !== null) return { text: inner, end: i + mark.length };
    }
    if (isSingle && text[i] === mark) {
      // Only a pair may stand inside.
      if (text[i + 1] !== mark) return null;
      i += 2;
    } else if (hasEscapes && text[i] === '\\') {
      if (i + 1 >= text.length) return null;
      i += 2;
    } else i += 1;
  }
  return null;
}

/** The inner text if the mark at `i` ends it, by the signs before and after. */
function endedBy(mark: Mark, text: string, start: number, i: number): string | null {
  const next = text[i + mark.length] ?? '';
  const inner = text.slice(start, i);
  switch (mark) {
    case '*': {
      const trimmed = inner.replace(/ {1,2}$/, '');
      return next === '*' || trimmed === '' || /\s$/.test(trimmed) ? null : trimmed;
    }
    case '_':
      return /^\w$/.test(next) ? null : inner;
    case '**':
      return next === '*' ? null : inner;
    case '__':
    case '~~':
      return next === '_' ? null : inner;
    case '||':
      return inner;
  }
}
