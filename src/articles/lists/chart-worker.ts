import { parentPort } from 'node:worker_threads';
import type { ChartOrder } from './chart.ts';

/**
 * Draws charts outside the thread that answers members. Its packages are optional: without them, every
 * order returns null instead of a picture. So does a machine without a font.
 */
const port = parentPort;
const drawing = Promise.all([import('@napi-rs/canvas'), import('chart.js/auto')]);
drawing.catch(() => {}); // Each order reports the failure.

const width = 900;
const height = 420;
const fonts =
  "'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', 'DejaVu Sans', 'Droid Sans Fallback', 'Noto Color Emoji'";

port?.on('message', (order: ChartOrder) => {
  draw(order).then(
    (png) => port.postMessage({ id: order.id, png }),
    () => port.postMessage({ id: order.id, png: null }),
  );
});

async function draw({ title, labels, bars, line }: ChartOrder): Promise<Uint8Array | null> {
  const [{ createCanvas, GlobalFonts }, { Chart }] = await drawing;
  // Without a font the picture would have no letters.
  if (GlobalFonts.families.length === 0) return null;
  const canvas = createCanvas(width, height);
  const font = { family: `${fonts}, sans-serif`, size: 14 };
  const ink = '#dbdee1';
  const chart = new Chart(canvas, {
    type: 'bar',
    data: {
      labels,
      datasets: [
        {
          label: bars.label,
          data: bars.values,
          backgroundColor: '#ff6a3d',
          yAxisID: 'left',
          order: 2,
        },
        {
          type: 'line',
          label: line.label,
          data: line.values,
          borderColor: '#5aa9ff',
          backgroundColor: '#5aa9ff',
          yAxisID: 'right',
          order: 1,
          tension: 0.3,
          pointRadius: 2,
        },
      ],
    },
    options: {
      animation: false,
      responsive: false,
      devicePixelRatio: 1,
      layout: { padding: 16 },
      plugins: {
        title: { display: true, text: title, color: ink, font: { ...font, size: 20 } },
        legend: { labels: { color: ink, font } },
      },
      scales: {
        x: {
          ticks: { color: ink, font, maxRotation: 0, autoSkip: true },
          grid: { display: false },
        },
        left: {
          beginAtZero: true,
          ticks: { color: ink, font, precision: 0 },
          grid: { color: '#3f4147' },
        },
        right: {
          position: 'right',
          beginAtZero: true,
          ticks: { color: '#5aa9ff', font, precision: 0 },
          grid: { display: false },
        },
      },
    },
    plugins: [
      {
        id: 'background',
        beforeDraw({ ctx }) {
          ctx.fillStyle = '#2b2d31';
          ctx.fillRect(0, 0, width, height);
        },
      },
    ],
  });
  const png = canvas.toBuffer('image/png');
  chart.destroy();
  return png;
}
