/** A line of the table. Without limits it is there to be known. */
export type Row = {
  what: string;
  /** What the result is of: the value of Frontpage and the one that it is compared with. */
  of: string;
  result: number;
  unit: '×' | '%' | 'B' | 's' | 'ms' | '';
  limits?: Limits;
};

/** A result of `atLeast` is wanted and one of `aim` is hoped for; where `aim` is lower, less is better. */
export type Limits = { atLeast: number; aim: number };

export function isMissed({ result, limits }: Pick<Row, 'result' | 'limits'>): boolean {
  if (limits === undefined) return false;
  // What did not come has no figure.
  if (Number.isNaN(result)) return true;
  const { atLeast, aim } = limits;
  return aim < atLeast || (aim === 0 && atLeast === 0) ? result > atLeast : result < atLeast;
}

export function renderTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const { what, of, unit, limits } = row;
    const result = `${round(row.result)} ${unit}`.trim();
    const bounds = limits ? `${grouped(limits.atLeast)} (${grouped(limits.aim)})` : '';
    return `| ${what} | ${isMissed(row) ? `**${result}**` : result} | ${bounds} | ${of} |`;
  });
  return ['| what | result | limit (aim) | of |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

/** Three digits that count, so that a result shows on which side of its limit it is. */
export function round(number: number): string {
  if (number === 0 || Math.abs(number) >= 100) return grouped(Math.round(number));
  return String(Number(number.toPrecision(3)));
}

/** 12 345, with a space that does not break. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}

const START = '<!-- results: written by npm run bench -->';
const END = '<!-- end of results -->';

/** The page with its results replaced. */
export function replaceResults(page: string, results: string): string {
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start < 0 || end < start) throw new Error('The page has no place for the results.');
  return `${page.slice(0, start + START.length)}\n\n${results}\n\n${page.slice(end)}`;
}
