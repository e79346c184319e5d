import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteMessages } from '../../../discord-box/src/world/messages/change-message.ts';
import { setOverwrite } from '../../../discord-box/src/world/channels/change-channel.ts';
import { memberSubject } from '../../../src/community/block-subject.ts';
import { writeBlock, zBlock } from '../../../src/community/blocks.ts';
import { setOptedOut } from '../../../src/community/opted-out.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import { eraseMember } from '../../../src/privacy/member-data.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { DAY_MS } from '../../../src/runtime/clock.ts';
import { snowflakeTimeMs } from '../../../src/runtime/snowflake.ts';
import { askedPath } from '../../fixtures/asked-path.ts';
import { type ImportScene, startImportScene } from './import-scene.ts';

// What an import decided is asked again before it is carried out.

let scene: ImportScene;
let guildId: string;
let channel: string;
let poster: string;
let theirs: string;
let other: string;
let times = 0;
beforeAll(async () => {
  scene = await startImportScene();
  guildId = scene.sandbox.guildId;
  const { bot } = scene;
  await bot.store.redis.set(storeKeys(bot.store, guildId).complete, 0);
});
afterAll(() => scene.stop());
beforeEach(async () => {
  times += 1;
  const { operator, members } = scene.sandbox;
  channel = operator.createChannel({ guild: guildId, name: `late-${times}` }).id;
  const { client } = scene.bot;
  await scene.eventually(() => client.channels.cache.has(channel), Boolean, 'known to the bot');
  poster = members[times] ?? '';
  theirs = scene.say(channel, { content: `https://late.example/${times}`, by: poster });
  other = scene.say(channel, {
    content: `https://late.example/${times}/other`,
    by: scene.sandbox.moderator,
  });
});
afterEach(() => scene.sandbox.faults.clear());

async function begin(more: readonly string[] = []): Promise<void> {
  const { bot } = scene;
  const plan = {
    channels: [channel, ...more],
    fromMs: snowflakeTimeMs(theirs) - DAY_MS,
    untilMs: scene.clock.now(),
  };
  const { channels, admin } = scene.sandbox;
  const guild = bot.client.guilds.cache.get(guildId)!;
  const begun = await bot.imports.begin(guild, { plan, by: admin, channel: channels.general.id });
  expect(begun.status).toBe('begun');
}

/** Discord has read the page of messages, and its answer is on the way. */
async function beginWithPageUnderWay(more: readonly string[] = []): Promise<void> {
  const { path, isAsked } = askedPath(`channels/${channel}/messages$`);
  scene.sandbox.faults.add({ method: 'GET', path, lagMs: 2000, times: 1 });
  await begin(more);
  await scene.eventually(isAsked, Boolean, 'asked for');
}

const changes: Record<string, () => Promise<unknown>> = {
  'deletes the message': async () => {
    const { world } = scene.sandbox;
    deleteMessages(world, world.channels.get(channel)!, [theirs]);
  },
  'opts out': async () => {
    const { store, rules } = scene.bot;
    await setOptedOut(store, guildId, poster, true);
    await rules.refresh(guildId, { member: poster });
  },
  'has all data erased': () => eraseMember(scene.bot, guildId, poster),
  'is blocked': async () => {
    const { store, rules } = scene.bot;
    const subject = memberSubject(poster);
    await writeBlock(store, guildId, { subject, ...zBlock.parse({ by: scene.sandbox.admin }) });
    await rules.refresh(guildId, { block: subject });
  },
};

describe('an import that has a page of messages', () => {
  test.each(Object.keys(changes))(
    'an import of a page of messages one of whose posters %s takes in the others',
    async (change) => {
      await beginWithPageUnderWay();
      await changes[change]?.();
      await scene.finish();
      expect(await scene.article(other)).not.toBeNull();
      expect(await scene.article(theirs)).toBeNull();
    },
  );

  test('an import of a channel that became private meanwhile lists none of its articles for everyone', async () => {
    const { world } = scene.sandbox;
    await beginWithPageUnderWay();
    const at = world.channels.get(channel)!;
    const view = 1n << 10n;
    setOverwrite(world, at, world.application.botId, { kind: 'member', allow: view, deny: 0n });
    setOverwrite(world, at, guildId, { kind: 'role', allow: 0n, deny: view });
    await scene.finish();
    expect(await scene.article(theirs)).toMatchObject({ listed: false });
    expect((await scene.pages([]))['time all']).not.toContain(theirs);
  });
});

test('an import names no channel in its report that was deleted since it began', async () => {
  const { operator } = scene.sandbox;
  const { client } = scene.bot;
  const { id: gone } = operator.createChannel({ guild: guildId, name: 'short-lived' });
  await scene.eventually(() => client.channels.cache.has(gone), Boolean, 'known to the bot');
  await beginWithPageUnderWay([gone]);
  operator.deleteChannel({ channel: gone });
  await scene.eventually(
    () => client.channels.cache.has(gone),
    (isThere) => !isThere,
    'gone',
  );
  await scene.finish();
  expect(scene.told().content).toContain(`<#${channel}>`);
  expect(scene.told().content).not.toContain(gone);
});

test('an import leaves out a channel that an admin has taken out of the articles’ channels since', async () => {
  const { store, rules } = scene.bot;
  const path = new RegExp(`channels/${channel}/messages$`);
  scene.sandbox.faults.add({ method: 'GET', path, status: 404 });
  await begin();
  await scene.eventually(
    () => scene.sandbox.requests.count('GET', /messages$/, 404),
    (count) => count > 0,
    'asked for',
  );
  await writeSetting(store, guildId, 'no-groups', [channel]);
  await rules.refresh(guildId);
  scene.sandbox.faults.clear();
  await scene.finish();
  expect(await scene.article(theirs)).toBeNull();
  await writeSetting(store, guildId, 'no-groups', []);
  await rules.refresh(guildId);
});
