import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Community } from '../discord-box/test/community.ts';
import { until } from './until.ts';

/** Starts the bot as a host does, in a process of its own, and resolves when it is on. */
export async function startBot(
  sandbox: Community,
  environment: Record<string, string>,
): Promise<ChildProcess> {
  const { PATH = '', HOME = '' } = process.env;
  const { token: DISCORD_TOKEN, apiBase: DISCORD_API_BASE } = sandbox;
  const bot = spawn(process.execPath, [join(import.meta.dirname, '../bin/frontpage.js')], {
    env: { PATH, HOME, DISCORD_TOKEN, DISCORD_API_BASE, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  // Its log is read to the end, since a bot whose log nobody reads stops at a full pipe.
  bot.stdout.on('data', (chunk) => (output += String(chunk)));
  await until(() => output.includes('Frontpage is on'));
  return bot;
}
