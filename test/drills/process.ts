import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** A line of the log, or with `text` alone something else that the process said. */
export type Line = {
  level: number;
  time?: string;
  msg: string;
  fault?: { name?: string; message?: string };
} & Record<string, unknown>;

/** The whole bot as a process of its own, with the shards that it was given. */
export type BotProcess = {
  shards: string;
  startedMs: number;
  lines: Line[];
  isRunning(): boolean;
  isOn(): Promise<void>;
  /** Of the operating system; null where it does not answer. */
  load(): Promise<{ memoryMb: number; cpuSeconds: number } | null>;
  /** Kills it, as when the machine dies. */
  kill(): Promise<void>;
  /** Ends it as its host would. Resolves with the exit code. */
  end(): Promise<number | null>;
};

const main = fileURLToPath(new URL('../../bin/frontpage.js', import.meta.url));

export function startProcess(
  environment: Record<string, string> & { SHARDS: string; METRICS_PORT?: string },
  /** Called when it ends without being asked. */
  onDeath: (how: string) => void = () => {},
): BotProcess {
  const { PATH = '', HOME = '' } = process.env;
  const child: ChildProcess = spawn(process.execPath, [main], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: Line[] = [];
  readLines(child, (text) => lines.push(lineOf(text)));
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const isOn = ({ msg }: Line) => msg.startsWith('Frontpage is on');
  let asked = false;
  const ended = once(child, 'exit').then(([code, signal]) => {
    process.off('exit', kill);
    if (!asked) onDeath(`with ${code ?? signal}`);
    return code as number | null;
  });
  return {
    shards: environment.SHARDS,
    startedMs: performance.now(),
    lines,
    isRunning,
    isOn: () =>
      expect
        .poll(() => (isRunning() ? lines.some(isOn) : 'it ended'), {
          timeout: 120_000,
          interval: 25,
        })
        .not.toBe(false),
    async load() {
      const metrics = await read(`http://127.0.0.1:${environment.METRICS_PORT}/metrics`);
      const figure = (name: string) =>
        Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
      if (metrics === '') return null;
      return {
        memoryMb: figure('process_resident_memory_bytes') / 1e6,
        cpuSeconds: figure('process_cpu_seconds_total'),
      };
    },
    async kill() {
      asked = true;
      kill();
      await ended;
    },
    async end() {
      asked = true;
      child.kill('SIGTERM');
      return ended;
    },
  };
}

function readLines({ stdout, stderr }: ChildProcess, take: (line: string) => void): void {
  for (const stream of [stdout, stderr]) {
    let rest = '';
    stream?.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    });
  }
}

function lineOf(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return { level: 60, msg: text }; // A process that is well says nothing else.
  }
}

async function read(address: string): Promise<string> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(5000) });
    return await response.text();
  } catch {
    return '';
  }
}
