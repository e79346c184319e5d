/**
 * Null if the text is not a URL. Node 20's `URL.canParse` must not be used: once it is compiled, it
 * refuses every text with ä, é or another character of Latin-1.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
