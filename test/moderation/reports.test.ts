import { ComponentType, InteractionType } from 'discord-api-types/v10';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerTo } from '../../discord-box/src/act/answer.ts';
import { openInteraction } from '../../discord-box/src/world/interactions/open-interaction.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import {
  entryField,
  noteReport,
  readReports,
  reportRow,
  REPORTS_KEPT_MS,
  type ReportReason,
  settleReports,
} from '../../src/community/stored-reports.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { DAY_MS, HOUR_MS } from '../../src/runtime/clock.ts';
import { missingPermissions } from '../../src/discord/access/permissions.ts';
import { timestamp } from '../../src/text/mentions.ts';
import { translate } from '../../src/text/catalogue.ts';
import { englishSpeakers } from '../fixtures/english-speakers.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { forgeCommand } from '../fixtures/forge-command.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
let general: string;
let logs: string;
let moderator: string;
let poster: string;
let members: string[];
beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  logs = sandbox.channels.moderators.id;
  moderator = sandbox.admin;
  [poster = '', ...members] = englishSpeakers(sandbox);
  await setSetting(sandbox, 'log', [logs]);
});
afterAll(() => scene.stop());

const NAME = 'Report to the moderators';
const as = (who = moderator) => scene.sandbox.as(who);
const ask = (who: string, article: string, channel = general) =>
  as(who).messageCommand(channel, article, NAME);
async function report(who: string, article: string, reason = 'spam', channel = general) {
  const { message } = await ask(who, article, channel);
  const id = `report-to-the-moderators|${article}`;
  if (!buttonsOf(message).includes(id)) return message?.content ?? '';
  const done = await as(who).choose(channel, message?.id ?? '', id, [reason]);
  return done.message?.content ?? '';
}
const isAbout =
  (article: string) =>
  ({ content }: { content: string }) =>
    content.startsWith('🚩') && content.includes(article);
const entriesOf = (article: string) => as().messages(logs).filter(isAbout(article));
const entryOf = (article: string) => entriesOf(article)[0];
const saysOf = (article: string) => entryOf(article)?.content ?? '';
const buttonsOf = (message: { components?: unknown[] } | undefined) =>
  ((message?.components ?? []) as { components: { custom_id: string }[] }[]).flatMap(
    ({ components }) => components.map(({ custom_id }) => custom_id),
  );
/** What is shown by one change with others is shown by now. */
async function later() {
  scene.clock.move(60_000);
  await scene.bot.due.look();
}

test('a reported article stands once in the log channel, pings nobody, and does not name its reporters', async () => {
  const [one = '', two = ''] = members;
  const article = await scene.post(poster, {
    title: 'Crypto giveaway',
    link: 'https://giveaway.example/1',
  });
  expect(await report(one, article)).toBe('Thank you. The moderators will see it.');
  await expect.poll(() => saysOf(article)).toContain('Reported by 1 member ·');
  expect(await report(one, article)).toContain('already reported');
  expect(await report(two, article, 'misleading')).toContain('Thank you');
  await later();
  expect(entriesOf(article)).toHaveLength(1);
  const says = saysOf(article);
  for (const part of [
    'Reported by 2 members',
    'Spam or advertising (1)',
    'False or misleading (1)',
    '`Crypto giveaway`',
    '`https://giveaway.example/1`',
    `<@${poster}>`,
  ]) {
    expect(says).toContain(part);
  }
  expect(says).not.toContain(one);
  expect(entryOf(article)?.mentions).toEqual([]);
  const entry = entryOf(article)?.id ?? '';
  const who = await as().press(logs, entry, `moderate|reporters|${article}`);
  expect(who.ephemeral).toBe(true);
  for (const member of [one, two]) expect(who.message?.content).toContain(`<@${member}>`);
});

test('of two moderators who leave a reported article one decides, and a further report asks again', async () => {
  const [one = '', two = ''] = members;
  const article = await scene.post(poster, { title: 'Harmless' });
  await report(one, article);
  await expect.poll(() => entryOf(article)).toBeDefined();
  const entry = entryOf(article)?.id ?? '';
  const { moderator: second, world } = scene.sandbox;
  world.users.get(second)!.locale = 'en-US';
  const leave = (who: string) => as(who).press(logs, entry, `moderate|leave|${article}`);
  const answers = await Promise.all([leave(moderator), leave(second)]);
  const said = answers.map(({ message }) => message?.content ?? '');
  expect(said.filter((text) => text.startsWith('It stays as it is.'))).toHaveLength(1);
  expect(said.filter((text) => text.includes('already decided'))).toHaveLength(1);
  await expect.poll(() => saysOf(article)).toContain('A moderator left it as it is.');
  expect(buttonsOf(entryOf(article))).toEqual([]);
  const left = as()
    .messages(logs)
    .filter(({ embeds }) => embeds[0]?.description?.includes('left the reported article'));
  expect(left).toHaveLength(1);
  await report(two, article);
  await later();
  expect(saysOf(article)).toContain('Reported by 1 member ·');
  expect(buttonsOf(entryOf(article))).toContain(`moderate|leave|${article}`);
  expect(entriesOf(article)).toHaveLength(1);
});

test('a report whose message a moderator deleted stands anew with the next one, and no more once it is decided', async () => {
  const { bot, sandbox } = scene;
  const [one = '', two = '', three = ''] = scene.crowd(3);
  const article = await scene.post(poster, { title: 'Swept off' });
  const deleteEntry = async () => {
    await expect.poll(() => entryOf(article)).toBeDefined();
    const { id = '' } = entryOf(article) ?? {};
    await scene.settled();
    as().delete(logs, id);
    return id;
  };
  const entry = async () => (await readReports(bot.store, sandbox.guildId, article, 0)).entry;
  // Within the minutes in which Discord makes one message of two with the same nonce.
  const shownNow = async () => {
    await bot.due.plan(sandbox.guildId, reportRow(article), 0);
    await bot.due.look();
  };
  await report(one, article);
  const first = await deleteEntry();
  await report(two, article);
  await shownNow();
  expect(saysOf(article)).toContain('Reported by 2 members');
  expect(entryOf(article)?.id).not.toBe(first);
  expect((await entry())?.message).toBe(entryOf(article)?.id);
  await as().press(logs, entryOf(article)?.id ?? '', `moderate|leave|${article}`);
  await expect.poll(() => saysOf(article)).toContain('A moderator left it as it is.');
  const second = await deleteEntry();
  const { requests } = sandbox;
  const sent = () => requests.count('POST', new RegExp(`/channels/${logs}/messages$`));
  const before = sent();
  await shownNow();
  expect([entriesOf(article), sent() - before]).toEqual([[], 0]);
  await report(three, article);
  await later();
  expect(saysOf(article)).toContain('Reported by 1 member ·');
  expect(entryOf(article)?.id).not.toBe(second);
});

test('reports are in the language that the server chose, also where the log channel was moved', async () => {
  const { sandbox } = scene;
  const rust = sandbox.channels.rust.id;
  const article = await scene.post(poster, { title: 'Gemeldet' });
  await setSetting(sandbox, 'language', ['de']);
  await report(scene.crowd(1)[0] ?? '', article);
  await expect.poll(() => saysOf(article)).toContain(translate('de', 'report.count', { count: 1 }));
  await setSetting(sandbox, 'log', [rust]);
  const left = () =>
    as()
      .messages(logs)
      .map(({ content }) => content);
  await expect.poll(left).toContain(`-# ${translate('de', 'report.moved')}`);
  await setSetting(sandbox, 'language', null);
  await setSetting(sandbox, 'log', [logs]);
  await expect.poll(() => saysOf(article)).toContain('Reported by 1 member ·');
});

test('of very many reporters as many are named as fit, and how many are not', async () => {
  const { bot, sandbox, clock } = scene;
  const article = await scene.post(poster, { title: 'Hated by all' });
  for (let n = 0; n < 80; n += 1) {
    const of = { article, member: String(900_000_000_000_000_000n + BigInt(n)) };
    await noteReport(bot.store, sandbox.guildId, { ...of, reason: 'spam' }, clock.now());
  }
  const source = { userId: moderator, sourceId: as().send(general, 'Who?').id };
  const { message } = await forgeComponent(sandbox, source, `moderate|reporters|${article}`);
  const named = message?.content.match(/<@\d+>/g) ?? [];
  const [, more = ''] = /(\d+) more/.exec(message?.content ?? '') ?? [];
  expect(message?.content.length).toBeLessThanOrEqual(2000);
  expect(named.length).toBeGreaterThan(10);
  expect(named.length + Number(more)).toBe(80);
});

test('nobody reports who opted out after they were asked why, nor a poster who forges the answer', async () => {
  const { bot, sandbox } = scene;
  const { guildId: guild } = sandbox;
  const [one = ''] = scene.crowd(1);
  const article = await scene.post(poster, { title: 'Mine' });
  const id = `report-to-the-moderators|${article}`;
  const { message } = await ask(one, article);
  const choose = () => as(one).choose(general, message?.id ?? '', id, ['spam']);
  const optOut = async (isOut: boolean) => {
    await setOptedOut(bot.store, guild, one, isOut);
    await bot.rules.reload(guild);
  };
  await optOut(true);
  const out = await choose();
  expect(out.message?.content).toBe(translate('en', 'report.out'));
  const forged = { userId: poster, sourceId: article };
  const own = await forgeComponent(sandbox, forged, id, ['spam']);
  expect(own.message?.content).toBe(translate('en', 'report.own'));
  expect((await readReports(bot.store, guild, article, scene.clock.now())).open).toEqual([]);
  await optOut(false);
  expect((await choose()).message?.content).toContain('Thank you');
});

// Withstands (Processes that die): Moderators in two processes decide about the same report at once
// → one decides, once, and the log says so once
test('of two processes in which moderators leave the same reported articles at once, one decides each', async () => {
  const { guildId, moderator: second } = scene.sandbox;
  const articles = await Promise.all(
    [1, 2, 3].map((n) => scene.post(poster, { title: `Both ${n}` })),
  );
  for (const article of articles) await report(members[1] ?? '', article);
  for (const article of articles) await expect.poll(() => entryOf(article)).toBeDefined();
  const one = scene.bot;
  await scene.joinBot();
  const leave = async ({ client, moderation }: typeof one, who: string, id: string) => {
    const by = await client.guilds.cache.get(guildId)!.members.fetch(who);
    return moderation.leave(by, (await scene.article(id))!);
  };
  for (const article of articles) {
    const both = await Promise.allSettled([
      leave(one, moderator, article),
      leave(scene.bot, second, article),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = both.find((of): of is PromiseRejectedResult => of.status === 'rejected');
    expect(String(refused?.reason.inLanguageOf('en-US'))).toContain('already decided');
  }
  await one.stop();
  await scene.bot.due.look();
  for (const n of [1, 2, 3]) {
    const left = as()
      .messages(logs)
      .filter(({ embeds }) => embeds[0]?.description?.includes(`\`Both ${n}\``));
    expect(left).toHaveLength(1);
  }
  for (const article of articles) {
    await expect.poll(() => saysOf(article)).toContain('A moderator left it as it is.');
    expect(entriesOf(article)).toHaveLength(1);
  }
});

test('a reported article is removed or locked from the log channel, which says so and stays', async () => {
  const [one = ''] = members;
  const bad = await scene.post(poster, { title: 'An insult' });
  const loud = await scene.post(poster, { title: 'A quarrel' });
  for (const article of [bad, loud]) await report(one, article, 'harmful');
  for (const article of [bad, loud]) await expect.poll(() => entryOf(article)).toBeDefined();
  const press = (article: string, action: string) =>
    as().press(logs, entryOf(article)?.id ?? '', `moderate|${action}|${article}`);
  const form = await press(bad, 'remove');
  const done = await as().submit(form.interactionId, { text: 'Insults' });
  expect(done.ephemeral).toBe(true);
  expect(await scene.article(bad)).toBeNull();
  await press(loud, 'lock');
  await expect.poll(() => saysOf(bad)).toContain('It has been removed.');
  await expect.poll(() => saysOf(loud)).toContain('A moderator stopped voting on it.');
  expect([...buttonsOf(entryOf(bad)), ...buttonsOf(entryOf(loud))]).toEqual([]);
  expect(await report(members[1] ?? '', bad)).toBe('That article has been removed already.');
});

test('a report from a channel that not everyone sees names its message alone in the log channel, also when it is left', async () => {
  const { sandbox } = scene;
  const link = 'https://inside.example/1';
  const article = await scene.post(moderator, { channel: logs, title: 'Inside story', link });
  await report(sandbox.moderator, article, 'spam', logs);
  await expect.poll(() => saysOf(article)).toContain(`/${article}`);
  const says = saysOf(article);
  for (const part of ['Inside', 'inside.example', `<@${moderator}>`]) {
    expect(says).not.toContain(part);
  }
  await as().press(logs, entryOf(article)?.id ?? '', `moderate|leave|${article}`);
  const entries = as().messages(logs);
  const left = entries.findLast(({ embeds }) => embeds.length > 0)?.embeds[0]?.description ?? '';
  expect(left).toContain(`left the reported article \`${article}\``);
  expect(left).not.toContain('Inside');
});

test('an article that goes while it is reported is answered by a sentence, and the log says so', async () => {
  const article = await scene.post(poster, { title: 'Gone soon' });
  const opened = await ask(members[1] ?? '', article);
  await report(members[0] ?? '', article);
  await expect.poll(() => entryOf(article)).toBeDefined();
  as().delete(general, article);
  await scene.eventually(
    () => scene.article(article),
    (found) => found === null,
    'gone',
  );
  const id = `report-to-the-moderators|${article}`;
  const late = await as(members[1]).choose(general, opened.message?.id ?? '', id, ['spam']);
  expect(late.message?.content).toBe('That article is gone.');
  const pressed = await as().press(logs, entryOf(article)?.id ?? '', `moderate|lock|${article}`);
  expect(pressed.message?.content).toBe('That article is gone.');
  await expect.poll(() => saysOf(article)).toContain('The article is gone.');
});

test('who reports by a forged command learns of no article that was removed where they may not look', async () => {
  const { world, channels } = scene.sandbox;
  const [asker = ''] = members;
  const seen = await scene.post(poster, { title: 'Removed in the open' });
  const unseen = await scene.post(moderator, { channel: logs, title: 'Removed inside' });
  for (const article of [seen, unseen]) await scene.moderate(moderator, 'remove', article);
  const said = async (target_id: string) => {
    const data = { id: '1', name: NAME, type: 3, target_id, resolved: { messages: {} } };
    const type = InteractionType.ApplicationCommand;
    const asked = { type, userId: asker, channel: channels.general, name: NAME, data };
    return (await answerTo(world, openInteraction(world, asked))).message?.content;
  };
  expect(await said(seen)).toContain('removed');
  expect(await said(unseen)).not.toContain('removed');
});

test('many reports within a minute send one message and change it a few times', async () => {
  const crowd = scene.crowd(30);
  const article = await scene.post(poster, { title: 'Hated by many' });
  const { requests } = scene.sandbox;
  const before = requests.count('PATCH', /messages\/:message$/);
  const answers = await Promise.all(crowd.map((who) => report(who, article)));
  expect(answers.filter((text) => text.startsWith('Thank you'))).toHaveLength(30);
  await later();
  expect(saysOf(article)).toContain('Reported by 30 members');
  expect(entriesOf(article)).toHaveLength(1);
  expect(requests.count('PATCH', /messages\/:message$/) - before).toBeLessThan(12);
});

test('one’s own article, a message that is none and the eleventh article of a day are not reported', async () => {
  const [, , busy = ''] = members;
  const own = await scene.post(busy, { title: 'My own' });
  expect(await report(busy, own)).toContain('your own article');
  const talk = as(moderator).send(general, 'Hello.');
  expect(await report(busy, talk.id)).toContain('isn’t an article');
  const { guildId } = scene.sandbox;
  const articles = await Promise.all([1, 2, 3].map(() => scene.post(poster)));
  for (let n = 0; n < 8; n += 1) scene.bot.memberLimits.count('report', guildId, busy);
  const said: string[] = [];
  for (const article of articles) said.push(await report(busy, article, 'other'));
  expect(said.map((text) => text.slice(0, 9))).toEqual(['Thank you', 'Thank you', 'You’ve do']);
});

test('where very much is reported, a member is told that no more is taken, and it counts as no report', async () => {
  const [late = ''] = scene.crowd(1);
  const { guildId } = scene.sandbox;
  const { store, memberLimits } = scene.bot;
  const { reports } = storeKeys(store, guildId);
  const article = await scene.post(poster);
  const many = Array.from({ length: 5000 }, (_, n) => [`1:${n + 1}`, '1 spam'] as const);
  await store.redis.hset(reports, Object.fromEntries(many));
  expect(await report(late, article)).toContain('no more can be taken');
  await store.redis.hdel(reports, ...many.map(([field]) => field));
  const waits = Array.from({ length: 10 }, () => memberLimits.count('report', guildId, late));
  expect(waits).toEqual(waits.map(() => 0));
});

test('who moderates one channel sees and decides about its reports alone, also without a log channel', async () => {
  const { sandbox } = scene;
  await setSetting(sandbox, 'log', []);
  const [reporter = '', helper = ''] = members.slice(3);
  const rust = sandbox.channels.rust.id;
  const here = await scene.post(poster, { title: 'Reported here' });
  const there = await scene.post(poster, { title: 'Reported *there*', channel: rust });
  await report(reporter, here);
  await report(reporter, there, 'off-topic', rust);
  const none = await forgeCommand(sandbox, helper, 'mod reports', {});
  expect(none.message?.content).toContain('Manage Messages');
  sandbox.operator.setPermissions({ channel: rust, who: helper, allow: ['ManageMessages'] });
  const spoiler = { title: '||Who *did* it||', link: 'https://plot.example/1', channel: rust };
  const hidden = await scene.post(poster, spoiler);
  await report(reporter, hidden, 'spam', rust);
  const { message } = await as(helper).command(rust, 'mod reports');
  expect(JSON.stringify(message?.components)).toContain('"label":"plot.example"');
  expect(JSON.stringify(message?.components)).toContain('"label":"Reported *there*"');
  expect(message?.embeds[0]?.description).toContain('Reported *there*');
  expect(message?.embeds[0]?.description).not.toContain('Reported here');
  const shown = await as(helper).choose(rust, message?.id ?? '', 'mod|report', [there]);
  expect(shown.message?.embeds[0]?.description).toContain(`<@${reporter}>`);
  await as(helper).press(rust, message?.id ?? '', `moderate|leave|${there}`);
  const all = await scene.command(moderator, 'mod reports');
  expect(all.message?.embeds[0]?.description).toContain('Reported here');
  expect(all.message?.embeds[0]?.description).not.toContain('Reported *there*');
  for (const custom_id of [`moderate|leave|${here}`, `moderate|reporters|${here}`]) {
    const forged = openInteraction(sandbox.world, {
      type: InteractionType.MessageComponent,
      userId: helper,
      channel: sandbox.channels.rust,
      sourceId: message?.id ?? '',
      data: { custom_id, component_type: ComponentType.Button, id: 1 },
    });
    const answer = await answerTo(sandbox.world, forged);
    expect(answer.message?.content).toContain('Manage Messages');
  }
  sandbox.operator.setPermissions({ channel: rust, who: helper });
  await setSetting(sandbox, 'log', [logs]);
});

test('a moderator is told of the last reports first, the most frequent reasons first, and how many are not listed', async () => {
  const { bot, sandbox, clock } = scene;
  const { guildId: guild } = sandbox;
  const [reporter = '', ...others] = scene.crowd(3);
  const articles: string[] = [];
  const now = clock.now();
  const note = (article: string, member: string, reason: ReportReason, atMs: number) =>
    noteReport(bot.store, guild, { article, member, reason }, atMs);
  for (let n = 0; n < 12; n += 1) {
    const atMs = now - 1000 * (n + 1);
    const article = await scene.rank({ title: `Reported ${n}`, atMs, poster });
    await note(article, reporter, 'spam', now + 60_000 * n);
    articles.push(article);
  }
  // The last one, and others reported it since.
  for (const [at, other] of others.entries())
    await note(articles[11]!, other, 'misleading', now + 60_000 * (20 + at));
  const by = await bot.client.guilds.cache.get(guild)!.members.fetch(moderator);
  const open = (await bot.moderation.openReports(by)).length;
  const { message } = await scene.command(moderator, 'mod reports');
  const text = message?.embeds[0]?.description ?? '';
  const listed = text.split('\n').filter((line) => line.includes('/channels/')).length;
  expect(listed).toBe(10);
  const titles = Array.from({ length: 10 }, (_, at) => `Reported ${11 - at}`);
  expect(text.match(/Reported \d+/g)).toEqual(titles);
  const reasons = 'False or misleading (2) · Spam or advertising (1)';
  const last = timestamp(now + 60_000 * 21, 'R');
  expect(text).toContain(`Reported by 3 members · ${reasons} · ${last}`);
  const [, more = ''] = /(\d+) more/.exec(text) ?? [];
  expect(listed + Number(more)).toBe(open);
  const fields = articles.flatMap((id) =>
    [reporter, ...others, 'open'].map((what) => `${id}:${what}`),
  );
  await bot.store.redis.hdel(storeKeys(bot.store, guild).reports, ...fields);
  for (const id of articles) await deleteArticle(bot.ranking, guild, id);
});

/** The article's line of what is due, as the time from now (ms). */
async function restOf(article: string) {
  const { due } = storeKeys(scene.bot.store, scene.sandbox.guildId);
  const atMs = await scene.redis.redis.zscore(due, `report:${article}`);
  return atMs === null ? null : Number(atMs) - scene.clock.now();
}

test('a log channel that is chosen later shows what waits, also what stood in one that was deleted', async () => {
  const { sandbox } = scene;
  const { operator, guildId: guild } = sandbox;
  const [reporter = ''] = scene.crowd(1);
  const once = operator.createChannel({ guild, name: 'first-log' }).id;
  await scene.eventually(
    () => scene.bot.client.channels.cache.has(once),
    Boolean,
    'the channel is known',
  );
  await setSetting(sandbox, 'log', [once]);
  const shown = await scene.post(poster, { title: 'Shown in the first' });
  await report(reporter, shown);
  const { messages } = sandbox.world.channels.get(once)!;
  await expect.poll(() => [...messages.values()].some(isAbout(shown))).toBe(true);
  operator.deleteChannel({ channel: once });
  await setSetting(sandbox, 'log', []);
  const waiting = await scene.post(poster, { title: 'Shown nowhere' });
  await report(reporter, waiting);
  expect(entryOf(waiting)).toBeUndefined();
  await setSetting(sandbox, 'log', [logs]);
  for (const article of [shown, waiting]) await expect.poll(() => entryOf(article)).toBeDefined();
});

test('a report that waits while the log channel is moved stands in the new one alone, with what is reported later', async () => {
  const { sandbox } = scene;
  const { operator, guildId: guild } = sandbox;
  const [one = '', two = ''] = scene.crowd(2);
  const open = operator.createChannel({ guild, name: 'open-log' }).id;
  await expect.poll(() => scene.bot.client.channels.cache.has(open)).toBe(true);
  await setSetting(sandbox, 'log', [open]);
  const article = await scene.post(poster, { title: 'Not for everyone' });
  await report(one, article);
  const stood = () => [...sandbox.world.channels.get(open)!.messages.values()];
  await expect.poll(() => stood().some(isAbout(article))).toBe(true);
  await setSetting(sandbox, 'log', [logs]);
  await expect.poll(() => saysOf(article)).toContain('Reported by 1 member ·');
  expect(JSON.stringify(stood())).not.toContain('Not for everyone');
  expect(stood().map(({ content }) => content)).toContain(
    '-# A report stood here until the log channel was changed.',
  );
  // What earlier tests reported moves as well.
  await expect.poll(() => stood().every(({ components }) => components.length === 0)).toBe(true);
  const before = JSON.stringify(stood());
  await report(two, article);
  await later();
  await expect.poll(() => saysOf(article)).toContain('Reported by 2 members');
  expect(JSON.stringify(stood())).toBe(before);
  await setSetting(sandbox, 'log', [open]);
  await expect.poll(() => stood().filter(isAbout(article))).toHaveLength(1);
  await expect.poll(() => entryOf(article)).toBeUndefined();
  // Nor what comes of it without a log channel.
  await setSetting(sandbox, 'log', []);
  await expect.poll(() => JSON.stringify(stood())).not.toContain('Not for everyone');
  await scene.moderate(moderator, 'remove', article);
  await later();
  expect(JSON.stringify(stood())).not.toContain('Not for everyone');
  await setSetting(sandbox, 'log', [logs]);
  operator.deleteChannel({ channel: open });
});

test('a report whose link Discord refuses is shown and changed without the link', async () => {
  const { harmfulHosts } = scene.sandbox.world;
  const [one = '', two = ''] = scene.crowd(2);
  const [before, after] = await Promise.all([
    scene.post(poster, { title: 'Known before', link: 'https://harmful.example/before' }),
    scene.post(poster, { title: 'Known after', link: 'https://harmful.example/after' }),
  ]);
  await report(one, after);
  await expect.poll(() => saysOf(after)).toContain('harmful.example');
  harmfulHosts.add('harmful.example');
  await report(one, before);
  await expect.poll(() => saysOf(before)).toContain('Known before');
  expect(saysOf(before)).not.toContain('harmful.example');
  await report(two, after);
  await later();
  expect(saysOf(after)).toContain('Reported by 2 members');
  expect(entriesOf(after)).toHaveLength(1);
  harmfulHosts.clear();
});

test('who moderates where nothing was reported is told so, and of what another has decided meanwhile that it is', async () => {
  const { sandbox, bot } = scene;
  const [helper = ''] = members.slice(4);
  const { operator, guildId: guild } = sandbox;
  const quiet = operator.createChannel({ guild, name: 'quiet' }).id;
  await expect.poll(() => bot.client.channels.cache.has(quiet)).toBe(true);
  operator.setPermissions({ channel: quiet, who: helper, allow: ['ManageMessages'] });
  const page = () => as(helper).command(quiet, 'mod reports');
  const { message: none } = await scene.eventually(
    page,
    ({ message }) => message?.embeds[0] !== undefined,
    'a page for who moderates there',
  );
  expect(none?.embeds[0]?.description).toContain('Nothing is waiting for you');
  expect(none?.components).toEqual([]);
  const article = await scene.post(poster, { title: 'In a quiet corner', channel: quiet });
  await report(scene.crowd(1)[0] ?? '', article, 'spam', quiet);
  const { message } = await page();
  expect(message?.embeds[0]?.description).toContain('In a quiet corner');
  const by = await bot.client.guilds.cache.get(guild)!.members.fetch(moderator);
  await bot.moderation.leave(by, (await scene.article(article))!);
  const late = await as(helper).choose(quiet, message?.id ?? '', 'mod|report', [article]);
  expect(late.message?.content).toContain('already decided');
  operator.deleteChannel({ channel: quiet });
});

const offersLock = (article: string) =>
  buttonsOf(entryOf(article)).some((id) => id.startsWith('moderate|lock|'));

test('a report offers to stop the voting only where it goes on, and who reported is told after a removal too', async () => {
  const { sandbox } = scene;
  const [reporter = ''] = scene.crowd(1);
  const [open, locked] = [await scene.post(poster), await scene.post(poster)];
  await scene.moderate(moderator, 'lock', locked);
  const atMs = scene.clock.now() - 7 * DAY_MS - 1000;
  const closed = await scene.rank({ title: 'Over', atMs, poster });
  for (const article of [open, locked]) await report(reporter, article);
  const by = await scene.bot.client.guilds.cache.first()!.members.fetch(reporter);
  await scene.bot.moderation.report(by, { id: closed, poster }, 'spam');
  for (const article of [open, locked, closed])
    await expect.poll(() => entryOf(article)).toBeDefined();
  expect([open, locked, closed].map(offersLock)).toEqual([true, false, false]);
  await scene.moderate(moderator, 'remove', open);
  const source = { userId: moderator, sourceId: as().send(general, 'Here.').id };
  const who = await forgeComponent(sandbox, source, `moderate|reporters|${open}`);
  expect(who.message?.content).toContain(`<@${reporter}>`);
  const [curious = ''] = scene.crowd(1);
  sandbox.as(curious).speak('en-US');
  const asked = await forgeComponent(
    sandbox,
    { ...source, userId: curious },
    `moderate|reporters|${open}`,
  );
  expect(asked.message?.content).toContain('Manage Messages');
  expect(asked.message?.content).not.toContain(`<@${reporter}>`);
  const nobody = await forgeComponent(
    sandbox,
    source,
    `moderate|reporters|${await scene.post(poster)}`,
  );
  expect(nobody.message?.content).toBe('No report of it is left.');
});

test('a report that the log channel refuses is tried again each hour', async () => {
  const { operator, world } = scene.sandbox;
  const who = world.application.botId;
  const may = { channel: logs, who, allow: ['ViewChannel', 'ReadMessageHistory'] as const };
  operator.setPermissions({ ...may, deny: ['SendMessages'] });
  const article = await scene.post(poster, { title: 'Nowhere to be shown' });
  await report(scene.crowd(1)[0] ?? '', article);
  await expect.poll(() => restOf(article)).toBeGreaterThan(HOUR_MS / 2);
  operator.setPermissions(may);
  scene.clock.move(HOUR_MS);
  await scene.bot.due.look();
  await expect.poll(() => entryOf(article)).toBeDefined();
});

// Withstands (Redis, while the bot runs): Redis loses when reports are due to be shown or forgotten
// → what moderators have not seen is shown, and each is forgotten in its time
test('reports whose times are lost are planned anew: at once what moderators have not seen, else when it is forgotten', async () => {
  const { bot, clock, sandbox } = scene;
  const { guildId: guild } = sandbox;
  const [reporter = ''] = scene.crowd(1);
  const [seen, unseen, decided] = await Promise.all(
    ['Shown by now', 'Waits to be shown', 'Decided before'].map((title) =>
      scene.post(poster, { title }),
    ),
  );
  await report(reporter, seen!);
  await expect.poll(() => entriesOf(seen!)).toHaveLength(1);
  const atMs = clock.now();
  for (const article of [unseen!, decided!])
    await noteReport(bot.store, guild, { article, member: reporter, reason: 'spam' }, atMs);
  await settleReports(bot.store, guild, [decided!], atMs);
  await scene.settled();
  const { due } = storeKeys(bot.store, guild);
  const dueAt = (article: string) => bot.store.redis.zscore(due, reportRow(article));
  const forgottenAt = async (article: string) => {
    const { all } = await readReports(bot.store, guild, article, clock.now());
    return String(all[0]!.atMs + REPORTS_KEPT_MS);
  };
  await expect.poll(() => dueAt(seen!)).toBe(await forgottenAt(seen!));
  await bot.store.redis.zrem(due, ...[seen!, unseen!, decided!].map(reportRow));
  await bot.due.arrive(guild);
  await expect.poll(() => entriesOf(unseen!)).toHaveLength(1);
  for (const article of [seen!, unseen!, decided!])
    await expect.poll(() => dueAt(article)).toBe(await forgottenAt(article));
  expect(entriesOf(seen!)).toHaveLength(1);
  expect(entriesOf(decided!)).toEqual([]);
});

// Withstands (Processes that die): The process dies after it sent the message about a report, before it stored where
// → the next one finds the message and sends no second, nor takes another report's for it
test('a message about a report that was sent is found again where it is not stored, and no other is taken for it', async () => {
  const { bot, sandbox } = scene;
  const { guildId: guild } = sandbox;
  const [one = '', two = ''] = scene.crowd(2);
  const [article, other] = [
    await scene.post(poster, { title: 'Sent once' }),
    await scene.post(poster, { title: 'Another one' }),
  ];
  for (const id of [article, other]) {
    await report(one, id);
    await expect.poll(() => entriesOf(id)).toHaveLength(1);
  }
  const [sent] = entriesOf(article);
  await scene.settled();
  const { reports } = storeKeys(bot.store, guild);
  const entryIn = async () => (await readReports(bot.store, guild, article, 0)).entry;
  await bot.store.redis.hdel(reports, ...Object.keys(entryField(article, '', '')));
  expect(await entryIn()).toBeNull();
  scene.clock.move(DAY_MS);
  await bot.due.note(guild, reportRow(article), { tried: logs });
  await noteReport(bot.store, guild, { article, member: two, reason: 'spam' }, scene.clock.now());
  await bot.due.plan(guild, reportRow(article), 0);
  await bot.due.look();
  await expect.poll(entryIn).toMatchObject({ message: sent!.id });
  for (const id of [article, other]) expect(entriesOf(id)).toHaveLength(1);
  await bot.due.plan(guild, reportRow(article), 0);
  await bot.due.look();
  await expect.poll(() => saysOf(article)).toContain('Reported by 2 members');
  expect(saysOf(other)).toContain('Another one');
  // Where the bot may not look, what may have been sent is not sent again.
  const channel = bot.client.guilds.cache.get(guild)!.channels.cache.get(logs)!;
  const mayLook = () => missingPermissions(channel, ['ReadMessageHistory']).length === 0;
  const who = sandbox.world.application.botId;
  const may = { channel: logs, who, allow: ['ViewChannel', 'SendMessages'] as const };
  sandbox.operator.setPermissions({ ...may, deny: ['ReadMessageHistory'] });
  await expect.poll(mayLook).toBe(false);
  await bot.store.redis.hdel(reports, ...Object.keys(entryField(article, '', '')));
  scene.clock.move(DAY_MS);
  await bot.due.note(guild, reportRow(article), { tried: logs });
  await bot.due.plan(guild, reportRow(article), 0);
  await bot.due.look();
  expect(entriesOf(article)).toHaveLength(1);
  sandbox.operator.setPermissions({ ...may, allow: [...may.allow, 'ReadMessageHistory'] });
  await expect.poll(mayLook).toBe(true);
});

test('a reported article whose removal is undone is not called removed', async () => {
  const article = await scene.post(poster, { title: 'Back again' });
  await report(scene.crowd(1)[0] ?? '', article);
  await expect.poll(() => entryOf(article)).toBeDefined();
  const entry = entryOf(article)?.id ?? '';
  const form = await as().press(logs, entry, `moderate|remove|${article}`);
  const done = await as().submit(form.interactionId, { text: '', also: ['poster'], days: ['7'] });
  await expect.poll(() => saysOf(article)).toContain('It has been removed.');
  const undo = buttonsOf(done.message).find((id) => id.startsWith('moderate|undo|')) ?? '';
  await as().press(logs, done.message?.id ?? '', undo);
  expect(await scene.article(article)).not.toBeNull();
  await expect.poll(() => saysOf(article)).not.toContain('It has been removed.');
});

test('no moderator is said to have left an article whose reporter withdrew', async () => {
  const [withdrawn = ''] = scene.crowd(1);
  const article = await scene.post(poster, { title: 'Nobody minds' });
  await report(withdrawn, article);
  await expect.poll(() => entryOf(article)).toBeDefined();
  const data = await scene.command(withdrawn, 'me data');
  await as(withdrawn).press(general, data.message?.id ?? '', 'me|out');
  await as(withdrawn).press(general, data.message?.id ?? '', 'me|leave');
  await expect.poll(() => saysOf(article)).toContain('No report is left');
  expect(saysOf(article)).not.toContain('left it as it is');
});

test('what moderators see of reports names no article whose poster erased it', async () => {
  const [author = '', reporter = ''] = scene.crowd(2);
  const article = await scene.post(author, { title: 'A private matter' });
  await report(reporter, article);
  await expect.poll(() => saysOf(article)).toContain('A private matter');
  const data = await scene.command(author, 'me data');
  for (const id of ['me|erase', 'me|really'])
    await as(author).press(general, data.message?.id ?? '', id);
  await expect.poll(() => JSON.stringify(as().messages(logs))).not.toContain('A private matter');
  expect(JSON.stringify(as().messages(logs))).not.toContain(`<@${author}>`);
});

test('a press on an article that stands unseen or was removed does not call it gone', async () => {
  const { sandbox } = scene;
  const rust = sandbox.channels.rust.id;
  const { moderator: second, operator } = sandbox;
  const [hidden, removed] = [
    await scene.post(poster, { title: 'Unseen', channel: rust }),
    await scene.post(poster, { title: 'Removed' }),
  ];
  await report(scene.crowd(1)[0] ?? '', hidden, 'spam', rust);
  await expect.poll(() => entryOf(hidden)).toBeDefined();
  const shut = { channel: rust, who: second };
  operator.setPermissions({ ...shut, deny: ['ViewChannel'] });
  await scene.moderate(moderator, 'remove', removed);
  sandbox.world.users.get(second)!.locale = 'en-US';
  const lock = (userId: string, article: string) => {
    const forged = openInteraction(sandbox.world, {
      type: InteractionType.MessageComponent,
      userId,
      channel: sandbox.channels.moderators,
      sourceId: entryOf(hidden)?.id ?? '',
      data: { custom_id: `moderate|lock|${article}`, component_type: ComponentType.Button, id: 1 },
    });
    return answerTo(sandbox.world, forged);
  };
  const unseen = await scene.eventually(
    () => lock(second, hidden),
    ({ message }) => message?.content.includes('no such article') === true,
    'it may not be viewed',
  );
  expect(unseen.ephemeral).toBe(true);
  // Nor is it named to who moderates the server, and may not view its channel.
  const waiting = async (who: string) =>
    (await sandbox.as(who).command(general, 'mod reports')).message?.embeds[0]?.description;
  expect(await waiting(second)).not.toContain('Unseen');
  expect(await waiting(moderator)).toContain('Unseen');
  expect((await lock(moderator, removed)).message?.content).toContain('was already removed');
  operator.setPermissions(shut);
});

test('who opts out reports nothing, and no report stands thirty days after it was made', async () => {
  const { bot, sandbox } = scene;
  const { reports } = storeKeys(bot.store, sandbox.guildId);
  const [, , , , leaver = ''] = members;
  const article = await scene.post(poster, { title: 'Last of all' });
  await report(leaver, article);
  await report(members[0] ?? '', article);
  const fields = async () => (await scene.redis.redis.hkeys(reports)).join();
  const data = await scene.command(leaver, 'me data');
  await as(leaver).press(general, data.message?.id ?? '', 'me|out');
  expect(await fields()).toContain(leaver);
  await as(leaver).press(general, data.message?.id ?? '', 'me|leave');
  expect(await fields()).not.toContain(leaver);
  expect(await report(leaver, article)).toContain('opted out');
  const [, , , eraser = ''] = members;
  await report(eraser, article);
  expect(await fields()).toContain(eraser);
  const own = await scene.command(eraser, 'me data');
  for (const button of ['erase', 'really'])
    await as(eraser).press(general, own.message?.id ?? '', `me|${button}`);
  expect(await fields()).not.toContain(eraser);
  await later();
  expect(saysOf(article)).toContain('Reported by 1 member ·');
  scene.clock.move(31 * DAY_MS);
  // Discord takes so many edits of old messages in a minute.
  await later();
  await later();
  expect(await fields()).toBe('');
});
