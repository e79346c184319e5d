import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomFrom } from '../../../bench/random.ts';
import { isPublic, listedIn, communityOf } from '../../../src/discord/access/visibility.ts';
import { setOptedOut } from '../../../src/community/opted-out.ts';
import {
  bySection,
  listEditions,
  readEdition,
  SECTIONS,
  type Section,
  sectionNames,
} from '../../../src/editions/stored-editions.ts';
import { postArticle } from '../../../src/ranking/articles/articles.ts';
import { writeReplies } from '../../../src/ranking/articles/discussions.ts';
import { readMark, setScale } from '../../../src/ranking/articles/mark.ts';
import { removeArticle } from '../../../src/ranking/articles/removed.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { DAY_MS, HOUR_MS } from '../../../src/runtime/clock.ts';
import { translate } from '../../../src/text/catalogue.ts';
import { pageRoutes } from '../../../src/web/page-routes.ts';
import { writeWebSettings } from '../../../src/web/web-settings.ts';
import { type DigestScene, SIX, startDigestScene } from '../digest-scene.ts';

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());

/** As the rules are for a person: without Redis, steps or rankings. */
type Model = {
  id: string;
  title: string;
  comment: string;
  poster: string;
  atMs: number;
  up: number;
  down: number;
  replies: number;
};
type Wish = { name: string; count: number; weekdays: number[] | null };

const DAYS = 14;
/** How much a community posts an hour, and how much its digests list: a quiet one has days without an edition. */
const COMMUNITIES = {
  busy: { posts: 0.35, lists: 1 },
  quiet: { posts: 0.04, lists: 5 },
};
const WISHES: Wish[] = [
  { name: 'daily', count: 3, weekdays: null },
  { name: 'twice', count: 4, weekdays: [1, 4] },
  { name: 'weekly', count: 5, weekdays: [3] },
];
/** Who opted out before the first day until after the last one, and who did then. */
const UNNAMED = '9003';
const LATER_UNNAMED = '9004';

const PARTS = ['list', ...sectionNames] as const;
type Parts<T> = { list: T[] } & Record<Section, T[]>;
/** What editions of a digest showed before. */
type Before = {
  listed: Set<string>;
  named: Set<string>;
  net: Map<string, number>;
  /** A week ended, and no edition came since. */
  owesWeek: boolean;
};

const netOf = ({ up, down }: Model) => up - down;
const isBacked = ({ up, down }: Model) => up - 1 > down;
const idsOf = (some: readonly { id: string }[]) => some.map(({ id }) => id);
const byVotes = (a: Model, b: Model) => netOf(b) - netOf(a) || (a.id < b.id ? 1 : -1);

/** What the edition of a time should show, of all that was posted. */
function expectedOf(
  all: readonly Model[],
  of: { atMs: number; count: number; mark: number; before: Before },
): Parts<string> {
  const { atMs, before } = of;
  const posted = all.filter((one) => one.atMs < atMs);
  const voting = posted.filter((one) => one.atMs >= atMs - 7 * DAY_MS);
  const backed = voting.filter((one) => !before.listed.has(one.id) && isBacked(one)).sort(byVotes);
  const chosen = backed.slice(0, of.count);
  if (chosen.length === 0) return { list: [], ...bySection(() => []) };
  const lead = chosen.find(({ title }) => !title.startsWith('||')) ?? chosen[0]!;
  const best = before.owesWeek ? voting.filter(isBacked).sort(byVotes).slice(0, 3) : [];
  const week = best.some((one) => !chosen.includes(one)) ? best : [];
  before.owesWeek = false;
  const left = backed.filter(
    (one) => !chosen.includes(one) && !before.named.has(one.id) && !week.includes(one),
  );
  const firsts = left
    .filter((one) => posted.every((other) => other.poster !== one.poster || other.id >= one.id))
    .sort((a, b) => a.atMs - b.atMs);
  const gain = (one: Model) => netOf(one) - Math.max(0, before.net.get(one.id) ?? netOf(one));
  const shown: Parts<Model> = {
    list: [lead, ...chosen.filter((one) => one !== lead)],
    rising: voting
      .filter((one) => before.listed.has(one.id) && isBacked(one) && !week.includes(one))
      .filter((one) => gain(one) >= Math.max(2, Math.ceil(of.mark / 10)))
      .sort((a, b) => gain(b) - gain(a) || (a.id < b.id ? 1 : -1))
      .slice(0, 2),
    firstPosts: firsts.filter(({ poster }) => poster !== UNNAMED).slice(0, 2),
    discussed: left
      .filter((one) => !firsts.includes(one) && one.replies >= 3)
      .sort((a, b) => b.replies - a.replies)
      .slice(0, 2),
    week,
  };
  for (const one of Object.values(shown).flat()) {
    before.named.add(one.id);
    before.net.set(one.id, netOf(one));
  }
  for (const { id } of shown.list) before.listed.add(id);
  return { list: idsOf(shown.list), ...bySection((section) => idsOf(shown[section])) };
}

/** What a message, a page or a feed says of an article; null: nothing. */
type Said = {
  title: string;
  votes: string | null;
  isStarred: boolean;
  poster: string | null;
  comments: number;
  quote: string | null;
};

const titlesIn = (some: readonly Said[]) => some.map(({ title }) => title);
const HEADINGS = new Map(sectionNames.map((name) => [translate('en', SECTIONS[name]), name]));

/** Each item of a text under the section that it is in. `heading` and `item`: how these begin. */
function partsOf(
  lines: readonly string[],
  { heading, item }: { heading: RegExp; item: RegExp },
): Parts<string> {
  const parts: Parts<string> = { list: [], ...bySection((): string[] => []) };
  let part: keyof Parts<string> = 'list';
  for (const line of lines) {
    const section = HEADINGS.get(heading.exec(line)?.[1] ?? '');
    if (section !== undefined) part = section;
    else if (item.test(line)) parts[part].push(line);
    else if (parts[part].length > 0) parts[part].push(`${parts[part].pop()}\n${line}`);
  }
  return parts;
}

function readSaid(
  text: string,
  { poster, comments, quote }: { poster: RegExp; comments: RegExp; quote: RegExp },
): Said {
  return {
    title: /(?:Article \d+|Spoiler)/.exec(text)![0],
    votes: /[▲▼] \d+(?: \(\+\d+\))?/.exec(text)?.[0] ?? null,
    isStarred: text.includes('★'),
    poster: poster.exec(text)?.[1] ?? null,
    comments: Number(comments.exec(text)?.[1] ?? 0),
    quote: quote.exec(text)?.[1] ?? null,
  };
}

function saidIn(parts: Parts<string>, of: Parameters<typeof readSaid>[1]): Parts<Said> {
  const read = (texts: string[]) => texts.map((text) => readSaid(text, of));
  return { list: read(parts.list), ...bySection((section) => read(parts[section])) };
}

/** What the message of an edition says. */
function saidInMessage(id: string): Parts<Said> {
  const { embeds } = scene.posted().find((one) => one.id === id)!;
  const [best, ...others] = embeds;
  const first = `**1.** ${best?.title}\n${best?.description}`;
  const below = others.flatMap(({ description = '' }) => description.split('\n'));
  const lines = [...first.split('\n'), ...below].filter((line) => !line.includes('post yours'));
  const heading = /^\*\*([A-Z].*)\*\*$/;
  const item = /^(?:\*\*\d+\.\*\* |<@\d+>: )?(?:\[?Article|\[?Spoiler)/;
  const how = {
    poster: /<@(\d+)>/,
    comments: /(\d+)\u00a0💬/,
    quote: /^> (.*?)(?: — <@\d+>)?$/m,
  };
  return saidIn(partsOf(lines, { heading, item }), how);
}

/** What a page, or a feed’s item, says: its HTML has the same names for the same things. */
function saidInHtml(html: string): Parts<Said> {
  const lines = html
    .replaceAll('\n', ' ')
    .replace(/^.*?(?=<ol)/, '')
    .replace(/<nav class="pages".*$/, '')
    .split(/(?=<li|<h2)/);
  const parts = partsOf(lines, { heading: /<h2[^>]*>(.*?)<\/h2>/, item: /^<li/ });
  return saidIn(parts, {
    poster: /Member (\d+)/,
    comments: /(\d+) comments?</,
    quote: /<blockquote><p>(?:<bdi>)?(.*?)</,
  });
}

/** The pages as the web serves them. */
function openPages() {
  const { bot } = scene;
  const isOnWeb = listedIn(bot.client, isPublic);
  return pageRoutes({
    ranking: { ...bot.ranking, isListed: isOnWeb },
    lists: bot.lists,
    store: bot.store,
    community: (guild) => communityOf(bot.client, guild),
    isAway: () => false,
    icon: async () => null,
    zone: (guild) => bot.digests.zone(guild),
    names: {
      known: (_, members) => new Map(members.map((id) => [id, `Member ${id}`])),
      isPending: () => false,
      version: () => 0,
    },
    clock: scene.clock,
    log: bot.store.log,
    address: 'https://front.example',
    pictures: [],
  });
}

/** An edition as it is stored, beside what it should be. */
type Judged = { of: string; shown: Parts<string>; expected: Parts<string> };

async function playDays(
  seed: number,
  { posts, lists }: { posts: number; lists: number },
): Promise<{ judged: Judged[]; posted: Model[] }> {
  await scene.clear();
  const random = randomFrom(seed);
  const { guild, sandbox } = scene;
  const { ranking, store } = scene.context;
  await setOptedOut(store, guild, UNNAMED, true);
  await setScale(ranking, guild, { mark: 12 });
  for (const { name, count, weekdays } of WISHES) {
    const time = { time: '18:00', zone: 'UTC' };
    const schedule =
      weekdays === null
        ? { every: 'day' as const, ...time }
        : { every: 'week' as const, weekdays, ...time };
    await scene.setUp(name, { count: count * lists, schedule });
  }
  const posted: Model[] = [];
  const before = new Map<string, Before>(
    WISHES.map(({ name }) => [
      name,
      { listed: new Set(), named: new Set(), net: new Map(), owesWeek: false },
    ]),
  );
  const judged: Judged[] = [];
  let voters = 0;
  for (let hour = 0; hour < DAYS * 24; hour += 1) {
    const hourMs = SIX + hour * HOUR_MS;
    scene.goTo(hourMs);
    if (hour % 24 === 0) {
      const mark = await readMark(ranking, guild);
      await scene.tick();
      const weekday = new Date(hourMs).getUTCDay();
      for (const { name, count, weekdays } of WISHES) {
        if (weekdays?.includes(weekday) === false) continue;
        const known = before.get(name)!;
        const isLastOfMany = weekdays?.length !== 1 && weekday === (weekdays?.at(-1) ?? 0);
        known.owesWeek ||= isLastOfMany;
        const of = { atMs: hourMs, count: count * lists, mark, before: known };
        const expected = expectedOf(posted, of);
        const date = new Date(hourMs).toISOString().slice(0, 10);
        const edition = await readEdition(store, guild, { name, date });
        const sections = bySection((section) => idsOf(edition?.[section] ?? []));
        const shown = { list: idsOf(edition?.articles ?? []), ...sections };
        judged.push({ of: `${name} ${date}`, shown, expected });
      }
    }
    if (random() < posts) {
      const atMs = hourMs + Math.floor(random() * HOUR_MS * 0.9);
      const id = sandbox.world.snowflake(atMs);
      const title = random() < 0.15 ? `||Article ${posted.length}||` : `Article ${posted.length}`;
      const comment = random() < 0.5 ? `What I think of ${posted.length}.` : '';
      const link = `https://example.com/${id}`;
      const poster = String(9000 + Math.floor(random() * (6 + hour / 12)));
      const of = { guild, id, title, link, linkName: link, poster, listed: true };
      const said = comment === '' ? {} : { comment };
      await postArticle(ranking, { ...of, ...said, home: sandbox.channels.general.id });
      posted.push({ id, title, comment, poster, atMs, up: 1, down: 0, replies: 0 });
    }
    // Votes come late, and some articles are voted down.
    for (const one of posted) {
      const ageHours = (hourMs - one.atMs) / HOUR_MS;
      if (ageHours < 1 || ageHours > 100) continue;
      if (random() < 0.05) {
        one.replies += 1;
        await writeReplies(ranking, guild, one.id, one.replies);
      }
      if (random() > (ageHours > 30 ? 0.06 : 0.08)) continue;
      const isSpam = posted.indexOf(one) % 4 === 0;
      const vote = random() < (isSpam ? 0.8 : 0.1) ? ('down' as const) : ('up' as const);
      voters += 1;
      const of = { guild, article: one.id, member: String(70_000 + voters), vote };
      await setVote(ranking, of, hourMs);
      one[vote] += 1;
    }
  }
  return { judged, posted };
}

/** What such days are to try, and no edition had: in quiet ones, the best of a week whose last day had none. */
function neverSeen(judged: readonly Judged[], community: keyof typeof COMMUNITIES): string[] {
  const shows = (part: keyof Parts<string>) => judged.filter(({ shown }) => shown[part].length > 0);
  if (community === 'busy') return PARTS.filter((part) => shows(part).length === 0);
  const days = shows('week').map(({ of }) => new Date(of.split(' ')[1]!).getUTCDay());
  return days.some((day) => day !== 0 && day !== 4) ? [] : ['week'];
}

/** Each thing that a message says of an article and `said` does not, in the order of both. */
function unsaid(message: Parts<Said>, said: Parts<Said>): unknown[] {
  return PARTS.flatMap((part): unknown[] => {
    const of = message[part].map((one, at) => [one, said[part][at]] as const);
    const differing = of.filter(([one, other]) => {
      if (other === undefined) return true;
      const keys = ['votes', 'isStarred', 'comments'] as const;
      if (keys.some((key) => one[key] !== other[key])) return true;
      const isOther = (key: 'poster' | 'quote') => one[key] !== null && one[key] !== other[key];
      // Beside no name stands no quote.
      return isOther('poster') || (one.poster !== null && isOther('quote'));
    });
    const isSame = titlesIn(message[part]).join() === titlesIn(said[part]).join();
    return isSame ? differing : [[part, titlesIn(message[part]), titlesIn(said[part])]];
  });
}

/** Without what says something of these, or their poster's name and words. */
function less(parts: Parts<Said>, gone: ReadonlySet<string>, unnamed: string): Parts<Said> {
  const left = (some: Said[]) =>
    some
      .filter(({ title }) => !gone.has(title))
      .map((one) => (one.poster === unnamed ? { ...one, poster: null, quote: null } : one));
  return { list: left(parts.list), ...bySection((section) => left(parts[section])) };
}

test.each([
  [1, 'busy'],
  [2, 'busy'],
  [6, 'quiet'],
] as const)(
  'over random days, each edition shows what the model of the rules says, and its page and its feed say later what its message said (seed %i, %s)',
  async (seed, community) => {
    const { judged, posted } = await playDays(seed, COMMUNITIES[community]);
    expect(judged.map(({ of, shown }) => [of, shown])).toEqual(
      judged.map(({ of, expected }) => [of, expected]),
    );
    expect(neverSeen(judged, community)).toEqual([]);
    const { ranking, store } = scene.context;
    const { guild } = scene;
    await writeWebSettings(store, guild, { open: true, names: true });
    const [gone] = judged.find(({ shown }) => shown.list.length > 1)!.shown.list;
    await removeArticle(ranking, guild, gone!, scene.clock.now());
    await setOptedOut(store, guild, LATER_UNNAMED, true);
    // No edition named them.
    await setOptedOut(store, guild, UNNAMED, false);
    const titles = new Set([posted.find(({ id }) => id === gone)!.title]);
    const pages = openPages();
    const read = async (path: string) => (await pages.request(path)).text();
    const feed = JSON.parse(await read(`/feeds/${guild}/digest?format=json`)) as {
      items: { url: string; content_html: string }[];
    };
    let named = 0;
    for (const { name, date, edition } of await listEditions(store, guild)) {
      const message = less(saidInMessage(edition.message!), titles, LATER_UNNAMED);
      const page = saidInHtml(await read(`/g/${guild}/digest/${name}/${date}`));
      expect([name, date, unsaid(message, page)]).toEqual([name, date, []]);
      const all = Object.values(page).flat();
      expect(all.filter(({ poster }) => poster === UNNAMED || poster === LATER_UNNAMED)).toEqual(
        [],
      );
      named += all.filter(({ poster, quote }) => poster !== null && quote !== null).length;
      const item = feed.items.find(({ url }) => url.endsWith(`/${name}/${date}`));
      if (item === undefined) continue;
      expect([name, date, unsaid(message, saidInHtml(item.content_html))]).toEqual([
        name,
        date,
        [],
      ]);
    }
    expect(named).toBeGreaterThan(2);
    expect(feed.items.length).toBeGreaterThan(2);
  },
  60_000,
);
