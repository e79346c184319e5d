/** An article as the bot keeps it in Redis, as far as the view under the hood shows it. */
export type ArticleRow = { up: number; down: number; closed: boolean; groups: string[] };

/** Reads `<up> <down> <state> <groups> …`; undefined for anything else. */
export function readRow(row: Buffer): ArticleRow | undefined {
  const text = /^(\d+) (\d+) ([okc])[lh] ([\d,]+)/.exec(row.toString('latin1'));
  if (text !== null) {
    const [, up, down, state, groups = ''] = text;
    return { up: Number(up), down: Number(down), closed: state === 'c', groups: groups.split(',') };
  }
  // The form with a binary tally: eight bytes, then `<state><groups> …`.
  const [, state, groups = ''] = /^([okc])[lh]([\d,]+) /.exec(row.toString('latin1', 8)) ?? [];
  if (state === undefined) return undefined;
  const [up, down] = [row.readUInt32BE(0), row.readUInt32BE(4)];
  return { up, down, closed: state === 'c', groups: groups.split(',') };
}
