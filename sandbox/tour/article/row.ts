/** An article as the bot keeps it in Redis, as far as the view under the hood shows it. */
type ArticleRow = {
  up: number;
  down: number;
  closed: boolean;
  /** It was interesting when it closed. */
  starred: boolean;
  groups: string[];
};

/** Reads `<up> <down> <seconds> <state> <groups> …`; undefined for anything else. */
export function readRow(row: string): ArticleRow | undefined {
  const text = /^(\d+) (\d+) \d+ ([okcs])[lh] ([\d,]+)/.exec(row);
  if (text === null) return undefined;
  const [, up, down, state, groups = ''] = text;
  return {
    up: Number(up),
    down: Number(down),
    closed: state === 'c' || state === 's',
    starred: state === 's',
    groups: groups.split(','),
  };
}
