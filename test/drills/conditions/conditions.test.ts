import { expect, test } from 'vitest';
import { conditionsOf, isTrue, type Saw, watched } from './conditions.ts';

const text = `
  const decide = ({ first, second, third = 1 }) => {
    if (first && second?.third > 1) return 'both';
    return (first ? third : (second?.third ?? 'none')) + (first || third);
  };
`;

type Decide = (given: object) => unknown;

/** The function of a text, and what its conditions were since. */
function begin(code: string): [decide: Decide, saw: string[]] {
  const saw: string[] = [];
  const conditions = conditionsOf(text);
  const sawCondition: Saw['sawCondition'] = (_file, index, value, isOfValue) => {
    saw.push(`${conditions[index]?.text}: ${isTrue(value, isOfValue)}`);
    return value;
  };
  const body = `${code.replaceAll('globalThis.', '')}; return decide;`;
  // oxlint-disable-next-line typescript/no-implied-eval
  return [new Function('sawCondition', body)(sawCondition) as Decide, saw];
}

test('code that is watched does what it did, and says what its conditions were', () => {
  const [decide] = begin(text);
  const [decideWatched, saw] = begin(watched(text, 'a.ts'));
  for (const given of [{}, { first: true, second: { third: 2 } }, { second: { third: 0 } }]) {
    expect(decideWatched(given)).toBe(decide(given));
  }
  saw.length = 0;
  decideWatched({ second: { third: 0 } });
  expect(saw).toEqual([
    'first: false',
    'first && second?.third > 1: false',
    'first: false',
    'second?.third: true',
    'first: false',
    'third: true',
  ]);
});
