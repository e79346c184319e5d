import { execFile as execFileWithCallback } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { openCharts } from '../../../src/articles/lists/chart.ts';
import { createLog } from '../../../src/log.ts';

const execFile = promisify(execFileWithCallback);
const charts = openCharts(createLog('silent'));
afterAll(() => charts.stop());

const order = {
  title: '港湾 Harbour 🚀',
  labels: ['3/1', '3/2', '3/3'],
  bars: { label: '文章', values: [1, 0, 3] },
  line: { label: 'Votes 👍', values: [5, 0, 12] },
};

const drawn = `
  import { openCharts } from './src/articles/lists/chart.ts';
  import { createLog } from './src/log.ts';
  const charts = openCharts(createLog('silent'));
  process.stdout.write(JSON.stringify(await charts.draw(${JSON.stringify(order)})));
  await charts.stop();
`;

describe('a chart', () => {
  test('is not drawn where there is no font, since it would have no letters', async () => {
    // In a process of its own, because a process keeps the fonts that it has found.
    const child = execFile(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', drawn],
      {
        cwd: join(import.meta.dirname, '../../..'),
        env: { ...process.env, DISABLE_SYSTEM_FONTS_LOAD: '1' },
      },
    );
    expect((await child).stdout).toBe('null');
  });

  test('is drawn as a picture, in a thread of its own', async () => {
    const png = await charts.draw(order);
    expect(Buffer.from(png ?? []).toString('latin1', 1, 4)).toBe('PNG');
    expect(png?.length).toBeGreaterThan(5000);
  });

  test('is drawn beside others without mixing them up', async () => {
    const empty = { ...order, title: '', bars: { label: '', values: [] }, labels: [] };
    const [one, other, again] = await Promise.all([
      charts.draw(order),
      charts.draw(empty),
      charts.draw(order),
    ]);
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
  });
});
