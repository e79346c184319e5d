import { afterAll, beforeAll, expect, test } from 'vitest';
import { editMessage } from '../../../discord-box/src/world/messages/change-message.ts';
import type { WebPage } from '../../../discord-box/src/index.ts';
import { readArticleMessage } from '../../../src/articles/messages/article-message.ts';
import {
  keepPreview,
  type PreviewEmbed,
  previewTitle,
} from '../../../src/articles/messages/preview.ts';
import { readPreviews } from '../../../src/ranking/articles/previews.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

const pages: Record<string, WebPage> = {};
let scene: Scene;
let posted = 0;

beforeAll(async () => {
  scene = await startScene({ web: { page: (link) => pages[link], picture: () => undefined } });
});
afterAll(() => scene.stop());

/** Posts a link to a page that says this of itself. */
async function postPage(page: WebPage | undefined, title?: string): Promise<string> {
  posted += 1;
  const link = `https://pages.example/${posted}`;
  if (page !== undefined) pages[link] = page;
  const [member = ''] = scene.sandbox.members;
  return scene.post(member, { link, ...(title === undefined ? {} : { title }) });
}

const message = (id: string) => scene.sandbox.channels.general.messages.get(id);
const shownTitle = (id: string) =>
  readArticleMessage({ content: message(id)?.content ?? '' })?.title;
const titleOf = async (id: string) => (await scene.article(id))?.title;
async function previewOf(id: string) {
  const [preview] = await readPreviews(scene.bot.ranking, scene.sandbox.guildId, [id]);
  return preview;
}

test('an article without a title gets the title that Discord found, in the ranking and in its message', async () => {
  const id = await postPage({ title: 'Hexagonal  **Grids**' });
  await expect.poll(() => titleOf(id)).toBe('Hexagonal **Grids**');
  await expect.poll(() => shownTitle(id)).toBe('Hexagonal **Grids**');
  // The edit for the title has kept the preview.
  expect(message(id)?.previews).toHaveLength(1);
});

test('a title that the poster gave stays, and the description and the picture are stored', async () => {
  const page = {
    title: 'Found',
    description: 'First line\nand second',
    picture: 'https://pages.example/cover.png',
  };
  const id = await postPage(page, 'Given');
  await expect
    .poll(() => previewOf(id))
    .toEqual({ description: 'First line and second', picture: page.picture });
  expect(await titleOf(id)).toBe('Given');
  expect(shownTitle(id)).toBe('Given');
});

test('what Discord found about a link is stored without words that the server blocks', async () => {
  await scene.command(scene.sandbox.admin, 'mod block', { words: 'jackpot' });
  const picture = 'https://pages.example/chips.png';
  const id = await postPage({ title: 'Chips', description: 'Hit the jackpot', picture });
  await expect.poll(() => previewOf(id)).toEqual({ picture });
  expect(await titleOf(id)).toBe('Chips');
  const named = await postPage({ title: 'A jackpot', description: 'Chips again' });
  await expect.poll(() => previewOf(named)).toEqual({ description: 'Chips again' });
  // What the bot made of the title would be there before a later article's title.
  const later = await postPage({ title: 'After it' });
  await expect.poll(() => titleOf(later)).toBe('After it');
  expect(await titleOf(named)).toMatch(/^pages\.example\//);
});

test('the title that Discord found for a spoiler stays hidden', async () => {
  const link = 'https://pages.example/spoiler';
  pages[link] = { title: 'The butler did it' };
  const [member = ''] = scene.sandbox.members;
  const id = await scene.post(member, { link: `||${link}||` });
  await expect.poll(() => titleOf(id)).toBe('||The butler did it||');
  await expect.poll(() => shownTitle(id)).toBe('||The butler did it||');
});

const pictured = (name: string) => ({
  url: `https://pages.example/${name}.png`,
  proxy_url: `https://images-ext-1.discordapp.net/${name}`,
});

test('of the pictures that Discord found, the large one is stored, with Discord’s copy of it', async () => {
  const id = await postPage(undefined, 'Pictured');
  const keep = async (embed: object) => {
    const article = (await scene.article(id))!;
    const embeds = [{ url: article.link, ...embed }] as PreviewEmbed[];
    await keepPreview(scene.bot, scene.sandbox.guildId, article, { embeds, isAlone: true });
    return previewOf(id);
  };
  const [small, large] = [pictured('small'), pictured('large')];
  expect(await keep({ thumbnail: small })).toEqual({ picture: small.url, copy: small.proxy_url });
  expect(await keep({ thumbnail: small, image: large })).toEqual({
    picture: large.url,
    copy: large.proxy_url,
  });
});

test('a picture whose address is not https is not stored', async () => {
  const id = await postPage({ description: 'Words', picture: 'http://pages.example/cover.png' });
  await expect.poll(() => previewOf(id)).toEqual({ description: 'Words' });
});

test('a moderator who removes the embeds takes nothing from what is stored', async () => {
  const page = { title: 'Kept', description: 'Words', picture: 'https://pages.example/kept.png' };
  const id = await postPage(page);
  await expect.poll(() => previewOf(id)).toMatchObject({ description: 'Words' });
  const { channels, moderator } = scene.sandbox;
  scene.sandbox.as(moderator).suppressEmbeds(channels.general.id, id);
  // What the bot made of the update would be there before a later article's title.
  const later = await postPage({ title: 'Later' });
  await expect.poll(() => titleOf(later)).toBe('Later');
  expect(await previewOf(id)).toEqual({ description: 'Words', picture: page.picture });
  expect(await titleOf(id)).toBe('Kept');
});

test('a link whose page has another address gets what Discord found there', async () => {
  const id = await postPage(undefined);
  const url = 'https://moved.example/';
  const embeds = [{ url, title: 'Moved', description: 'To another place' }];
  editMessage(scene.sandbox.world, scene.sandbox.channels.general, message(id)!, {
    embeds,
    silent: true,
  });
  await expect.poll(() => titleOf(id)).toBe('Moved');
  await expect.poll(() => previewOf(id)).toEqual({ description: 'To another place' });
});

test('suppressed embeds are served as none, so the article keeps its placeholder', async () => {
  const id = await postPage(undefined);
  const { channels, moderator } = scene.sandbox;
  scene.sandbox.as(moderator).suppressEmbeds(channels.general.id, id);
  pages[`https://pages.example/${posted}`] = { title: 'Never seen' };
  const later = await postPage({ title: 'Seen' });
  await expect.poll(() => titleOf(later)).toBe('Seen');
  expect(await titleOf(id)).toMatch(/^pages\.example\//);
  expect(await previewOf(id)).toEqual({});
});

test('a title that somebody gave while Discord looked at the link stays', async () => {
  const id = await postPage(undefined);
  const before = (await scene.article(id))!;
  const [member = ''] = scene.sandbox.members;
  await scene.command(member, 'me retitle', { article: id, title: 'My own words' });
  const embeds = [{ url: before.link, title: 'Found' }] as PreviewEmbed[];
  await keepPreview(scene.bot, scene.sandbox.guildId, before, { embeds, isAlone: true });
  expect(await titleOf(id)).toBe('My own words');
  const other = await postPage(undefined);
  const untitled = (await scene.article(other))!;
  const found = [{ url: untitled.link, title: 'Found' }] as PreviewEmbed[];
  await keepPreview(scene.bot, scene.sandbox.guildId, untitled, { embeds: found, isAlone: true });
  expect(await titleOf(other)).toBe('Found');
});

test('the preview of another address is a link’s own where it is the only one of the only link', () => {
  const link = 'https://pages.example/short';
  const [one, two] = ['A', 'B'].map((title) => ({ url: `https://long.example/${title}`, title }));
  const titles = (embeds: object[], isAlone: boolean) => previewTitle(embeds, link, isAlone);
  expect([titles([one!], true), titles([one!], false)]).toEqual(['A', '']);
  expect(titles([one!, two!], true)).toBe('');
  expect(titles([one!, { url: link, title: 'Own' }], false)).toBe('Own');
});
