import { HtmlValidate } from 'html-validate/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeBlock } from '../../src/community/blocks.ts';
import { setUnnamed } from '../../src/community/unnamed.ts';
import { editionAddress } from '../../src/web/edition-address.ts';
import { writePreview } from '../../src/ranking/articles/previews.ts';
import { writeEdition } from '../../src/editions/stored-editions.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { storeDraft } from '../../src/web/newsletter-draft.ts';
import { writeWebSettings } from '../../src/web/web-settings.ts';
import { NAMES, POSTER, RUST, SECRET, type WebServer, startWebServer } from './web-server.ts';

let server: WebServer;
beforeAll(async () => {
  server = await startWebServer({ publicAddress: 'https://front.example' });
});
afterAll(() => server.stop());

const which = { name: 'daily', date: '2027-03-09' };
const draft = { ...which, intro: 'Good </textarea> morning.', order: '2. Second\n1. First' };

async function withDraft() {
  const guild = server.newGuild();
  await writeWebSettings(server.store, guild, { open: true, names: true });
  const first = await server.post(guild, { title: 'First', comment: 'Read <it> twice.' });
  const second = await server.post(guild, { title: 'Second' });
  const spoiler = await server.post(guild, { title: '||The end||' });
  await writeEdition(server.store, guild, which, {
    articles: [first, second, spoiler].map((id) => ({ id, net: 3, replies: 0 })),
    rising: [second, spoiler],
    firstPosts: [spoiler],
    postedAtMs: server.clock.now(),
    fromMs: 0,
    channel: RUST,
    isPublic: true,
  });
  const secret = await storeDraft(server.store, guild, draft);
  return { guild, first, second, spoiler, path: `/g/${guild}/newsletter/${secret}` };
}

async function fresh(guild: string, path: string): Promise<Response> {
  await server.told(guild);
  return server.get(path);
}

const html = new HtmlValidate({
  extends: ['html-validate:standard'],
  rules: { 'void-style': 'off', 'no-trailing-whitespace': 'off', 'no-raw-characters': 'off' },
});

test('a newsletter’s draft is a page to look at and to copy, with all of the edition, which no program lists or stores', async () => {
  const { guild, spoiler, path } = await withDraft();
  for (const tab of ['', '/html', '/markdown', '/text']) {
    const answer = await fresh(guild, path + tab);
    expect([tab, answer.status]).toEqual([tab, 200]);
    expect(answer.headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    // Its address is a secret.
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const page = await answer.text();
    const { results } = await html.validateString(page);
    expect(results.flatMap(({ messages }) => messages.map(({ message }) => message))).toEqual([]);
    expect(page).toContain('<meta name="robots" content="noindex, nofollow">');
    expect(page).not.toMatch(/rel="(?:canonical|alternate)"|property="og:|<script/);
    if (tab === '') continue;
    expect(page).toMatch(/Second[\s\S]*First[\s\S]*Second/);
    expect(page.split('</textarea>')).toHaveLength(2);
    for (const hidden of ['The end', spoiler]) expect(page).not.toContain(hidden);
  }
  // Where the page names people, so does the letter.
  expect(await (await server.get(`${path}/text`)).text()).toContain(NAMES[POSTER]!.slice(0, 4));
  const letter = await server.get(`${path}/letter`);
  expect(letter.headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  );
  const text = await letter.text();
  expect(text).toContain('<table role="presentation"');
  expect(text).toContain('prefers-color-scheme: dark');
  expect(text).toContain(`https://front.example/g/${guild}/digest/daily/2027-03-09`);
  expect(text).toContain('Good &lt;/textarea&gt; morning.');
  expect(text).not.toContain(spoiler);
});

test('a newsletter’s draft is closed with the page, by the next draft, after a day, and to who guesses', async () => {
  const { guild, path } = await withDraft();
  const status = async () => (await fresh(guild, path)).status;
  expect(await status()).toBe(200);
  for (const other of [path.slice(0, -1), `${path}A`, path.replace(/.{22}$/, 'A'.repeat(22))]) {
    expect((await server.get(other)).status).toBe(404);
  }
  expect((await server.get(`${path}/pdf`)).status).toBe(404);
  const ofAnother = server.newGuild();
  await writeWebSettings(server.store, ofAnother, { open: true });
  expect((await server.get(path.replace(guild, ofAnother))).status).toBe(404);
  const left = await server.redis.redis.pttl(storeKeys(server.store, guild).newsletter);
  expect(left).toBeGreaterThan(DAY_MS / 2);
  expect(left).toBeLessThanOrEqual(DAY_MS);
  await writeWebSettings(server.store, guild, { open: false });
  await expect.poll(status).toBe(404);
  await writeWebSettings(server.store, guild, { open: true });
  await expect.poll(async () => (await fresh(guild, `/g/${guild}`)).status).toBe(200);
  expect(await status()).toBe(404);
  const next = `/g/${guild}/newsletter/${await storeDraft(server.store, guild, draft)}`;
  expect((await fresh(guild, next)).status).toBe(200);
  await storeDraft(server.store, guild, draft);
  expect((await fresh(guild, next)).status).toBe(404);
});

test('a newsletter’s draft is closed by the next one at once, also to who read it just before', async () => {
  const { guild, path } = await withDraft();
  expect((await fresh(guild, path)).status).toBe(200);
  await storeDraft(server.store, guild, draft);
  expect((await server.get(path)).status).toBe(404);
});

test('a newsletter’s draft names whom the page names alone, and has no blocked words that Discord found', async () => {
  const { guild, first, path } = await withDraft();
  const { store, ranking } = server;
  await writePreview(ranking, guild, first, { description: 'Cheap pills.' });
  const text = async () => (await fresh(guild, `${path}/text`)).text();
  const name = NAMES[POSTER]!.slice(0, 4);
  for (const part of [name, 'twice', 'Cheap pills.']) expect(await text()).toContain(part);
  await setUnnamed(store, guild, POSTER, true);
  expect(await text()).not.toContain(name);
  await setUnnamed(store, guild, POSTER, false);
  expect(await text()).toContain(name);
  await writeWebSettings(store, guild, { names: false });
  expect(await text()).not.toContain(name);
  const by = { posting: true, voting: false, reason: '', by: '1', sinceMs: 0, untilMs: null };
  await writeBlock(store, guild, { subject: { kind: 'words', words: 'pills' }, ...by });
  expect(await text()).not.toContain('pills');
  expect(await text()).toContain('First');
});

test('an edition has an address on the web where everyone may read it there, and else none', async () => {
  const { guild } = await withDraft();
  const { store, communities } = server;
  const community = (id: string) => communities.get(id) ?? null;
  const addressIn = (channel: string, address: string | null = 'https://front.example') =>
    editionAddress({ store, address, community }, { guild, channel, ...which });
  expect(await addressIn(RUST)).toBe(`https://front.example/g/${guild}/digest/daily/2027-03-09`);
  expect(await addressIn(SECRET)).toBeNull();
  expect(await addressIn(RUST, null)).toBeNull();
  await writeWebSettings(store, guild, { open: false });
  expect(await addressIn(RUST)).toBeNull();
});

test('a newsletter leads to no page of an edition that not everyone may read there, and names nobody whom the edition did not', async () => {
  const { guild, first, second } = await withDraft();
  const { store } = server;
  const inside = { name: 'daily', date: '2027-03-08' };
  await writeEdition(store, guild, inside, {
    articles: [
      { id: first, net: 3, replies: 0, isNamed: false },
      { id: second, net: 2, replies: 0, isNamed: true },
    ],
    postedAtMs: server.clock.now(),
    fromMs: 0,
    channel: SECRET,
    isPublic: true,
  });
  const secret = await storeDraft(store, guild, { ...draft, ...inside });
  const text = await (await fresh(guild, `/g/${guild}/newsletter/${secret}/text`)).text();
  expect(text).not.toContain('https://front.example');
  for (const title of ['First', 'Second']) expect(text).toContain(title);
  const name = NAMES[POSTER]!.slice(0, 4);
  expect(text.split(name)).toHaveLength(2);
  // Nor does it quote them.
  expect(text).not.toContain('twice');
  const german = await (await server.get(`/g/${guild}/newsletter/${secret}?lang=de`)).text();
  expect(german).toContain('<html lang="de">');
  expect(german).toContain(`/newsletter/${secret}/text?lang=de"`);
});

test('a newsletter’s draft loses what is removed or blocked while it is looked at', async () => {
  const { guild, first, path } = await withDraft();
  const text = async () => (await fresh(guild, `${path}/text`)).text();
  expect(await text()).toContain('First');
  await removeArticle(server.ranking, guild, first, server.clock.now());
  await expect.poll(text).not.toContain('First');
  expect(await text()).toContain('Second');
  const by = { posting: true, voting: false, reason: '', by: '1', sinceMs: 0, untilMs: null };
  await writeBlock(server.store, guild, { subject: { kind: 'words', words: 'second' }, ...by });
  await expect.poll(async () => (await fresh(guild, path)).status).toBe(404);
});
