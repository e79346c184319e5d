import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBotProcess } from '../../../sandbox/tour/bot/bot-process.ts';
import { botIsReady } from '../../../sandbox/tour/bot/bot-ready.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/tour/sandbox.ts';
import { setUp } from '../../../sandbox/tour/bot/set-up.ts';
import { startClock } from '../../../src/runtime/clock.ts';
import { openPageBrowser, type PageBrowser } from './page-browser.ts';

/** The sandbox with the real bot as its own process, and a real browser before it. */
export type RunningSandbox = PageBrowser & { sandbox: Sandbox; stop(): Promise<void> };

export async function startRunningSandbox({
  startsAtMs,
  ...options
}: SandboxOptions & {
  /** When its world begins; now by default. */
  startsAtMs?: number;
} = {}): Promise<RunningSandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  const clockFile = join(folder, 'clock-offset');
  if (startsAtMs !== undefined) writeFileSync(clockFile, String(startsAtMs - Date.now()));
  const clock = startClock(clockFile);
  const sandbox = await startSandbox({
    past: 'month',
    answerWithinMs: 30_000,
    privileged: { messageContent: true },
    ...options,
    clock,
    clockFile,
    botData: folder,
  });
  const bot = startBotProcess({
    DISCORD_TOKEN: sandbox.token,
    DISCORD_TOKEN_FILE: '',
    DISCORD_API_BASE: sandbox.apiBase,
    REDIS_URL: '',
    DATA_DIR: folder,
    CLOCK_OFFSET_FILE: clockFile,
    MESSAGE_CONTENT: 'on',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
  });
  const browser = await openPageBrowser(sandbox.address);
  await botIsReady(sandbox, () => sandbox.inviteBot());
  if (options.past === undefined || options.past === 'month') await setUp(sandbox);
  return {
    ...browser,
    sandbox,
    stop: async () => {
      await browser.close();
      // Redis goes on before the bot ends it.
      await sandbox.trouble.set({ gateway: 'open', redis: 'there', api: 'ok' });
      await bot.stop();
      await sandbox.stop();
      clock.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
