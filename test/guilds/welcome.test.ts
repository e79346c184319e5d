import { afterEach, expect, test } from 'vitest';
import { createMessage } from '../../discord-box/src/world/messages/change-message.ts';
import type { Message } from '../../discord-box/src/index.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { translate } from '../../src/text/catalogue.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
afterEach(() => scene.stop());

async function start(messageContent: boolean): Promise<void> {
  scene = await startScene({
    privileged: { messageContent, guildMembers: false, presences: false },
  });
}

const about = (channel: string, count: number) => `<#${channel}> (about ${count})`;

/** A server of a few years with links, which adds the bot in the end. Returns its channels. */
async function addToOldServer(
  beforehand: (guild: string) => void = () => {},
): Promise<{ general: string; links: string; papers: string; guild: string }> {
  const { sandbox, clock } = scene;
  const { world, operator, admin } = sandbox;
  const bornMs = clock.now() - 1000 * DAY_MS;
  const { guild, general } = operator.createGuild({ name: 'Old', owner: admin, bornMs });
  const name = (of: string) => operator.createChannel({ guild, name: of }).id;
  const [links, papers] = [name('links'), name('papers')];
  const { client, imports } = scene.bot;
  // The bot is there from the server's first moment on, and counts.
  await expect.poll(() => client.guilds.cache.has(guild)).toBe(true);
  const counts = sandbox.world.application.privileged.messageContent;
  await expect.poll(() => !counts || imports.counts.known(guild) !== null).toBe(true);
  operator.kickBot({ guild });
  await expect.poll(() => client.guilds.cache.has(guild)).toBe(false);
  for (const [channelId, count] of [
    [links, 3],
    [papers, 1],
  ] as const) {
    for (let n = 0; n < count; n += 1) {
      const id = world.snowflake(Math.floor(clock.now() - (n + 20) * DAY_MS));
      const content = `Look: https://old.example/${channelId}/${n}`;
      createMessage(world, world.channels.get(channelId)!, { id, authorId: admin, content });
    }
  }
  // Its first welcome is too long ago to be the same message.
  clock.move(DAY_MS);
  sandbox.requests.reset();
  beforehand(guild);
  operator.inviteBot({ guild });
  await expect.poll(() => client.guilds.cache.has(guild)).toBe(true);
  return { general, links, papers, guild };
}

/** The newest welcome in a channel. */
function welcome(channel: string): {
  text: string;
  buttons: string[];
  message: Message | undefined;
} {
  const { messages } = scene.sandbox.world.channels.get(channel)!;
  const message = [...messages.values()].findLast(({ components }) =>
    JSON.stringify(components).includes('frontpage|setup|start'),
  );
  const [embed] = (message?.embeds ?? []) as { description?: string }[];
  const ids = JSON.stringify(message?.components ?? []).matchAll(/"custom_id":"([^"]+)"/g);
  return { text: embed?.description ?? '', buttons: [...ids].map(([, id = '']) => id), message };
}

test('a server that adds the bot is told how many links each of its channels has, and may begin with them', async () => {
  await start(true);
  const { general, links, papers, guild } = await addToOldServer();
  await expect
    .poll(() => welcome(general).text)
    .toContain(`Messages with links are already here:** ${about(links, 3)} · ${about(papers, 1)}.`);
  const { message, buttons } = welcome(general);
  expect(buttons).toEqual(['frontpage|setup|start', 'frontpage|import|start']);
  expect(message!.pings).toEqual({ userIds: [], roleIds: [], everyone: false });
  // One message: the counts came into it.
  const { messages } = scene.sandbox.world.channels.get(general)!;
  const { botId } = scene.sandbox.world.application;
  const after = [...messages.values()].filter((one) => one.authorId === botId);
  expect(after.filter(({ id }) => id >= message!.id)).toHaveLength(1);

  const { admin, operator } = scene.sandbox;
  await scene.redis.redis.set(storeKeys(scene.sandbox, guild).complete, scene.clock.now());
  const stranger = operator.addPerson({ guild, username: 'stranger' });
  const refused = await scene.sandbox
    .as(stranger)
    .press(general, message!.id, 'frontpage|import|start');
  expect(refused.message?.content).toContain('You need the Manage Server permission');
  const begun = await scene.sandbox.as(admin).press(general, message!.id, 'frontpage|import|start');
  expect(begun.ephemeral).toBe(true);
  expect(JSON.stringify(begun.message?.components)).toContain('frontpage|import|begin');
});

test('a welcome to a server without links offers the set-up alone, and does not go on looking', async () => {
  await start(true);
  const { sandbox } = scene;
  const { guild, general } = sandbox.operator.createGuild({ name: 'New', owner: sandbox.admin });
  await expect.poll(() => scene.bot.imports.counts.known(guild)).not.toBeNull();
  await expect.poll(() => welcome(general).text).not.toContain('Looking for the links');
  expect(welcome(general).buttons).toEqual(['frontpage|setup|start']);
});

test('a welcome says without the intent what switching it on would give, and searches nothing', async () => {
  await start(false);
  const { general } = await addToOldServer();
  await expect.poll(() => welcome(general).text).toContain('MESSAGE_CONTENT=on');
  expect(welcome(general).buttons).toEqual(['frontpage|setup|start']);
  expect(scene.sandbox.requests.count('GET', /search/)).toBe(0);
});

test.each([
  ['has not indexed the messages yet', 202],
  ['refuses the search', 403],
])('a welcome names the channels that could not be counted where Discord %s', async (_, status) => {
  await start(true);
  const { faults, world } = scene.sandbox;
  const { general, links } = await addToOldServer((guild) => {
    if (status === 202) world.unindexed.add(guild);
    else faults.add({ method: 'GET', route: /search/, status, code: 50001 });
  });
  const sentence = translate('en', 'import.uncounted', { channels: 'x y' });
  const [before = '', after = ''] = sentence.split('x y');
  await expect.poll(() => welcome(general).text).toContain(before);
  expect(welcome(general).text).toContain(`<#${links}>`);
  expect(welcome(general).text).toContain(after);
  // Only the first channel is asked for.
  expect(scene.sandbox.requests.count('GET', /search/)).toBeLessThanOrEqual(3);
});
