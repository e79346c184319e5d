import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeBlock } from '../../src/community/blocks.ts';
import { siteSubject } from '../../src/community/block-subject.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { setUnnamed } from '../../src/community/unnamed.ts';
import { subjectsOf } from '../../src/earlier/find-earlier.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { writePreview } from '../../src/ranking/articles/previews.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { indexAll } from '../../src/ranking/subjects/subjects.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { webText } from '../../src/web/pages/article-html.ts';
import { writeWebSettings, type WebSettings } from '../../src/web/web-settings.ts';
import { setListed } from '../ranking/test-ranking.ts';
import { expectValid } from './expect-valid.ts';
import { AI, ICON, POSTER, RUST, SECRET, startWebServer, type WebServer } from './web-server.ts';

let server: WebServer;
beforeAll(async () => {
  server = await startWebServer({ publicAddress: 'https://front.example', pictures: true });
});
afterAll(() => server.stop());

async function openGuild(settings: Partial<WebSettings> = {}): Promise<string> {
  const guild = server.newGuild();
  await writeWebSettings(server.store, guild, { open: true, ...settings });
  return guild;
}
const index = (guild: string) =>
  indexAll(subjectsOf(server.ranking), guild, new AbortController().signal);
async function status(path: string): Promise<number> {
  return (await server.get(path)).status;
}
/** What a page says now, of which all that is in its head and in `main` is about the article. */
async function read(guild: string, article: string): Promise<string> {
  await server.told(guild);
  const response = await server.get(`/g/${guild}/article/${article}`);
  expect(response.status).toBe(200);
  return response.text();
}
const titlesIn = (page: string) =>
  Array.from(page.matchAll(/<h3><a[^>]*><bdi>([^<]*)/g), ([, title = '']) => title);
test('an article has a page to share, to which each list leads, with what was here before on its subject', async () => {
  const guild = await openGuild({ names: true });
  const before = await server.post(guild, {
    title: 'Hex maps in practice',
    postedAtMs: server.clock.now() - 40 * DAY_MS,
  });
  const now = await server.post(guild, { title: 'How to draw a hex map', comment: 'Worth it.' });
  const copy = 'https://images-ext-1.discordapp.net/external/x';
  await writePreview(server.ranking, guild, now, { description: 'With "ink" & dice.', copy });
  await index(guild);
  // What unfolds a link shows the article's picture, where it has one, and not the server's.
  server.communities.set(guild, { ...server.communities.get(guild)!, icon: ICON });
  await server.told(guild);
  const list = await (await server.get(`/g/${guild}?lang=de`)).text();
  expect(list).toContain(`<a href="/g/${guild}/article/${now}?lang=de"><time `);
  const page = await read(guild, now);
  await expectValid(page);
  expect(titlesIn(page)).toEqual(['How to draw a hex map', 'Hex maps in practice']);
  for (const part of [
    '<title>How to draw a hex map · Harbour &amp; &lt;friends&gt;</title>',
    '<meta property="og:description" content="With &quot;ink&quot; &amp; dice.">',
    `<meta property="og:image" content="${copy}">`,
    '<meta name="twitter:card" content="summary_large_image">',
    `<link rel="canonical" href="https://front.example/g/${guild}/article/${now}">`,
    `<a href="/g/${guild}/${RUST}"><bdi>#rust</bdi></a></h2>`,
    `<h2 class="section">Earlier here</h2>`,
    `href="https://news.example/${now}"`,
    `href="https://discord.com/channels/${guild}/${RUST}/${now}"`,
    'Worth it.',
    'Ada &amp; &lt;friends&gt;',
  ])
    expect(page).toContain(part);
  expect(page.match(/og:image"/g)).toHaveLength(1);
  const small = await read(guild, before);
  expect(small.match(/og:image" content="[^"]*/g)).toEqual([expect.stringContaining(ICON)]);
  expect(small).toContain('<meta name="twitter:card" content="summary">');
  expect(titlesIn(await read(guild, before))).toEqual(['Hex maps in practice']);
});

test('only what stands in an order has a rank, or room for one', async () => {
  const guild = await openGuild();
  const postedAtMs = server.clock.now() - DAY_MS;
  await server.post(guild, { title: 'Otters of the river', postedAtMs });
  const now = await server.post(guild, { title: 'An otter in the river' });
  await index(guild);
  const page = await read(guild, now);
  expect(titlesIn(page)).toHaveLength(2);
  expect(page).not.toContain('class="rank"');
  expect(page).toContain('<li class="unranked"><article>');
  const list = await (await server.get(`/g/${guild}?order=time`)).text();
  expect(list).toContain('<li><span class="rank" aria-hidden="true">2</span><article>');
  expect(list).not.toContain('unranked');
});

function ofList(path: string) {
  const json = `${path}${path.includes('?') ? '&amp;' : '?'}format=json`;
  return ['Feed of this list', path, json, '/front'];
}

test('the box of feeds says what they are of: the list that the page shows, or else the front page', async () => {
  const guild = await openGuild();
  const article = await server.post(guild, { title: 'Fed' });
  await server.told(guild);
  const boxOf = async (path: string) => {
    const text = await (await server.get(`/g/${guild}${path}`)).text();
    const [, title, links = ''] = /<h2 id="feeds">(.*?)<\/h2>\n<ul>(.*?)<\/ul>/.exec(text) ?? [];
    return [title, ...Array.from(links.matchAll(/href="\/feeds\/\d+([^"]*)"/g), ([, to]) => to)];
  };
  const front = ['Front page', '/front', '/front?format=json'];
  expect(await boxOf(`/article/${article}`)).toEqual(front);
  expect(await boxOf('/channels')).toEqual(front);
  expect(await boxOf('/day/2027-03-10')).toEqual(front);
  expect(await boxOf('')).toEqual(ofList(''));
  expect(await boxOf(`/${RUST}?order=time`)).toEqual(ofList(`/${RUST}?order=time`));
  expect(await boxOf('/site/news.example')).toEqual(ofList('/site/news.example'));
  expect(await boxOf('/digest')).toEqual(ofList('/digest'));
});

test('a page is in the server’s language', async () => {
  const guild = await openGuild();
  await server.post(guild, { title: 'Wombat burrows', postedAtMs: server.clock.now() - DAY_MS });
  const now = await server.post(guild, { title: 'A wombat in a burrow' });
  await index(guild);
  await writeSetting(server.store, guild, 'language', 'ja');
  expect(await read(guild, now)).toContain('<h2 class="section">以前の記事</h2>');
});

test('no page has an article that no list shows, and none tells it as earlier', async () => {
  const guild = await openGuild({ names: true });
  const names: string[] = [];
  let days = 30;
  /** Each of them has the words of the one that is read in common. */
  const post = (name: string, other: Parameters<WebServer['post']>[1] = {}) => {
    names.push(name);
    days -= 1;
    const postedAtMs = server.clock.now() - days * DAY_MS;
    return server.post(guild, { title: `Narwhal tusk ${name}`, postedAtMs, ...other });
  };
  const removed = await post('removed');
  const deleted = await post('deleted');
  const hidden = await post('hidden', { home: AI });
  const secret = await post('secret', { home: SECRET });
  const blocked = await post('blocked', { link: 'https://bad.example/tusk' });
  const spoiler = await post('spoiler', { title: '||Narwhal tusk spoiler||' });
  const staying = await post('staying');
  const now = await server.post(guild, { title: 'The tusk of the narwhal' });
  await index(guild);
  const ids = [removed, deleted, hidden, blocked];
  for (const id of ids) await read(guild, id);
  const shown = new Set<string>();
  for (const id of [...ids, staying, now])
    for (const title of titlesIn(await read(guild, id))) shown.add(title);
  // All of them can be told.
  for (const name of ['removed', 'deleted', 'hidden', 'blocked', 'staying'])
    expect([...shown]).toContain(`Narwhal tusk ${name}`);

  await removeArticle(server.ranking, guild, removed, server.clock.now());
  await deleteArticle(server.ranking, guild, deleted);
  await setListed(server.ranking, { guild, home: AI, listed: false });
  const block = { posting: true, voting: false, reason: '', by: '1', sinceMs: 1, untilMs: null };
  await writeBlock(server.store, guild, { ...block, subject: siteSubject('bad.example')! });
  await setUnnamed(server.store, guild, POSTER, true);
  await server.told(guild);
  for (const id of [...ids, secret, '1', 'x', `${now}0000`])
    expect([id, await status(`/g/${guild}/article/${id}`)]).toEqual([id, 404]);
  const page = await read(guild, now);
  expect(titlesIn(page)).toEqual(['The tusk of the narwhal', 'Narwhal tusk staying']);
  expect(page).not.toContain('Ada');
  // Nothing says what a spoiler is about, its own page least.
  const ofSpoiler = await read(guild, spoiler);
  expect(ofSpoiler).toContain('<h3>');
  expect(ofSpoiler).not.toMatch(/narwhal|tusk|news\.example/i);
  await writeWebSettings(server.store, guild, { open: false });
  await server.told(guild);
  expect(await status(`/g/${guild}/article/${now}`)).toBe(404);
});

test.each([
  ['a ||b|| c', 'a … c'],
  ['a ||b', 'a …'],
  ['<:yes:1> <a:no:2>', ':yes: :no:'],
  ['</top:1> <t:1:R> <#1> <@&1> <@!1> <@1>', '… … … … … …'],
  ['a\n b', 'a b'],
])('what a member said as %j is %j on the web', (comment, shown) => {
  expect(webText(comment)).toBe(shown);
});
