import { InteractionType, PermissionFlagsBits as P } from 'discord.js';
import { createMessage } from '../../../discord-box/src/world/messages/change-message.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerTo } from '../../../discord-box/src/act/answer.ts';
import { openInteraction } from '../../../discord-box/src/world/interactions/open-interaction.ts';
import { setOverwrite } from '../../../discord-box/src/world/channels/change-channel.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';
import { setSetting } from '../../fixtures/set-setting.ts';

let scene: Scene;
let ada: string;
let lin: string;
let grace: string;
let general: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  [ada, lin] = [sandbox.admin, sandbox.moderator];
  grace = sandbox.members[0] ?? '';
  general = sandbox.channels.general.id;
});
afterAll(() => scene.stop());

const committed = (id = '') =>
  scene.eventually(
    () => scene.article(id),
    (article) => article !== null,
    'committed',
  );

describe('a comment', () => {
  test('a comment stands under the title letter for letter, and comes back from the message', async () => {
    const comment = '# Not a heading\n[read](https://evil.example) @everyone *now*';
    const link = 'https://news.example/comment';
    const answer = await scene.sandbox.as(grace).command(general, 'post', {
      link,
      title: 'Said',
      comment,
    });
    expect(answer.message?.content.split('\n').slice(1, -1)).toEqual([
      '> \\# Not a heading',
      '> \\[read\\]\\(https\\://evil.example\\) \\@everyone \\*now\\*',
    ]);
    expect(answer.message?.mention_everyone).toBe(false);
    expect(await committed(answer.message?.id)).toMatchObject({ comment });
  });
});

describe('further groups', () => {
  test('further groups are the article’s from the start, the home group first', async () => {
    const { rust, ai } = scene.sandbox.channels;
    const answer = await scene.sandbox.as(grace).command(general, 'post', {
      link: 'https://news.example/groups',
      channel: rust.id,
      channel2: ai.id,
      channel3: general,
    });
    const article = await committed(answer.message?.id);
    expect(article?.groups).toEqual([general, rust.id, ai.id]);
    expect(answer.message?.content).toContain(` in <#${general}> <#${rust.id}> <#${ai.id}> · `);
    const twice = await scene.sandbox.as(grace).command(general, 'post', {
      link: 'https://news.example/twice-the-same',
      channel: rust.id,
      channel2: rust.id,
    });
    expect(twice.message?.content).toContain(` in <#${general}> <#${rust.id}> · `);
  });

  test('further groups need the right to write there', async () => {
    const { world, channels, guildId } = scene.sandbox;
    setOverwrite(world, channels.gameDev, guildId, {
      kind: 'role',
      allow: 0n,
      deny: P.SendMessages,
    });
    const link = 'https://news.example/no-right';
    const refused = await scene.eventually(
      () =>
        scene.sandbox.as(grace).command(general, 'post', { link, channel: channels.gameDev.id }),
      ({ ephemeral }) => ephemeral,
      'refused',
    );
    expect(refused.message?.content).toContain('You need these permissions');
    expect(refused.message?.content).toContain('Send Messages');
  });

  test('further groups that take no articles are what is at fault, and not the channel', async () => {
    const { rust } = scene.sandbox.channels;
    const as = scene.sandbox.as(ada);
    await setSetting(scene.sandbox, 'no-groups', [rust.id]);
    const link = 'https://news.example/no-group';
    const refused = await as.command(general, 'post', { link, channel: rust.id });
    expect(refused).toMatchObject({ ephemeral: true });
    expect(refused.message?.content).toContain(`<#${rust.id}> doesn’t take articles. Leave it out`);
    const there = await as.command(rust.id, 'post', { link });
    expect(there.message?.content).toContain('Post in another channel');
    const { message } = await as.command(general, 'post', { link });
    await committed(message?.id);
    const added = await as.command(general, 'group add', {
      article: message?.id ?? '',
      channel: rust.id,
    });
    expect(added.message?.content).toContain('Choose another channel');
    await setSetting(scene.sandbox, 'no-groups', []);
  });

  test('further groups are refused where not everyone may see the article', async () => {
    const { moderators, rust } = scene.sandbox.channels;
    const refused = await scene.sandbox.as(lin).command(moderators.id, 'post', {
      link: 'https://news.example/secret',
      channel: rust.id,
    });
    expect(refused).toMatchObject({ ephemeral: true });
    expect(refused.message?.content).toContain('并非所有人都能看到本频道');
  });
});

describe('“Post this link” on a message', () => {
  test('“Post this link” on a message asks for the title and posts the link', async () => {
    const { sandbox } = scene;
    const said = sandbox.as(ada).send(general, 'Look: (https://news.example/from-message), nice!');
    const form = await sandbox.as(grace).messageCommand(general, said.id, 'Post this link');
    expect(form.kind).toBe('modal');
    expect(JSON.stringify(form.modal)).toContain('"value":"https://news.example/from-message"');
    const posted = await sandbox
      .as(grace)
      .submit(form.interactionId, { title: 'Found it', comment: 'Ada did.' });
    expect(posted).toMatchObject({ kind: 'message', ephemeral: false });
    expect(await committed(posted.message?.id)).toMatchObject({
      title: 'Found it',
      comment: 'Ada did.',
      link: 'https://news.example/from-message',
      poster: grace,
    });
  });

  test('“Post this link” on a message offers the title that its words or its preview have', async () => {
    const { sandbox } = scene;
    const titleIn = async (id: string) => {
      const form = await sandbox.as(grace).messageCommand(general, id, 'Post this link');
      const inputs = JSON.stringify(form.modal);
      return (
        /"custom_id":"title"[^}]*"value":"([^"]*)"/.exec(inputs)?.[1] ??
        /"value":"([^"]*)"[^}]*"custom_id":"title"/.exec(inputs)?.[1]
      );
    };
    const words = sandbox.as(ada).send(general, '[Words of a member](https://news.example/words)');
    expect(await titleIn(words.id)).toBe('Words of a member');
    const both = createMessage(sandbox.world, sandbox.channels.general, {
      authorId: ada,
      content: '[Words before a page](https://news.example/both)',
      embeds: [{ type: 'article', title: 'A page', url: 'https://news.example/both' }],
    });
    expect(await titleIn(both.id)).toBe('Words before a page');
    const url = 'https://news.example/previewed';
    const previewed = createMessage(sandbox.world, sandbox.channels.general, {
      authorId: ada,
      content: url,
      embeds: [{ type: 'article', title: 'What the page is called', url }],
    });
    expect(await titleIn(previewed.id)).toBe('What the page is called');
  });

  test('“Post this link” on a message finds a link that stands in a preview alone, as feeds post it', async () => {
    const { sandbox } = scene;
    const url = 'https://news.example/in-a-preview';
    const [authorId = ''] = scene.crowd(1, true);
    const embeds = [{ title: 'News of a feed', url }];
    const message = createMessage(sandbox.world, sandbox.channels.general, { authorId, embeds });
    const form = await sandbox.as(grace).messageCommand(general, message.id, 'Post this link');
    expect(form.kind).toBe('modal');
    for (const value of [url, 'News of a feed'])
      expect(JSON.stringify(form.modal)).toContain(`"value":"${value}"`);
  });

  test('“Post this link” on a message shows the first article where the link is known', async () => {
    const { sandbox } = scene;
    const link = 'https://news.example/known';
    const first = await sandbox.as(ada).command(general, 'post', { link });
    await committed(first.message?.id);
    const said = sandbox.as(ada).send(general, `${link}?utm_source=x`);
    const form = await sandbox.as(grace).messageCommand(general, said.id, 'Post this link');
    const answer = await sandbox.as(grace).submit(form.interactionId, {});
    expect(answer).toMatchObject({ ephemeral: true });
    expect(answer.message?.content).toContain(first.message?.id);
  });

  test('“Post this link” on a message says so where there is no link, or none that can be posted', async () => {
    const { sandbox } = scene;
    const plain = sandbox.as(ada).send(general, 'No link here.');
    const none = await sandbox.as(grace).messageCommand(general, plain.id, 'Post this link');
    expect(none.message?.content).toContain('no link in that message');
    const local = sandbox.as(ada).send(general, 'http://127.0.0.1/admin');
    const refused = await sandbox.as(grace).messageCommand(general, local.id, 'Post this link');
    expect(refused.message?.content).toContain('numeric or private address');
    expect(refused.ephemeral).toBe(true);
  });

  test('“Post this link” on a message judges what was sent, not what was offered', async () => {
    const { sandbox } = scene;
    const said = sandbox.as(ada).send(general, 'https://news.example/offered');
    const form = await sandbox.as(grace).messageCommand(general, said.id, 'Post this link');
    const answer = await sandbox
      .as(grace)
      .submit(form.interactionId, { link: 'https://a@evil.example/' });
    expect(answer.message?.content).toContain('user name or password');
  });
});

test('nothing is posted in a forum itself, if a command comes from there', async () => {
  const { sandbox } = scene;
  const { world, channels } = sandbox;
  const link = 'https://news.example/forum';
  const values = { link };
  await expect(sandbox.as(grace).command(channels.forum.id, 'post', values)).rejects.toThrow(
    'There are no commands in this channel.',
  );
  const [command] = [...world.commands.values()].filter(({ form }) => form.name === 'post');
  const forged = openInteraction(world, {
    type: InteractionType.ApplicationCommand,
    userId: grace,
    channel: channels.forum,
    name: 'post',
    data: {
      id: command?.id ?? '',
      name: 'post',
      type: 1,
      options: [{ name: 'link', type: 3, value: link }],
    },
  });
  const answer = await answerTo(world, forged);
  expect(answer.message?.content).toContain('Links can’t be posted here.');
  const messages = [...channels.forum.messages.values()];
  expect(messages.filter(({ onlyFor }) => onlyFor === null)).toEqual([]);
});

const newest = () => scene.sandbox.as(grace).messages(general, 50).at(-1)?.content;
const post = (link: string) => scene.sandbox.as(grace).command(general, 'post', { link });

describe('what a member pastes into /post', () => {
  test.each([
    ['in a sentence', 'look at this: https://paste.example/a1.', 'https://paste.example/a1'],
    [
      'with signs that nobody sees',
      '\u200bhttps://paste.example/a2\u200e',
      'https://paste.example/a2',
    ],
    ['from a masked link', '[words](https://paste.example/a3)', 'https://paste.example/a3'],
    ['without a scheme', 'paste.example/a4', 'https://paste.example/a4'],
    [
      'with the text that an app adds',
      '【标题】https://paste.example/a5 复制打开',
      'https://paste.example/a5',
    ],
  ])('what a member pastes into /post, %s, is read as its link', async (_, typed, link) => {
    const answer = await post(typed);
    expect(await committed(answer.message?.id)).toMatchObject({ link });
  });

  test('a link that a member pastes between angles gets no preview', async () => {
    const answer = await post('<https://paste.example/quiet>');
    expect(answer.message?.content).toContain('<https://paste.example/quiet>');
    expect(await committed(answer.message?.id)).toMatchObject({
      link: 'https://paste.example/quiet',
    });
  });

  test('what a member pastes into /post with words over the link is called by them', async () => {
    const link = '[A good title](https://paste.example/worded)';
    const answer = await scene.sandbox.as(grace).command(general, 'post', { link });
    expect(answer.message?.content).toContain('[A good title](https://paste.example/worded)');
  });

  test('whoever posts a file of Discord’s learns that it opens for a day', async () => {
    const link = 'https://cdn.discordapp.com/attachments/1/2/map.png?ex=66&is=65&hm=abc&';
    const answer = await scene.sandbox.as(grace).command(general, 'post', { link, title: 'Map' });
    expect(answer.message?.content).toContain('hm=abc');
    await expect.poll(newest).toContain('for about a day only');
  });

  test('what a member pastes into /post with two links is posted with the first, and says so to the member alone', async () => {
    const answer = await post('https://paste.example/first https://paste.example/second');
    expect(await committed(answer.message?.id)).toMatchObject({
      link: 'https://paste.example/first',
    });
    await expect.poll(newest).toContain('Only the first link');
  });

  test.each(['https://paste.example/my file.pdf', 'https://paste.example/my file'])(
    'what a member pastes into /post with a space inside is refused: %s',
    async (typed) => {
      const answer = await post(typed);
      expect(answer).toMatchObject({ ephemeral: true });
      expect(answer.message?.content).toContain('There’s a space in that link');
    },
  );
});
