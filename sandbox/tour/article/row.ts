/** An article as the bot keeps it in Redis, as far as the view under the hood shows it. */
type ArticleRow = { up: number; down: number; closed: boolean; groups: string[] };

/** Reads `<up> <down> <state> <groups> …`; undefined for anything else. */
export function readRow(row: string): ArticleRow | undefined {
  const text = /^(\d+) (\d+) ([okc])[lh] ([\d,]+)/.exec(row);
  if (text === null) return undefined;
  const [, up, down, state, groups = ''] = text;
  return { up: Number(up), down: Number(down), closed: state === 'c', groups: groups.split(',') };
}
