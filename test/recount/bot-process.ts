import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The whole bot as a process of its own, to be killed. */
export type MortalBot = { kill(): Promise<void> };

export function startMortalBot(environment: Record<string, string>): MortalBot {
  const main = fileURLToPath(new URL('../../bin/frontpage.js', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [main], {
    env: { ...process.env, LOG_LEVEL: 'silent', ...environment },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    async kill() {
      kill();
      await ended;
      process.off('exit', kill);
    },
  };
}
