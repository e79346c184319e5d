import { MessageType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NewMessage } from '../../discord-box/src/world/messages/change-message.ts';
import { setOverwrite } from '../../discord-box/src/world/channels/change-channel.ts';
import type { Scene } from '../fixtures/scene.ts';
import { type Feed, startFeed } from './feed.ts';

let feed: Feed;
let scene: Scene;

beforeAll(async () => {
  feed = await startFeed();
  ({ scene } = feed);
});
afterAll(() => scene.stop());

const text = (content: string) => ({ type: 10, id: 2, content });
const leading = (url: string) => ({ type: 2, id: 4, style: 5, label: 'Open', url });
const embed = (given: object) => [{ type: 'rich', title: 'New post', ...given }];

const FORMS: [form: string, link: string, given: Partial<NewMessage>, title?: string][] = [
  [
    'content with two links',
    'https://a.example/1',
    { content: 'https://a.example/1 and https://a.example/2' },
  ],
  [
    'an embed’s description',
    'https://a.example/3',
    { embeds: embed({ description: 'Read [A long title here](https://a.example/3) now' }) },
    'A long title here',
  ],
  [
    'a field of an embed',
    'https://a.example/4',
    { embeds: embed({ fields: [{ name: 'Link', value: 'https://a.example/4', inline: false }] }) },
  ],
  [
    'components',
    'https://a.example/5',
    {
      flags: 1 << 15,
      components: [
        {
          type: 17,
          id: 1,
          accent_color: 1,
          spoiler: false,
          components: [
            text('## [Post five is here](https://a.example/5)'),
            { type: 1, id: 3, components: [leading('https://a.example/other')] },
          ],
        },
      ],
    },
    'Post five is here',
  ],
  [
    'a button',
    'https://a.example/6',
    {
      content: 'New!',
      components: [{ type: 1, id: 1, components: [leading('https://a.example/6')] }],
    },
  ],
  [
    'content behind a link to Discord',
    'https://a.example/7',
    { content: 'https://discord.com/channels/1/2/3 https://a.example/7' },
  ],
  ['a spoiler', 'https://a.example/8', { content: '||https://a.example/8||' }],
  [
    'an answer to a command',
    'https://a.example/9',
    { type: MessageType.ChatInputCommand, content: '<https://a.example/9>' },
  ],
];

test.each(FORMS)(
  'a link in %s of a bot’s message becomes an article when two members like it',
  async (_, link, given, title) => {
    const source = feed.pour(link, given);
    feed.like(source);
    const article = await feed.articleOf(source);
    expect(article).toMatchObject({ link, poster: feed.members[0], ...(title ? { title } : {}) });
    await scene.expectTally(article.id, 2, 0);
  },
);

test('a forwarded link becomes an article when two members like it', async () => {
  const { general, members } = feed;
  const link = feed.fresh();
  const { id } = scene.sandbox
    .as(members[2] ?? '')
    .forward(general, general, feed.pour(link, { content: link }));
  feed.like(id);
  expect(await feed.articleOf(id)).toMatchObject({ link, poster: members[0] });
});

test('members who may not write in a feed channel find links in it and in its threads', async () => {
  const { world, guildId, channels, admin } = scene.sandbox;
  const { botId } = world.application;
  const thread = scene.sandbox.as(admin).startThread(feed.general, 'Talk');
  setOverwrite(world, channels.general, guildId, { kind: 'role', allow: 0n, deny: P.SendMessages });
  setOverwrite(world, channels.general, botId, { kind: 'member', allow: P.SendMessages, deny: 0n });
  await scene.settled();
  const [one, two] = [feed.pour(feed.fresh()), feed.pour(feed.fresh(), undefined, thread.id)];
  for (const source of [one, two]) feed.like(source);
  expect(await feed.articleOf(one)).toMatchObject({ home: feed.general, channel: feed.general });
  expect(await feed.articleOf(two)).toMatchObject({ home: feed.general, channel: thread.id });
});
