import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMember, changeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import type { Answer } from '../../discord-box/src/index.ts';
import { isShownTo } from '../../src/personal/muted.ts';
import {
  mute,
  MUTES_AT_MOST,
  readPersonal,
  SAVED_AT_MOST,
  saveArticle,
  unmute,
  unsaveArticles,
  writeAsked,
  writeSeen,
} from '../../src/personal/stored-personal.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { setScale } from '../../src/ranking/articles/mark.ts';
import { VOTING_OPEN_MS } from '../../src/ranking/rules.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { closeDueArticles } from '../../src/votes/close-articles.ts';
import { snowflakeAt, snowflakeTimeMs } from '../../src/runtime/snowflake.ts';
import { dump } from '../drills/stored-data/a-guild.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { recordLog } from '../fixtures/record-log.ts';
import { exportGuild } from '../../src/backup/guild-file/export.ts';
import { bookmarksFile } from '../../src/personal/personal-pages.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { textOf } from '../fixtures/text-of.ts';

/** Bytes. */
const SIZE_AT_MOST = 6500;
/** What a host can read. */
const log = recordLog();
let scene: Scene;
let general: string;
let [poster, reader, other] = ['', '', ''];

beforeAll(async () => {
  scene = await startScene({ log: log.log });
  general = scene.sandbox.channels.general.id;
  [poster, reader, other] = scene.crowd(3) as [string, string, string];
});
afterAll(() => scene.stop());

const as = (who: string) => scene.sandbox.as(who);
const looks = async (who: string, words = 'me new') =>
  textOf(await as(who).command(general, words));
const asked = (who: string) => as(who).command(general, 'top', { show: 'unjudged' }).then(textOf);
const choose = (who: string, shown: Answer, customId: string, value: string) =>
  as(who).choose(general, shown.message?.id ?? '', customId, [value]);
const kept = (who: string) => readPersonal(scene.bot.store, scene.sandbox.guildId, who);

describe('what is new for a member', () => {
  test('what a member was shown is not new at the next look, and what came since is', async () => {
    const first = await scene.post(poster, { title: 'The first story' });
    expect(await looks(reader)).toContain('The first story');
    const again = await looks(reader);
    expect(again).toContain('Nothing new');
    await scene.post(poster, { title: 'The second story' });
    const shown = await looks(reader);
    expect(shown.split('**The best right now**')[0]).toContain('The second story');
    expect(shown.split('**The best right now**')[0]).not.toContain('The first story');
    expect(shown).toContain('1 new');
    expect(shown).toContain('That is all');
    expect(first).not.toBe('');
  });

  test('what a member keeps as new is shown again', async () => {
    await looks(reader);
    await scene.post(poster, { title: 'A story to keep' });
    const answer = await as(reader).command(general, 'me new');
    const components = JSON.stringify(answer.message?.components);
    const [, id = ''] = /"custom_id":"(me\|new\|keep[^"]*)"/.exec(components) ?? [];
    await as(reader).press(general, answer.message?.id ?? '', id);
    expect((await looks(reader)).split('**The best')[0]).toContain('A story to keep');
  });

  test('what a member posted or voted on is not new for them', async () => {
    await looks(reader);
    await scene.post(reader, { title: 'Their own story' });
    const voted = await scene.post(poster, { title: 'A judged story' });
    await scene.vote(reader, voted);
    const shown = (await looks(reader)).split('**The best')[0];
    expect(shown).toContain('Nothing new');
  });
});

describe('what a member muted', () => {
  const article = { poster: '1', title: 'Crypto is back', link: 'https://blog.spam.example/a' };

  test.each([
    [{ kind: 'site', value: 'spam.example' }, false],
    [{ kind: 'site', value: 'other.example' }, true],
    [{ kind: 'site', value: 'blog.spam.example' }, false],
    [{ kind: 'site', value: 'pam.example' }, true],
    [{ kind: 'poster', value: '2' }, true],
    [{ kind: 'poster', value: '1' }, false],
    [{ kind: 'word', value: 'CRYPTO' }, false],
    [{ kind: 'word', value: 'bitcoin' }, true],
  ] as const)('of what %j mutes, an article is shown: %s', (muted, isShown) => {
    expect(isShownTo('9', [muted])(article)).toBe(isShown);
    // One's own stay.
    expect(isShownTo('1', [muted])(article)).toBe(true);
  });

  test('a site that a member mutes under Why this rank? is left out of what is new, for them alone', async () => {
    await looks(reader);
    await looks(other);
    const link = 'https://muted.example/one';
    const id = await scene.post(poster, { title: 'One of a muted site', link });
    const why = await as(reader).messageCommand(general, id, 'Why this rank?');
    const source = { userId: reader, sourceId: why.message!.id };
    const forged = await forgeComponent(scene.sandbox, source, `me|mute|${id}`, ['no such kind']);
    expect(textOf(forged)).toContain('out of date');
    const muted = await choose(reader, why, `me|mute|${id}`, 'site');
    expect(textOf(muted)).toContain('muted.example');
    expect(await looks(reader)).not.toContain('One of a muted site');
    expect(await looks(other)).toContain('One of a muted site');
    const lists = [looks(reader, 'top'), looks(other, 'top')];
    const found = (who: string) =>
      as(who).command(general, 'search', { words: 'muted' }).then(textOf);
    const shown = await Promise.all([...lists, found(reader), found(other)]);
    const isThere = shown.map((text) => text.includes('One of a muted site'));
    expect(isThere).toEqual([false, true, false, true]);
    const list = await as(reader).command(general, 'me muted');
    expect(textOf(list)).toContain('muted.example');
    await choose(reader, list, 'me|muted|lift|1', 'site:muted.example');
    expect((await kept(reader)).muted).toEqual([]);
  });
});

/** The id of what changes a list of what is saved. */
function savedIdOf({ message }: Answer, what: 'next' | 'drop'): string {
  const ids = new RegExp(`"custom_id":"(me\\|saved\\|${what}[^"]*)"`);
  return ids.exec(JSON.stringify(message?.components))?.[1] ?? '';
}

describe('what a member saved', () => {
  test('a saved article is listed for its member alone, and gone with what happens to it', async () => {
    const id = await scene.post(poster, { title: 'A story to save & read' });
    expect(textOf(await as(reader).messageCommand(general, id, 'Save for me'))).toContain('Saved');
    const list = await as(reader).command(general, 'me saved');
    expect(list.ephemeral).toBe(true);
    expect(textOf(list)).toContain('A story to save & read');
    expect(textOf(await as(other).command(general, 'me saved'))).not.toContain('A story to save');
    const file = await as(reader).press(general, list.message?.id ?? '', 'me|saved|file|1|');
    const bookmarks = await (await fetch(file.message?.attachments[0]?.url ?? '')).text();
    expect(bookmarks).toContain('<!DOCTYPE NETSCAPE-Bookmark-file-1>');
    expect(bookmarks).toContain('A story to save &amp; read');
    // A button from before the list could be searched.
    const source = { userId: reader, sourceId: list.message?.id ?? '' };
    const turned = await forgeComponent(scene.sandbox, source, 'me|saved|next|1');
    expect(textOf(turned)).toContain('A story to save & read');
    const next = await scene.post(poster, { title: 'Über Bienen' });
    const why = await as(reader).messageCommand(general, next, 'Why this rank?');
    const pressed = await as(reader).press(general, why.message?.id ?? '', `me|save|${next}`);
    expect(textOf(pressed)).toContain('Saved');
    const some = textOf(await as(reader).command(general, 'me saved', { words: 'uber BIENEN' }));
    expect(some).toContain('Über Bienen');
    expect(some).not.toContain('A story to save');
    const none = textOf(await as(reader).command(general, 'me saved', { words: 'nowhere' }));
    expect(none).toContain('Nothing found.');
    await scene.moderate(scene.sandbox.moderator, 'remove', id);
    const left = await as(reader).command(general, 'me saved');
    expect(textOf(left)).not.toContain('A story to save');
    expect(textOf(left)).toContain('1 saved article is gone');
    const tidied = await as(reader).press(general, left.message?.id ?? '', 'me|saved|tidy|1|');
    expect(textOf(tidied)).not.toContain('gone');
    expect(textOf(tidied)).toContain('Über Bienen');
    await scene.moderate(scene.sandbox.moderator, 'restore', id);
    expect(await looks(reader, 'me saved')).not.toContain('A story to save');
  });

  test('a saved article that is chosen in the list is taken off it, and no other', async () => {
    const { guildId: guild } = scene.sandbox;
    const [keeper = ''] = scene.crowd(1);
    const ids: string[] = [];
    for (const title of ['To keep', 'To drop', 'To leave'])
      ids.push(await scene.post(poster, { title }));
    for (const id of ids) await saveArticle(scene.bot.store, guild, keeper, id);
    const list = await as(keeper).command(general, 'me saved');
    const left = await as(keeper).choose(general, list.message?.id ?? '', 'me|saved|drop|1|', [
      ids[1]!,
    ]);
    expect(left.kind).toBe('update');
    for (const shown of [textOf(left), await looks(keeper, 'me saved')]) {
      expect(shown).toContain('To keep');
      expect(shown).toContain('To leave');
      expect(shown).not.toContain('To drop');
    }
    for (const id of ids) await deleteArticle(scene.bot.ranking, guild, id);
  });

  test('a saved article that was searched for is on the next page, and taken off, by the same words', async () => {
    const { guildId: guild } = scene.sandbox;
    const [keeper = ''] = scene.crowd(1);
    const atMs = scene.clock.now();
    for (let at = 0; at < 13; at += 1) {
      const title = at < 2 ? `Honig ${at}.` : `Bienen ${at}.`;
      const id = await scene.rank({ title, atMs: atMs + at, poster });
      await saveArticle(scene.bot.store, guild, keeper, id);
    }
    const list = await as(keeper).command(general, 'me saved', { words: 'bienen' });
    const next = await as(keeper).press(general, list.message?.id ?? '', savedIdOf(list, 'next'));
    expect(textOf(next)).toContain('Bienen 2.');
    expect(textOf(next)).not.toContain('Honig');
    const { saved } = await kept(keeper);
    const last = saved.at(-3)!;
    const dropped = await choose(keeper, next, savedIdOf(next, 'drop'), last);
    expect(textOf(dropped)).not.toMatch(/Honig|Bienen 2\./);
    for (const id of saved) await deleteArticle(scene.bot.ranking, guild, id);
  });

  test('a saved article of a channel that is hidden for a while is not taken off with what is gone', async () => {
    const { channels, operator, moderator } = scene.sandbox;
    const [keeper = '', voter = ''] = scene.crowd(2);
    const rust = channels.rust.id;
    const hidden = await scene.post(poster, { title: 'Hidden for a while', channel: rust });
    const gone = await scene.post(poster, { title: 'Gone for good' });
    for (const id of [hidden, gone]) {
      await saveArticle(scene.bot.store, scene.sandbox.guildId, keeper, id);
    }
    await scene.moderate(moderator, 'remove', gone);
    // So that it is not among what needs a vote.
    await scene.vote(voter, hidden);
    const list = await as(keeper).command(general, 'me saved');
    expect(textOf(list)).toContain('1 saved article is gone');
    operator.setPermissions({ channel: rust, who: keeper, deny: ['ViewChannel'] });
    const saved = () => looks(keeper, 'me saved');
    await expect.poll(saved).toContain('2 saved articles are gone');
    await as(keeper).press(general, list.message?.id ?? '', 'me|saved|tidy|1|');
    const left = await as(keeper).command(general, 'me saved');
    expect(textOf(left)).toContain('1 saved article is gone');
    expect(JSON.stringify(left.message?.components)).not.toContain('me|saved|tidy');
    operator.setPermissions({ channel: rust, who: keeper });
    await expect.poll(saved).toContain('Hidden for a while');
    operator.setPermissions({ channel: rust, who: keeper, deny: ['ViewChannel'] });
    await expect.poll(saved).toContain('1 saved article is gone');
    const taken = await as(keeper).press(general, left.message?.id ?? '', 'me|saved|hidden|1|');
    expect(textOf(taken)).not.toContain('gone');
    operator.setPermissions({ channel: rust, who: keeper });
  });

  test('what a member keeps for themself is in their own copy, and goes when they erase their data', async () => {
    const { store } = scene.bot;
    const key = storeKeys(store, scene.sandbox.guildId).personal(reader);
    // In no other key: nobody else learns who saves, mutes and looks.
    const naming = async () =>
      Object.entries(await dump(store.redis))
        .filter(([name, held]) => `${name} ${JSON.stringify(held)}`.includes(reader))
        .map(([name]) => name);
    // Beside what they posted and voted.
    const names = (await naming()).filter((name) => !/:(articles|voters:\d+)$/.test(name));
    expect(names).toEqual([key]);
    // A year after the last look, Redis itself sweeps it.
    const days = (await store.redis.ttl(key)) / 86_400;
    expect(Math.round(days)).toBe(366);
    const data = await as(reader).command(general, 'me data');
    const exported = await as(reader).press(general, data.message?.id ?? '', 'me|export');
    const copy = await (await fetch(exported.message?.attachments[0]?.url ?? '')).json();
    expect(JSON.stringify(copy)).toContain('"saved"');
    const sure = await as(reader).press(general, data.message?.id ?? '', 'me|erase');
    await as(reader).press(general, sure.message?.id ?? '', 'me|really');
    await scene.eventually(
      () => store.redis.exists(key),
      (left) => left === 0,
      'erased',
    );
    // That it was asked for is kept, so that no restore brings it back.
    const { erased } = storeKeys(store, scene.sandbox.guildId);
    await scene.eventually(naming, (names) => names.join() === erased, 'nothing left');
  });
});

test('what a member keeps has bounds, and takes a few kilobytes where all of them are reached', async () => {
  const { store } = scene.bot;
  const guild = scene.sandbox.guildId;
  const [member = ''] = scene.crowd(1);
  const ids = Array.from({ length: SAVED_AT_MOST + 1 }, (_, at) =>
    snowflakeAt(scene.clock.now() + at),
  );
  const saves = [];
  for (const article of ids) {
    saves.push(await saveArticle(store, guild, member, article));
  }
  const mutes = [];
  for (let at = 0; at <= MUTES_AT_MOST; at += 1) {
    const value = `a-site-of-a-usual-length-${at}.example`;
    mutes.push(await mute(store, guild, member, { kind: 'site', value }));
  }
  await writeSeen(store, guild, member, ids[0]!);
  for (const voted of ids) await writeAsked(store, guild, member, { shown: [voted], voted: [] });
  await writeAsked(store, guild, member, { shown: [], voted: ids });
  await writeAsked(store, guild, member, { shown: ids, voted: [] });
  expect([saves.pop(), ...new Set(saves)]).toEqual(['full', 'saved']);
  expect([mutes.pop(), ...new Set(mutes)]).toEqual(['full', 'muted']);
  const full = await kept(member);
  expect(full.saved).toEqual(ids.slice(0, SAVED_AT_MOST).toReversed());
  expect(full.muted).toHaveLength(MUTES_AT_MOST);
  // What is kept already has its room.
  expect(await saveArticle(store, guild, member, full.saved[0]!)).toBe('saved');
  const held = await store.redis.hgetall(storeKeys(store, guild).personal(member));
  expect(Object.entries(held).join('').length).toBeLessThan(SIZE_AT_MOST);
});

test('what is new in one channel, as its board shows it, stays new among all', async () => {
  const [looking = ''] = scene.crowd(1);
  const { rust } = scene.sandbox.channels;
  const ids = [
    await scene.post(poster, { title: 'New everywhere' }),
    await scene.post(poster, { title: 'New in rust', channel: rust.id }),
  ];
  const { message } = await as(looking).command(general, 'top');
  const source = { userId: looking, sourceId: message?.id ?? '' };
  const open = `top|open|score|${rust.id}|1|ever|unvoted`;
  const board = textOf(await forgeComponent(scene.sandbox, source, open));
  expect(board).toContain('New in rust');
  expect(board).not.toContain('New everywhere');
  expect((await kept(looking)).seen).toBeNull();
  for (const id of ids) await scene.moderate(scene.sandbox.admin, 'remove', id);
});

test('a word that a member mutes by its form is left out, and one of no letters is refused', async () => {
  const [quiet = ''] = scene.crowd(1);
  const list = await as(quiet).command(general, 'me muted');
  const muteWord = async (word: string) => {
    const form = await as(quiet).press(general, list.message?.id ?? '', 'me|muted|word');
    return textOf(await as(quiet).submit(form.interactionId, { word }));
  };
  await muteWord('\u200b');
  expect((await kept(quiet)).muted).toEqual([]);
  expect(await muteWord('Pangolin')).toContain('angolin');
  const seen = await scene.post(poster, { title: 'A pangolin was seen' });
  expect(await looks(quiet)).not.toContain('pangolin was seen');
  expect(await looks(other)).toContain('pangolin was seen');
  await deleteArticle(scene.bot.ranking, scene.sandbox.guildId, seen);
});

test('what is new, one’s own articles and what is saved turn by pages, and show nothing of what one may not view or is not one’s own', async () => {
  const { sandbox, bot } = scene;
  const { guildId } = sandbox;
  const [author = '', stranger = ''] = scene.crowd(2);
  const atMs = scene.clock.now() - 3_600_000;
  const ranked: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    ranked.push(
      await scene.rank({ title: `Own story ${n}.`, atMs: atMs + n * 1000, poster: author }),
    );
  }
  const first = await as(author).command(general, 'me articles');
  const turn = (shown: Answer, what: string) => {
    const [, id = ''] =
      new RegExp(`"custom_id":"(me\\|${what}[^"]*)"`).exec(
        JSON.stringify(shown.message?.components),
      ) ?? [];
    return as(author).press(general, shown.message?.id ?? '', id);
  };
  expect(textOf(first)).toContain('Own story 11.');
  expect(textOf(first)).not.toContain('Own story 0.');
  const second = await turn(first, 'next');
  expect(second.kind).toBe('update');
  expect(textOf(second)).toContain('Own story 0.');
  expect(textOf(second)).not.toContain('Own story 11.');
  // By a button that Discord does not show them.
  const sourceId = as(author).send(general, 'Here.').id;
  const forge = (userId: string, id: string, values?: string[]) =>
    forgeComponent(sandbox, { userId, sourceId }, id, values).then(textOf);
  const { moderators } = sandbox.channels;
  expect(await forge(author, `me|new|open|-|${moderators.id}|1`)).toContain('no such channel');
  expect(await forge(author, `me|new|open|-|${general}|1`)).not.toContain('no such channel');
  const hidden = await scene.rank({ title: 'Hidden', atMs, poster: author, home: moderators.id });
  const [own] = [await scene.post(author)];
  const isUnknown = async (...of: Parameters<typeof forge>) =>
    /no such (?:article|channel)/i.test(await forge(...of));
  const asked = await Promise.all([
    isUnknown(author, 'me|own|pick', [own]),
    isUnknown(stranger, 'me|own|pick', [own]),
    isUnknown(author, 'me|own|pick', [hidden]),
    isUnknown(author, 'me|own|pick', ['x']),
    isUnknown(author, 'me|own|pick', [sourceId]),
    isUnknown(author, `me|save|${hidden}`),
    isUnknown(author, `me|save|${sourceId}`),
  ]);
  expect(asked).toEqual([false, true, true, true, true, true, true]);
  for (const id of [...ranked, hidden, own]) await deleteArticle(bot.ranking, guildId, id);
});

test('what a member keeps is forgotten a year after they last looked, saved, muted or were asked', async () => {
  const { store } = scene.bot;
  const guild = scene.sandbox.guildId;
  const isMuted = { kind: 'word', value: 'crypto' } as const;
  const ways: ((member: string, article: string) => Promise<unknown>)[] = [
    (member, article) => writeSeen(store, guild, member, article),
    (member, article) => saveArticle(store, guild, member, article),
    (member) => mute(store, guild, member, isMuted),
    (member, article) => writeAsked(store, guild, member, { shown: [article], voted: [] }),
  ];
  for (const keep of ways) {
    const [member = ''] = scene.crowd(1);
    await keep(member, snowflakeAt(scene.clock.now()));
    const leftMs = await store.redis.pttl(storeKeys(store, guild).personal(member));
    expect(leftMs / DAY_MS).toBeGreaterThan(365);
  }
});

test('what needs a vote is what nobody but its poster has judged, the oldest first, without one’s own', async () => {
  const [one, two] = [
    await scene.post(poster, { title: 'Unjudged one' }),
    await scene.post(poster, { title: 'Unjudged two' }),
  ];
  await scene.post(other, { title: 'Own and unjudged' });
  const judged = await scene.post(poster, { title: 'Judged already' });
  await scene.vote(reader, judged, '👎');
  const shown = textOf(await as(other).command(general, 'top', { show: 'unjudged' }));
  expect(shown.indexOf('Unjudged one')).toBeGreaterThan(-1);
  expect(shown.indexOf('Unjudged two')).toBeGreaterThan(shown.indexOf('Unjudged one'));
  expect(shown).not.toMatch(/Own and unjudged|Judged already/);
  expect([one, two]).not.toContain('');
  expect(shown).not.toContain('Among the first');
  // Who was asked sees at the next look what came of it.
  await scene.vote(other, one);
  const again = textOf(await as(other).command(general, 'top', { show: 'unjudged' }));
  expect(again).toContain('Among the first for 1 link this month.');
  expect(again).not.toContain('Unjudged one');
  expect((await kept(other)).early).toEqual([one]);
  expect((await kept(reader)).early).toEqual([]);
  const { ranking } = scene.bot;
  const { guildId: guild } = scene.sandbox;
  await setScale(ranking, guild, { mark: 4 });
  for (const voter of scene.crowd(2)) await scene.vote(voter, one);
  await scene.expectTally(one, 4, 0);
  expect(await asked(other)).toContain('Among the first for 1 link this month, one became ★.');
  await setScale(ranking, guild, { mark: 200 });
  for (const voter of scene.whoShows(one, '👍').slice(2)) scene.unreact(voter, one, '👍');
  await scene.expectTally(one, 2, 0);
  // It can be taken back while the voting is open.
  scene.unreact(other, one, '👍');
  await scene.expectTally(one, 1, 0);
  expect(await asked(other)).not.toContain('Among the first');
  await scene.vote(other, one);
});

test('an early vote counts for its voter also if they look again only after the voting is over', async () => {
  const [early = '', late = '', unasked = ''] = scene.crowd(3);
  const id = await scene.post(poster, { title: 'Nobody judged it' });
  for (const who of [early, late]) expect(await asked(who)).toContain('Nobody judged it');
  for (const who of [early, unasked]) await scene.vote(who, id);
  // Who does not look is forgotten when they would have been without it.
  const { redis } = scene.bot.store;
  const key = storeKeys(scene.bot.store, scene.sandbox.guildId).personal(early);
  await redis.expire(key, 1000);
  scene.clock.move(VOTING_OPEN_MS + 1000);
  await closeDueArticles(scene.bot, scene.sandbox.guildId);
  expect(await scene.article(id)).toMatchObject({ closed: true, up: 3 });
  expect((await kept(early)).early).toEqual([id]);
  expect(await redis.ttl(key)).toBeLessThanOrEqual(1000);
  expect(await asked(early)).toContain('Among the first for 1 link this month.');
  for (const who of [late, unasked]) expect(await asked(who)).not.toContain('Among the first');
  // Who was never asked keeps nothing by a vote.
  expect((await kept(unasked)).early).toEqual([]);
  scene.clock.move(31 * DAY_MS);
  expect(await asked(early)).not.toContain('Among the first');
});

test('what an earlier version kept for a member is brought along', async () => {
  const { store } = scene.bot;
  const guild = scene.sandbox.guildId;
  const [member = ''] = scene.crowd(1);
  const key = storeKeys(store, guild).personal(member);
  const ids = [3, 2, 1].map((at) => snowflakeAt(scene.clock.now() + at * 1000));
  const [one = '', two = '', three = ''] = ids;
  await store.redis.hset(key, {
    seen: one,
    asked: `${one} ${two}`,
    first: three,
    [`saved:${one}`]: 5,
    [`saved:${two}`]: 30,
    [`saved:${three}`]: 4,
    'site:spam.example': 1,
    'word:two words': 1,
    // What cannot be read is passed over.
    muted: 'colour:red\nword:',
    [`poster:${other}`]: 1,
  });
  const brought = {
    seen: one,
    saved: [two, one, three],
    muted: [
      { kind: 'site', value: 'spam.example' },
      { kind: 'poster', value: other },
      { kind: 'word', value: 'two words' },
    ],
    asked: [one, two],
    early: [three],
  };
  expect(await kept(member)).toEqual(brought);
  expect(await kept(member)).toEqual(brought);
  const fields = await store.redis.hkeys(key);
  expect(fields.sort()).toEqual(['early', 'muted', 'saved', 'seen', 'unjudged']);
});

test('what an earlier version kept for a member can be taken off at once', async () => {
  const { store } = scene.bot;
  const guild = scene.sandbox.guildId;
  const [member = ''] = scene.crowd(1);
  const [one, two] = [1, 2].map((at) => snowflakeAt(scene.clock.now() + at * 1000)) as [
    string,
    string,
  ];
  const old = (fields: Record<string, number>) =>
    store.redis.hset(storeKeys(store, guild).personal(member), fields);
  await old({ [`saved:${one}`]: 1, [`saved:${two}`]: 2 });
  await unsaveArticles(store, guild, member, [two]);
  expect((await kept(member)).saved).toEqual([one]);
  await old({ 'word:bees': 1, 'word:honey': 2 });
  await unmute(store, guild, member, { kind: 'word', value: 'honey' });
  expect((await kept(member)).muted).toEqual([{ kind: 'word', value: 'bees' }]);
});

test('each of the fifty mutes of a member can be taken back, a page at a time', async () => {
  const { store } = scene.bot;
  const [member = ''] = scene.crowd(1);
  const long = `${'a-very-long-label.'.repeat(10)}example`;
  const words = Array.from({ length: MUTES_AT_MOST - 2 }, (_, at) => `a word ${at}`);
  for (const value of words) {
    await mute(store, scene.sandbox.guildId, member, { kind: 'word', value });
  }
  await mute(store, scene.sandbox.guildId, member, { kind: 'site', value: long });
  await mute(store, scene.sandbox.guildId, member, { kind: 'poster', value: other });
  const first = await as(member).command(general, 'me muted');
  expect(textOf(first)).toContain('a word 47');
  expect(textOf(first)).not.toContain('a word 3`');
  expect(JSON.stringify(first.message?.components)).not.toContain(`Member: ${other}`);
  const source = first.message?.id ?? '';
  const lift = async (customId: string, value: string) =>
    textOf(await as(member).choose(general, source, customId, [value]));
  // A host that is longer than an option may be has a name of its own there.
  const [option = ''] = JSON.stringify(first.message?.components).match(/site:#[\w-]+/) ?? [];
  await lift('me|muted|lift|1', option);
  const left = (await kept(member)).muted;
  expect(left).toHaveLength(MUTES_AT_MOST - 1);
  expect(left.map(({ value }) => value)).not.toContain(long);
  const second = textOf(await as(member).press(general, source, 'me|muted|next|2'));
  expect(second).toContain('a word 0`');
  expect(await lift('me|muted|lift|2', 'word:a word 0')).not.toContain('a word 0`');
  // A list of an earlier version.
  await forgeComponent(scene.sandbox, { userId: member, sourceId: source }, 'me|muted|lift', [
    'word:a word 47',
  ]);
  const { muted } = await kept(member);
  expect(muted).toHaveLength(MUTES_AT_MOST - 3);
  // The last of its page: the page before is shown.
  for (const { value } of muted.slice(25)) {
    const shown = await forgeComponent(
      scene.sandbox,
      { userId: member, sourceId: source },
      'me|muted|lift|2',
      [`word:${value}`],
    );
    expect(textOf(shown)).toContain('a word');
  }
});

/** What Chrome makes of the five entities that it reads in an imported file. */
const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

test('a browser that imports the bookmarks file gets each link and title as they are', () => {
  const link = "https://a.example/?a=1&amp=2&b='x'#<y>";
  const title = `"Tags" <b> & 'quotes' of a story &lt; 5`;
  const article = { link, title, postedAtMs: 1_764_000_000_999 };
  const file = bookmarksFile('Saved for <me>', [article, article] as never);
  const lines = file.split('\n');
  expect(lines[0]).toBe('<!DOCTYPE NETSCAPE-Bookmark-file-1>');
  expect(lines).toContain('<H1>Saved for &lt;me&gt;</H1>');
  const found = lines.flatMap((line) => {
    const [, href, added, name] =
      /^<DT><A HREF="([^"]*)" ADD_DATE="(\d+)">([^<]*)<\/A>$/.exec(line) ?? [];
    return href === undefined ? [] : [[unescaped(href), added, unescaped(name ?? '')]];
  });
  expect(found).toEqual([
    [link, '1764000000', title],
    [link, '1764000000', title],
  ]);
});

test('who saves, mutes, looks and searches stands in no other key, in no line of the log and in no file of the server', async () => {
  const { store, ranking } = scene.bot;
  const guild = scene.sandbox.guildId;
  const [secret = ''] = scene.crowd(1);
  const id = await scene.post(poster, { title: 'Read in secret' });
  await as(secret).messageCommand(general, id, 'Save for me');
  const why = await as(secret).messageCommand(general, id, 'Why this rank?');
  await choose(secret, why, `me|mute|${id}`, 'poster');
  for (const words of ['me new', 'me saved', 'me muted', 'me articles', 'top']) {
    expect(await looks(secret, words)).not.toBe('');
  }
  await asked(secret);
  await as(secret).command(general, 'search', { words: 'secret' });
  expect(await kept(secret)).toMatchObject({ saved: [id], muted: [{ kind: 'poster' }] });
  const naming = Object.entries(await dump(store.redis))
    .filter(([name, held]) => `${name} ${JSON.stringify(held)}`.includes(secret))
    .map(([name]) => name);
  expect(naming).toEqual([storeKeys(store, guild).personal(secret)]);
  let file = '';
  for await (const line of exportGuild({ ranking, store }, guild, scene.clock.now())) file += line;
  expect(file).toContain('Read in secret');
  expect(file).not.toContain(secret);
  log.log.info({ guild }, 'The log is read.');
  expect(log.text()).toContain(guild);
  expect(log.text()).not.toContain(secret);
});

test('what a member saved on the next page is hidden there if their role was taken meanwhile', async () => {
  const { operator, guildId } = scene.sandbox;
  const [member = ''] = scene.crowd(1);
  const role = operator.addRole({ name: 'insiders' });
  const inside = operator.createChannel({ name: 'inside' }).id;
  operator.setPermissions({ channel: inside, who: 'everyone', deny: ['ViewChannel'] });
  for (const who of [role, 'bot', poster] as const) {
    operator.setPermissions({ channel: inside, who, allow: ['ViewChannel'] });
  }
  operator.giveRole({ member, role });
  const hidden = await scene.post(poster, { title: 'Said inside', channel: inside });
  await as(member).messageCommand(inside, hidden, 'Save for me');
  for (let at = 0; at < 10; at += 1) {
    const atMs = scene.clock.now() - at * 1000;
    const id = await scene.rank({ title: `Said outside ${at}`, atMs, poster });
    await saveArticle(scene.bot.store, guildId, member, id);
  }
  const first = await as(member).command(general, 'me saved');
  expect(textOf(first)).toContain('Said outside 9');
  const turn = (what: string) =>
    as(member).press(general, first.message?.id ?? '', `me|saved|${what}|`);
  expect(textOf(await turn('next|2'))).toContain('Said inside');
  await turn('previous|1');
  const { guild } = scene.sandbox;
  changeMember(scene.sandbox.world, guild, guild.members.get(member)!, { roleIds: new Set() });
  const { message } = await turn('next|2');
  expect(JSON.stringify(message)).not.toContain('Said inside');
  expect(JSON.stringify(message)).toContain('1 saved article is gone');
});

test('what a member of two servers keeps in one is not in the other', async () => {
  const { operator, admin } = scene.sandbox;
  const [member = ''] = scene.crowd(1);
  const away = operator.createGuild({ name: 'Elsewhere', owner: admin });
  addMember(scene.sandbox.world, scene.sandbox.world.guilds.get(away.guild)!, member);
  await expect.poll(() => scene.bot.client.guilds.cache.has(away.guild)).toBe(true);
  const id = await scene.post(poster, { title: 'Of this server alone' });
  await as(member).messageCommand(general, id, 'Save for me');
  expect(await looks(member, 'me saved')).toContain('Of this server alone');
  await scene.eventually(
    () => as(member).commands(away.general).length,
    (count) => count > 0,
    'with commands',
  );
  for (const words of ['me saved', 'me new', 'me muted', 'me articles']) {
    const there = textOf(await as(member).command(away.general, words));
    expect(there).not.toContain('Of this server alone');
  }
});

test('what is new, the best of it and what is saved show nothing of a channel that the member may not view', async () => {
  const { sandbox, bot } = scene;
  const { id: channel } = sandbox.channels.ai;
  const [watcher = ''] = scene.crowd(1);
  const closed = await scene.post(poster, { channel, title: 'Behind the door' });
  const open = await scene.post(poster, { title: 'Before the door' });
  // Among the best of the day.
  for (const voter of scene.crowd(4)) await scene.vote(voter, closed);
  for (const id of [closed, open]) {
    await saveArticle(bot.store, sandbox.guildId, watcher, id);
  }
  const mayView = async () => {
    const of = bot.client.guilds.cache.get(sandbox.guildId)!;
    return of.channels.cache.get(channel)!.permissionsFor(await of.members.fetch(watcher));
  };
  const see = async (isAllowed: boolean) => {
    const deny = isAllowed ? [] : (['ViewChannel'] as const);
    sandbox.operator.setPermissions({ channel, who: watcher, deny });
    await expect.poll(async () => (await mayView()).has('ViewChannel')).toBe(isAllowed);
    // The best of the day follow the end of what is new.
    const before = snowflakeAt(snowflakeTimeMs(closed) - 1);
    await writeSeen(bot.store, sandbox.guildId, watcher, before);
    const shown = await looks(watcher);
    expect(shown).toContain('**The best right now**');
    return [shown, await looks(watcher, 'me saved')];
  };
  for (const text of await see(false)) {
    expect(text).toContain('Before the door');
    expect(text).not.toContain('Behind the door');
  }
  for (const text of await see(true)) expect(text).toContain('Behind the door');
});

/** The button to the next page of what is new. */
const nextOf = ({ message }: Answer): string =>
  /"custom_id":"(me\|new\|next[^"]*)"/.exec(JSON.stringify(message?.components))?.[1] ?? '';

test('what is new ends with its first page where it just fills that', async () => {
  const [looking = ''] = scene.crowd(1);
  await writeSeen(scene.bot.store, scene.sandbox.guildId, looking, snowflakeAt(scene.clock.now()));
  for (let at = 1; at <= 10; at += 1) {
    await scene.rank({ title: `Of ten: ${at}!`, atMs: scene.clock.now() + at * 1000, poster });
  }
  scene.clock.move(60_000);
  const shown = await as(looking).command(general, 'me new');
  expect(textOf(shown)).toContain('10 new');
  expect(textOf(shown)).toContain('That is all');
  expect(textOf(shown)).toContain('**The best right now**');
  expect(nextOf(shown)).toBe('');
});

test('the next page of what is new goes on from the same look, ends it, and takes nothing for seen that came meanwhile', async () => {
  const [looking = ''] = scene.crowd(1);
  const { store } = scene.bot;
  await writeSeen(store, scene.sandbox.guildId, looking, snowflakeAt(scene.clock.now()));
  for (let at = 1; at <= 12; at += 1) {
    const atMs = scene.clock.now() + at * 1000;
    const tally = { up: at === 3 ? 9 : 1, down: 0, closed: false };
    await scene.rank({ title: `Of twelve: ${at}!`, atMs, poster, tally });
  }
  scene.clock.move(60_000);
  const first = await as(looking).command(general, 'me new');
  expect(textOf(first)).toContain('12 new');
  expect(textOf(first)).not.toContain('That is all');
  // The best is the first.
  expect(textOf(first)).toContain('**1.** [Of twelve: 3!]');
  await scene.post(poster, { title: 'Come meanwhile' });
  const next = nextOf(first);
  const second = textOf(await as(looking).press(general, first.message?.id ?? '', next));
  const since = /since <t:\d+:R>/;
  expect(second.match(since)?.[0]).toBe(textOf(first).match(since)?.[0]);
  expect(second).toContain('That is all');
  const [news = '', best = ''] = second.split('**The best right now**');
  expect(best).not.toBe('');
  expect(new Set(`${textOf(first)}${news}`.match(/Of twelve: \d+!/g)).size).toBe(12);
  const later = (await looks(looking)).split('**The best')[0];
  expect(later).toContain('1 new');
  expect(later).toContain('Come meanwhile');
});

test('what is older than a week is not new, neither for who never looked nor for who looked long ago', async () => {
  const [never = '', longAgo = ''] = scene.crowd(2);
  const now = scene.clock.now();
  const { store } = scene.bot;
  const seen = snowflakeAt(now - 20 * DAY_MS);
  await writeSeen(store, scene.sandbox.guildId, longAgo, seen);
  await scene.rank({ title: 'Six days old', atMs: now - 6 * DAY_MS, poster });
  await scene.rank({ title: 'Eight days old', atMs: now - 8 * DAY_MS, poster });
  for (const who of [never, longAgo]) {
    const first = await as(who).command(general, 'me new');
    let [text, page] = [textOf(first), first];
    for (let turns = 0; turns < 5 && !text.includes('That is all'); turns += 1) {
      page = await as(who).press(general, first.message?.id ?? '', nextOf(page));
      text += textOf(page);
    }
    expect(text).toContain('That is all');
    expect(text).toContain('Six days old');
    expect(text).not.toContain('Eight days old');
  }
});
