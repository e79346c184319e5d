import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { writeWebSettings } from '../../src/web/web-settings.ts';
import { shownOf, standingNow } from '../../src/web/shown.ts';
import { deleteArticle, readArticles } from '../../src/ranking/articles/articles.ts';
import { writeReplies } from '../../src/ranking/articles/discussions.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { writeEdition } from '../../src/editions/stored-editions.ts';
import { languages, translate } from '../../src/text/catalogue.ts';
import { commandstats, resetCommandstats } from '../fixtures/commandstats.ts';
import { expectValid } from './expect-valid.ts';
import { everyAddress } from './every-address.ts';
import {
  AI,
  ICON,
  isRefused,
  POSTER,
  RUST,
  SECRET,
  type WebServer,
  startWebServer,
} from './web-server.ts';
import { within } from '../fixtures/own-time.ts';

let server: WebServer;
beforeAll(async () => {
  server = await startWebServer({ publicAddress: 'https://front.example' });
});
afterAll(() => server.stop());

async function openGuild(): Promise<string> {
  const guild = server.newGuild();
  await writeWebSettings(server.store, guild, { open: true });
  return guild;
}

async function read(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await server.get(path, headers);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

/** The titles in their order. */
function titles(page: string): string[] {
  return [...page.matchAll(/<h3><a [^>]*><bdi>(.*?)<\/bdi>/g)].map(([, title = '']) => title);
}

test('the page and the feed of a guild that Discord does not show now are away, and not gone', async () => {
  const guild = await openGuild();
  const community = server.communities.get(guild)!;
  server.communities.delete(guild);
  server.discord.away.add(guild);
  for (const path of [`/g/${guild}`, `/feeds/${guild}`, `/g/${guild}/digest`]) {
    const answer = async () => {
      const { status, headers } = await server.get(path);
      return [status, headers.get('retry-after'), headers.get('cache-control')];
    };
    // Who may see a channel is asked each second.
    await expect.poll(answer).toEqual([503, '60', 'no-store']);
  }
  // Where there is no page, nobody learns that the guild is here.
  const closed = server.newGuild();
  server.communities.delete(closed);
  server.discord.away.add(closed);
  expect((await server.get(`/g/${closed}`)).status).toBe(404);
  server.discord.away.delete(guild);
  server.communities.set(guild, community);
  expect((await server.get(`/g/${guild}`)).status).toBe(200);
});

describe('there is no page', () => {
  test('there is no page of a guild that has not opened one', async () => {
    const guild = server.newGuild();
    await server.post(guild);
    expect((await server.get(`/g/${guild}`)).status).toBe(404);
  });

  test('there is no page of a guild that closed it again', async () => {
    const guild = await openGuild();
    await read(`/g/${guild}`);
    await writeWebSettings(server.store, guild, { open: false });
    server.ranking.changes.note(guild);
    await expect.poll(async () => (await server.get(`/g/${guild}`)).status).toBe(404);
  });

  test('no address of a guild answers after its page was closed, and none faults for what is not there', async () => {
    const guild = await openGuild();
    const community = server.communities.get(guild)!;
    community.icon = ICON;
    const article = await server.post(guild);
    const date = '2027-03-09';
    const edition = { name: 'daily', date };
    const posted = { postedAtMs: server.clock.now(), fromMs: 0, channel: RUST, isPublic: true };
    const articles = [{ id: article, net: 1, replies: 0 }];
    await writeEdition(server.store, guild, edition, { articles, ...posted });
    const of = { guild, channels: [RUST], articles: [article], members: [], secret: null };
    const all = everyAddress({ ...of, site: 'news.example', words: 'article', date, edition });
    const paths = [...Object.values(all).flat(), `/g/${guild}/icon/${ICON}.png`].slice(1);
    expect(paths.length).toBeGreaterThan(30);
    const statuses = async () => {
      const found = new Set<number>();
      for (const path of paths) found.add((await server.get(path)).status);
      return [...found];
    };
    expect(await statuses()).toEqual([200]);
    for (const path of ['digest/daily/2027-03-08', 'digest/none/2027-03-09', 'article/123'])
      expect([path, (await server.get(`/g/${guild}/${path}`)).status]).toEqual([path, 404]);
    await writeWebSettings(server.store, guild, { open: false });
    await server.told(guild);
    expect(await statuses()).toEqual([404]);
  });

  test.each(['/g/123456789012345678', '/g/abc', '/g/%F0%9F%92%A9', '/nothing'])(
    'there is no page at %s',
    async (path) => {
      const response = await server.get(path);
      expect(response.status).toBe(404);
      await expectValid(await response.text());
    },
  );

  test.each([
    'order=best',
    'order=front&page=0',
    'page=-1',
    'page=41',
    'page=1e9',
    'order=votes&page=x',
  ])('there is no page for %s', async (query) => {
    const guild = await openGuild();
    expect((await server.get(`/g/${guild}?${query}`)).status).toBe(404);
  });

  test('there is no page of a group that not everyone may view, nor of an order that groups have not', async () => {
    const guild = await openGuild();
    await server.post(guild, { home: SECRET });
    expect((await server.get(`/g/${guild}/${SECRET}`)).status).toBe(404);
    expect((await server.get(`/g/${guild}/${RUST}?order=front`)).status).toBe(404);
  });
});

describe('a page', () => {
  test('a page shows each article with its net votes, comments and host, and nobody by name', async () => {
    const guild = await openGuild();
    const id = await server.post(guild, {
      title: 'Rust 2.0',
      link: 'https://blog.example/rust?a=1&b=2',
    });
    const now = server.clock.now();
    await setVote(server.ranking, { guild, article: id, member: '5', vote: 'up' }, now);
    await setVote(server.ranking, { guild, article: id, member: '6', vote: 'down' }, now);
    const page = await read(`/g/${guild}`);
    expect(titles(page)).toEqual(['Rust 2.0']);
    expect(page).toContain(
      'href="https://blog.example/rust?a=1&amp;b=2" rel="noopener nofollow ugc"',
    );
    expect(page).toContain('▲ 1</span> <span class="unseen">1 net vote');
    expect(page).not.toContain('comment');
    expect(page).toContain('blog<wbr>.example</a>');
    expect(page).not.toContain('left to vote');
    expect(page).toContain('1 hour ago');
    expect(page).toContain(`https://discord.com/channels/${guild}/${RUST}/${id}`);
    expect(page).not.toContain(POSTER);
    await expectValid(page);
  });

  test('a page shows the age of an old article in months, as Discord does', async () => {
    const guild = await openGuild();
    await server.post(guild, { postedAtMs: server.clock.now() - 31 * 86_400_000 });
    expect(await read(`/g/${guild}?order=time`)).toContain('1 month ago');
  });

  test('a page shows what is discussed, a way to join if there is one, and no topic without articles', async () => {
    const guild = await openGuild();
    const id = await server.post(guild);
    await writeReplies(server.ranking, guild, id, 12);
    const page = await read(`/g/${guild}`);
    expect(page).toMatch(/<a href="https:\/\/discord\.com\/channels[^>]*>12 comments<\/a>/);
    expect(page).toContain(`href="/g/${guild}/${RUST}"`);
    expect(page).not.toContain(`href="/g/${guild}/${AI}"`);
    expect(page).not.toContain('Join on Discord');
    await expectValid(page);
    await writeWebSettings(server.store, guild, { invite: 'https://discord.gg/abc' });
    await server.told(guild);
    await expect
      .poll(() => read(`/g/${guild}`))
      .toContain('<a href="https://discord.gg/abc" rel="noopener nofollow">Join on Discord</a>');
    await expectValid(await read(`/g/${guild}`));
  });

  test('a page holds only what @everyone may see', async () => {
    const guild = await openGuild();
    await server.post(guild, { title: 'seen' });
    await server.post(guild, { title: 'kept back', home: SECRET });
    for (const order of ['front', 'score', 'time', 'votes', 'interesting']) {
      expect(await read(`/g/${guild}?order=${order}`)).not.toContain('kept back');
    }
    expect(await read(`/g/${guild}`)).not.toContain(SECRET);
  });

  test('a page leaves out what a list should not hold, and what it holds no more', async () => {
    const guild = await openGuild();
    const posted = [{ title: 'seen' }, { title: 'kept back', home: SECRET }, { title: 'gone' }];
    const ids = await Promise.all(posted.map((one) => server.post(guild, one)));
    await deleteArticle(server.ranking, guild, ids[2]!);
    const articles = await readArticles(server.ranking, guild, ids);
    const shown = shownOf(articles, await standingNow(server, guild));
    expect(shown.map(({ title }) => title)).toEqual(['seen']);
  });

  test('a page has the orders and the groups', async () => {
    const guild = await openGuild();
    const day = 86_400_000;
    const now = server.clock.now();
    const old = await server.post(guild, { title: 'old', postedAtMs: now - 3 * day });
    await server.post(guild, { title: 'new', postedAtMs: now - 60_000, home: AI });
    await server.post(guild, { title: 'both', postedAtMs: now - 2 * day, groups: [AI] });
    for (let member = 1; member <= 3; member++) {
      const ballot = { guild, article: old, member: String(member), vote: 'up' as const };
      await setVote(server.ranking, ballot, now);
    }
    const listed = async (path: string) => titles(await read(`/g/${guild}${path}`));
    expect(await listed('?order=time')).toEqual(['new', 'both', 'old']);
    expect(await listed('?order=score')).toEqual(['new', 'both', 'old']);
    expect(await listed('?order=votes')).toEqual(['old', 'new', 'both']);
    expect(await listed('?order=interesting')).toEqual([]);
    expect(await listed('')).toEqual(await listed('?order=score'));
    expect((await listed('?order=front')).sort()).toEqual(['both', 'new', 'old']);
    expect(await listed(`/${AI}?order=time`)).toEqual(['new', 'both']);
    expect(await listed(`/${AI}?order=votes`)).toEqual(['new', 'both']);
    // A channel that is renamed is seen before the page is too old to show.
    server.communities.get(guild)!.groups[1] = { id: AI, name: 'renamed' };
    await expect.poll(() => read(`/g/${guild}`), { timeout: 8000 }).toContain('#renamed');
    const page = await read(`/g/${guild}/${AI}?order=votes`);
    expect(page.split('<ol')[1]).not.toContain(`href="/g/${guild}/${AI}"`);
    expect(page.match(/aria-current="page"/g)).toHaveLength(3);
    await expectValid(page);
    // A channel has not every order that the front page has: the links lead to pages all the same.
    const [, nav = ''] =
      /<nav class="choices groups"([^]*?)<\/nav>/.exec(await read(`/g/${guild}?order=front`)) ?? [];
    const paths = Array.from(nav.matchAll(/href="([^"]*)"/g), ([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(2);
    for (const path of paths) await read(path.replaceAll('&amp;', '&'));
  });

  test('a list on the web has pages of 25 articles', async () => {
    const guild = await openGuild();
    for (let i = 0; i < 30; i++) await server.post(guild);
    const first = await read(`/g/${guild}?order=time`);
    expect(titles(first)).toHaveLength(25);
    expect(first).toContain('Page 1 of 2');
    expect(first).toContain(`href="/g/${guild}?order=time&amp;page=2" rel="next"`);
    const second = await read(`/g/${guild}?order=time&page=2`);
    expect(titles(second)).toHaveLength(5);
    expect(second).toContain('start="26"');
    const beyond = await read(`/g/${guild}?order=time&page=9`);
    expect(titles(beyond)).toEqual([]);
    expect(beyond).toContain(`href="/g/${guild}?order=time&amp;page=2" rel="prev"`);
    await expectValid(beyond);
    // A list that has become short, or empty, leads back, and says what it is.
    const short = await openGuild();
    await server.post(short);
    const left = await read(`/g/${short}?order=time&page=2`);
    expect(left).toContain(`href="/g/${short}?order=time" rel="prev"`);
    expect(left).toContain('Page 2 of 1');
    const empty = await openGuild();
    const nothing = translate('en', 'web.empty', { view: translate('en', 'web.order.time') });
    for (const page of [1, 3]) {
      expect(await read(`/g/${empty}?order=time&page=${page}`)).toContain(
        `<p class="empty">${nothing}</p>`,
      );
    }
  });

  test('an unknown part of the address makes no page of its own', async () => {
    const guild = await openGuild();
    await server.post(guild);
    const path = `/g/${guild}?order=votes`;
    await read(path);
    await resetCommandstats(server.redis.redis);
    for (let i = 0; i < 150; i += 1) await read(`${path}&lang=made-up-${i}&junk=${i}`);
    const calls = (await commandstats(server.redis.redis)).matchAll(/:calls=(\d+)/g);
    const made = [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
    expect(made).toBeLessThan(75);
  });

  test('a page speaks the language that is asked for, preferred, or the guild’s own', async () => {
    const guild = await openGuild();
    const preferred = { 'accept-language': 'zh-TW,zh;q=0.9' };
    expect(await read(`/g/${guild}`)).toContain('<html lang="en">');
    const chinese = await read(`/g/${guild}`, preferred);
    expect(chinese).toContain('<html lang="zh-CN">');
    expect(chinese).toContain('最佳');
    expect(await read(`/g/${guild}?lang=en`, preferred)).toContain('<bdi>Best</bdi>');
    const chosen = await read(`/g/${guild}?lang=zh-CN`);
    expect(chosen).toContain(`href="/g/${guild}?order=time&amp;lang=zh-CN"`);
    await expectValid(chosen);
    server.communities.get(guild)!.locale = 'zh-CN';
    server.ranking.changes.note(guild);
    expect(await read(`/g/${guild}`, { 'accept-language': 'lt' })).toContain('<html lang="zh-CN">');
    expect(await read(`/g/${guild}`, { 'accept-language': 'fr ; q=1' })).toContain(
      '<html lang="fr">',
    );
  });

  test.each([...languages.keys()])('a page is drawn whole in %s', async (locale) => {
    const guild = await openGuild();
    for (let i = 0; i < 26; i += 1) await server.post(guild);
    for (const path of [`/g/${guild}?order=votes&`, `/g/${guild}?page=2&`, '/g/1?']) {
      const page = await (await server.get(`${path}lang=${locale}`)).text();
      expect(page).toContain(`<html lang="${locale}">`);
      expect(page).not.toMatch(/[{}]/);
      await expectValid(page);
    }
  });

  test('a page escapes what members write, and lets nothing run or load from elsewhere', async () => {
    const guild = await openGuild();
    await server.post(guild, { title: '<script>alert(1)</script> "&amp;\' \u202e' });
    const response = await server.get(`/g/${guild}`);
    const page = await response.text();
    expect(page).not.toContain('<script');
    expect(titles(page)[0]).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &quot;&amp;amp;&#39;');
    expect(page).toContain('Harbour &amp; &lt;friends&gt;');
    await expectValid(page);
    for (const path of [`/g/${guild}`, `/feeds/${guild}`, '/nothing']) {
      const { headers } = await server.get(path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      // Nor does a site that it links to learn where its visitors came from.
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('a page is not sent again to who has it, and is another one once something changed', async () => {
    const guild = await openGuild();
    const id = await server.post(guild);
    await server.ranking.changes.flush();
    const first = await server.get(`/g/${guild}`);
    const etag = first.headers.get('etag')!;
    const again = await server.get(`/g/${guild}`, { 'if-none-match': `"other", W/${etag}` });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    const ballot = { guild, article: id, member: '7', vote: 'up' as const };
    await setVote(server.ranking, ballot, server.clock.now());
    const status = async () => (await server.get(`/g/${guild}`, { 'if-none-match': etag })).status;
    await expect.poll(status).toBe(200);
  });

  test('a page loses a removed article at once', async () => {
    const guild = await openGuild();
    const id = await server.post(guild, { title: 'going' });
    await expect.poll(() => read(`/g/${guild}`)).toContain('going');
    await deleteArticle(server.ranking, guild, id);
    await server.ranking.changes.flush();
    // A page is kept for longer where nobody tells of changes.
    const leaves = async () => {
      await expect.poll(() => read(`/g/${guild}`)).not.toContain('going');
    };
    await within(10_000, leaves());
  });

  test('a page costs no round trip while nothing changes', async () => {
    const guild = await openGuild();
    await server.post(guild);
    await server.ranking.changes.flush();
    const asked = async () => {
      const info = await server.redis.redis.info('stats');
      return Number(/total_commands_processed:(\d+)/.exec(info)?.[1]);
    };
    // Listening begins with the first visitor.
    await expect
      .poll(async () => {
        const before = await asked();
        for (let i = 0; i < 10; i++) await read(`/g/${guild}`);
        return (await asked()) - before;
      })
      .toBe(1); // The question itself.
  });

  test('a page says that it cannot be shown while Redis is away', async () => {
    const guild = await openGuild();
    server.redis.pause();
    try {
      const response = await server.get(`/g/${guild}?order=time`);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain('Try again in a minute');
    } finally {
      server.redis.resume();
    }
    await expect.poll(async () => (await server.get(`/g/${guild}?order=time`)).status).toBe(200);
  });

  test('a page that meets a key of another type has its guild checked, since nothing else may read the key', async () => {
    const { store, ranking, redis } = server;
    const [guild, other] = [await openGuild(), await openGuild()];
    await redis.redis.set(storeKeys(store, guild).editionList, 'no list');
    const damaged = vi.spyOn(ranking, 'onDamaged');
    expect((await server.get(`/g/${guild}/digest`)).status).toBe(503);
    expect((await server.get(`/g/${other}/digest`)).status).toBe(200);
    expect(damaged.mock.calls).toEqual([[guild]]);
  });
});

test('each host of a link has its page, in Chinese letters, with an underscore or as a number', async () => {
  const guild = await openGuild();
  const hosts = ['https://例子.example/', 'https://a_b.example/', 'https://[2001:db8::1]/'];
  for (const link of hosts)
    await server.post(guild, { title: `At ${link}`, link: new URL(link).href });
  const ways = (await read(`/g/${guild}`)).match(/\/g\/\d+\/site\/[^"]*/g) ?? [];
  expect(new Set(ways).size).toBe(hosts.length);
  for (const way of ways) expect(titles(await read(way))).toHaveLength(1);
  expect(await read(ways.find((way) => way.includes('xn--'))!)).toContain(
    '<bdi>例子.example</bdi>',
  );
});

test('a crafted address or header gets a page or none, never a fault, and none of its signs as markup', async () => {
  const guild = await openGuild();
  await server.post(guild, { title: 'Whole' });
  const { hostname, port } = new URL(server.web.address);
  const ask = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; text: string; location: string; later: string }>(
      (resolve, reject) => {
        const asked = request({ hostname, port, path, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({
              status: response.statusCode ?? 0,
              text,
              location: response.headers.location ?? '',
              later: response.headers['retry-after'] ?? '',
            });
          });
        });
        asked.on('error', reject).end();
      },
    );
  const signs = ['%00', '%', '%ff%fe', '..%2f', '%3Cb%3E', '__proto__', '%0d%0aA:b', '%EF%BF%BE'];
  const places = ['', '/site/', '/by/', '/day/', '/digest/daily/', '/newsletter/', '/icon/'].map(
    (end) => `/g/${guild}${end}`,
  );
  places.push('//', `/g/${guild}/search?q=`, `/g/${guild}?order=`, `/g/${guild}?lang=`);
  places.push('/feeds/', `/feeds/${guild}/site/`, `/feeds/${guild}?format=`);
  const headers = ['accept-language', 'accept-encoding', 'if-none-match', 'x-forwarded-host'];
  const wrong: unknown[] = [];
  const look = async (path: string, headers: Record<string, string> = {}) => {
    let answer = await ask(path, headers);
    while (isRefused(answer.status, answer.later)) answer = await ask(path, headers);
    const { status, text, location } = answer;
    const isMarkup = /<b>|<svg>|<script/.test(text);
    if (
      ![200, 301, 304, 400, 404].includes(status) ||
      isMarkup ||
      /^(?:\/\/|https?:)/.test(location)
    ) {
      wrong.push({ path, headers, status, location, isMarkup });
    }
  };
  for (const place of places) for (const sign of signs) await look(place + sign);
  for (const header of [...headers, 'host']) {
    for (const value of ['a,'.repeat(3000), '"', '<b>', '*']) {
      await look(`/g/${guild}`, { [header]: value });
    }
  }
  expect(wrong).toEqual([]);
});

// Withstands (Attacks): Visitors ask for every page and feed of a server, which is made anew each time
// → pages take a fifth of the processor’s time; who comes too often gets 503 and a time, other servers’ pages are there
test('a crowd that asks for pages which are not cached is refused with a time, and another guild’s page is shown', async () => {
  const [busy, other] = [await openGuild(), await openGuild()];
  for (let i = 0; i < 30; i += 1) await server.post(busy);
  await server.post(other, { title: 'Seen beside a crowd' });
  const paths = [...languages.keys()].flatMap((lang) =>
    ['score', 'time', 'votes', 'front', 'interesting'].flatMap((order) =>
      ['g', 'feeds'].map((kind) => `/${kind}/${busy}?order=${order}&lang=${lang}`),
    ),
  );
  const ask = (path: string) => fetch(server.web.address + path);
  const crowd = Promise.all(paths.map(ask));
  const beside = await server.get(`/g/${other}`);
  expect([beside.status, await beside.text()]).toEqual([
    200,
    expect.stringContaining('Seen beside a crowd'),
  ]);
  const answers = await crowd;
  const refused = answers.filter(({ status }) => status === 503);
  expect(answers.filter(({ status }) => status === 200).length + refused.length).toBe(paths.length);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers, url } of refused) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    // Too many at once are refused before anybody looks at what they ask for.
    const types = url.includes('/feeds/') ? /^text\/plain/ : /^text\/(?:html|plain)/;
    expect([url, headers.get('content-type')]).toEqual([url, expect.stringMatching(types)]);
  }
  // What a person reads then is a page, in a language of theirs.
  const told = refused.find(
    ({ url, headers }) =>
      url.endsWith('lang=de') && headers.get('content-type')?.startsWith('text/html') === true,
  );
  if (told) await expectValid(await told.text());
});

test('what is read for one language is read for none of the others', async () => {
  const guild = await openGuild();
  await server.post(guild);
  await server.ranking.changes.flush();
  // Listening begins with the first visitor.
  await expect
    .poll(async () => {
      await resetCommandstats(server.redis.redis);
      await server.told(guild);
      for (const lang of languages.keys()) await read(`/g/${guild}?order=time&lang=${lang}`);
      const stats = await server.redis.redis.info('commandstats');
      return Number(/cmdstat_zcard:calls=(\d+)/.exec(stats)?.[1]);
    })
    // Two at least, for the guild's channels.
    .toBeLessThan(2 * languages.size);
});
