import { ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../../discord-box/src/index.ts';
import { zDigest } from '../../../src/digests/digest-settings.ts';
import { saveDigest } from '../../../src/digests/stored-digests.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { MINUTE_MS } from '../../../src/runtime/clock.ts';
import { translate } from '../../../src/text/catalogue.ts';
import { recordLog } from '../../fixtures/record-log.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';
import { forgery, type Verb } from '../../threats/invalid-interactions.ts';

const { log, text } = recordLog();
let scene: Scene;
let forge: ReturnType<typeof forgery>;
let admin: string;
let sourceId: string;
beforeAll(async () => {
  scene = await startScene({ log });
  forge = forgery(scene);
  admin = scene.sandbox.admin;
  posted = await scene.post(admin, { title: 'Completed' });
  sourceId = scene.sandbox.as(admin).send(scene.sandbox.channels.general.id, 'Hello').id;
});
afterAll(() => scene.stop());

const verb = (name: string, subcommand: string | null = null, type = 1): Verb => ({
  name,
  subcommand,
  type,
  options: [],
});

const retitle = verb('me', 'retitle');
let posted: string;
const article = () => ({ name: 'article', type: 3, value: posted });

describe('an interaction of another version of the bot', () => {
  test.each<[string, () => Promise<Answer>]>([
    ['a command that is gone', () => forge.command(admin, verb('gone'), [])],
    ['a subcommand that is gone', () => forge.command(admin, verb('group', 'gone'), [])],
    ['a command without an option that it needs', () => forge.command(admin, retitle, [article()])],
    [
      'a command with an option of another type',
      () => forge.command(admin, retitle, [article(), { name: 'title', type: 4, value: 7 }]),
    ],
    ['a message command as a typed one', () => forge.command(admin, verb('moderate'), [])],
    ['a typed command on a message', () => forge.command(admin, verb('post', null, 2), [])],
    ['a typed command on a member', () => forge.command(admin, verb('post', null, 3), [])],
    ['a button that is gone', () => forge.component(admin, 'gone|1', sourceId)],
    ['a button of a command without any', () => forge.component(admin, 'post|1', sourceId)],
    ['a form of a command without any', () => forge.form(admin, 'help|1', { text: 'x' })],
    ['a form without its field', () => forge.form(admin, 'post-this-link|1', {})],
  ])(
    'an interaction of another version of the bot, such as %s, is told that it is out of date',
    async (_, ask) => {
      const { message, ephemeral } = await ask();
      expect(message?.content).toBe(translate('en', 'stale'));
      expect(ephemeral).toBe(true);
      expect(text()).not.toContain('A command failed');
    },
  );
});

const complete = (option: { name: string; type: Type }, value: string) =>
  forge.completion(admin, retitle, option, value, []);
const failures = () => text().split('A completion failed').length - 1;

test('a completion that nobody could type offers nothing, and one that fails offers nothing and is logged', async () => {
  const titles = { name: 'article', type: Type.String };
  const { redis } = scene.redis;
  const { articles } = guildKeys(scene.sandbox, scene.sandbox.guildId);
  await redis.rename(articles, 'aside');
  await redis.set(articles, 'no hash');
  const failed = await complete(titles, 'Comp');
  await redis.rename('aside', articles);
  expect(failed).toMatchObject({ choices: [] });
  expect(failures()).toBe(1);
  expect(await complete({ ...titles, type: Type.Integer }, 7 as never)).toMatchObject({
    choices: [],
  });
  const { choices } = await complete(titles, 'Comp');
  expect(choices).toMatchObject([{ name: expect.stringContaining('Completed'), value: posted }]);
  expect(failures()).toBe(1);
  // Discord would refuse all for a name that shows nothing, as a file that was restored can have.
  const schedule = { every: 'day', time: '18:00', zone: 'UTC' };
  const digest = zDigest.parse({ channel: scene.sandbox.channels.general.id, schedule });
  for (const name of ['\u3164', 'shown']) {
    await saveDigest(scene.bot.store, scene.sandbox.guildId, name, digest);
  }
  const names = { name: 'name', type: Type.String };
  const offered = await forge.completion(admin, verb('digest', 'show'), names, '', []);
  expect(offered).toMatchObject({
    choices: [
      { name: 'shown', value: 'shown' },
      { name: '—', value: '\u3164' },
    ],
  });
});

test('a command that meets damaged data has the server looked at soon', async () => {
  const { redis } = scene.redis;
  const { digests, due } = storeKeys(scene.bot.store, scene.sandbox.guildId);
  await redis.zrem(due, 'check');
  await redis.rename(digests, 'aside');
  await redis.set(digests, 'no hash');
  const { message } = await scene.command(admin, 'digest show');
  await redis.rename('aside', digests);
  expect(message?.content).toContain('Something went wrong');
  const atMs = () => redis.zscore(due, 'check').then(Number);
  await expect.poll(atMs).toBeGreaterThan(0);
  expect(await atMs()).toBeLessThan(scene.clock.now() + MINUTE_MS);
});

test('a channel that holds no articles, or that the member may not view, is unknown however it is named', async () => {
  const { sandbox } = scene;
  const { channels, operator, members } = sandbox;
  const [ada = ''] = members;
  const listed = await scene.post(ada);
  sandbox.as(ada).speak('en-US');
  const category = operator.createChannel({ name: 'More', kind: 'category' }).id;
  await scene.eventually(() => scene.bot.client.channels.cache.has(category), Boolean, 'known');
  const { id: secret } = operator.createChannel({ name: 'secret' });
  operator.setPermissions({ channel: secret, who: 'bot', allow: ['ViewChannel'] });
  operator.setPermissions({ channel: secret, who: 'everyone', deny: ['ViewChannel'] });
  await scene.settled();
  const add = async (channel: string) => {
    const options = [
      { name: 'article', type: 3, value: listed },
      { name: 'channel', type: 7, value: channel },
    ];
    const { message } = await forge.command(ada, verb('group', 'add'), options);
    return message?.content;
  };
  const unknown = translate('en', 'channel.unknown');
  for (const channel of [category, secret, '100000000000000009', 'none']) {
    expect(await add(channel)).toBe(unknown);
  }
  expect(await add(channels.rust.id)).not.toBe(unknown);
});

test('in a server that Discord does not show now a command of direct messages does not answer for all servers', async () => {
  const { guildId } = scene.sandbox;
  const { cache } = scene.bot.client.guilds;
  const known = cache.get(guildId)!;
  cache.delete(guildId);
  const { message } = await scene.command(admin, 'me data');
  cache.set(guildId, known);
  expect(message?.content).toBe(translate('en', 'guild.only'));
});
