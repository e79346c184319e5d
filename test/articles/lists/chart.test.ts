import { afterAll, describe, expect, test } from 'vitest';
import { openCharts } from '../../../src/articles/lists/chart.ts';
import { createLog } from '../../../src/log.ts';

const charts = openCharts(createLog('silent'));
afterAll(() => charts.stop());

const order = {
  title: '港湾 Harbour 🚀',
  labels: ['3/1', '3/2', '3/3'],
  bars: { label: '文章', values: [1, 0, 3] },
  line: { label: 'Votes 👍', values: [5, 0, 12] },
};

describe('a chart', () => {
  test('is not drawn where there is no font, since it would have no letters', async () => {
    // The first test, because a process keeps the fonts that it has found.
    process.env['DISABLE_SYSTEM_FONTS_LOAD'] = '1';
    const without = openCharts(createLog('silent'));
    expect(await without.draw(order)).toBeNull();
    delete process.env['DISABLE_SYSTEM_FONTS_LOAD'];
    await without.stop();
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
