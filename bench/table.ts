/** A line of the table. Without limits it is there to be known. */
export type Row = {
  what: string;
  /** The value of Frontpage and the value that it is compared with, both with units. */
  frontpage: string;
  other: string;
  result: number;
  unit: '×' | '%' | 'B' | '';
  limits?: Limits;
};

/** A result of `atLeast` is wanted and one of `aim` is hoped for; where `aim` is lower, less is better. */
export type Limits = { atLeast: number; aim: number };

export type Verdict = 'aim' | 'at least' | '**missed**' | '';

export function judge({ result, limits }: Pick<Row, 'result' | 'limits'>): Verdict {
  if (limits === undefined) return '';
  const { atLeast, aim } = limits;
  const less = aim < atLeast || (aim === 0 && atLeast === 0);
  const reaches = (limit: number) => (less ? result <= limit : result >= limit);
  if (reaches(aim)) return 'aim';
  return reaches(atLeast) ? 'at least' : '**missed**';
}

export function renderTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const { limits, unit } = row;
    const bounds = limits ? [`${limits.atLeast} ${unit}`, `${limits.aim} ${unit}`] : ['', ''];
    const cells = [row.what, row.frontpage, row.other, `${round(row.result)} ${unit}`, ...bounds];
    return `| ${[...cells, judge(row)].map((cell) => cell.trim()).join(' | ')} |`;
  });
  return [
    '| what | Frontpage | held against | result | at least | aim | reached |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n');
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
