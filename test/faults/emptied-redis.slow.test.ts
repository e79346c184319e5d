import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { guildKeys } from '../../src/ranking/keys.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { findPrivateServer } from '../../src/redis/private-server/private-server.ts';
import { useInstalledBot } from '../fixtures/installed-bot.ts';

const bot = useInstalledBot();
/** Shorter than the minute of the other work. */
const soon = { timeout: 30_000, interval: 250 };

// Withstands (Redis, while the bot runs): Redis is emptied
// → the lists are whole within half a minute
test('a Redis that is emptied while the bot runs is filled again within half a minute, each time', async () => {
  await bot.startApp();
  const { id } = await bot.command('post', { link: 'https://news.example/kept', title: 'Kept' });
  await expect.poll(bot.top, soon).toContain('▲ 1');
  const redis = new Redis((await findPrivateServer(bot.dataDir)) ?? '');
  const { guildId } = bot.sandbox;
  const { articles } = guildKeys(bot.sandbox, guildId);
  const { complete } = storeKeys(bot.sandbox, guildId);
  for (let times = 0; times < 3; times += 1) {
    // A rebuild that is under way notices by itself that it has to begin again.
    await expect.poll(() => redis.exists(complete), soon).toBe(1);
    await redis.flushall();
    // The bot itself may still show a list that it has in memory.
    await expect.poll(() => redis.hexists(articles, id), soon).toBe(1);
    await expect.poll(bot.top, soon).toContain('▲ 1');
  }
  redis.disconnect();
}, 200_000);
