import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type BotProcess = {
  pid: number | undefined;
  /** Resolves when it ends, however it ends. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stop(): Promise<void>;
};

/** Longer than the ten seconds within which the bot promises to end. */
const PATIENCE_MS = 12_000;

/** The real bot, as a process of its own, with only what it is told here. */
export function startBotProcess(environment: Record<string, string>): BotProcess {
  const main = fileURLToPath(new URL('../../../bin/frontpage.js', import.meta.url));
  const reader = new URL('../../../bin/read-typescript.js', import.meta.url).href;
  const guard = new URL('./end-with-parent.ts', import.meta.url).href;
  const child: ChildProcess = spawn(
    process.execPath,
    ['--import', reader, '--import', guard, main],
    {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // A group of its own: Ctrl-C reaches us alone, and we end the bot in order.
      detached: true,
    },
  );
  const ended = once(child, 'exit').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  return {
    pid: child.pid,
    ended,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const impatience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      await ended;
      clearTimeout(impatience);
    },
  };
}
