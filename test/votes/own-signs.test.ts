import { PermissionFlagsBits as P } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setOverwrite } from '../../discord-box/src/world/channels/change-channel.ts';
import { directionOf } from '../../src/discord/vote-emoji.ts';
import type { Answer } from '../../discord-box/src/index.ts';
import { changeEmojis } from '../../discord-box/src/world/guilds/change-guild.ts';
import { removeAllReactions, removeEmoji } from '../../discord-box/src/world/messages/reactions.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { rebuildGuild } from '../../src/history/rebuild/rebuild-guild.ts';
import { openTakenAwayReactions } from '../../src/votes/events/taken-away-reactions.ts';
import { openSeenReactions } from '../../src/votes/seen-reactions.ts';
import { closeDueArticles } from '../../src/votes/close-articles.ts';
import { VOTING_OPEN_MS } from '../../src/ranking/rules.ts';
import { MINUTE_MS } from '../../src/runtime/clock.ts';
import { typedSign } from '../../src/community/vote-offer.ts';
import type { Settings } from '../../src/community/settings.ts';
import { exportGuild } from '../../src/backup/guild-file/export.ts';
import { translate } from '../../src/text/catalogue.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { setSetting } from '../fixtures/set-setting.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { decide as decideIn, expectVotesOfModel } from './own-signs-model.ts';

let scene: Scene;
let a: string;
let b: string;
let c: string;
/** Emoji of the server, as Discord writes them in a text. */
let yes: string;
let no: string;

beforeAll(async () => {
  scene = await startScene();
  [a = '', b = '', c = ''] = scene.sandbox.members;
  const { world, channels } = scene.sandbox;
  const me = world.application.botId;
  setOverwrite(world, channels.general, me, { kind: 'member', allow: P.ManageMessages, deny: 0n });
  yes = made('yes');
  no = made('no');
  // A member's first article has no down sign of the bot.
  await scene.post(scene.sandbox.admin);
});
afterAll(() => scene.stop());

const made = (name: string) => `<:${name}:${scene.sandbox.operator.addEmoji({ name })}>`;
const idOf = (sign: string) => /:(\d+)>$/.exec(sign)?.[1] ?? '';
const content = (id: string) => scene.message(id).content;
const lastLine = (id: string) => content(id).split('\n').at(-1) ?? '';

const decide = (values: Partial<Settings>) => decideIn(scene, values);

/** An article by an own member, posted under what was decided. */
async function posted(values: Partial<Settings>): Promise<string> {
  await decide(values);
  return scene.post(scene.sandbox.admin);
}

const ownSigns = () => ({ 'up-emoji': yes, 'down-emoji': no });
const own = (id: string) =>
  ['👍', '👎', '⬆️', yes, no].filter((emoji) => scene.isOwn(id, emoji)).join(' ');

/** The id of a button or select of the set-up. */
function idOfPart({ message }: Answer, action: string): string {
  const id = new RegExp(`frontpage\\|setup\\|${action}[^"]*`);
  return id.exec(JSON.stringify(message))?.[0] ?? '';
}

describe('the votes that an article offers', () => {
  test('an article of a server with 👍 alone has no 👎 of the bot, and a member’s 👎 counts', async () => {
    const id = await posted({ votes: 'up' });
    expect(own(id)).toBe('👍');
    expect(lastLine(id)).toMatch(/ · 👍$/);
    scene.react(a, id, '👎');
    scene.react(b, id, '👍');
    await scene.expectTally(id, 2, 1);
    scene.unreact(a, id, '👎');
    await scene.expectTally(id, 2, 0);
    await scene.recount({ articles: [id], full: true });
    scene.react(a, id, '👎');
    await scene.expectTally(id, 2, 1);
    expect(own(id)).toBe('👍');
  });

  test('a member’s first article has no down sign of the bot in either way, and the next one has it where it is offered', async () => {
    for (const [values, first, next] of [
      [{ votes: 'both' }, '👍', '👍 👎'],
      [{ votes: 'up' }, '👍', '👍'],
      [ownSigns(), yes, `${yes} ${no}`],
      [{ votes: 'up', ...ownSigns() }, yes, yes],
    ] as const) {
      const [poster = ''] = scene.crowd(1);
      await decide(values);
      const ids = [await scene.post(poster), await scene.post(poster)];
      expect(ids.map(own)).toEqual([first, next]);
      scene.react(a, ids[0]!, '👎');
      await scene.expectTally(ids[0]!, 1, 1);
    }
  });

  test('the set-up asks what is offered, with a sentence for each, and articles that are there keep theirs', async () => {
    const before = await posted({});
    const admin = scene.sandbox.as(scene.sandbox.admin);
    const { id: place } = scene.sandbox.channels.general;
    const setup = await openPanel(admin, place, 'setup');
    const line = await admin.press(place, setup.message!.id, idOfPart(setup, 'votes'));
    const text = line.message?.embeds[0]?.description ?? '';
    expect(text).toContain('With 👍 and 👎, ');
    expect(text).toContain('With 👍 alone, ');
    await admin.choose(place, line.message!.id, idOfPart(line, 'votes-are'), ['up']);
    await scene.bot.rules.refresh(scene.sandbox.guildId);
    const after = await scene.post(scene.sandbox.admin);
    await scene.recount({ articles: [before, after], full: true });
    expect([own(before), own(after)]).toEqual(['👍 👎', '👍']);
  });

  test('an article of a channel that is named otherwise offers the other of the two', async () => {
    const rust = scene.sandbox.channels.rust.id;
    await decide({ votes: 'both', 'votes-otherwise': [rust] });
    const there = await scene.post(scene.sandbox.admin, { channel: rust });
    const here = await scene.post(scene.sandbox.admin);
    expect([own(there), own(here)]).toEqual(['👍', '👍 👎']);
    expect(lastLine(here)).not.toContain('👍');
  });

  test('an article keeps the emoji that it was posted with, beside which 👍 and 👎 count', async () => {
    const id = await posted(ownSigns());
    await decide({});
    expect(own(id)).toBe(`${yes} ${no}`);
    expect(lastLine(id)).toMatch(new RegExp(` · ${yes} ${no}$`));
    scene.react(a, id, yes);
    scene.react(b, id, no);
    scene.react(c, id, '👍');
    await scene.expectTally(id, 3, 1);
    // The bot's own shows the way until a member's is there.
    await expect.poll(() => own(id)).toBe(yes);
    scene.unreact(b, id, no);
    await scene.expectTally(id, 3, 0);
    await expect.poll(() => own(id)).toBe(`${yes} ${no}`);
  });

  test('an article posted before another emoji was chosen has no votes by it', async () => {
    const id = await posted({});
    await decide(ownSigns());
    scene.react(a, id, yes);
    scene.react(b, id, '👎');
    await scene.expectTally(id, 1, 1);
    await scene.recount({ articles: [id], full: true });
    await scene.expectTally(id, 1, 1);
  });

  test('who shows an own emoji and a 👍 has one vote, until both are taken back', async () => {
    const id = await posted(ownSigns());
    scene.react(a, id, '👍');
    scene.react(a, id, yes, true);
    scene.react(a, id, yes);
    await scene.expectTally(id, 2, 0);
    scene.unreact(a, id, yes);
    scene.unreact(a, id, yes, true);
    await scene.eventually(
      () => scene.recount({ articles: [id], full: true }),
      ({ unsettled }) => unsettled.length === 0,
      'settled',
    );
    await scene.expectTally(id, 2, 0);
    scene.unreact(a, id, '👍');
    await scene.expectTally(id, 1, 0);
  });

  test('a switch between own emoji takes the older one away', async () => {
    const id = await posted(ownSigns());
    scene.react(a, id, yes);
    await scene.expectTally(id, 2, 0);
    scene.react(a, id, no);
    await scene.expectTally(id, 1, 1);
    await expect.poll(() => scene.whoShows(id, yes)).not.toContain(a);
    expect(scene.whoShows(id, no)).toContain(a);
  });

  test('after a restart, a switch takes away each emoji of the older vote, and a vote that stays is found', async () => {
    const [first, second] = [await posted(ownSigns()), await posted(ownSigns())];
    for (const emoji of ['👍', yes]) scene.react(a, first, emoji);
    scene.react(b, second, '👍');
    for (const id of [first, second]) await scene.expectTally(id, 2, 0);
    await scene.restartBot();
    scene.react(a, first, no);
    await scene.expectTally(first, 1, 1);
    await expect
      .poll(() => [yes, '👍', no].filter((emoji) => scene.whoShows(first, emoji).includes(a)))
      .toEqual([no]);
    await scene.expectTally(first, 1, 1);
    // Before any list was read, and in a thread that is not known.
    const asked: string[] = [];
    const queue = { add: (_: string, key: string) => asked.push(key) > 0, stop: async () => {} };
    const taken = openTakenAwayReactions({ ...scene.bot, queue, seen: openSeenReactions(1) });
    const under = { guild: scene.sandbox.guildId, channel: '300000000000000001', article: first };
    taken.takeAway({ ...under, member: a, direction: 'up' });
    await expect.poll(() => asked.length).toBe(2);
    await scene.recount();
    scene.react(b, second, yes);
    scene.unreact(b, second, yes);
    scene.react(c, second, yes);
    await scene.expectTally(second, 3, 0);
  });

  test('a removal of one own emoji, and of all reactions, takes back the votes', async () => {
    const { world, channels } = scene.sandbox;
    const id = await posted(ownSigns());
    for (const one of [a, b]) scene.react(one, id, yes);
    scene.react(c, id, no);
    await scene.expectTally(id, 3, 1);
    removeEmoji(world, channels.general, scene.message(id), { id: idOf(yes), name: 'yes' });
    await scene.expectTally(id, 1, 1);
    removeAllReactions(world, channels.general, scene.message(id));
    await scene.expectTally(id, 1, 0);
    await scene.recount({ articles: [id], full: true });
    await expect.poll(() => own(id)).toBe(`${yes} ${no}`);
  });

  test('an emoji with a selector or a skin tone counts in each of its forms', async () => {
    const id = await posted({ 'up-emoji': '⬆️', 'down-emoji': '✋' });
    scene.react(a, id, '⬆');
    scene.react(b, id, '✋🏽');
    await scene.expectTally(id, 2, 1);
    await scene.recount({ articles: [id], full: true });
    await scene.expectTally(id, 2, 1);
  });

  test('a deleted emoji leaves its votes, and the thumb is put beside it', async () => {
    const { world, guild, channels } = scene.sandbox;
    const gone = made('gone');
    const id = await posted({ 'up-emoji': gone });
    scene.react(a, id, gone);
    await scene.expectTally(id, 2, 0);
    changeEmojis(world, guild, () => guild.emojis.delete(idOf(gone)));
    await scene.recount({ articles: [id], full: true });
    await expect.poll(() => own(id)).toBe('👍 👎');
    scene.react(b, id, '👍');
    await scene.expectTally(id, 3, 0);
    // Discord leaves the id out of a text whose emoji it does not know.
    const message = channels.general.messages.get(id)!;
    message.content = message.content.replace(gone, ':gone:');
    await scene.recount({ articles: [id], full: true });
    await scene.expectTally(id, 3, 0);
    // A rebuild has its id by the reactions alone, whether or not they say its name.
    for (const name of ['gone', null]) {
      for (const reaction of message.reactions.values())
        if (reaction.emoji.id === idOf(gone)) Object.assign(reaction.emoji, { name });
      await deleteArticle(scene.bot.ranking, scene.sandbox.guildId, id);
      await rebuildGuild(scene.bot, scene.bot.client.guilds.cache.get(scene.sandbox.guildId)!, {});
      await scene.recount({ articles: [id], full: true });
      await scene.expectTally(id, 3, 0);
    }
    // What is posted from now on has the thumb.
    const next = await scene.post(scene.sandbox.admin);
    await expect.poll(() => own(next)).toBe('👍 👎');
  });
});

/** What becomes of an emoji after it was chosen. */
const losses: Record<string, (emoji: string) => void> = {
  deleted: (emoji) => scene.sandbox.operator.changeEmoji({ emoji, isDeleted: true }),
  'lost with a boost': (emoji) => scene.sandbox.operator.changeEmoji({ emoji, isAvailable: false }),
  'limited to a role': (emoji) => {
    const role = scene.sandbox.operator.addRole({ name: 'Club' });
    scene.sandbox.operator.giveRole({ member: b, role });
    scene.sandbox.operator.changeEmoji({ emoji, roles: [role] });
  },
};

test.each(Object.keys(losses))(
  'an article posted with an emoji that is %s has the thumb beside it, gets its votes, and the check-up says so',
  async (loss) => {
    const { sandbox } = scene;
    const { general } = sandbox.channels;
    const lost = made('lost');
    await decide({ 'up-emoji': lost });
    losses[loss]!(idOf(lost));
    const id = await scene.post(sandbox.admin);
    await expect.poll(() => own(id)).toBe('👍 👎');
    sandbox.as(a).react(general.id, id, '👍');
    await scene.expectTally(id, 2, 0);
    if (loss === 'limited to a role') {
      sandbox.as(b).react(general.id, id, lost.replace(/^<:|>$/g, ''));
      await scene.expectTally(id, 3, 0);
    }
    await scene.recount({ articles: [id], full: true });
    await scene.settled();
    expect(own(id)).toBe('👍 👎');
    const { message } = await openPanel(sandbox.as(sandbox.admin), general.id, 'check-up');
    expect(JSON.stringify(message?.embeds)).toContain(
      translate('en', 'check-up.emoji.gone', { emoji: ':lost:', instead: '👍' }),
    );
  },
);

test('an emoji of a service’s subscribers is not taken for a vote, and one that is for all is', async () => {
  const { world, guild } = scene.sandbox;
  const [open, closed] = [made('open'), made('closed')];
  changeEmojis(world, guild, () => (guild.emojis.get(idOf(closed))!.managed = true));
  const of = scene.bot.client.guilds.cache.get(scene.sandbox.guildId)!;
  expect([await typedSign(of, open), await typedSign(of, closed)]).toEqual([open, null]);
});

test('the check-up opens while Discord does not say which emoji there are, and calls none lost; it asks where a server has its own', async () => {
  const { sandbox } = scene;
  const { admin, channels, requests } = sandbox;
  const checkUp = () => openPanel(sandbox.as(admin), channels.general.id, 'check-up');
  const route = /^\/guilds\/:guild\/emojis$/;
  await decide({ 'up-emoji': '⬆️' });
  const before = requests.count('GET', route);
  await checkUp();
  expect(requests.count('GET', route)).toBe(before);
  await decide({ 'up-emoji': yes });
  const end = sandbox.faults.add({ method: 'GET', route, status: 400, code: 50035 });
  const { message } = await checkUp();
  end();
  expect(requests.count('GET', route, 400)).toBeGreaterThan(0);
  const text = JSON.stringify(message?.embeds);
  expect(text).toContain(translate('en', 'check-up.title.warning'));
  expect(text).not.toContain(':yes:');
});

describe('the settings of votes', () => {
  test('👍 and 👎 mean the same under any article, also where a file names them the other way round', () => {
    const turned = { up: '👎', down: '👍', isDownOffered: true };
    expect([directionOf('👍', turned), directionOf('👎', turned)]).toEqual(['up', 'down']);
  });

  test('an emoji is typed by its name, and a list and /help show it', async () => {
    await decide({});
    const { sandbox } = scene;
    const refused = await setSetting(sandbox, 'up-emoji', 'nothing-like-it');
    expect(refused.message?.content).toContain('isn’t an emoji that everyone here can react with');
    const taken = await setSetting(sandbox, 'up-emoji', '👎');
    expect(taken.message?.content).toContain('already stands for the other vote');
    await setSetting(sandbox, 'up-emoji', ':YES:');
    await setSetting(sandbox, 'down-emoji', '⬇');
    const { settings } = await scene.bot.rules.read(sandbox.guildId);
    expect([settings['up-emoji'], settings['down-emoji']]).toEqual([yes, '⬇️']);
    const id = await scene.post(sandbox.admin);
    expect(own(id)).toBe(yes);
    expect(lastLine(id)).toMatch(new RegExp(` · ${yes} ⬇️$`));
    const help = await scene.command(a, 'help');
    expect(JSON.stringify(help.message?.embeds)).toContain(`votes ${yes} or ⬇️ for a week`);
    const top = await scene.command(a, 'top', { show: 'time' });
    expect(JSON.stringify(top.message?.embeds)).toContain(`-# ${yes} 1 · `);
    await decide({ votes: 'up' });
    const alone = JSON.stringify((await scene.command(a, 'help')).message?.embeds);
    expect(alone).toContain('Everyone votes 👍 for a week');
    expect(alone).not.toContain('👎');
  });
});

describe('the record of the votes that an article offers', () => {
  test('a rebuild from Discord alone, a restore and a removal that is undone keep an article’s emoji', async () => {
    const { bot, sandbox, redis } = scene;
    const ids = [
      await posted({ votes: 'up' }),
      await posted(ownSigns()),
      await posted({ votes: 'up', ...ownSigns() }),
      await posted({}),
    ];
    await decide({});
    for (const id of ids)
      for (const emoji of [yes, '👍']) scene.react(emoji === yes ? a : b, id, emoji);
    const expected = [
      [2, 0],
      [3, 0],
      [3, 0],
      [2, 0],
    ];
    const tallies = () => Promise.all(ids.map((id) => scene.tally(id)));
    await expect.poll(tallies).toEqual(expected);
    const signs = async () =>
      (await Promise.all(ids.map((id) => scene.article(id)))).map((one) => one?.signs);
    const before = await signs();
    expect(before.map((one) => one && [one.up, one.down, one.isDownOffered])).toEqual([
      ['👍', '👎', false],
      [yes, no, true],
      [yes, no, false],
      undefined,
    ]);
    const third = ids[2] ?? '';
    await scene.moderate(sandbox.admin, 'remove', third);
    await scene.moderate(sandbox.admin, 'restore', third);
    await expect.poll(() => lastLine(third)).toMatch(new RegExp(` · ${yes} \\(${no}\\)$`));
    let file = '';
    for await (const line of exportGuild(bot, sandbox.guildId, scene.clock.now())) file += line;
    expect(file).toContain(`"signs":"${yes} (${no})"`);
    await redis.flush();
    await rebuildGuild(bot, bot.client.guilds.cache.get(sandbox.guildId)!, {});
    expect(await signs()).toEqual(before);
    await scene.recount({ full: true });
    await expect.poll(tallies).toEqual(expected);
  });

  test('a closed article keeps its emoji in its message, and its result is by them', async () => {
    const { bot, sandbox, clock } = scene;
    const id = await posted(ownSigns());
    scene.secretly(() => scene.react(a, id, yes));
    clock.move(VOTING_OPEN_MS + 1000);
    await closeDueArticles(bot, sandbox.guildId);
    expect(await scene.article(id)).toMatchObject({ closed: true, up: 2, down: 0 });
    // All articles of the scene close at once, and Discord takes thirty edits of older messages a minute.
    await scene.eventually(
      async () => {
        clock.move(MINUTE_MS);
        await bot.due.look();
        return lastLine(id);
      },
      (line) => line.includes('▲ 2'),
      'the result',
    );
    expect(lastLine(id)).toMatch(new RegExp(` · ${yes} ${no}$`));
  });
});

test('under articles of any signs, the votes are those of a model, closed and rebuilt at the end', () =>
  expectVotesOfModel(
    scene,
    { yes, no },
    { seed: 9, steps: 12, works: ['full recount', 'settings'] },
  ));
