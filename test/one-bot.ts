import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Sandbox, startSandbox } from '../sandbox/tour/sandbox.ts';

export type Run = { child: ChildProcess; said: () => string; code: Promise<number | null> };

/** A bot as its host has it: one process, its private Redis in a folder, and a Discord to be on. */
export type OneBot = {
  sandbox: Sandbox;
  folder: string;
  dataDir: string;
  /** Starts one of the project's programs with the bot's settings. */
  run: (...words: string[]) => Run;
  /** Resolves when the bot says that it is on. */
  startApp: () => Promise<Run>;
  /** Commands of the administrator in #general. */
  command: (name: string, given?: Record<string, string>) => Promise<{ id: string; said: string }>;
  /** What `/top` shows there. */
  top: () => Promise<string>;
};

export const patience = { timeout: 60_000, interval: 20 };

/** For all tests of a file. Whatever still runs at their end is ended. */
export function useOneBot(): OneBot {
  const folder = mkdtempSync(join(tmpdir(), 'frontpage-one-bot-'));
  const dataDir = join(folder, 'data');
  const started: ChildProcess[] = [];
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ rateLimits: false });
  });
  afterAll(async () => {
    for (const child of started) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await sandbox.stop();
    rmSync(folder, { recursive: true });
  });

  function run(...words: string[]): Run {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, ['bin/frontpage.js', ...words], {
      cwd: join(import.meta.dirname, '..'),
      env: {
        PATH,
        HOME,
        DATA_DIR: dataDir,
        DISCORD_API_BASE: sandbox.apiBase,
        DISCORD_TOKEN: sandbox.token,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const code = once(child, 'exit').then(([code]) => code as number | null);
    return { child, said: () => output, code };
  }

  async function command(name: string, given: Record<string, string> = {}) {
    const { general } = sandbox.channels;
    const { message } = await sandbox.as(sandbox.admin).command(general.id, name, given);
    return { id: message?.id ?? '', said: JSON.stringify([message?.content, message?.embeds]) };
  }

  return {
    get sandbox() {
      return sandbox;
    },
    folder,
    dataDir,
    run,
    async startApp() {
      const bot = run('start');
      await expect.poll(bot.said, patience).toContain('Frontpage is on');
      return bot;
    },
    command,
    top: async () => (await command('top')).said,
  };
}
