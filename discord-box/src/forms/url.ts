/** Null if the text is not a URL. Node 20's `URL.canParse` comes to refuse ä, é and their like. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
