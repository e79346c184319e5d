import { MessageFlags } from 'discord.js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { deleteBlock, writeBlock } from '../../src/community/blocks.ts';
import { siteSubject } from '../../src/community/block-subject.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { mute, unmute } from '../../src/personal/stored-personal.ts';
import { deleteArticle, readArticle } from '../../src/ranking/articles/articles.ts';
import { retitleArticle } from '../../src/ranking/articles/edit.ts';
import { writePreview } from '../../src/ranking/articles/previews.ts';
import { removeArticle, restoreArticle } from '../../src/ranking/articles/removed.ts';
import { earlierLine } from '../../src/earlier/earlier-line.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let guild: string;
let general: string;
let reader: string;
let moderator: string;

beforeAll(async () => {
  scene = await startScene();
  guild = scene.sandbox.guildId;
  general = scene.sandbox.channels.general.id;
  moderator = scene.sandbox.moderator;
  [reader = ''] = scene.sandbox.members;
});
afterAll(() => scene.stop());

const ranking = () => scene.bot.ranking;
/** What came while others were indexed is indexed a minute later. */
async function look(): Promise<void> {
  scene.clock.move(MINUTE_MS);
  await scene.bot.due.look();
}
let linked = 0;
type Given = Partial<Parameters<Scene['rank']>[0]> & { daysAgo?: number };
/** An old article, as an import brings it: nothing but what is stored. */
async function old(title: string, { daysAgo = 250, ...given }: Given = {}): Promise<string> {
  linked += 1;
  const link = `https://site-${linked}.example/page`;
  const tally = { up: 42, down: 1, closed: true };
  return scene.rank({ title, link, tally, atMs: scene.clock.now() - daysAgo * DAY_MS, ...given });
}
async function posted(title: string, link?: string): Promise<string> {
  linked += 1;
  return scene.post(reader, { title, link: link ?? `https://site-${linked}.example/page` });
}
/** The titles that *Why this rank?* names as earlier. */
async function earlier(article: string, who = reader): Promise<string[]> {
  await look();
  const { message } = await scene.sandbox
    .as(who)
    .messageCommand(general, article, 'Why this rank?');
  const line = lineIn(message?.embeds[0]?.description ?? '');
  return Array.from(line.matchAll(/\[([^\]]+)\]\(/g), ([, title = '']) => title);
}
/** In the reader's language: after what is said of the article itself. */
const lineIn = (text: string) => text.split('\n').find((line) => /^[^-].*\) ▲ /u.test(line)) ?? '';
const drop = (article: string) => deleteArticle(ranking(), guild, article);

test('*Why this rank?* says what was here before on the subject, with its votes and when, and the way to it', async () => {
  const before = await old('Hex maps in practice');
  const now = await posted('How to draw a hex map');
  await look();
  const { message } = await scene.sandbox.as(reader).messageCommand(general, now, 'Why this rank?');
  expect(lineIn(message?.embeds[0]?.description ?? '')).toMatch(
    new RegExp(
      String.raw`^Earlier here: \[Hex maps in practice\]\(https://discord\.com/channels/${guild}/${general}/${before}\) ▲ 41, [A-Z]\w+$`,
    ),
  );
  // What came later is not earlier.
  const later = await posted('A better hex map');
  expect(await earlier(now)).toEqual(['Hex maps in practice']);
  expect(await earlier(later)).toHaveLength(2);
  for (const each of [before, now, later]) await drop(each);
});

test('three are named at most, those with the most in common first', async () => {
  for (const title of [
    'Wombat burrows',
    'Wombat burrows on Tasmania',
    'Wombat burrows near Hobart, Tasmania',
    'A wombat in a burrow',
  ])
    await old(title);
  const now = await posted('Hobart: where a wombat burrows in Tasmania');
  const [first, second, ...others] = await earlier(now);
  expect([first, second]).toEqual([
    'Wombat burrows near Hobart, Tasmania',
    'Wombat burrows on Tasmania',
  ]);
  expect(others).toHaveLength(1);
});

const related: [title: string, before: string][] = [
  ['Die Kartoffeln der Inka', 'Wie die Inka Kartoffel und Mais anbauten'],
  ['Los volcanes de la Antártida', 'Un volcán bajo el hielo de la antartida'],
  ['L’éclipse vue de Reykjavík', 'Reykjavik attend son éclipse'],
  ['Como nascem as tartarugas-marinhas', 'Tartaruga marinha volta à praia'],
  ['量子計算機の誤り訂正', '誤り訂正と量子計算'],
  ['ペンギンの羽毛はなぜ濡れないのか', '羽毛とペンギン：寒さを防ぐしくみ'],
  ['敦煌壁画的颜料从哪里来', '修复敦煌壁画'],
  ['Вулканы Камчатки', 'Камчатки вулканы: карта'],
];
test.each(related)('“%s” finds “%s”', async (title, before) => {
  const one = await old(before);
  const now = await posted(title);
  expect(await earlier(now)).toEqual([before]);
  await drop(one);
});

const unrelated: [title: string, before: string, why: string][] = [
  ['Sourdough without a scale', 'Sourdough on Mars', 'one rare word'],
  ['The best new guide of the year', 'A new guide to the best year', 'common words'],
  ['どうすればいいのか', 'どうすればいいですか', 'words of grammar'],
  ['猫头鹰的家', '猫头鹰在哪里', 'one word of three signs'],
];
test.each(unrelated)('“%s” does not find “%s”: %s', async (title, before) => {
  const one = await old(before);
  // It is found by who has more in common with it.
  const now = await posted(title);
  const same = await posted(`${before} Quokka Numbat`);
  const further = await posted('Quokka and Numbat');
  expect(await earlier(now)).toEqual([]);
  expect(await earlier(further)).toHaveLength(1);
  for (const each of [one, now, same, further]) await drop(each);
});

test('the words of an address are no subject where they stand in the place of a title', async () => {
  const link = 'https://placeholder.example/dugong-meadow-walk';
  const address = await old('placeholder.example/dugong-meadow-walk', { link });
  const titled = await old('The dugong’s meadow', { link: `${link}-2` });
  const now = await posted('A dugong in a meadow');
  expect(await earlier(now)).toEqual(['The dugong’s meadow']);
  for (const each of [address, titled, now]) await drop(each);
});

test('a project in a forge is a subject, and so is a rare word of a title in a description', async () => {
  const one = await old('Version 2', { link: 'https://github.com/axolotl-lab/regrow/releases/2' });
  const now = await posted('It is slow', 'https://github.com/axolotl-lab/regrow/issues/9');
  expect(await earlier(now)).toEqual(['Version 2']);
  const other = await old('Okapi and the forest');
  await writePreview(ranking(), guild, other, { description: 'Seen in the Ituri at last.' });
  const about = await posted('An okapi of the Ituri');
  expect(await earlier(about)).toEqual(['Okapi and the forest']);
  for (const each of [one, now, other, about]) await drop(each);
});

test('nobody is told of what they may not view, in no place', async () => {
  const { moderators, lateNight } = scene.sandbox.channels;
  const secret = await old('Narwhal tusk auction', { home: moderators.id, listed: false });
  const adult = await old('Narwhal tusks after dark', { home: lateNight.id, listed: false });
  const open = await old('Narwhal tusks in museums');
  const now = await posted('A narwhal and its tusk');
  expect((await earlier(now, moderator)).sort()).toEqual([
    'Narwhal tusk auction',
    'Narwhal tusks after dark',
    'Narwhal tusks in museums',
  ]);
  expect((await earlier(now)).sort()).toEqual([
    'Narwhal tusks after dark',
    'Narwhal tusks in museums',
  ]);
  const article = await readArticle(ranking(), guild, now);
  const isTold = () => scene.bot.earlier.hasInThread(guild, article!);
  expect(await isTold()).toBe(true);
  await removeArticle(ranking(), guild, open, scene.clock.now());
  expect(await isTold()).toBe(false);
  for (const each of [secret, adult, open, now]) await drop(each);
});

test('a thread is told of other channels’ articles that all who read in it may view', async () => {
  const { moderators, lateNight, rust } = scene.sandbox.channels;
  const now = await posted('A tapir and its calf');
  const article = (await readArticle(ranking(), guild, now))!;
  /** Whether a thread in this channel is told of an article of that home. */
  const isTold = async (home: string, at: string, listed: boolean) => {
    const before = await old('Tapir with a calf', { home, listed });
    await look();
    const told = await scene.bot.earlier.hasInThread(guild, { ...article, home: at });
    await drop(before);
    return told;
  };
  expect(await isTold(rust.id, general, true)).toBe(true);
  expect(await isTold(moderators.id, general, false)).toBe(false);
  // Nor in a thread of a channel that others may not view either.
  expect(await isTold(moderators.id, lateNight.id, false)).toBe(false);
  // Its lists then hold more than anybody may view.
  const { store, rules } = scene.bot;
  await writeSetting(store, guild, 'age-restricted', true);
  await rules.refresh(guild);
  expect(await isTold(lateNight.id, general, true)).toBe(false);
  expect(await isTold(lateNight.id, moderators.id, true)).toBe(true);
  await writeSetting(store, guild, 'age-restricted', false);
  await rules.refresh(guild);
  await drop(now);
});

test.each([
  [44, 'October 18'],
  [46, 'October'],
  [329, 'January'],
  [331, 'January 2026'],
])('of an article of %i days before, *Why this rank?* says %s', async (days, when) => {
  const now = Date.UTC(2026, 11, 1, 12);
  const id = await old('Tenrec', { daysAgo: 0 });
  const article = {
    ...(await readArticle(ranking(), guild, id))!,
    postedAtMs: now - days * DAY_MS,
  };
  const line = earlierLine([article], { guild, locale: 'en', now });
  expect(line).toMatch(new RegExp(`▲ 41, ${when}$`));
  await drop(id);
});

test('what is removed, muted, blocked, hidden as a spoiler or voted down is not told, and what is restored is', async () => {
  const one = await old('Pangolin armour', { link: 'https://bad.example/pangolin' });
  const hidden = await old('||Pangolin armour explained||');
  const down = await old('Pangolin armour for sale', { tally: { up: 1, down: 1, closed: true } });
  const now = await posted('Why a pangolin has armour');
  const { store, rules } = scene.bot;
  const found = ['Pangolin armour'];
  expect(await earlier(now)).toEqual(found);
  await removeArticle(ranking(), guild, one, scene.clock.now());
  expect(await earlier(now)).toEqual([]);
  await restoreArticle(ranking(), guild, one, true);
  expect(await earlier(now)).toEqual(found);
  const muted = { kind: 'word', value: 'pangolin' } as const;
  await mute(store, guild, reader, muted);
  expect(await earlier(now)).toEqual([]);
  expect(await earlier(now, moderator)).toEqual(found);
  await unmute(store, guild, reader, muted);
  const subject = siteSubject('bad.example')!;
  const block = { posting: true, voting: false, reason: '', by: moderator, sinceMs: 1 };
  await writeBlock(store, guild, { ...block, subject, untilMs: null });
  await rules.reload(guild);
  expect(await earlier(now)).toEqual([]);
  await deleteBlock(store, guild, subject);
  await rules.reload(guild);
  expect(await earlier(now)).toEqual(found);
  const spoiler = await posted('||A pangolin and its armour||');
  expect(await earlier(spoiler)).toEqual([]);
  for (const each of [one, hidden, down, now, spoiler]) await drop(each);
});

test('a new title is a new subject, and of what is deleted no word stays', async () => {
  const one = await old('Kakapo census', { link: 'https://kakapo.example/census' });
  const now = await posted('A census of the kakapo');
  expect(await earlier(now)).toEqual(['Kakapo census']);
  await retitleArticle(ranking(), { guild, article: one, title: 'Takahe feathers' });
  expect(await earlier(now)).toEqual([]);
  const { redis } = ranking();
  const { subjects, subjectWords } = guildKeys(ranking(), guild);
  expect(await redis.hget(subjectWords, 'taka')).toBeNull();
  expect(await redis.hget(subjectWords, 'takah')).toBe(one);
  await drop(one);
  expect(await redis.hmget(subjectWords, 'takah', '//kakapo.example')).toEqual([null, null]);
  expect(JSON.stringify(await redis.hgetall(subjectWords))).not.toContain(one);
  expect(await redis.hexists(subjects, one)).toBe(0);
  await drop(now);
});

// Withstands (Redis, while the bot runs): Redis loses the index of what articles are about, or never had one
// → all of them are indexed again when their guild arrives
test('articles from before there was an index are brought along', async () => {
  const one = await old('Thylacine footage');
  const now = await posted('Colour footage of a thylacine');
  await look();
  const { subjects, subjectWords } = guildKeys(ranking(), guild);
  // Nothing is due that would index them.
  await look();
  await ranking().redis.del(subjects, subjectWords);
  await scene.bot.due.arrive(guild);
  expect(await earlier(now)).toEqual(['Thylacine footage']);
  // Of what comes while they are indexed, the whole index is looked through once more, and then no more.
  const { due } = storeKeys(scene.bot.store, guild);
  const inMs = async () => {
    const atMs = await ranking().redis.zscore(due, 'earlier');
    return atMs === null ? null : Number(atMs) - scene.clock.now();
  };
  const ends = async () => {
    scene.clock.move(10_000);
    await scene.bot.due.look();
    return inMs();
  };
  await expect.poll(ends).toBeNull();
  const { redis } = ranking();
  let late = '';
  const write = redis.hset.bind(redis) as (...given: unknown[]) => Promise<number>;
  const hset = vi.spyOn(redis, 'hset').mockImplementation(async (...given: unknown[]) => {
    hset.mockRestore();
    late = await old('Thylacine in colour');
    return write(...given);
  });
  await redis.del(subjects);
  await scene.bot.due.arrive(guild);
  await scene.bot.due.look();
  expect(late).not.toBe('');
  expect(await inMs()).toBeGreaterThan(0);
  await expect.poll(ends).toBeNull();
  for (const each of [one, now, late]) await drop(each);
});

test('a thread begins with a quiet line without a title, once, whose button tells each what they may see now', async () => {
  const { store, rules } = scene.bot;
  const one = await old('Axolotl gills regrow');
  await look();
  const [, other = ''] = scene.sandbox.members;
  const as = scene.sandbox.as(other);
  const told = (thread: string) =>
    as
      .messages(thread)
      .filter(({ content }) => content.startsWith('-# ◂'))
      .map(({ id, content, flags }) => ({ id, content, flags: Number(flags) }));
  for (const discussion of [true, 'reply'] as const) {
    await writeSetting(store, guild, 'discussion', discussion);
    await rules.refresh(guild);
    const now = await posted(`How axolotl gills regrow (${discussion})`);
    if (discussion === 'reply') {
      // Long after it was indexed.
      await look();
      as.send(general, 'Do they?', now);
    }
    await scene.eventually(
      () => scene.bot.client.channels.cache.has(now),
      Boolean,
      'the thread known',
    );
    scene.clock.move(10_000);
    await scene.eventually(
      async () => {
        await scene.bot.due.look();
        return told(now);
      },
      (lines) => lines.length > 0,
      'told what was before',
    );
    await scene.bot.due.plan(guild, `earlier:${now}`, 0);
    await look();
    const lines = told(now);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.content).toBe('-# ◂ · there was something on this here before');
    expect(lines[0]!.flags & MessageFlags.SuppressNotifications).toBeTruthy();
    const press = async () => {
      const pressed = await as.press(now, lines[0]!.id, `why-this-rank|earlier|${now}`);
      expect(pressed.ephemeral).toBe(true);
      return pressed.message;
    };
    expect((await press())?.embeds[0]?.description).toContain(`/${one}) ▲ 41`);
    await removeArticle(ranking(), guild, one, scene.clock.now());
    expect(await press()).toMatchObject({
      // In the reader's language.
      content: '已经没有你能看到的相关内容了。',
      embeds: [],
    });
    await restoreArticle(ranking(), guild, one, true);
    await drop(now);
  }
  await writeSetting(store, guild, 'discussion', false);
  await rules.refresh(guild);
});

test('a thread that has gone on for an hour is told nothing of what was before, and a new one of an older article is', async () => {
  const { store, rules } = scene.bot;
  const one = await old('Dugong seagrass');
  const isNoted = async (hours: number, begins: true | 'reply' = true) => {
    await writeSetting(store, guild, 'discussion', begins);
    await rules.refresh(guild);
    const now = await posted(`About something else (${hours}, ${begins})`);
    if (begins === 'reply') {
      scene.clock.move(2 * HOUR_MS);
      scene.sandbox.as(reader).send(general, 'Is it?', now);
    }
    await scene.eventually(() => scene.bot.client.channels.cache.has(now), Boolean, 'a thread');
    await look();
    scene.clock.move(hours * HOUR_MS - 2 * MINUTE_MS);
    await retitleArticle(ranking(), { guild, article: now, title: 'A dugong in its seagrass' });
    await look();
    await look();
    const lines = scene.sandbox.as(reader).messages(now);
    await drop(now);
    return lines.some(({ content }) => content.startsWith('-# ◂'));
  };
  expect([await isNoted(0.9), await isNoted(1.1)]).toEqual([true, false]);
  expect(await isNoted(0.9, 'reply')).toBe(true);
  await drop(one);
  await writeSetting(store, guild, 'discussion', false);
  await rules.refresh(guild);
});
