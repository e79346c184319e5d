import { once } from 'node:events';
import { PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isPlanned } from '../../src/due/kind.ts';
import { endRemoval, timeOfAct } from '../../src/moderation/as-one.ts';
import { readRemoved, removeArticle } from '../../src/ranking/articles/removed.ts';
import { scripts } from '../../src/ranking/scripts.ts';
import { HOUR_MS } from '../../src/runtime/clock.ts';
import { translate } from '../../src/text/catalogue.ts';
import { englishSpeakers } from '../fixtures/english-speakers.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
let admin: string;
let general: string;
let logs: string;
let spammer: string;
let others: string[];
beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  ({ admin } = sandbox);
  general = sandbox.channels.general.id;
  logs = sandbox.channels.moderators.id;
  [spammer = '', ...others] = englishSpeakers(sandbox);
  await setSetting(sandbox, 'log', [logs]);
});
afterAll(() => scene.stop());

const as = (who = admin) => scene.sandbox.as(who);
const logged = () =>
  as()
    .messages(logs)
    .filter(({ embeds }) => embeds.length > 0);
const standing = async (ids: string[]) =>
  (await Promise.all(ids.map((id) => scene.article(id)))).filter((one) => one !== null).length;
const undoOf = (message: { components?: unknown[] } | undefined) =>
  ((message?.components ?? []) as { components: { custom_id: string }[] }[])[0]?.components[0]
    ?.custom_id ?? '';

test('a removed article is out of sight before the log channel, which Discord limits, says so', async () => {
  const { faults } = scene.sandbox;
  const before = logged().length;
  const article = await scene.post(spammer, { title: 'An insult' });
  const path = new RegExp(`/channels/${logs}/messages`);
  faults.add({ method: 'POST', path, status: 429, retryAfterSeconds: 3, times: 1 });
  const answered = scene.moderate(admin, 'remove', article);
  const shown = () =>
    as()
      .messages(general)
      .find(({ id }) => id === article)?.content;
  await expect.poll(shown).not.toContain('An insult');
  expect(logged()).toHaveLength(before);
  await answered;
  await expect.poll(() => logged().length).toBe(before + 1);
});

test('who removes many is told so before the log channel, which Discord limits, says so', async () => {
  const { faults } = scene.sandbox;
  const [poster = ''] = scene.crowd(1);
  const before = logged().length;
  const ids = [await scene.post(poster), await scene.post(poster), await scene.post(poster)];
  const path = new RegExp(`/channels/${logs}/messages`);
  const held = faults.hold({ method: 'POST', path });
  const { message } = await as().messageCommand(general, ids[0]!, 'Moderate');
  const form = await as().press(general, message?.id ?? '', `moderate|remove|${ids[0]}`);
  const done = await as().submit(form.interactionId, { text: '', also: ['others'] });
  expect(done.message?.content).toContain('2 other links of theirs are removed too.');
  expect(await standing(ids)).toBe(0);
  expect(logged()).toHaveLength(before);
  held.letGo();
  await expect.poll(() => logged().length).toBe(before + 1);
});

test('a moderator is told where Discord does not let a removed article’s message be changed', async () => {
  const [poster = ''] = scene.crowd(1);
  const { id: channel } = scene.sandbox.channels.gameDev;
  const article = await scene.post(poster, { channel, title: 'Still to be read' });
  const path = new RegExp(`/messages/${article}$`);
  const end = scene.sandbox.faults.add({ method: 'PATCH', path, status: 403, code: 50_013 });
  const { message } = await scene.moderate(admin, 'remove', article);
  expect(message?.content).toContain(translate('en', 'mod.unedited'));
  expect(scene.message(article).content).toContain('Still to be read');
  end();
});

test('who removes more than five hundred links at once is told at first that it takes a moment', async () => {
  const [poster = ''] = scene.crowd(1);
  const atMs = scene.clock.now() - HOUR_MS;
  const flood = Array.from({ length: 502 }, (_, n) => ({
    title: `Flood ${n}`,
    link: `https://flood.example/${n}`,
    atMs: atMs - n,
    poster,
  }));
  await Promise.all(flood.map((one) => scene.rank(one)));
  const blocked = await scene.command(admin, 'mod block', { site: 'flood.example' });
  // Another process does it.
  const elsewhere = vi.spyOn(scene.bot.due, 'now').mockResolvedValue(null);
  const [id = '', sweep] = [blocked.message?.id, 'mod|sweep|origin:flood.example'];
  const swept = await as().press(general, id, sweep);
  expect(swept.message?.content).toContain('Removing 502 links: this takes a moment');
  await expect.poll(() => scene.message(id).content).toContain('Nothing was left to remove.');
  const { message: menu } = await as().userCommand(general, poster, 'Moderate links of…');
  const form = await as().press(general, menu?.id ?? '', `moderate|remove-all|${poster}`);
  const { message } = await as().submit(form.interactionId, { text: '' });
  expect(message?.content).toContain('Removing 501 links: this takes a moment');
  await expect.poll(() => scene.message(message?.id ?? '').content).toContain('Removed.');
  elsewhere.mockRestore();
  await scene.command(admin, 'mod unblock', { site: 'flood.example' });
});

/** Posts six links of a member, and begins to remove them in a process that stands still after two others. */
async function halfRemoved(poster: string, by = admin) {
  const ids = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      scene.post(poster, { link: `https://half-${poster}.example/${n}` }),
    ),
  );
  const [article = ''] = ids;
  const goOn = new AbortController();
  const { due, messageUpdates: updates } = scene.bot;
  const giveReason = updates.giveReason.bind(updates);
  let calls = 0;
  // The moment is over for which it is done at once.
  const now = vi.spyOn(due, 'now').mockImplementationOnce(async (...of) => {
    void due.now(...of);
    await expect.poll(() => calls).toBe(3);
    return 'later';
  });
  updates.giveReason = async (...of) => {
    calls += 1;
    if (calls > 2 && !goOn.signal.aborted) await once(goOn.signal, 'abort');
    await giveReason(...of);
  };
  const { message } = await as(by).messageCommand(general, article, 'Moderate');
  const form = await as(by).press(general, message?.id ?? '', `moderate|remove|${article}`);
  const answer = as(by).submit(form.interactionId, { text: 'Spam', also: ['others'] });
  await expect.poll(() => calls).toBe(3);
  now.mockRestore();
  expect(await standing(ids)).toBe(3);
  return { ids, answer, end: () => goOn.abort() };
}

// Withstands (Processes that die): It dies while a press removes many links
// → another one removes the rest as the same act, logged once and undone as one
test('what a process left that stood still amid a removal is removed by another, logged and undone as one', async () => {
  const { ids, answer, end } = await halfRemoved(spammer);
  const first = scene.bot;
  await scene.joinBot();
  // What a moderator restores meanwhile stays.
  const [restored = '', ...rest] = ids;
  await scene.moderate(admin, 'restore', restored);
  await expect.poll(() => logged().at(-1)?.embeds[0]?.description).toContain('restored');
  const before = logged().length;
  // The lease of the first ends.
  scene.clock.move(31_000);
  await scene.bot.due.look();
  expect([await standing([restored]), await standing(rest)]).toEqual([1, 0]);
  const { message } = await answer;
  expect(message?.content).toContain('5 other links of theirs are removed too.');
  end();
  await first.stop();
  await expect.poll(() => logged().length).toBe(before + 1);
  const text = logged().at(-1)?.embeds[0]?.description ?? '';
  expect(text).toContain('removed 5 articles');
  for (const part of [...rest, '`Spam`']) expect(text).toContain(part);
  const undone = await as().press(general, message?.id ?? '', undoOf(message));
  expect(undone.message?.content).toContain('5 articles are back.');
  expect(await standing(ids)).toBe(6);
});

/** Lets a member moderate #general alone, or ends that. */
async function letModerate(member: string, isAllowed: boolean) {
  const channel = scene.bot.client.guilds.cache.first()!.channels.cache.get(general)!;
  const moderates = async () =>
    channel
      .permissionsFor(await channel.guild.members.fetch(member))
      .has(PermissionFlagsBits.ManageMessages);
  const allow = isAllowed ? (['ManageMessages'] as const) : [];
  scene.sandbox.operator.setPermissions({ channel: general, who: member, allow });
  await expect.poll(moderates).toBe(isAllowed);
}

test('a removal that is undone while it goes on removes no more, whether by who began it or by who moderates the server', async () => {
  const [poster = '', stranger = ''] = others;
  const [helper = ''] = scene.crowd(1);
  const { guildId: guild } = scene.sandbox;
  await letModerate(helper, true);
  const { ids, answer, end } = await halfRemoved(poster, helper);
  const { atMs } = (await readRemoved(scene.bot.ranking, guild, ids[0] ?? ''))!;
  const row = `sweep:${atMs}`;
  /** Whether it goes on after somebody undid it. */
  const goesOnAfter = async (who: string) => {
    const by = await scene.bot.client.guilds.cache.first()!.members.fetch(who);
    await endRemoval(scene.bot, by, atMs);
    return isPlanned(scene.bot.store, guild, row);
  };
  // Somebody who moderates nothing does not end it.
  const goesOn = [await goesOnAfter(stranger), await goesOnAfter(helper)];
  const plannedAgain = () => scene.bot.due.plan(guild, row, atMs + HOUR_MS);
  await plannedAgain();
  goesOn.push(await goesOnAfter(admin));
  await scene.bot.due.planAt(guild, row, null);
  end();
  const { message } = await answer;
  expect(goesOn).toEqual([true, false, false]);
  expect(await standing(ids)).toBe(3);
  // Before any process has begun it, too.
  await scene.bot.due.note(guild, row, { by: helper });
  await plannedAgain();
  expect(await goesOnAfter(helper)).toBe(false);
  await as(helper).press(general, message?.id ?? '', undoOf(message));
  await scene.bot.due.look();
  expect(await standing(ids)).toBe(6);
  await letModerate(helper, false);
});

test('who loses the right to moderate amid a removal removes no more', async () => {
  const [poster = '', helper = ''] = scene.crowd(2);
  await letModerate(helper, true);
  const { ids, answer, end } = await halfRemoved(poster, helper);
  await letModerate(helper, false);
  end();
  await answer;
  // The third was asked for before.
  expect(await standing(ids)).toBe(2);
});

/** What one process does of an act that another one began. */
async function goOn(atMs: number, by: string, articles: readonly string[]) {
  const notes = { by, reason: '', articles: articles.join(' ') };
  const before = logged().length;
  const trouble = await scene.bot.due.now(scene.sandbox.guildId, `sweep:${atMs}`, notes);
  return { trouble, logged: logged().length - before };
}

test('an act removes nothing, says nothing and ends where its moderator has left or nothing is left of it', async () => {
  const [poster = '', gone = ''] = scene.crowd(2);
  const article = await scene.post(poster);
  scene.sandbox.operator.removeMember({ member: gone });
  const isMember = () => scene.bot.client.guilds.cache.first()!.members.cache.has(gone);
  await expect.poll(isMember).toBe(false);
  const atMs = scene.clock.now();
  expect(await goOn(atMs, gone, [article])).toEqual({ trouble: null, logged: 0 });
  expect(await standing([article])).toBe(1);
  await scene.command(poster, 'me remove', { article });
  await scene.settled();
  expect(await goOn(atMs + 1, admin, [article])).toEqual({ trouble: null, logged: 0 });
});

test('what an act was about to remove when it failed, it removes at its next try', async () => {
  const [poster = ''] = scene.crowd(1);
  const ids = [await scene.post(poster), await scene.post(poster)];
  vi.spyOn(scripts, 'removeArticle').mockRejectedValueOnce(new Error('It ends.'));
  await goOn(scene.clock.now() + 9, admin, ids);
  expect(await standing(ids)).toBe(2);
  scene.clock.move(HOUR_MS);
  await scene.bot.due.look();
  expect(await standing(ids)).toBe(0);
});

test('of very many that were removed as one the log names as many as fit, and says how many more', async () => {
  const [poster = ''] = scene.crowd(1);
  const { guildId } = scene.sandbox;
  const atMs = scene.clock.now() + 7;
  const title = 'A title of many words '.repeat(6);
  const ids = await Promise.all(
    Array.from({ length: 40 }, () => scene.rank({ title, atMs: atMs - HOUR_MS, poster })),
  );
  for (const id of ids) await removeArticle(scene.bot.ranking, guildId, id, atMs);
  expect(await goOn(atMs, admin, ids)).toEqual({ trouble: null, logged: 1 });
  const text = logged().at(-1)?.embeds[0]?.description ?? '';
  expect(text).toContain('removed 40 articles');
  const named = ids.filter((id) => text.includes(id)).length;
  expect(named).toBeGreaterThan(5);
  expect(named + Number(/(\d+) more/.exec(text)?.[1])).toBe(40);
});

test('an act whose moderator Discord cannot name for now is done once it can', async () => {
  const [poster = '', helper = ''] = scene.crowd(2);
  await letModerate(helper, true);
  const ids = [await scene.post(poster), await scene.post(poster)];
  const { members } = scene.bot.client.guilds.cache.first()!;
  members.cache.delete(helper);
  const path = new RegExp(`/members/${helper}$`);
  const end = scene.sandbox.faults.add({ method: 'GET', path, status: 500 });
  const { trouble } = await goOn(scene.clock.now() + 11, helper, ids);
  expect(trouble).not.toBeNull();
  expect(await standing(ids)).toBe(2);
  end();
  scene.clock.move(HOUR_MS);
  await scene.bot.due.look();
  expect(await standing(ids)).toBe(0);
  await letModerate(helper, false);
});

test('an act names what it removed, and nothing that was removed before or by its poster', async () => {
  const { ranking } = scene.bot;
  const { guildId } = scene.sandbox;
  const [poster = ''] = scene.crowd(1);
  const atMs = scene.clock.now() + 5;
  const [before, own, rest] = [
    await scene.post(poster),
    await scene.post(poster),
    await scene.post(poster),
  ];
  await removeArticle(ranking, guildId, before, atMs - 1);
  await removeArticle(ranking, guildId, own, atMs, true);
  expect(await goOn(atMs, admin, [before, own, rest])).toEqual({ trouble: null, logged: 1 });
  const text = logged().at(-1)?.embeds[0]?.description ?? '';
  expect(text).toContain('removed an article');
  expect([before, own, rest].filter((id) => text.includes(id))).toEqual([rest]);
});

test('no two acts are of the same time, by which each is undone alone', async () => {
  const { bot, sandbox } = scene;
  const now = scene.clock.now() + 1e9;
  const needs = { store: bot.store, clock: { now: () => now } };
  expect(await timeOfAct(needs, sandbox.guildId)).toBe(now);
  await bot.due.plan(sandbox.guildId, `sweep:${now}`, now);
  expect(await timeOfAct(needs, sandbox.guildId)).toBe(now + 1);
  await bot.due.planAt(sandbox.guildId, `sweep:${now}`, null);
});
