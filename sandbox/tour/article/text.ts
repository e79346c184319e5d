/** What stands in an article's message; the page reads it as well. */

/** The first line, with the link masked or not; then the last line. */
const HEAD = /^(?:★ )?\*\*(?:\[(.+)\]\(<?https?:\/\/\S+\)|(.+))\*\*(?: · \S+)?$/u;
const LAST = /^-# .*<@(\d+)>/u;

/** An article as its poster gave it, and what has become of it. */
export type Posted = {
  title: string;
  link: string;
  comment?: string;
  poster: string;
  channel: string;
  closesAtMs: number;
  interesting: boolean;
  /** null while voting is open. */
  result: { up: number; down: number } | null;
};

/** The article's message as the bot writes it in an English guild. */
export function articleContent(posted: Posted): string {
  const { title, link, comment, poster, channel, closesAtMs, interesting, result } = posted;
  const { host, href } = new URL(link);
  const by = `by <@${poster}> in <#${channel}>`;
  const facts =
    result === null
      ? `${by} · voting ends <t:${Math.floor(closesAtMs / 1000)}:R>`
      : `▲ ${result.up} ▼ ${result.down} · ${by}`;
  return [
    `${interesting ? '★ ' : ''}**[${title}](${href})** · ${host.replace(/^www\./, '')}`,
    ...(comment === undefined ? [] : [`> ${comment}`]),
    `-# ${facts}`,
  ].join('\n');
}

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
