import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeBlock } from '../../src/community/blocks.ts';
import { writeEdition } from '../../src/editions/stored-editions.ts';
import { readDraft } from '../../src/web/newsletter-draft.ts';
import { writeWebSettings } from '../../src/web/web-settings.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ webAddress: 'https://front.example' });
});
afterAll(() => scene.stop());

test('a manager makes a newsletter from an edition, in an order of their own', async () => {
  const { admin, guildId, channels, world } = scene.sandbox;
  const general = channels.general.id;
  const actor = scene.sandbox.as(admin);
  actor.speak('en-US');
  const empty = await openPanel(actor, general, 'newsletter');
  expect(empty.message?.embeds[0]?.description).toContain('No edition has been posted yet');
  const [first, second, gone] = [
    await scene.post(admin, { title: 'First story' }),
    await scene.post(admin, { title: 'Second story' }),
    await scene.post(admin, { title: 'Erased story' }),
  ];
  const articles = [first, second, gone].map((id) => ({ id, net: 5, replies: 0 }));
  const now = scene.clock.now();
  const edition = {
    articles,
    rising: [],
    firstPosts: [],
    discussed: [],
    fromMs: 0,
    postedAtMs: now,
  };
  await writeEdition(
    scene.bot.store,
    guildId,
    { name: 'daily', date: '2027-03-09' },
    { ...edition, channel: general, message: null, isPublic: true },
  );
  await deleteArticle(scene.bot.ranking, guildId, gone);
  const { message } = await openPanel(actor, general, 'newsletter');
  const id = 'frontpage|newsletter|pick';
  const form = await actor.choose(general, message!.id, id, ['daily|2027-03-09']);
  expect(form.kind).toBe('modal');
  expect(JSON.stringify(form.modal)).toContain('2. Second story');
  expect(JSON.stringify(form.modal)).not.toContain('Erased');
  const fields = { intro: 'Good morning.', order: '2. Second story\n1. First story' };
  const made = await actor.submit(form.interactionId, fields);
  expect(made.ephemeral).toBe(true);
  const stored = world.channels.get(general)!.messages.get(made.message!.id)!;
  const names = stored.attachments.map(({ filename }) => filename);
  expect(names).toEqual([
    'newsletter-2027-03-09.html',
    'newsletter-2027-03-09.md',
    'newsletter-2027-03-09.txt',
  ]);
  for (const { data } of stored.attachments) {
    const text = Buffer.from(data).toString();
    expect(text).toMatch(/Good morning\.[\s\S]*Second story[\s\S]*First story/);
    expect(text).not.toContain('Erased');
  }
  // It is also a page, where the guild has an open one.
  expect(stored.components).toEqual([]);
  await writeWebSettings(scene.bot.store, guildId, { open: true });
  const again = await actor.choose(general, message!.id, id, ['daily|2027-03-09']);
  const paged = await actor.submit(again.interactionId, fields);
  const [, secret = ''] =
    /https:\/\/front\.example\/g\/\d+\/newsletter\/([\w-]+)"/.exec(
      JSON.stringify(paged.message?.components),
    ) ?? [];
  expect(await readDraft(scene.bot.store, guildId, secret)).toMatchObject(fields);
});

test('an article that is removed while the form is open leaves, and no other takes its number', async () => {
  const { admin, guildId, channels, world } = scene.sandbox;
  const general = channels.general.id;
  const actor = scene.sandbox.as(admin);
  const titles = ['Removed story', 'Unwanted story', 'Wanted story'];
  const ids: string[] = [];
  for (const title of titles) ids.push(await scene.post(admin, { title }));
  const which = { name: 'weekly', date: '2027-03-10' };
  await writeEdition(scene.bot.store, guildId, which, {
    articles: ids.map((id) => ({ id, net: 5, replies: 0 })),
    rising: [],
    firstPosts: [],
    discussed: [],
    fromMs: 0,
    postedAtMs: scene.clock.now(),
    channel: general,
    message: null,
    isPublic: true,
  });
  const { message } = await openPanel(actor, general, 'newsletter');
  const id = 'frontpage|newsletter|pick';
  const form = await actor.choose(general, message!.id, id, ['weekly|2027-03-10']);
  await scene.moderate(admin, 'remove', ids[0]!);
  const order = '1. Removed story\n3. Wanted story';
  const made = await actor.submit(form.interactionId, { intro: '', order });
  const stored = world.channels.get(general)!.messages.get(made.message!.id)!;
  for (const { data } of stored.attachments) {
    const text = Buffer.from(data).toString();
    expect(titles.filter((title) => text.includes(title))).toEqual(['Wanted story']);
  }
});

test('what was blocked since is no edition’s headline', async () => {
  const { admin, guildId, channels } = scene.sandbox;
  const general = channels.general.id;
  const actor = scene.sandbox.as(admin);
  const ids: string[] = [];
  for (const title of ['Vulgar story', 'Decent story'])
    ids.push(await scene.post(admin, { title }));
  const which = { name: 'daily', date: '2027-03-11' };
  await writeEdition(scene.bot.store, guildId, which, {
    articles: ids.map((id) => ({ id, net: 5, replies: 0 })),
    fromMs: 0,
    postedAtMs: scene.clock.now(),
    channel: general,
    isPublic: true,
  });
  const offered = async () => {
    const { message } = await openPanel(actor, general, 'newsletter');
    return JSON.stringify(message?.components);
  };
  expect(await offered()).toContain('Vulgar story');
  const by = { posting: true, voting: false, reason: '', by: '1', sinceMs: 0, untilMs: null };
  const subject = { kind: 'words', words: 'vulgar' } as const;
  await writeBlock(scene.bot.store, guildId, { subject, ...by });
  expect(await offered()).toContain('Decent story');
  expect(await offered()).not.toContain('Vulgar story');
  // An edition of which nothing is left is named by its day alone.
  const decent = { kind: 'words', words: 'decent' } as const;
  await writeBlock(scene.bot.store, guildId, { subject: decent, ...by });
  expect(await offered()).toMatch(/"label":"Daily digest[^"]*","value":"daily\|2027-03-11"/);
});

test('a newsletter is in the language of the server, and names no page of an edition that not everyone could see', async () => {
  const { admin, guildId, channels, world } = scene.sandbox;
  const general = channels.general.id;
  const actor = scene.sandbox.as(admin);
  await writeWebSettings(scene.bot.store, guildId, { open: true });
  const id = await scene.post(admin, { title: 'Quiet story' });
  const made = async (date: string, isPublic: boolean) => {
    await writeEdition(
      scene.bot.store,
      guildId,
      { name: 'daily', date },
      {
        articles: [{ id, net: 5, replies: 0 }],
        fromMs: 0,
        postedAtMs: scene.clock.now(),
        channel: general,
        isPublic,
      },
    );
    const { message } = await openPanel(actor, general, 'newsletter');
    const form = await actor.choose(general, message!.id, 'frontpage|newsletter|pick', [
      `daily|${date}`,
    ]);
    const { message: ready } = await actor.submit(form.interactionId, { intro: '', order: '' });
    const stored = world.channels.get(general)!.messages.get(ready!.id)!;
    const texts = stored.attachments.map(({ data }) => Buffer.from(data).toString());
    return { content: ready!.content, texts };
  };
  const linked = async (date: string, isPublic: boolean) =>
    (await made(date, isPublic)).texts.map((one) => one.includes(`/digest/daily/${date}`));
  expect(await linked('2027-03-12', true)).toEqual([true, true, true]);
  expect(await linked('2027-03-13', false)).toEqual([false, false, false]);
  await setSetting(scene.sandbox, 'language', ['de']);
  const { content, texts } = await made('2027-03-14', true);
  expect(texts[0]).toContain('lang="de"');
  expect(content).toContain('Daily digest');
  await setSetting(scene.sandbox, 'language', null);
});
