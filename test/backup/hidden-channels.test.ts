import { afterEach, beforeEach, expect, test } from 'vitest';
import { createChannel } from '../../discord-box/src/world/channels/change-channel.ts';
import { openOverRest } from '../../src/bot.ts';
import { exportGuild } from '../../src/backup/guild-file/export.ts';
import { guildFiles } from '../../src/backup/guild-file/read.ts';
import type { Restored } from '../../src/backup/guild-file/restore-guild.ts';
import { readBoard } from '../../src/board/stored-board.ts';
import { readSettings, writeSetting } from '../../src/community/settings.ts';
import { readDigest } from '../../src/digests/stored-digests.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { bytesOf } from './guild-file/guild-files.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startScene({ follows: true });
});
afterEach(() => scene.stop());

/** Until `show`, the bot may view none of these channels, and @everyone may. */
function hide(channels: readonly string[]) {
  const { operator } = scene.sandbox;
  for (const channel of channels) {
    operator.setPermissions({ channel, who: 'bot', deny: ['ViewChannel'] });
  }
  return () => {
    for (const channel of channels) operator.setPermissions({ channel, who: 'bot' });
  };
}

async function backup(): Promise<string> {
  let text = '';
  const { bot, sandbox, clock } = scene;
  for await (const line of exportGuild(bot, sandbox.guildId, clock.now())) text += line;
  return text;
}

/** What `bin/frontpage.js restore` does: without the gateway. */
async function restoredByHost(text: string): Promise<Restored> {
  const { sandbox, bot, clock, redis } = scene;
  const { token, apiBase } = sandbox;
  const { log } = bot;
  const overRest = await openOverRest({ token, apiBase, redis: redis.redis, clock, log });
  const guild = await overRest.readGuild(sandbox.guildId);
  let restored: Restored | undefined;
  for await (const file of guildFiles(bytesOf(text))) {
    const done = await overRest.backup.restore(guild!, file);
    if (!('status' in done)) restored = done;
  }
  await overRest.stop();
  return restored!;
}

const left = (restored: Restored) => Object.entries(restored).filter(([, fates]) => fates.left > 0);

// Withstands (Requests to Discord): A backup is restored while the bot may not view some of its channels
// → articles, settings, digests and the board of these channels come back
test('the host’s restore brings back what is in hidden channels, and nothing of deleted ones', async () => {
  const { sandbox, bot } = scene;
  const { channels, guildId, admin, operator } = sandbox;
  const { store } = bot;
  const gone = createChannel(sandbox.world, { guildId, name: 'gone' }).id;
  await expect.poll(() => bot.client.channels.cache.has(gone)).toBe(true);
  const thread = sandbox.as(admin).post(channels.forum.id, 'A topic', 'Hello.').id;
  await expect.poll(() => bot.client.channels.cache.has(thread)).toBe(true);
  const inAi = await scene.post(admin, { channel: channels.ai.id });
  const inForum = await scene.post(admin, { channel: thread });
  const inGeneral = await scene.post(admin);
  const inGone = await scene.post(admin, { channel: gone });
  await writeSetting(store, guildId, 'log', channels.moderators.id);
  await writeSetting(store, guildId, 'no-groups', [channels.lateNight.id, gone]);
  await scene.command(admin, 'digest set', {
    channel: channels.gameDev.id,
    time: '18:00',
    timezone: 'UTC',
  });
  await bot.board.put(guildId, channels.gameDev.id, admin);
  const text = await backup();

  operator.deleteChannel({ channel: gone });
  const { lateNight, forum, moderators, ai, gameDev } = channels;
  const show = hide([lateNight, forum, moderators, ai, gameDev].map(({ id }) => id));
  await bot.stop();
  await scene.redis.redis.flushall();
  const restored = await restoredByHost(text);
  expect(left(restored)).toEqual([['article', { put: 3, unchanged: 0, left: 1 }]]);
  const { log, 'no-groups': excluded } = await readSettings(store, guildId);
  expect({ log, excluded }).toEqual({ log: moderators.id, excluded: [lateNight.id] });
  expect((await readDigest(store, guildId, 'daily'))?.digest.channel).toBe(gameDev.id);
  expect((await readBoard(store, guildId))?.choice.channel).toBe(gameDev.id);

  // The running bot keeps what is hidden, out of sight, and shows it when it may view it again.
  await scene.restartBot();
  await scene.whole();
  await scene.minute();
  await scene.settled();
  expect(await scene.article(inGone)).toBeNull();
  expect(await scene.article(inAi)).toMatchObject({ listed: false, home: ai.id });
  expect(await scene.article(inForum)).toMatchObject({ listed: false, channel: thread });
  expect(await scene.article(inGeneral)).toMatchObject({ listed: true });
  show();
  for (const id of [inAi, inForum]) {
    await scene.eventually(
      () => scene.article(id),
      (article) => article?.listed === true,
      'listed',
    );
  }
});
