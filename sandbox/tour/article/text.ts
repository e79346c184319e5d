/** What stands in an article's message; the page reads it as well. */

/** The first line, with the link masked or not; then the last line. */
const HEAD = /^(?:★ )?\*\*(?:\[(.+)\]\(<?https?:\/\/\S+\)|(.+))\*\*(?: · \S+)?$/u;
const LAST = /^-# .*<@(\d+)>/u;

/** The title in an article's first line, as its poster wrote it; null for any other text. */
export function titleIn(content: string): string | null {
  const lines = content.split('\n');
  const [, masked, bare] = HEAD.exec(lines[0] ?? '') ?? [];
  const title = masked ?? bare;
  if (title === undefined || posterIn(content) === null) return null;
  return title.replace(/\\(\W)/g, '$1');
}

/** Who posted the article, by its last line. */
export function posterIn(content: string): string | null {
  return LAST.exec(content.split('\n').at(-1) ?? '')?.[1] ?? null;
}
