import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { articleMessage, readArticleMessage } from '../../src/articles/messages/article-message.ts';
import { cleanTitle, MAX_TITLE_LENGTH, cleanComment } from '../../src/text/clean.ts';
import { hostileLinks, hostileTitles } from './hostile-texts.ts';
import { faultsOf, hidden } from './message-faults.ts';
import { chooseForDigest } from '../fixtures/choose-for-digest.ts';
import { forgeCommand } from '../fixtures/forge-command.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { ownMs } from '../fixtures/own-time.ts';

let scene: Scene;
let general: string;
let ada: string;
let grace: string;
let wang: string;

const titles = Object.entries(hostileTitles);
const links = Object.entries(hostileLinks);

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  ada = sandbox.admin;
  [grace = '', wang = ''] = sandbox.members;
  // Deep enough for several pages, and posted past the command, so that what it lets through is met.
  const atMs = scene.clock.now() - 3_600_000;
  let i = 0;
  for (const [, title] of titles)
    await scene.rank({
      title: cleanTitle(title) || 'x',
      atMs,
      link: `https://evil.example/${i++}`,
    });
  for (const [, link] of links) {
    const { href } = new URL(link);
    await scene.rank({
      title: 'x'.repeat(MAX_TITLE_LENGTH),
      atMs,
      link: href,
      linkName: `${(i += 1)} ${href}`,
    });
  }
});
afterAll(() => scene.stop());

describe('a hostile title', () => {
  test.each(titles)(
    'a hostile title (%s) is posted as one visible line, and read back as it is',
    async (_, title) => {
      const link = `https://evil.example/posted/${titles.findIndex(([, one]) => one === title)}`;
      // Discord's client lets nobody type more than the option takes; what is forged is cut.
      const typed = title.slice(0, MAX_TITLE_LENGTH);
      const answer = await scene.sandbox.as(grace).command(general, 'post', {
        link,
        ...(typed.trim() === '' ? {} : { title: typed }),
        comment: title.slice(0, 1000),
      });
      expect(faultsOf(answer.message)).toEqual([]);
      const id = answer.message?.id ?? '';
      await expect.poll(() => scene.article(id)).not.toBeNull();
      const article = await scene.article(id);
      const carried = readArticleMessage(answer.message);
      expect(carried).toMatchObject({ title: article?.title, link, poster: grace });
      expect(carried?.comment).toBe(article?.comment);
      expect(article?.title).not.toBe('');
    },
  );

  test.each(titles)('a hostile title (%s) of a megabyte more is cleaned at once', (_, title) => {
    const long = title.repeat(Math.ceil(1_000_000 / title.length));
    const startedMs = ownMs();
    const clean = cleanTitle(long);
    expect(clean.length).toBeLessThanOrEqual(MAX_TITLE_LENGTH);
    expect(cleanTitle(clean)).toBe(clean);
    const comment = cleanComment(long);
    expect(comment.length).toBeLessThanOrEqual(1000);
    expect(cleanComment(comment)).toBe(comment);
    // By the square of the length it would be many minutes.
    expect(ownMs() - startedMs).toBeLessThan(5000);
  });
});

describe('a hostile link', () => {
  test.each(links)(
    'a hostile link (%s) is shown with its own host, or refused',
    async (_, link) => {
      const answer = await scene.sandbox.as(grace).command(general, 'post', { link });
      const carried = readArticleMessage(answer.message);
      expect(faultsOf(answer.message)).toEqual([]);
      if (!carried) return;
      const { host, href } = new URL(link);
      const [head = ''] = answer.message?.content.split('\n') ?? [];
      // Of a host that is too long, its end is shown. A title that is the address begins with it.
      const [, beside] = / · …?(\S+)$/u.exec(head) ?? [];
      const begins = `${head.replace(/\*\*/g, '')}/`.startsWith(`${host}/`);
      expect(beside === undefined ? begins : host.endsWith(beside)).toBe(true);
      expect(carried.link).toBe(href);
      expect(carried.title).not.toMatch(hidden);
    },
  );
});

// Withstands (Attacks): A text pings, hides or forges
// → it is escaped wherever it is shown
describe('every view', () => {
  const views: [string, Record<string, string | boolean>][] = [
    ['top', {}],
    ['top', { show: 'more' }],
    ['top', { show: 'votes', period: 'day' }],
    ['top', { show: 'mine' }],
    ['search', { site: 'evil.example' }],
    ['search', { words: 'x' }],
    ['top', { show: 'unjudged' }],
    ['stats members', {}],
    ['stats server', {}],
    ['help', {}],
    ['me data', {}],
    ['digest preview', {}],
  ];

  test.each(views)(
    '/%s %j takes all of it on every page, within Discord’s limits',
    async (words, values) => {
      if (words === 'digest preview') {
        const when = { time: '09:00', timezone: 'UTC' };
        await scene.sandbox.as(ada).command(general, 'digest set', when);
        await chooseForDigest(scene.sandbox, 'count', ['25'], { member: ada });
      }
      const who = words === 'search' || values['show'] === 'unjudged' ? wang : ada;
      let answer = await scene.sandbox.as(who).command(general, words, values);
      for (let page = 1; ; page += 1) {
        expect(answer.kind).not.toBe('failed');
        expect(faultsOf(answer.message)).toEqual([]);
        const ids = JSON.stringify(answer.message?.components ?? []);
        const next = /"custom_id":"([^"]*\|next\|[^"]*)","disabled":false/.exec(ids)?.[1];
        if (next === undefined || page > 10) break;
        answer = await scene.sandbox.as(who).press(general, answer.message?.id ?? '', next);
      }
    },
  );

  test.each(titles.map(([name], i) => [name, i] as const))(
    '/group add takes the title from completion (%s)',
    async (_, i) => {
      const found = await scene.sandbox.as(ada).complete(general, 'group add', 'article', {
        article: (cleanTitle(titles[i]![1]) || 'x').slice(0, 20),
      });
      expect(found.length).toBeGreaterThan(0);
      for (const { name } of found) expect(name).not.toMatch(hidden);
      const answer = await scene.sandbox.as(ada).command(general, 'group add', {
        article: String(found[0]!.value),
        channel: scene.sandbox.channels.rust.id,
      });
      expect(faultsOf(answer.message)).toEqual([]);
    },
  );

  test('the words of a search are shown as typed, and parsed nowhere', async () => {
    for (const [, title] of titles) {
      const typed = title.slice(0, 100);
      if (typed.trim() === '') continue;
      const answer = await scene.sandbox.as(wang).command(general, 'search', { words: typed });
      expect(faultsOf(answer.message)).toEqual([]);
    }
  });
});

describe('what Discord’s client would not send', () => {
  const megabyte = 'A'.repeat(1_000_000);

  test.each<[string, Record<string, unknown>]>([
    ['post', { link: 'https://evil.example/1mb', title: megabyte, comment: megabyte }],
    ['post', { link: `https://evil.example/${megabyte}` }],
    ['post', {}],
    ['top', { show: megabyte }],
    ['top', { show: 'score', channel: '1' }],
    ['top', { page: -1 }],
    ['search', { words: megabyte }],
    ['search', { poster: "1'; DROP TABLE" }],
    ['search', { channel: megabyte }],
    ['top', { channel: '99999999999999999999999', show: 'unjudged' }],
    ['stats members', { period: '__proto__' }],
    ['stats server', { channel: 'constructor' }],
  ])('/%s is answered with what to do, and not with a fault', async (name, values) => {
    const answer = await forgeCommand(scene.sandbox, grace, name, values);
    expect(answer.kind).toBe('message');
    expect(faultsOf(answer.message)).toEqual([]);
  });
});

test('an article’s message carries any title that was stored, whatever it is', () => {
  for (const [, title] of titles) {
    const clean = cleanTitle(title) || 'x';
    const article = { title: clean, link: 'https://evil.example/', poster: '1', groups: ['2'] };
    const state = { interesting: false, locked: false, closed: false, up: 0, down: 0 };
    const shown = { ...article, ...state, beside: false, closesAtMs: 0 };
    const content = articleMessage(shown, 'en');
    expect(readArticleMessage({ content })).toMatchObject({ title: clean });
  }
});
