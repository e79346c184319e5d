/**
 * The text without such characters at its end. `/[.,]+$/` is quadratic: it tries again
 * from every such character.
 */
export function trimEnd(text: string, isTrimmed: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isTrimmed(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}
