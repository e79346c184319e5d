import { ComponentType, InteractionType } from 'discord-api-types/v10';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { answerTo } from '../../discord-box/src/act/answer.ts';
import { openInteraction } from '../../discord-box/src/world/interactions/open-interaction.ts';
import { memberSubject } from '../../src/community/block-subject.ts';
import { writeBlock } from '../../src/community/blocks.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { readRemoved, removeArticle } from '../../src/ranking/articles/removed.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { translate } from '../../src/text/catalogue.ts';
import { englishSpeakers } from '../fixtures/english-speakers.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
let general: string;
let logs: string;
let moderator: string;
let spammer: string;
beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  logs = sandbox.channels.moderators.id;
  moderator = sandbox.admin;
  [spammer = ''] = englishSpeakers(sandbox);
  await setSetting(sandbox, 'log', [logs]);
});
afterAll(() => scene.stop());

const as = (who = moderator) => scene.sandbox.as(who);
const shown = (id: string) =>
  as()
    .messages(general)
    .find((one) => one.id === id)?.content ?? '';
const entries = () =>
  as()
    .messages(logs, 100)
    .filter(({ embeds }) => embeds.length > 0);
const buttonsOf = (message: { components?: unknown[] } | undefined) =>
  ((message?.components ?? []) as { components: { custom_id: string }[] }[]).flatMap(
    ({ components }) => components.map(({ custom_id }) => custom_id),
  );
const spam = async (count: number, site = 'spam.example') =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      scene.post(spammer, { title: `Crypto giveaway ${n}`, link: `https://${site}/${n}` }),
    ),
  );

/** What the log channel says last. */
const logged = () => entries().at(-1)?.embeds[0]?.description ?? '';

/** A field of a form that was sent. */
const field = (component: object) => ({ type: ComponentType.Label, id: 1, component });

/** Opens the form of a removal, and counts as two presses: the message command and its button. */
async function removalForm(article: string) {
  const { message } = await as().messageCommand(general, article, 'Moderate');
  return as().press(general, message?.id ?? '', `moderate|remove|${article}`);
}

test('a spammer with three links and a site is gone by one form, and is back by one press', async () => {
  const [first = '', ...others] = await spam(3);
  const { interactions } = scene.sandbox.world;
  const before = interactions.size;
  const form = await removalForm(first);
  const also = ['poster', 'site', 'others'];
  const done = await as().submit(form.interactionId, { text: 'Spam', also, days: ['7'] });
  // Each box is a press, too.
  expect(interactions.size - before + also.length).toBeLessThanOrEqual(6);
  const said = done.message?.content ?? '';
  expect(said).toContain('2 other links of theirs are removed too.');
  expect(said).toContain('Links to `spam.example` are blocked');
  expect(said).not.toContain('can be posted again');
  for (const id of [first, ...others]) {
    expect(await scene.article(id)).toBeNull();
    await expect.poll(() => shown(id)).toBe('-# Removed by a moderator. Reason: Spam');
  }
  const refused = await scene.command(spammer, 'post', { link: 'https://else.example/' });
  expect(refused.message?.content).toContain('blocked you from posting');
  const site = await scene.command(moderator, 'post', { link: 'https://spam.example/9' });
  expect(site.message?.content).toContain('Links to `spam.example` aren’t allowed');

  const removal = entries().find(({ embeds }) => embeds[0]?.description?.includes('removed 3'));
  const text = removal?.embeds[0]?.description ?? '';
  for (const part of [
    `<@${moderator}>`,
    `<@${spammer}>`,
    '`https://spam.example/0`',
    '`Spam`',
    first,
  ]) {
    expect(text).toContain(part);
  }
  // What else they posted, and that some of it was removed before.
  const elsewhere = await as().press(logs, removal?.id ?? '', `moderate|links|${spammer}`);
  expect(elsewhere.ephemeral).toBe(true);
  expect(elsewhere.message?.embeds[0]?.description).toContain('3 removed by moderators');

  const undo = buttonsOf(done.message).find((id) => id.startsWith('moderate|undo|')) ?? '';
  const undone = await as().press(general, done.message?.id ?? '', undo);
  expect(undone.message?.content).toBe('3 articles are back. The blocks are lifted.');
  for (const id of [first, ...others]) expect(await scene.article(id)).not.toBeNull();
  await scene.post(spammer, { link: 'https://spam.example/10' });
});

test('what stands for a removed article has no reaction of the bot and no empty thread, but a member’s vote', async () => {
  const { sandbox } = scene;
  const [, reader = ''] = englishSpeakers(sandbox);
  const [bare, voted] = [await scene.post(spammer), await scene.post(spammer)];
  await scene.vote(reader, voted);
  sandbox.operator.setPermissions({
    channel: general,
    who: sandbox.world.application.botId,
    allow: ['ManageThreads'],
  });
  const thread = as().startThread(general, 'Nobody wrote', { from: bare });
  for (const id of [bare, voted]) await scene.moderate(moderator, 'remove', id);
  await expect.poll(() => scene.message(bare).reactions.size).toBe(0);
  await expect.poll(() => sandbox.world.channels.has(thread.id)).toBe(false);
  await expect.poll(() => scene.whoShows(voted, '👍')).toEqual([reader]);
  await scene.moderate(moderator, 'restore', voted);
  await scene.expectTally(voted, 2, 0);
});

test('a block says what of it is still here, and removes it by a press', async () => {
  const ids = await spam(2, 'still.example');
  // Nobody blocked a link that is refused for the many addresses in it.
  const link = `https://a.co/?${Array.from({ length: 101 }, (_, n) => `a${n}=//b.co`).join('&')}`;
  const atMs = scene.clock.now();
  const tangled = await scene.rank({ title: 'Tangled', atMs, link, poster: spammer });
  const blocked = await scene.command(moderator, 'mod block', { site: 'still.example' });
  expect(blocked.message?.content).toContain('2 links that this would refuse are still here.');
  const [sweep = ''] = buttonsOf(blocked.message);
  const swept = await as().press(general, blocked.message?.id ?? '', sweep);
  expect(swept.message?.content).toBe('2 links removed.');
  for (const id of ids) expect(await scene.article(id)).toBeNull();
  // Once removed, it comes back all the same while a site is blocked since.
  const both = [
    () => undoneBy(tangled, ids[0]),
    () =>
      forgeComponent(
        scene.sandbox,
        { userId: moderator, sourceId: ids[0]! },
        `moderate|restore|${tangled}`,
      ),
  ];
  for (const back of both) {
    await removeArticle(scene.bot.ranking, scene.sandbox.guildId, tangled, atMs - 1);
    await back();
    await expect.poll(() => scene.article(tangled)).not.toBeNull();
  }
  await deleteArticle(scene.bot.ranking, scene.sandbox.guildId, tangled);
  // It is undone though the block holds, but for what was blocked since.
  const [undo = ''] = buttonsOf(swept.message);
  await scene.command(moderator, 'mod block', { words: 'giveaway 1' });
  const undone = await as().press(general, swept.message?.id ?? '', undo);
  expect(undone.message?.content).toContain('1');
  const back = await Promise.all(ids.map((id) => scene.article(id)));
  expect(back.map((one) => one?.title ?? null)).toEqual(['Crypto giveaway 0', null]);
  await scene.command(moderator, 'mod unblock', { words: 'giveaway 1' });
  const listed = await scene.command(moderator, 'mod blocks');
  const lifted = await as().choose(general, listed.message?.id ?? '', 'mod|lift', [
    'origin:still.example',
  ]);
  expect(lifted.message?.embeds[0]?.description).not.toContain('still.example');
});

test('a block says nothing of what is where its moderator may not remove it', async () => {
  const { operator, channels, moderator: second, world } = scene.sandbox;
  world.users.get(second)!.locale = 'en-US';
  await spam(1, 'apart.example');
  const { id: channel } = channels.rust;
  await scene.post(spammer, { link: 'https://apart.example/rust', channel });
  operator.setPermissions({ channel, who: second, deny: ['ManageMessages'] });
  const blocked = await scene.command(second, 'mod block', { site: 'apart.example' });
  expect(blocked.message?.content).toContain('1 link that this would refuse is still here.');
  operator.setPermissions({ channel, who: second });
  await scene.command(moderator, 'mod unblock', { site: 'apart.example' });
});

test('all links of a member are removed from their own menu', async () => {
  const ids = await spam(2, 'menu.example');
  const menu = async () => (await as().userCommand(general, spammer, 'Moderate links of…')).message;
  const [message, other] = [await menu(), await menu()];
  expect(message?.embeds[0]?.description).toContain('Crypto giveaway 1');
  const [remove = ''] = buttonsOf(message);
  const form = await as().press(general, message?.id ?? '', remove);
  // They are of several sites.
  expect(offers(JSON.stringify(form.modal))).toEqual(['poster']);
  await as().submit(form.interactionId, { text: '' });
  for (const id of ids) expect(await scene.article(id)).toBeNull();
  // Nothing is left to remove, by an older menu and by a form that was open.
  const none = 'There are no links of theirs here that you can remove.';
  const older = await as().press(general, other?.id ?? '', remove);
  expect(older.message?.content).toBe(none);
  const [one = ''] = await spam(1, 'menu-again.example');
  const open = await as().press(general, (await menu())?.id ?? '', remove);
  await scene.moderate(moderator, 'remove', one);
  const late = await as().submit(open.interactionId, { text: '' });
  expect(late.message?.content).toBe(none);
});

test('of a member with very many links a moderator is told how many are not listed', async () => {
  const [busy = ''] = scene.crowd(1);
  const atMs = scene.clock.now() - DAY_MS;
  const count = 103;
  const all = Array.from({ length: count }, (_, n) => ({
    title: `Flood ${n}`,
    link: `https://flood.example/${n}`,
    atMs: atMs + 1000 * n,
    poster: busy,
  }));
  for (const one of all) await scene.rank(one);
  const { message } = await as().userCommand(general, busy, 'Moderate links of…');
  const text = message?.embeds[0]?.description ?? '';
  expect(text).toContain(`${count} links here`);
  const listed = text.split('\n').filter((line) => line.startsWith('Flood')).length;
  expect(listed).toBeGreaterThan(5);
  const [, more = ''] = /(\d+) more/.exec(text) ?? [];
  expect(listed + Number(more)).toBe(count);
});

test('of several links that are removed at once, the log shows nothing of a channel that not everybody sees', async () => {
  const [open = ''] = await spam(1, 'open.example');
  const channel = scene.sandbox.channels.lateNight.id;
  const link = 'https://closed.example/';
  const closed = await scene.post(spammer, { title: 'Behind a door', link, channel });
  const { message } = await as().userCommand(general, spammer, 'Moderate links of…');
  const [remove = ''] = buttonsOf(message);
  const form = await as().press(general, message?.id ?? '', remove);
  await as().submit(form.interactionId, { text: '' });
  for (const id of [open, closed]) expect(await scene.article(id)).toBeNull();
  await expect.poll(logged).toContain('open.example');
  expect(logged()).toContain(`\`${closed}\``);
  expect(logged()).not.toMatch(/Behind a door|closed\.example/);
});

test('links that come back as one have the votes that came while they were removed', async () => {
  const ids = await spam(2, 'votes.example');
  const { message } = await as().userCommand(general, spammer, 'Moderate links of…');
  const form = await as().press(general, message?.id ?? '', `moderate|remove-all|${spammer}`);
  const done = await as().submit(form.interactionId, { text: '' });
  for (const id of ids) scene.react(moderator, id, '👍');
  const undo = buttonsOf(done.message).find((id) => id.startsWith('moderate|undo|')) ?? '';
  await as().press(general, done.message?.id ?? '', undo);
  for (const id of ids) {
    await expect.poll(() => scene.article(id)).toMatchObject({ up: 2 });
  }
});

test('a block that was there before a removal stays after its undoing, which brings the article back', async () => {
  const article = await scene.post(spammer, { link: 'https://twice.example/1' });
  await scene.command(moderator, 'mod block', { site: 'twice.example' });
  const form = await removalForm(article);
  // Time passes while it is done.
  const passing = setInterval(() => scene.clock.move(10), 1);
  const done = await as().submit(form.interactionId, { text: '', also: ['site'] });
  clearInterval(passing);
  const undo = buttonsOf(done.message).find((id) => id.startsWith('moderate|undo|')) ?? '';
  await as().press(general, done.message?.id ?? '', undo);
  expect(await scene.article(article)).not.toBeNull();
  const refused = await scene.command(spammer, 'post', { link: 'https://twice.example/2' });
  expect(refused.message?.content).toContain('`twice.example`');
});

test('a block that another moderator made longer after a removal stays after its undoing', async () => {
  const [poster = ''] = scene.crowd(1);
  const article = await scene.post(poster, { link: 'https://longer.example/1' });
  const form = await removalForm(article);
  const done = await as().submit(form.interactionId, { text: '', also: ['poster'], days: ['1'] });
  scene.clock.move(1000);
  await scene.command(scene.sandbox.moderator, 'mod block', { member: poster });
  const undo = buttonsOf(done.message).find((id) => id.startsWith('moderate|undo|')) ?? '';
  const undone = await as().press(general, done.message?.id ?? '', undo);
  expect(undone.message?.content).toBe('1 article is back.');
  const refused = await scene.command(poster, 'post', { link: 'https://longer.example/2' });
  expect(refused.message?.content).toContain('blocked you from posting');
});

test('a removal of who had a block that is over makes a new one, which its undoing lifts', async () => {
  const { bot, sandbox } = scene;
  const [poster = ''] = scene.crowd(1);
  const article = await scene.post(poster, { link: 'https://over.example/1' });
  const subject = memberSubject(poster);
  const over = { posting: true, voting: false, reason: '', by: moderator, sinceMs: 1, untilMs: 2 };
  await writeBlock(bot.store, sandbox.guildId, { ...over, subject });
  await bot.rules.refresh(sandbox.guildId, { block: subject });
  const form = await removalForm(article);
  const done = await as().submit(form.interactionId, { text: '', also: ['poster'], days: ['7'] });
  const post = () => scene.command(poster, 'post', { link: 'https://over.example/2' });
  expect((await post()).message?.content).toContain('blocked you from posting');
  const undo = buttonsOf(done.message).find((id) => id.startsWith('moderate|undo|')) ?? '';
  const undone = await as().press(general, done.message?.id ?? '', undo);
  expect(undone.message?.content).toBe('1 article is back. The block is lifted.');
  expect((await post()).ephemeral).toBe(false);
});

test.each([
  ['', {}],
  [' for some days', { days: 3 }],
])('what is blocked by now%s is not restored, until the block is lifted', async (_, given) => {
  const article = await scene.post(spammer, { link: 'https://later.example/1' });
  await scene.moderate(moderator, 'remove', article);
  await scene.command(moderator, 'mod block', { site: 'later.example', ...given });
  const { message } = await scene.moderate(moderator, 'restore', article);
  expect(message?.content).toContain('`later.example`');
  expect(await scene.article(article)).toBeNull();
  await scene.command(moderator, 'mod unblock', { site: 'later.example' });
  await scene.moderate(moderator, 'restore', article);
  expect(await scene.article(article)).not.toBeNull();
  await deleteArticle(scene.bot.ranking, scene.sandbox.guildId, article);
});

test('who moderates one channel alone lifts no block by an undoing that another may do', async () => {
  const { sandbox } = scene;
  const [, helper = ''] = englishSpeakers(sandbox);
  sandbox.operator.setPermissions({ channel: general, who: helper, allow: ['ManageMessages'] });
  const article = await scene.post(spammer, { link: 'https://undone.example/1' });
  const form = await removalForm(article);
  const done = await as().submit(form.interactionId, { text: '', also: ['site'] });
  const undo = buttonsOf(done.message).find((id) => id.startsWith('moderate|undo|')) ?? '';
  const source = { userId: helper, sourceId: as().send(general, 'Here.').id };
  const forged = await forgeComponent(sandbox, source, undo);
  expect(forged.message?.content).toContain('Manage Messages');
  const post = () => scene.command(spammer, 'post', { link: 'https://undone.example/2' });
  expect((await post()).message?.content).toContain('`undone.example`');
  await as().press(general, done.message?.id ?? '', undo);
  expect(await scene.article(article)).not.toBeNull();
  expect((await post()).ephemeral).toBe(false);
});

test('who moderates one channel alone blocks nobody, and nothing is removed by a form that asks for it', async () => {
  const { sandbox } = scene;
  const [, helper = ''] = englishSpeakers(sandbox);
  sandbox.operator.setPermissions({ channel: general, who: helper, allow: ['ManageMessages'] });
  const poster = sandbox.moderator;
  const article = await scene.post(poster, { link: 'https://forged.example/1' });
  const { message } = await as(helper).messageCommand(general, article, 'Moderate');
  await as(helper).press(general, message?.id ?? '', `moderate|remove|${article}`);
  const answer = await forgedRemoval(helper, article, ['poster']);
  expect(answer.message?.content).toContain('Manage Messages');
  expect(await scene.article(article)).not.toBeNull();
  await scene.post(poster, { link: 'https://forged.example/2' });
});

test('of two moderators who send the form about the same spammer at once, one does it all, and it is logged once', async () => {
  const { sandbox } = scene;
  const { moderator: second } = sandbox;
  sandbox.world.users.get(second)!.locale = 'en-US';
  const ids = await spam(3, 'both.example');
  const [article = ''] = ids;
  const before = entries().length;
  const sendAs = async (who: string) => {
    const { message } = await as(who).messageCommand(general, article, 'Moderate');
    const { interactionId } = await as(who).press(
      general,
      message?.id ?? '',
      `moderate|remove|${article}`,
    );
    return () => as(who).submit(interactionId, { text: 'Spam', also: ['site', 'others'] });
  };
  const forms = [await sendAs(moderator), await sendAs(second)];
  const answers = await Promise.all(forms.map((send) => send()));
  const said = answers.map(({ message }) => message?.content ?? '');
  // And what the tests before left of theirs.
  expect(said.filter((text) => /\d other links of theirs are removed/.test(text))).toHaveLength(1);
  expect(said.filter((text) => text.includes('already removed'))).toHaveLength(1);
  for (const id of ids) expect(await scene.article(id)).toBeNull();
  // The removal and the block.
  await expect.poll(() => entries().length).toBe(before + 2);
  await scene.command(moderator, 'mod unblock', { site: 'both.example' });
});

test('a form that is sent about an article that has gone meanwhile does nothing, and says so', async () => {
  const [article = '', other = ''] = await spam(2, 'gone.example');
  const form = await removalForm(article);
  as().delete(general, article);
  await scene.eventually(
    () => scene.article(article),
    (found) => found === null,
    'gone',
  );
  const also = ['poster', 'site', 'others'];
  const done = await as().submit(form.interactionId, { text: '', also, days: ['1'] });
  expect(done.message?.content).toBe('That article is gone.');
  expect(await scene.article(other)).not.toBeNull();
  await scene.post(spammer, { link: 'https://gone.example/2' });
});

test('who moderates one channel removes and restores a spammer’s links there alone, also by a forged form', async () => {
  const { sandbox } = scene;
  const [, helper = ''] = englishSpeakers(sandbox);
  const rust = sandbox.channels.rust.id;
  const here = await spam(2, 'here.example');
  const there = await scene.post(spammer, { link: 'https://there.example/', channel: rust });
  sandbox.operator.setPermissions({ channel: general, who: helper, allow: ['ManageMessages'] });
  const opened = openInteraction(sandbox.world, {
    type: InteractionType.ModalSubmit,
    userId: helper,
    channel: sandbox.channels.general,
    data: {
      custom_id: `moderate|remove-all|${spammer}`,
      components: [field({ type: ComponentType.TextInput, id: 2, custom_id: 'text', value: '' })],
    },
  });
  await answerTo(sandbox.world, opened);
  for (const id of here) expect(await scene.article(id)).toBeNull();
  expect(await scene.article(there)).not.toBeNull();
  // Nor do they block a site for the whole server.
  const own = await scene.post(sandbox.members[0]!, { link: 'https://own.example/' });
  const refusal = await forgedRemoval(helper, own, ['site']);
  expect(refusal.message?.content).toContain(translate('en', 'mod.forbidden'));
  expect(await scene.article(own)).not.toBeNull();
  // Another's removal in a channel that they do not moderate.
  const removal = await scene.moderate(moderator, 'remove', there);
  expect(removal.message?.content).toContain('Removed.');
  const { atMs } = (await readRemoved(scene.bot.ranking, sandbox.guildId, there))!;
  const forged = openInteraction(sandbox.world, {
    type: InteractionType.MessageComponent,
    userId: helper,
    channel: sandbox.channels.general,
    sourceId: here[0] ?? '',
    data: {
      custom_id: `moderate|undo|${atMs}|-|-`,
      component_type: ComponentType.Button,
      id: 1,
    },
  });
  const undone = await answerTo(sandbox.world, forged);
  expect(undone.message?.content).toContain('No article came back.');
  expect(await scene.article(there)).toBeNull();
  sandbox.operator.setPermissions({ channel: general, who: helper });
});

/** Presses the button by which a removal is undone, whoever removed the article. */
async function undoneBy(article: string, sourceId = article) {
  const { guildId } = scene.sandbox;
  const { atMs } = (await readRemoved(scene.bot.ranking, guildId, article))!;
  const source = { userId: moderator, sourceId };
  return forgeComponent(scene.sandbox, source, `moderate|undo|${atMs}|-|-`);
}

test('an undo of a removal brings back nothing that its poster removed, or that was blocked since', async () => {
  const [own = '', blocked = ''] = await spam(2, 'undone.example');
  await scene.command(spammer, 'me remove', { article: own });
  await scene.moderate(moderator, 'remove', blocked);
  await scene.command(moderator, 'mod block', { site: 'undone.example' });
  expect((await undoneBy(blocked)).message?.content).toContain('No article came back.');
  await scene.command(moderator, 'mod unblock', { site: 'undone.example' });
  expect((await undoneBy(own)).message?.content).toContain('No article came back.');
  expect((await undoneBy(blocked)).message?.content).toContain('1 article is back.');
});

/** Sends the form of a removal with what it did not offer. */
function forgedRemoval(userId: string, article: string, also: string[]) {
  const { world, channels } = scene.sandbox;
  const opened = openInteraction(world, {
    type: InteractionType.ModalSubmit,
    userId,
    channel: channels.general,
    data: {
      custom_id: `moderate|remove|${article}`,
      components: [
        field({ type: ComponentType.TextInput, id: 2, custom_id: 'text', value: '' }),
        field({ type: ComponentType.CheckboxGroup, id: 3, custom_id: 'also', values: also }),
      ],
    },
  });
  return answerTo(world, opened);
}

/** What a form offers to block. */
const offers = (form: string) =>
  ['poster', 'site'].filter((what) => form.includes(`"value":"${what}"`));

test('the form of a removal offers to block only what may be blocked, and one that wants more says why it blocked nothing', async () => {
  const { sandbox, bot } = scene;
  const { moderator: second, guildId } = sandbox;
  sandbox.world.users.get(second)!.locale = 'en-US';
  // Anybody can have a site under it, and nobody blocks the owner.
  const article = await scene.post(moderator, { link: 'https://github.io/shared' });
  const [usual = ''] = await spam(1, 'offered.example');
  const formOf = async (id: string) => {
    const { message } = await as(second).messageCommand(general, id, 'Moderate');
    const form = await as(second).press(general, message?.id ?? '', `moderate|remove|${id}`);
    return JSON.stringify(form.modal);
  };
  expect(offers(await formOf(usual))).toEqual(['poster', 'site']);
  expect(offers(await formOf(article))).toEqual([]);
  const blocks = async () => (await bot.rules.read(guildId)).blocks.size;
  const before = await blocks();
  const done = await forgedRemoval(second, article, ['site', 'poster']);
  expect(done.message?.content).toContain('Removed.');
  expect(done.message?.content).toContain('can’t block the owner');
  expect(buttonsOf(done.message)).toEqual([`moderate|restore|${article}`]);
  expect(await scene.article(article)).toBeNull();
  const shared = await scene.post(spammer, { link: 'https://github.io/other' });
  await forgedRemoval(second, shared, ['site']);
  expect(await scene.article(shared)).toBeNull();
  expect(await blocks()).toBe(before);
});

test('a moderator whose block was not stored in an outage is not told that all is done', async () => {
  const [poster = ''] = scene.crowd(1);
  const article = await scene.post(poster, { link: 'https://outage.example/1' });
  const form = await removalForm(article);
  const { store } = scene.bot;
  const { blocks } = storeKeys(store, scene.sandbox.guildId);
  const hset = store.redis.hset.bind(store.redis) as (...given: unknown[]) => Promise<number>;
  const refused = vi.spyOn(store.redis, 'hset').mockImplementation((...given: unknown[]) => {
    return given[0] === blocks ? Promise.reject(new Error('Redis is away.')) : hset(...given);
  });
  const done = await as().submit(form.interactionId, { text: '', also: ['poster'], days: ['7'] });
  refused.mockRestore();
  expect(done.message?.content).toContain('Something went wrong');
  await scene.post(poster, { link: 'https://outage.example/2' });
});

test('a removal blocks its poster for as many days as were chosen, from posting alone, and its site without an end', async () => {
  const { bot, sandbox } = scene;
  const [poster = ''] = scene.crowd(1);
  const article = await scene.post(poster, { link: 'https://days.example/1' });
  const form = await removalForm(article);
  // Moderators read whom they would block.
  const { username } = sandbox.world.users.get(poster)!;
  expect(JSON.stringify(form)).toContain(`Block ${username} from posting`);
  const also = ['poster', 'site'];
  const sent = { text: 'Three times', also, days: ['7'] };
  const done = await as().submit(form.interactionId, sent);
  const { blocks } = await bot.rules.read(sandbox.guildId);
  const common = { posting: true, voting: false, reason: 'Three times', by: moderator };
  const ofMember = blocks.get(`member:${poster}`)!;
  expect(ofMember).toMatchObject({ ...common, untilMs: ofMember.sinceMs + 7 * DAY_MS });
  expect(blocks.get('origin:days.example')).toMatchObject({ ...common, untilMs: null });
  const undo = buttonsOf(done.message).find((id) => id.startsWith('moderate|undo|')) ?? '';
  const undone = await as().press(general, done.message?.id ?? '', undo);
  expect(undone.message?.content).toBe('1 article is back. The blocks are lifted.');
});

test('an undo leaves removed what was posted again meanwhile, and counts what came back', async () => {
  const [poster = ''] = scene.crowd(1);
  const [first, second] = [
    await scene.post(poster, { link: 'https://reposted.example/0' }),
    await scene.post(poster, { link: 'https://reposted.example/1' }),
  ];
  const { message } = await as().userCommand(general, poster, 'Moderate links of…');
  const form = await as().press(general, message?.id ?? '', `moderate|remove-all|${poster}`);
  const done = await as().submit(form.interactionId, { text: '' });
  const again = await scene.post(moderator, { link: 'https://reposted.example/0' });
  const undo = buttonsOf(done.message).find((id) => id.startsWith('moderate|undo|')) ?? '';
  const undone = await as().press(general, done.message?.id ?? '', undo);
  expect(undone.message?.content).toBe('1 article is back.');
  expect(await scene.article(first)).toBeNull();
  expect(await scene.article(second)).not.toBeNull();
  expect(await scene.article(again)).not.toBeNull();
});

test('a moderator is told how much of a member’s was removed by moderators where they moderate themselves', async () => {
  const { sandbox } = scene;
  const [poster = '', other = '', nobody = ''] = scene.crowd(3);
  const [, helper = ''] = englishSpeakers(sandbox);
  const { id: doomed } = sandbox.operator.createChannel({ name: 'doomed' });
  const { cache } = scene.bot.client.channels;
  await expect.poll(() => cache.has(doomed)).toBe(true);
  const [here, there, own, ofOther] = [
    await scene.post(poster),
    await scene.post(poster, { channel: doomed }),
    await scene.post(poster),
    await scene.post(other),
  ];
  await scene.post(poster, { title: 'Still here' });
  for (const id of [here, there, ofOther]) await scene.moderate(moderator, 'remove', id);
  await scene.command(poster, 'me remove', { article: own });
  // Of a channel that is gone, who moderates the whole server.
  sandbox.operator.deleteChannel({ channel: doomed });
  await expect.poll(() => cache.has(doomed)).toBe(false);
  sandbox.operator.setPermissions({ channel: general, who: helper, allow: ['ManageMessages'] });
  const linksOf = async (by: string, of: string) => {
    const { message } = await as(by).userCommand(general, of, 'Moderate links of…');
    return message?.embeds[0]?.description ?? message?.content ?? '';
  };
  expect(await linksOf(moderator, poster)).toContain('1 link here, 2 removed by moderators');
  expect(await linksOf(helper, poster)).toContain('1 link here, 1 removed by moderators');
  expect(await linksOf(moderator, nobody)).toContain('no links of theirs here');
  expect(await linksOf(helper, nobody)).toContain('for the whole server');
  sandbox.operator.setPermissions({ channel: general, who: helper });
});

test('who removes what is gone by now is told so, without a way back, and nothing once the block is lifted', async () => {
  const { sandbox } = scene;
  await spam(1, 'swept.example');
  const blocked = await scene.command(moderator, 'mod block', { site: 'swept.example' });
  const [sweep = ''] = buttonsOf(blocked.message);
  const source = { userId: moderator, sourceId: blocked.message?.id ?? '' };
  const press = () => forgeComponent(sandbox, source, sweep);
  expect((await press()).message?.content).toBe('1 link removed.');
  const again = await press();
  expect(again.message?.content).toBe('Nothing was left to remove.');
  expect(buttonsOf(again.message)).toEqual([]);
  await scene.command(moderator, 'mod unblock', { site: 'swept.example' });
  expect((await press()).message?.content).toContain('There’s no such block');
  // Of several subjects it is said, and not offered to be removed at once.
  const [poster = ''] = scene.crowd(1);
  await scene.post(poster, { title: 'Quokka and wallaby' });
  const both = await scene.command(moderator, 'mod block', { words: 'quokka, wallaby' });
  expect(both.message?.content).toContain('1 link that this would refuse is still here.');
  expect(buttonsOf(both.message)).toEqual([]);
  await scene.command(moderator, 'mod unblock', { words: 'quokka, wallaby' });
});

test('the log of a removal offers what else its poster has here, but of several posters none’s', async () => {
  const [one = '', two = ''] = scene.crowd(2);
  const sweep = async (site: string, posters: string[]) => {
    for (const [n, poster] of posters.entries())
      await scene.post(poster, { link: `https://${site}/${n}` });
    const { message } = await scene.command(moderator, 'mod block', { site });
    await as().press(general, message?.id ?? '', `mod|sweep|origin:${site}`);
    await scene.command(moderator, 'mod unblock', { site });
    const isOf = ({ embeds }: { embeds: { description?: string }[] }) =>
      /removed 2/.test(embeds[0]?.description ?? '') && embeds[0]?.description?.includes(site);
    await expect.poll(() => entries().some(isOf)).toBe(true);
    return buttonsOf(entries().findLast(isOf));
  };
  expect(await sweep('alone.example', [one, one])).toEqual([`moderate|links|${one}`]);
  expect(await sweep('crowded.example', [one, two])).toEqual([]);
});
