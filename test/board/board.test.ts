import { MessageFlags, PermissionFlagsBits as P } from 'discord.js';
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import {
  changeChannel,
  setOverwrite,
} from '../../discord-box/src/world/channels/change-channel.ts';
import { createMessage } from '../../discord-box/src/world/messages/change-message.ts';
import type { Message } from '../../discord-box/src/index.ts';
import { deleteArticle, readArticle } from '../../src/ranking/articles/articles.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { deleteBoard, writeBoardState } from '../../src/board/stored-board.ts';
import { replacements } from '../../src/board/replacement.ts';
import { deleteDigest, saveDigest } from '../../src/digests/stored-digests.ts';
import { zDigest } from '../../src/digests/digest-settings.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { translate } from '../../src/text/catalogue.ts';

let scene: Scene;
let general: string;
beforeAll(async () => {
  scene = await startScene();
  general = scene.sandbox.channels.general.id;
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.sandbox.faults.clear();
  await scene.bot.board.takeDown(scene.sandbox.guildId);
});

const ofBoard = (message: Message) =>
  JSON.stringify(message.components).includes('top|open|score|');

/** The boards in a channel, the oldest first. */
function boards(channel = general): Message[] {
  const { messages = new Map<string, Message>() } = scene.sandbox.world.channels.get(channel) ?? {};
  return [...messages.values()].filter((message) => message.onlyFor === null && ofBoard(message));
}

function textOf(message: Message | undefined): string {
  const [embed] = (message?.embeds ?? []) as { title?: string; description?: string }[];
  return embed?.description ?? '';
}

/** The titles on the only board, the best first. */
function shown(channel = general): string[] {
  expect(boards(channel)).toHaveLength(1);
  return [...textOf(boards(channel)[0]).matchAll(/^\*\*\d+\.\*\* \[(.+?)\]/gm)].map(
    ([, title = '']) => title,
  );
}

async function put(channel = general): Promise<void> {
  const { admin } = scene.sandbox;
  expect(await scene.bot.board.put(scene.sandbox.guildId, channel, admin)).toBe('shown');
}

/** A second process, which has heard of its server. */
async function joinBot(): Promise<void> {
  await scene.joinBot();
  await scene.eventually(
    () => scene.bot.client.guilds.cache.get(scene.sandbox.guildId)?.available,
    Boolean,
    'available',
  );
}

async function checkUp(): Promise<string> {
  const actor = scene.sandbox.as(scene.sandbox.admin);
  return JSON.stringify((await openPanel(actor, general, 'check-up')).message?.embeds);
}

/** The minute's look at the boards, some time later. */
async function look(afterMs = 0): Promise<void> {
  scene.clock.move(afterMs);
  await scene.bot.ranking.changes.flush();
  await scene.bot.board.tick();
}

let titles = 0;
async function article(more: { channel?: string } = {}): Promise<{ id: string; title: string }> {
  titles += 1;
  const title = `Board ${titles}`;
  return { id: await scene.post(scene.sandbox.admin, { title, ...more }), title };
}

/** Somebody deletes the board, and the bot hears it. */
async function deleteBoardMessage(): Promise<void> {
  const { admin, guildId } = scene.sandbox;
  scene.sandbox.as(admin).delete(general, boards()[0]!.id);
  await scene.eventually(
    () => scene.bot.board.read(guildId),
    (stored) => stored?.state.deleted === true,
    'noted as deleted',
  );
}

/** A member writes below the board. */
async function sinkBoard(): Promise<string> {
  const { id } = scene.sandbox.as(scene.sandbox.members[2]!).send(general, 'Hello.');
  await scene.eventually(
    () => lastIn(general),
    (last) => last === id,
    'heard by the bot',
  );
  return id;
}

async function deleteBelow(message: string): Promise<void> {
  scene.sandbox.as(scene.sandbox.members[2]!).delete(general, message);
  await scene.settled();
}

function lastIn(channel: string): string | null {
  const found = scene.bot.client.channels.cache.get(channel);
  return found?.isTextBased() && 'lastMessageId' in found ? (found.lastMessageId ?? null) : null;
}

/** As if a process had died between its new board and the deletion of the old one. */
async function twoBoards(): Promise<[older: string, newer: string]> {
  const { guildId } = scene.sandbox;
  await put();
  const { state } = (await scene.bot.board.read(guildId))!;
  await writeBoardState(scene.bot.store, guildId, { ...state, message: null });
  await look(11 * MINUTE_MS);
  const [older, newer] = boards();
  return [older!.id, newer!.id];
}

/** How often who put the board up heard of it. */
function told(): number {
  const actor = scene.sandbox.as(scene.sandbox.admin);
  const texts = actor.messages(actor.directMessages().id, 100).map(({ content }) => content);
  return texts.filter((text) => text.includes('The board')).length;
}

const edits = () => scene.sandbox.requests.count('PATCH', /messages\/:message$/);

describe('the board', () => {
  test('the board shows the ten best without a notification, and the guild’s name', async () => {
    const all = [];
    for (let n = 0; n < 11; n += 1) all.push(await article());
    await scene.vote(scene.sandbox.moderator, all[0]!.id);
    await put();
    expect(shown()).toHaveLength(10);
    expect(shown()[0]).toBe(all[0]!.title);
    const [board] = boards();
    expect((board!.flags & MessageFlags.SuppressNotifications) !== 0).toBe(true);
    expect(board!.pings).toEqual({ userIds: [], roleIds: [], everyone: false });
    expect(textOf(board)).toMatch(/^-# best first · updated <t:\d+:R>\n/);
    // Also of those that are not on it.
    expect(JSON.stringify(board!.components)).toContain('"Needs a vote (10)"');
  });

  test('the board is edited for a new order after ten minutes, and for numbers alone after an hour', async () => {
    await put();
    const { title } = await article();
    await look(9 * MINUTE_MS);
    expect(shown()).not.toContain(title);
    await look(2 * MINUTE_MS);
    expect(shown()).toContain(title);
    const next = await article();
    await look(2 * MINUTE_MS);
    expect(shown()).not.toContain(next.title);
    await look(9 * MINUTE_MS);
    expect(shown()).toContain(next.title);
    const before = textOf(boards()[0]);
    const { id } = (
      await scene.bot.lists.page({
        guild: scene.sandbox.guildId,
        order: 'score',
        page: 1,
        pageSize: 1,
      })
    ).articles[0]!;
    await scene.vote(scene.sandbox.members[3]!, id);
    await look(11 * MINUTE_MS);
    expect(textOf(boards()[0])).toBe(before);
    await look(50 * MINUTE_MS);
    expect(textOf(boards()[0])).not.toBe(before);
  });

  test('the board loses a removed, an erased, a blocked and a hidden article at once', async () => {
    const { guildId, world } = scene.sandbox;
    const rust = scene.sandbox.channels.rust;
    const [removed, erased, blocked, hidden] = [
      await article(),
      await article(),
      await article(),
      await article({ channel: rust.id }),
    ];
    await put();
    expect(shown()).toEqual(
      expect.arrayContaining([removed.title, erased.title, blocked.title, hidden.title]),
    );
    const { ranking } = scene.bot;
    await removeArticle(ranking, guildId, removed.id, scene.clock.now());
    await look(MINUTE_MS);
    expect(shown()).not.toContain(removed.title);
    await deleteArticle(ranking, guildId, erased.id);
    await look(MINUTE_MS);
    expect(shown()).not.toContain(erased.title);
    await scene.command(scene.sandbox.admin, 'mod block', { words: blocked.title });
    await look(MINUTE_MS);
    expect(shown()).not.toContain(blocked.title);
    await scene.command(scene.sandbox.admin, 'mod unblock', { words: blocked.title });
    changeChannel(world, rust, { ageRestricted: true });
    await scene.eventually(
      () => scene.article(hidden.id),
      (found) => found?.listed === false,
      'hidden',
    );
    await look(MINUTE_MS);
    expect(shown()).not.toContain(hidden.title);
    changeChannel(world, rust, { ageRestricted: false });
  });

  test('the board asks Discord seven times an hour, but for what must leave it, which counts as well', async () => {
    const { guildId } = scene.sandbox;
    const leaving = [];
    for (let n = 0; n < 7; n += 1) leaving.push(await article());
    await put();
    const requests = async () => (await scene.bot.board.read(guildId))!.state.requestsMs;
    // It looked for one in the channel first.
    expect(await requests()).toHaveLength(2);
    for (const { id, title } of leaving) {
      await removeArticle(scene.bot.ranking, guildId, id, scene.clock.now());
      await look(MINUTE_MS);
      expect(shown()).not.toContain(title);
    }
    expect(await requests()).toHaveLength(7);
    const { title } = await article();
    await look(11 * MINUTE_MS);
    expect(shown()).not.toContain(title);
    await look(50 * MINUTE_MS);
    expect(shown()).toContain(title);
  });

  test('the board holds a private channel’s own list there, and never outside', async () => {
    const { moderators } = scene.sandbox.channels;
    const secret = await article({ channel: moderators.id });
    const open = await article();
    await put();
    expect(shown()).not.toContain(secret.title);
    expect(shown()).toContain(open.title);
    await put(moderators.id);
    expect(boards()).toEqual([]);
    expect(shown(moderators.id)).toEqual([secret.title]);
    // What was added to the channel leaves its board when its own is closed to some who view this one.
    const { operator, admin } = scene.sandbox;
    const { id: rust } = operator.createChannel({ name: 'rust-2' });
    await scene.settled();
    const link = 'https://elsewhere.example/';
    const given = { link, title: 'Elsewhere', channel: moderators.id };
    const added = await scene.sandbox.as(admin).command(rust, 'post', given);
    await scene.eventually(
      () => scene.article(added.message?.id ?? ''),
      (found) => found?.groups.includes(moderators.id) === true,
      'added',
    );
    await look(11 * MINUTE_MS);
    expect(shown(moderators.id)).toContain('Elsewhere');
    operator.setPermissions({ channel: rust, who: 'everyone', deny: ['ViewChannel'] });
    operator.setPermissions({ channel: rust, who: 'bot', allow: ['ViewChannel'] });
    await scene.settled();
    await look(MINUTE_MS);
    expect(shown(moderators.id)).toEqual([secret.title]);
  });

  test('the board that somebody deleted stays away until it is put up again', async () => {
    const { admin } = scene.sandbox;
    await put();
    await deleteBoardMessage();
    await article();
    await look(HOUR_MS);
    expect(boards()).toEqual([]);
    const actor = scene.sandbox.as(admin);
    const { message } = await openPanel(actor, general, 'board');
    const told = translate('en', 'board.panel.deleted', { channel: `<#${general}>` });
    expect(message?.embeds[0]?.description).toContain(told);
    expect(await checkUp()).toContain(told);
    await actor.press(general, message!.id, 'frontpage|board|again');
    expect(shown()).toHaveLength(10);
  });

  test('the board that somebody deleted together with others stays away as well', async () => {
    await put();
    const messages = [boards()[0]!.id, await sinkBoard()];
    scene.sandbox.operator.deleteMessages({ channel: general, messages });
    await scene.eventually(
      () => scene.bot.board.read(scene.sandbox.guildId),
      (stored) => stored?.state.deleted === true,
      'noted as deleted',
    );
    await look(HOUR_MS);
    expect(boards()).toEqual([]);
  });

  test('the board that is put up where one stands of which Redis was told and knows nothing is that one', async () => {
    const { store } = scene.bot;
    await put();
    const [first] = boards();
    const lose = () => store.redis.del(storeKeys(store, scene.sandbox.guildId).board);
    await lose();
    await put();
    expect(boards().map(({ id }) => id)).toEqual([first!.id]);
    // Also where it comes from another channel.
    await lose();
    await put(scene.sandbox.channels.rust.id);
    await put();
    expect(boards().map(({ id }) => id)).toEqual([first!.id]);
  });

  test('the board that was deleted while the bot did not hear it stays away as well', async () => {
    await put();
    const { id } = boards()[0]!;
    scene.secretly(() => scene.sandbox.as(scene.sandbox.admin).delete(general, id));
    await article();
    await look(HOUR_MS);
    expect(boards()).toEqual([]);
    expect((await scene.bot.board.read(scene.sandbox.guildId))?.state.deleted).toBe(true);
  });

  test('the board gives way to a new one once a day, at the hour of the digest', async () => {
    const { guildId } = scene.sandbox;
    const hour = new Date(scene.clock.now() + 3 * HOUR_MS).toISOString().slice(11, 16);
    const schedule = { every: 'day', time: hour, zone: 'UTC' };
    const digest = zDigest.parse({ channel: general, schedule });
    await saveDigest(scene.bot.store, guildId, 'daily', digest);
    await put();
    const [first] = boards();
    await article();
    await sinkBoard();
    await look(2 * HOUR_MS);
    expect(boards().map(({ id }) => id)).toEqual([first!.id]);
    // To show it again makes it no newer.
    await put();
    await look(50 * MINUTE_MS);
    expect(boards().map(({ id }) => id)).toEqual([first!.id]);
    // Guilds with the same hour follow one another.
    await look(24 * MINUTE_MS);
    const [second] = boards();
    expect(second!.id).not.toBe(first!.id);
    expect((second!.flags & MessageFlags.SuppressNotifications) !== 0).toBe(true);
    expect(shown()).toHaveLength(10);
    // The bot hears that the old one is deleted, which is not the board any more.
    await scene.settled();
    const { state } = (await scene.bot.board.read(guildId))!;
    expect(state).toMatchObject({ message: second!.id, deleted: false });
    // It looked for a newer one, posted, and deleted.
    expect(state.requestsMs).toHaveLength(3);
    // Nothing has happened since, so that the channel stays read, whoever writes below it.
    await sinkBoard();
    await look(24 * HOUR_MS);
    await look(MINUTE_MS);
    expect(boards().map(({ id }) => id)).toEqual([second!.id]);
    const { title } = await article();
    await look(11 * MINUTE_MS);
    expect(shown()).toContain(title);
  });

  test('the board stays the message that it is for as long as nobody writes below it', async () => {
    await put();
    const [first] = boards();
    const elsewhere = { channel: scene.sandbox.channels.rust.id };
    for (let day = 0; day < 3; day += 1) {
      const { title } = await article(elsewhere);
      await look(24 * HOUR_MS);
      expect(boards().map(({ id }) => id)).toEqual([first!.id]);
      expect(shown()).toContain(title);
    }
    // What is deleted again does not count, and costs one question.
    const below = await sinkBoard();
    await deleteBelow(below);
    await article(elsewhere);
    const asked = scene.sandbox.requests.count('GET', /messages$/);
    await look(24 * HOUR_MS);
    await article(elsewhere);
    await look(24 * HOUR_MS);
    expect(scene.sandbox.requests.count('GET', /messages$/) - asked).toBe(1);
    expect(boards().map(({ id }) => id)).toEqual([first!.id]);
    await sinkBoard();
    await article(elsewhere);
    await look(24 * HOUR_MS);
    expect(boards().map(({ id }) => id)).not.toEqual([first!.id]);
    expect(boards()).toHaveLength(1);
  });

  test.each(['in a quiet hour', 'though seven requests were sent', 'while edits are limited'])(
    'no longer names a member at the next look after they opted out, %s',
    async (when) => {
      const { guildId, faults, members } = scene.sandbox;
      const leaver = members[7]!;
      const { store, ranking } = scene.bot;
      const title = `Left ${when}`;
      await scene.post(leaver, { title });
      await put();
      const stored = (await scene.bot.board.read(guildId))!.state;
      expect(stored.named).toContain(leaver);
      await look(11 * MINUTE_MS);
      const now = scene.clock.now();
      if (when.startsWith('though')) {
        await writeBoardState(store, guildId, { ...stored, requestsMs: Array(7).fill(now) });
      } else if (when.startsWith('while')) {
        faults.add({ method: 'PATCH', route: /messages\/:message$/, status: 429, code: 30046 });
        await article();
        await look(MINUTE_MS);
      }
      const isResting = (await scene.bot.board.read(guildId))!.state.restMs > 0;
      expect(isResting).toBe(when.startsWith('while'));
      await setOptedOut(store, guildId, leaver, true);
      ranking.changes.note(guildId);
      await look(MINUTE_MS);
      expect(boards()).toHaveLength(1);
      expect(textOf(boards()[0])).not.toContain(leaver);
      expect(shown()).toContain(title);
      await setOptedOut(store, guildId, leaver, false);
    },
  );

  test('the board waits twice as long each time Discord limits its edits', async () => {
    const { guildId, faults } = scene.sandbox;
    await put();
    faults.add({ method: 'PATCH', route: /messages\/:message$/, status: 429, code: 30046 });
    const restOf = async () => (await scene.bot.board.read(guildId))!.state.restMs;
    await article();
    await look(11 * MINUTE_MS);
    const first = await restOf();
    expect(first).toBeGreaterThanOrEqual(10 * MINUTE_MS);
    const asked = edits();
    await look(first - 2 * MINUTE_MS);
    expect(edits()).toBe(asked);
    await look(3 * MINUTE_MS);
    expect(await restOf()).toBe(2 * first);
    faults.clear();
    await look(2 * first + MINUTE_MS);
    expect(await restOf()).toBe(0);
    // So it does where Discord took the edit after a moment.
    faults.add({ method: 'PATCH', status: 429, scope: 'global', retryAfterSeconds: 0, times: 1 });
    const { title } = await article();
    await look(HOUR_MS);
    expect(shown()).toContain(title);
    expect(await restOf()).toBe(10 * MINUTE_MS);
    // A fault of Discord is no limit.
    faults.add({ method: 'PATCH', status: 500, times: 1 });
    const next = await article();
    await look(HOUR_MS);
    expect(shown()).toContain(next.title);
    expect(await restOf()).toBe(0);
  });

  // Withstands (Requests to Discord): Discord refuses the link of one article on the board (240000)
  // → all titles there lead to the articles' messages
  test('the board with a link that Discord refuses leads to the messages of its articles', async () => {
    const { id, title } = await article();
    const { harmfulHosts } = scene.sandbox.world;
    const { link } = (await readArticle(scene.bot.ranking, scene.sandbox.guildId, id))!;
    harmfulHosts.add(link.replace('https://', ''));
    await put();
    harmfulHosts.clear();
    expect(shown()).toContain(title);
    expect(textOf(boards()[0])).not.toContain(link);
    expect(textOf(boards()[0])).toContain(`/${id})`);
  });

  test('the board that replaced an older one is kept where Discord refuses to delete that, which goes later', async () => {
    const { guildId, faults, members, world, channels } = scene.sandbox;
    const { botId } = world.application;
    // Who put it up hears of it, and no manager whom another test asks.
    await scene.bot.board.put(guildId, general, members[6]!);
    const [older] = boards();
    await article();
    await sinkBoard();
    // Nor can it be found again by its channel.
    const noHistory = { kind: 'member', allow: 0n, deny: P.ReadMessageHistory } as const;
    setOverwrite(world, channels.general, botId, noHistory);
    onTestFinished(async () => {
      setOverwrite(world, channels.general, botId, null);
      await scene.settled();
    });
    await scene.settled();
    const path = new RegExp(`/messages/${older!.id}$`);
    faults.add({ method: 'DELETE', path, status: 403, code: 50_013 });
    await look(25 * HOUR_MS);
    const [, newer, ...more] = boards();
    expect(newer).toBeDefined();
    expect(more).toEqual([]);
    faults.clear();
    await look(HOUR_MS + MINUTE_MS);
    expect(boards().map(({ id }) => id)).toEqual([newer!.id]);
    const { state } = (await scene.bot.board.read(guildId))!;
    expect(state).toMatchObject({ message: newer!.id, old: null, trouble: null });
  });

  test('the board that another process takes down while this one looks at it is gone', async () => {
    const { guildId } = scene.sandbox;
    const { store, lists } = scene.bot;
    await put();
    await article();
    const page = vi.spyOn(lists, 'page');
    page.mockImplementationOnce(async (list) => {
      await deleteBoard(store, guildId);
      return lists.page(list);
    });
    await look(11 * MINUTE_MS);
    page.mockRestore();
    expect(await store.redis.exists(storeKeys(store, guildId).board)).toBe(0);
  });

  test('the board does not rest for a limit that Discord sets elsewhere meanwhile', async () => {
    const { faults, guildId, channels } = scene.sandbox;
    await put();
    const { title } = await article();
    const edit = faults.hold({ method: 'PATCH', body: new RegExp(title) });
    const looked = look(11 * MINUTE_MS);
    await expect.poll(() => edit.isHeld()).toBe(true);
    const path = `/channels/${channels.rust.id}/messages` as const;
    const limited = new Response('{}', { status: 429, headers: { 'retry-after': '1' } });
    scene.bot.client.rest.emit('response', { path } as never, limited);
    edit.letGo();
    await looked;
    expect(shown()).toContain(title);
    expect((await scene.bot.board.read(guildId))!.state.restMs).toBe(0);
  });

  test('the board is posted once, though the process dies after the post', async () => {
    const { faults } = scene.sandbox;
    faults.add({
      method: 'POST',
      route: /channels\/:channel\/messages$/,
      status: 502,
      afterTheWork: true,
      times: 4,
    });
    const { admin, guildId } = scene.sandbox;
    const tried = scene.bot.board.put(guildId, general, admin);
    await expect(tried).rejects.toMatchObject({ status: 502 });
    expect(boards()).toHaveLength(1);
    faults.clear();
    await scene.restartBot();
    await look(11 * MINUTE_MS);
    expect(boards()).toHaveLength(1);
    await article();
    await look(HOUR_MS);
    expect(shown()[0]).toBe(`Board ${titles}`);
  });

  test('the board is kept up by one of two processes', async () => {
    const { guildId } = scene.sandbox;
    await put();
    const first = scene.bot;
    await joinBot();
    await article();
    scene.clock.move(25 * HOUR_MS);
    // Each hears of the article in its own time.
    await scene.eventually(
      async () => {
        scene.clock.move(11 * MINUTE_MS);
        await Promise.all([first.board.tick(), scene.bot.board.tick()]);
        return boards().length === 1 && shown()[0];
      },
      (best) => best === `Board ${titles}`,
      'the best',
    );
    await first.stop();
    expect(await scene.redis.redis.exists(storeKeys(scene.sandbox, guildId).board)).toBe(1);
  });

  test.each(['taken down', 'moved'])(
    'the board that is %s while another process posts it leaves no message where that posts it',
    async (what) => {
      const { faults, guildId, channels, admin } = scene.sandbox;
      const first = scene.bot;
      onTestFinished(() => first.stop());
      await joinBot();
      const post = faults.hold({ method: 'POST', body: /top\|open\|score/ });
      const posting = first.board.put(guildId, general, admin);
      await expect.poll(() => post.isHeld()).toBe(true);
      if (what === 'moved') await put(channels.rust.id);
      else await scene.bot.board.takeDown(guildId);
      post.letGo();
      expect(await posting).toBe('later');
      expect(boards()).toEqual([]);
      expect((await scene.bot.board.read(guildId))?.state.message).toBe(
        boards(channels.rust.id)[0]?.id,
      );
      const isThere = await scene.redis.redis.exists(storeKeys(scene.sandbox, guildId).board);
      expect(isThere).toBe(what === 'moved' ? 1 : 0);
      expect(boards(channels.rust.id)).toHaveLength(isThere);
    },
  );

  test('the board loses what was removed although an edit of a process that stood still shows it last', async () => {
    const { faults, guildId } = scene.sandbox;
    await put();
    const first = scene.bot;
    await joinBot();
    // From before it is posted: each process has minutes of its own, too.
    const edit = faults.hold({ method: 'PATCH', body: new RegExp(`Board ${titles + 1}\\b`) });
    const { id, title } = await article();
    scene.clock.move(11 * MINUTE_MS);
    let late = Promise.resolve();
    let isOver = true;
    // It hears of the article in its own time.
    await scene.eventually(
      () => {
        if (isOver && !edit.isHeld()) {
          isOver = false;
          scene.clock.move(100);
          late = first.board.tick().finally(() => (isOver = true));
        }
        return edit.isHeld();
      },
      Boolean,
      'editing',
    );
    await removeArticle(scene.bot.ranking, guildId, id, scene.clock.now());
    await article();
    await look(11 * MINUTE_MS);
    edit.letGo();
    await late;
    await expect.poll(shown).toContain(title);
    scene.clock.move(MINUTE_MS);
    // Each hears of the removal in its own time.
    await scene.eventually(
      async () => {
        scene.clock.move(100);
        await Promise.all([first.board.tick(), scene.bot.board.tick()]);
        return shown();
      },
      (best) => !best.includes(title),
      'without the removed one',
    );
    expect(boards()).toHaveLength(1);
    await first.stop();
  });

  test('the board that a file says is somebody else’s message leaves that alone, and its own is found', async () => {
    const { guildId } = scene.sandbox;
    await put();
    const [own] = boards();
    const { state } = (await scene.bot.board.read(guildId))!;
    const theirs = await sinkBoard();
    const wrong = { ...state, message: theirs, old: theirs, shown: '' };
    await writeBoardState(scene.bot.store, guildId, wrong);
    await look(HOUR_MS + MINUTE_MS);
    await look(MINUTE_MS);
    expect(boards().map(({ id }) => id)).toEqual([own!.id]);
    expect(scene.message(theirs).content).toBe('Hello.');
    const now = (await scene.bot.board.read(guildId))?.state;
    expect(now).toMatchObject({ message: own!.id, old: null });
  });

  test('the board of another bot in the channel is left alone, and an own one is put up beside it', async () => {
    const { guildId, world, channels, admin } = scene.sandbox;
    const [other = ''] = scene.crowd(1, true);
    await put();
    const { components } = boards()[0]!;
    await scene.bot.board.takeDown(guildId);
    const theirs = createMessage(world, channels.general, { authorId: other, components });
    // Without the intent, Discord shows the bot no buttons of others.
    const { privileged } = world.application;
    privileged.messageContent = true;
    await put().finally(() => (privileged.messageContent = false));
    const own = boards().filter(({ authorId }) => authorId !== other);
    expect(own).toHaveLength(1);
    await scene.bot.board.takeDown(guildId);
    expect(boards().map(({ id }) => id)).toEqual([theirs.id]);
    scene.sandbox.as(admin).delete(general, theirs.id);
  });

  test('the board has replaced an older one for good, also where the process died in between or Redis lost that', async () => {
    const { guildId } = scene.sandbox;
    const { store, board } = scene.bot;
    const replaced = async (change: (older: string) => Promise<unknown>) => {
      const [older, newer] = await twoBoards();
      await change(older);
      await look(11 * MINUTE_MS);
      expect(boards().map(({ id }) => id)).toEqual([newer]);
      expect((await board.read(guildId))?.state).toMatchObject({ message: newer, old: null });
      await board.takeDown(guildId);
    };
    const noteOld = async (old: string) => {
      const { state } = (await board.read(guildId))!;
      await writeBoardState(store, guildId, { ...state, old });
    };
    await replaced(noteOld);
    await replaced(async (older) => {
      scene.secretly(() => scene.sandbox.as(scene.sandbox.admin).delete(general, older));
      await noteOld(older);
    });
    await replaced(() => store.redis.hdel(storeKeys(store, guildId).board, 'state'));
    // Discord could not delete it at once.
    await replaced(async (older) => {
      await noteOld(older);
      const path = new RegExp(`/messages/${older}$`);
      scene.sandbox.faults.add({ method: 'DELETE', path, status: 500, times: 4 });
      await look(11 * MINUTE_MS);
      expect(boards()).toHaveLength(2);
    });
    // Redis still has the older one, on a day on which it would be replaced.
    await replaced(async (older) => {
      const { state } = (await board.read(guildId))!;
      await writeBoardState(store, guildId, { ...state, message: older });
      await article();
      await sinkBoard();
      scene.clock.move(24 * HOUR_MS);
    });
    // Redis still has the older one, which somebody deleted.
    await replaced(async (older) => {
      const { state } = (await board.read(guildId))!;
      await writeBoardState(store, guildId, { ...state, message: older });
      scene.secretly(() => scene.sandbox.as(scene.sandbox.admin).delete(general, older));
      const { title } = await article();
      await look(11 * MINUTE_MS);
      await look(MINUTE_MS);
      await look(11 * MINUTE_MS);
      expect(shown()).toContain(title);
    });
    // It is taken down with what it was to delete.
    const [older] = await twoBoards();
    await noteOld(older);
    await board.takeDown(guildId);
    expect(boards()).toEqual([]);
  });

  test('the board is put up after an outage of its server, and speaks its language', async () => {
    const { guildId, admin, operator } = scene.sandbox;
    const isAvailable = () => scene.bot.client.guilds.cache.get(guildId)?.available;
    await put();
    await deleteBoardMessage();
    // What hindered it before no longer does.
    const { state } = (await scene.bot.board.read(guildId))!;
    const sinceMs = scene.clock.now();
    const trouble = { reason: 'refused', detail: '50013', sinceMs } as const;
    const hindered = { ...state, trouble, restUntilMs: sinceMs + HOUR_MS };
    await writeBoardState(scene.bot.store, guildId, hindered);
    operator.setOutage({ outage: true });
    await expect.poll(isAvailable).toBe(false);
    expect(await scene.bot.board.put(guildId, general, admin)).toBe('later');
    expect(boards()).toEqual([]);
    operator.setOutage({ outage: false });
    await expect.poll(isAvailable).toBe(true);
    await writeSetting(scene.bot.store, guildId, 'language', 'de');
    await scene.bot.rules.refresh(guildId);
    await look(MINUTE_MS);
    expect(boards()).toHaveLength(1);
    expect(textOf(boards()[0])).toContain('aktualisiert');
    await writeSetting(scene.bot.store, guildId, 'language', null);
    await scene.bot.rules.refresh(guildId);
  });

  test('the board that is edited in the moment in which an outage of its server begins is not taken to be gone', async () => {
    const { guildId, operator, faults } = scene.sandbox;
    await put();
    const { title } = await article();
    const edit = faults.hold({ method: 'PATCH', body: new RegExp(title) });
    const looked = look(11 * MINUTE_MS);
    await expect.poll(() => edit.isHeld()).toBe(true);
    // Discord's answers tell of it before its gateway.
    scene.secretly(() => operator.setOutage({ outage: true }));
    edit.letGo();
    await looked;
    expect((await scene.bot.board.read(guildId))!.state.trouble).toBeNull();
    await look(MINUTE_MS);
    scene.secretly(() => operator.setOutage({ outage: false }));
    await look();
    expect(shown()).toContain(title);
  });

  test('the board that Redis failed under is looked at again with the next tick, and its damaged data are made again', async () => {
    await put();
    const { title } = await article();
    const page = vi.spyOn(scene.bot.lists, 'page');
    const damaged = vi.spyOn(scene.bot.ranking, 'onDamaged');
    const error = Object.assign(new Error('WRONGTYPE Operation'), { name: 'ReplyError' });
    page.mockRejectedValueOnce(error);
    await look(11 * MINUTE_MS);
    expect(damaged).toHaveBeenCalledWith(scene.sandbox.guildId);
    expect(shown()).not.toContain(title);
    for (const spy of [page, damaged]) spy.mockRestore();
    await scene.bot.board.tick();
    expect(shown()).toContain(title);
  });

  test('the board says in the panel what it lacks, once to who put it up, and comes back by itself', async () => {
    const { guildId, world, channels } = scene.sandbox;
    const { rust } = channels;
    await put(rust.id);
    const { botId } = world.application;
    setOverwrite(world, rust, botId, { kind: 'member', allow: 0n, deny: P.EmbedLinks });
    await article();
    await look(11 * MINUTE_MS);
    const { message } = await openPanel(scene.sandbox.as(scene.sandbox.admin), general, 'board');
    expect(message?.embeds[0]?.description).toContain('Embed Links');
    await look(2 * MINUTE_MS);
    const admin = scene.sandbox.as(scene.sandbox.admin);
    const texts = admin.messages(admin.directMessages().id).map(({ content }) => content);
    expect(texts.filter((text) => text.includes('The board'))).toEqual([
      expect.stringContaining('Embed Links'),
    ]);
    setOverwrite(world, rust, botId, null);
    await scene.settled();
    await look(2 * MINUTE_MS);
    expect(shown(rust.id)[0]).toBe(`Board ${titles}`);
    await scene.bot.board.takeDown(guildId);
    expect(boards(rust.id)).toEqual([]);
  });

  test('the board that Discord refuses to change is said once to who put it up, and tried again an hour later', async () => {
    const { guildId, faults } = scene.sandbox;
    const stateNow = async () => (await scene.bot.board.read(guildId))!.state;
    const leaving = await article();
    await put();
    const before = told();
    faults.add({ method: 'PATCH', route: /messages\/:message$/, status: 403, code: 50_013 });
    const { title } = await article();
    await look(11 * MINUTE_MS);
    expect((await stateNow()).trouble).toMatchObject({ reason: 'refused' });
    await expect.poll(told).toBe(before + 1);
    const asked = edits();
    const { restUntilMs } = await stateNow();
    // Nor sooner where something is to leave it.
    await removeArticle(scene.bot.ranking, guildId, leaving.id, scene.clock.now());
    await look(50 * MINUTE_MS);
    expect(edits()).toBe(asked);
    expect((await stateNow()).restUntilMs).toBe(restUntilMs);
    await look(11 * MINUTE_MS);
    expect((await stateNow()).trouble).toMatchObject({ reason: 'refused' });
    faults.clear();
    await look(HOUR_MS + MINUTE_MS);
    expect(shown()).toContain(title);
    expect((await stateNow()).trouble).toBeNull();
    expect(told()).toBe(before + 1);
  });

  test.each([
    ['text', 1],
    ['gone', 0],
  ])(
    'the board that Discord does not take is in trouble for what it says, which is said to somebody where it helps: %s',
    async (reason, times) => {
      const { guildId, faults, operator } = scene.sandbox;
      const channel = operator.createChannel({ name: 'board' }).id;
      await scene.settled();
      await put(channel);
      const before = told();
      if (reason === 'gone') operator.deleteChannel({ channel });
      else
        faults.add({ method: 'PATCH', route: /messages\/:message$/, status: 400, code: 240_000 });
      await article();
      await look(11 * MINUTE_MS);
      expect((await scene.bot.board.read(guildId))!.state.trouble).toMatchObject({ reason });
      expect(told()).toBe(before + times);
    },
  );

  test('the board whose message Discord does not let the bot delete is moved and taken down all the same', async () => {
    const { guildId, faults, channels, admin } = scene.sandbox;
    const { rust } = channels;
    await put();
    faults.add({ method: 'DELETE', route: /messages\/:message$/, status: 403, code: 50_013 });
    await put(rust.id);
    await scene.bot.board.takeDown(guildId);
    expect(await scene.bot.board.read(guildId)).toBeNull();
    for (const channel of [general, rust.id]) {
      const [left] = boards(channel);
      scene.sandbox.as(admin).delete(channel, left!.id);
    }
    await scene.settled();
    // Until then these channels are not asked for another deletion.
    scene.clock.move(HOUR_MS);
  });
});

test('a new board comes some minutes after the first digest, which would else stand above it, or at night', async () => {
  const { guildId } = scene.sandbox;
  const { store } = scene.bot;
  const noon = Date.UTC(2027, 5, 1, 12);
  for (const name of ['daily', 'rust']) await deleteDigest(store, guildId, name);
  const at = async (now: number) => {
    const { lastMs, nextMs } = await replacements(store, guildId, now);
    expect(nextMs - lastMs).toBe(24 * HOUR_MS);
    return lastMs;
  };
  const night = await at(noon);
  expect((night - (noon - 9 * HOUR_MS)) / MINUTE_MS).toSatisfy(
    (minutes: number) => minutes >= 2 && minutes < 12,
  );
  const schedule = { every: 'week', weekdays: [1], time: '18:00', zone: 'Europe/Berlin' };
  const digest = zDigest.parse({ channel: general, schedule });
  await saveDigest(store, guildId, 'rust', digest);
  // At 16:00 UTC, each day.
  const evening = night + 13 * HOUR_MS;
  expect(await at(evening + HOUR_MS)).toBe(evening);
  expect(await at(evening)).toBe(evening);
  expect(await at(evening - 1)).toBe(evening - 24 * HOUR_MS);
  await deleteDigest(store, guildId, 'rust');
});

test('the check-up names what Discord refuses of the board, with a code where there is one', async () => {
  const { guildId } = scene.sandbox;
  await put();
  const { store } = scene.bot;
  const stored = await scene.bot.board.read(guildId);
  const say = async (reason: 'refused' | 'text', detail: string) => {
    const trouble = { reason, detail, sinceMs: 0 };
    await writeBoardState(store, guildId, { ...stored!.state, trouble });
    return checkUp();
  };
  expect(await say('refused', '50001')).toContain(`in <#${general}> (code 50001).`);
  expect(await say('refused', '')).toContain(`refuses the message in <#${general}>. Check`);
  expect(await say('text', '240000')).toContain('also without the articles’ links');
});

function readerInEnglish() {
  const reader = scene.sandbox.as(scene.sandbox.members[5]!);
  reader.speak('en-US');
  return reader;
}

describe('a button of the board', () => {
  test.each([
    ['top|open|score|-|1|ever|unvoted', 'new for me'],
    ['top|open|time-asc|-|1|ever|unjudged', 'needs a vote'],
    ['top|open|votes|-|1|week|all', 'most votes · past week'],
  ])('the board’s button %s answers its reader alone', async (button, named) => {
    await put();
    const before = JSON.stringify(boards()[0]!.embeds);
    const reader = readerInEnglish();
    const { kind, ephemeral, message } = await reader.press(general, boards()[0]!.id, button);
    expect([kind, ephemeral]).toEqual(['message', true]);
    expect(message?.embeds[0]?.title?.toLowerCase()).toContain(named);
    expect(JSON.stringify(boards()[0]!.embeds)).toBe(before);
  });

  test('a button of the board leads to a channel’s list by a select that the reader alone sees', async () => {
    await article({ channel: scene.sandbox.channels.rust.id });
    await put();
    const reader = readerInEnglish();
    const { ephemeral, message } = await reader.press(general, boards()[0]!.id, 'top|channels');
    expect(ephemeral).toBe(true);
    const { rust } = scene.sandbox.channels;
    const id = 'top|group|score|-|1|ever|all';
    const chosen = await reader.choose(general, message!.id, id, [rust.id]);
    expect(chosen.message?.embeds[0]?.title).toContain('#rust');
  });
});

test('the bot’s own minute brings the board up to date', async () => {
  await put();
  const { title } = await article();
  scene.follow();
  scene.clock.move(11 * MINUTE_MS);
  const onBoard = await scene.eventually(
    async () => {
      await scene.minute();
      return shown();
    },
    (found) => found.includes(title),
    'on the board',
  );
  expect(onBoard[0]).toBe(title);
});
