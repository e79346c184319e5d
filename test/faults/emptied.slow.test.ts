import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { findPrivateServer } from '../../src/redis/private-server/server.ts';
import { useOneBot } from '../fixtures/one-bot.ts';

const bot = useOneBot();
/** Shorter than the minute of the other work. */
const soon = { timeout: 30_000, interval: 250 };

test('a Redis that is emptied while the bot runs is filled again within half a minute, each time', async () => {
  await bot.startApp();
  await bot.command('post', { link: 'https://news.example/kept', title: 'Kept' });
  await expect.poll(bot.top, soon).toContain('▲ 1');
  const redis = new Redis((await findPrivateServer(bot.dataDir)) ?? '');
  for (let times = 0; times < 3; times += 1) {
    await redis.flushall();
    await expect.poll(bot.top, soon).toContain('▲ 1');
  }
  redis.disconnect();
}, 200_000);
