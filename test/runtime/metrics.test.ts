import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { emitMetric, onMetric } from '../../src/runtime/metrics.ts';

const of = { kind: 'counts', articles: 1, repairs: 0, seconds: 0 } as const;

test('whoever listens hears all, also where nobody listened before and memory was collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  emitMetric('recount', of);
  await pause(0);
  collect();
  let heard = 0;
  const stop = onMetric('recount', () => (heard += 1));
  // Node tidies up after what was collected.
  await pause(10);
  emitMetric('recount', of);
  stop();
  emitMetric('recount', of);
  expect(heard).toBe(1);
});
