import { Worker } from 'node:worker_threads';
import { fault, type Log } from '../../log.ts';

/** Bars and a line over the same labels. */
export type ChartOrder = {
  id: number;
  title: string;
  labels: string[];
  bars: { label: string; values: number[] };
  line: { label: string; values: number[] };
};

/** Draws charts in a separate thread, which ends when it is idle. */
export type Charts = {
  /** Null if it fails or takes too long. */
  draw(order: Omit<ChartOrder, 'id'>): Promise<Uint8Array | null>;
  stop(): Promise<void>;
};

/** The longest wait for a picture. Loading the packages takes 1 to 2 s of it. */
const patienceMs = 8000;
/** An idle thread ends after this time to free its memory. */
const idleMs = 60_000;

/** A worker thread does not inherit what made TypeScript readable, so it does the same again. */
const places = {
  reader: new URL('../../../bin/read-typescript.js', import.meta.url).href,
  file: new URL('./chart-worker.ts', import.meta.url).href,
};
const source = `
  const { reader, file } = require('node:worker_threads').workerData;
  import(reader).then(() => import(file));
`;

export function openCharts(log: Log): Charts {
  const waiting = new Map<number, (png: Uint8Array | null) => void>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let orders = 0;

  function end(): void {
    const ended = worker;
    worker = undefined;
    for (const answer of waiting.values()) answer(null);
    waiting.clear();
    void ended?.terminate();
  }

  function start(): Worker {
    const started = new Worker(source, { eval: true, workerData: places });
    started.unref();
    started.on('message', ({ id, png }: { id: number; png: Uint8Array | null }) => {
      waiting.get(id)?.(png);
      waiting.delete(id);
    });
    started.on('error', (error) => {
      log.warn(fault(error), 'The thread that draws charts failed.');
      if (worker === started) end();
    });
    return started;
  }

  return {
    async draw(order) {
      clearTimeout(idle);
      worker ??= start();
      orders += 1;
      const id = orders;
      let timer: NodeJS.Timeout | undefined;
      const drawn = new Promise<Uint8Array | null>((resolve) => {
        waiting.set(id, resolve);
        timer = setTimeout(() => {
          waiting.delete(id);
          resolve(null);
        }, patienceMs);
      });
      // A worker thread has no origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage({ ...order, id });
      try {
        return await drawn;
      } finally {
        clearTimeout(timer);
        if (waiting.size === 0) idle = setTimeout(end, idleMs).unref();
      }
    },
    async stop() {
      clearTimeout(idle);
      const ended = worker;
      end();
      await ended?.terminate();
    },
  };
}
