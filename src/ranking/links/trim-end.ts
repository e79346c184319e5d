/**
 * The text without such characters at its end. `/[.,]+$/` would try from each of them anew, and take
 * minutes for a text that is made of them.
 */
export function trimEnd(text: string, isTrimmed: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isTrimmed(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}
