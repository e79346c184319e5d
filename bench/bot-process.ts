import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Community } from '../discord-box/test/community.ts';

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
  for await (const chunk of bot.stdout) {
    output += String(chunk);
    if (output.includes('Frontpage is on')) break;
  }
  return bot;
}
