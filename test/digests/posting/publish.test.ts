import { ChannelType, MessageFlags } from 'discord.js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createChannel } from '../../../discord-box/src/world/channels/change-channel.ts';
import { setOptedOut } from '../../../src/community/opted-out.ts';
import { keepShown, type Shown, type Standing } from '../../../src/messages/keep-shown.ts';
import { ChannelRefused } from '../../../src/discord/requests/refusals.ts';
import { openMessages } from '../../../src/messages/messages.ts';
import { moveArticle, retitleArticle } from '../../../src/ranking/articles/edit.ts';
import { readOutcomes } from '../../../src/ranking/outcomes.ts';
import { removeArticle } from '../../../src/ranking/articles/removed.ts';
import { listEditions } from '../../../src/editions/stored-editions.ts';
import { type DigestScene, SIX, startDigestScene, titlesOf } from '../digest-scene.ts';
import type { Digest } from '../../../src/digests/digest-settings.ts';
import { CLAIM_MS } from '../../../src/digests/posting/run-digest.ts';
import { dyingAt, pausedAt } from '../dying-process.ts';

let scene: DigestScene;
let news: string;
beforeAll(async () => {
  scene = await startDigestScene();
  const { world, guildId } = scene.sandbox;
  const type = ChannelType.GuildAnnouncement;
  news = createChannel(world, { guildId, name: 'news', type }).id;
  await scene.settled();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  await scene.clear();
  scene.sandbox.requests.reset();
});

const crossposts = () => scene.sandbox.requests.count('POST', /crosspost/);

function postedIn(channel: string) {
  const { botId } = scene.sandbox.world.application;
  const { messages } = scene.sandbox.world.channels.get(channel)!;
  return [...messages.values()].filter(
    ({ authorId, onlyFor, content }) =>
      authorId === botId && onlyFor === null && content.startsWith('## '),
  );
}

test('an edition in an announcement channel is published once to its followers', async () => {
  await scene.setUp('published', { channel: news, publish: true });
  await scene.postArticles(['Best', 'Second']);
  scene.goTo(SIX);
  expect(await scene.runDigest('published')).toBe('posted');
  await scene.runDigest('published');
  const [message] = postedIn(news);
  expect((message!.flags & MessageFlags.Crossposted) !== 0).toBe(true);
  expect(crossposts()).toBe(1);
});

test('an edition is not published where nobody wants it, nor in another kind of channel', async () => {
  await scene.setUp('plain', { channel: news });
  await scene.setUp('elsewhere', { publish: true });
  await scene.postArticles(['Best']);
  scene.goTo(SIX);
  expect(await scene.runDigest('plain')).toBe('posted');
  expect(await scene.runDigest('elsewhere')).toBe('posted');
  expect(crossposts()).toBe(0);
});

test.each<[string, Partial<Digest>]>([
  ['its manager took that back', { publish: false }],
  ['it was moved to another channel', {}],
])('an edition is not published where %s while it was on its way', async (_, change) => {
  const wanted = { channel: news, publish: true };
  await scene.setUp('changed', wanted);
  await scene.postArticles(['Best']);
  scene.goTo(SIX);
  const context = pausedAt(scene.context, { step: 'sendMessage' }, () =>
    scene.setUp('changed', 'publish' in change ? { ...wanted, ...change } : { publish: true }),
  );
  expect(await scene.runDigest('changed', context)).toBe('posted');
  expect(postedIn(news)).toHaveLength(1);
  expect(crossposts()).toBe(0);
});

test('an edition that Discord does not publish is posted all the same, and its manager is told once', async () => {
  const { admin, faults } = scene.sandbox;
  faults.add({ method: 'POST', route: /crosspost/, status: 403, code: 50013 });
  await scene.setUp('refused', { channel: news, publish: true, savedBy: admin });
  await scene.postArticles(['Best']);
  scene.goTo(SIX);
  // Another process takes it over in its last moment.
  const slow = pausedAt(scene.context, { step: 'releaseLease' }, async () => {
    scene.clock.move(CLAIM_MS);
    expect(await scene.runDigest('refused')).toBe('posted');
  });
  expect(await scene.runDigest('refused', slow)).toBe('idle');
  const told = scene.sandbox.as(admin).directMessages();
  const texts = () => [...told.messages.values()].map(({ content }) => content);
  await expect.poll(() => texts().join('\n')).toContain('Discord refused to publish it');
  expect(texts().filter((text) => text.includes('Discord refused to publish it'))).toHaveLength(1);
});

test('an edition that another process has published meanwhile is published, and nobody is told otherwise', async () => {
  const { admin, faults } = scene.sandbox;
  faults.add({ method: 'POST', route: /crosspost/, status: 400, code: 40033 });
  await scene.setUp('shared', { channel: news, publish: true, savedBy: admin });
  await scene.postArticles(['Best']);
  scene.goTo(SIX);
  const told = scene.sandbox.as(admin).directMessages().messages;
  const before = told.size;
  expect(await scene.runDigest('shared')).toBe('posted');
  expect(crossposts()).toBe(1);
  expect(told.size).toBe(before);
});

test('an edition names and pings no role that was deleted since it was chosen', async () => {
  const { world, guildId } = scene.sandbox;
  await scene.setUp('roleless', { role: world.snowflake(scene.clock.now()) });
  await scene.setUp('heard', { role: guildId });
  await scene.postArticles(['Best']);
  scene.goTo(SIX);
  for (const name of ['roleless', 'heard']) expect(await scene.runDigest(name)).toBe('posted');
  const hasRole = scene.posted().map(({ content }) => content.includes('<@&'));
  expect(hasRole).toEqual([false, true]);
});

test('who has lost the right to show a message reads no further page and edits nothing', async () => {
  const { sandbox, clock, context } = scene;
  const { channels } = context;
  const target = { guild: scene.guild, channel: scene.channel };
  const channel = sandbox.world.channels.get(scene.channel)!;
  const fromMs = clock.now();
  for (let n = 0; n < 101; n += 1) sandbox.as(sandbox.admin).send(channel.id, `Talk ${n}`);
  const look = (isHeld: boolean) =>
    channels.readBack(
      target,
      fromMs,
      () => false,
      async () => isHeld,
    );
  expect([await look(true), await look(false)]).toEqual([{ status: 'none' }, { status: 'lost' }]);
  const sent = await channels.sendMessage(target, { content: 'First' }, 'stood-still');
  const id = sent.status === 'sent' ? sent.message : '';
  const edit = (content: string, standsStillMs: number) =>
    channels.editMessage(target, id, { content }, async () => {
      clock.move(standsStillMs);
      return true;
    });
  expect(await edit('Second', 0)).toEqual({ status: 'edited' });
  expect(await edit('Too late', 21_000)).toEqual({ status: 'lost' });
  expect(channel.messages.get(id)?.content).toBe('Second');
});

test('what an earlier process may have sent is not said to be unsent, nor shown without the claim', async () => {
  const { sandbox, clock, context } = scene;
  const keep = (isTried: boolean, hold: () => boolean = () => true) => {
    const standing: Standing = {
      target: { guild: scene.guild, channel: scene.channel },
      nonce: 'kept-once',
      matches: (content) => content.startsWith('Kept'),
      sinceMs: clock.now(),
      mayReadBack: true,
      write: async () => ({ content: 'Kept' }),
    };
    return keepShown(context, standing, { isTried, hold: async () => hold() });
  };
  const refuse = (method: string) =>
    sandbox.faults.add({ method, route: /messages$/, status: 403, code: 50013 });
  const end = refuse('POST');
  expect(await keep(true)).toMatchObject({ status: 'refused', isUnsent: false });
  expect(await keep(false)).toMatchObject({ status: 'refused', isUnsent: true });
  end();
  const endOfLooks = refuse('GET');
  expect(await keep(false)).toMatchObject({ status: 'refused', isUnsent: false });
  endOfLooks();
  expect(await keep(false)).toMatchObject({ status: 'shown' });
  let holds = 1;
  expect(await keep(true, () => (holds -= 1) >= 0)).toEqual({ status: 'lost' });
});

/** What is to stand in the digest's channel, said by this. */
const saying = (mark: string, more: Partial<Standing> = {}): Standing => ({
  target: { guild: scene.guild, channel: scene.channel },
  nonce: mark,
  matches: (content) => content.startsWith(mark),
  sinceMs: scene.clock.now(),
  mayReadBack: true,
  write: async () => ({ content: mark }),
  ...more,
});
const tried = { isTried: true, hold: async () => true };
const seesNothing = async () => ({ status: 'none' as const });
const nowHarmful: Standing['write'] = async ({ isPlain }) => ({
  content: isPlain ? 'Linked no more' : 'Linked https://harmful.example/now',
});

test('what an earlier process sent is found though its clock was some minutes ahead of Discord’s', async () => {
  const { clock, context } = scene;
  const sent = await keepShown(context, saying('Ahead'), { ...tried, isTried: false });
  const ahead = saying('Ahead', { nonce: 'forgotten', sinceMs: clock.now() + 4 * 60_000 });
  const shown = await keepShown(context, ahead, tried);
  expect(shown).toEqual(sent);
  expect(scene.sandbox.requests.count('POST', /messages$/)).toBe(1);
});

test('what an earlier process sent is edited without the links that Discord refuses by now', async () => {
  const { context, sandbox } = scene;
  const { harmfulHosts } = sandbox.world;
  const first = saying('Linked', { write: async () => ({ content: 'Linked before' }) });
  const sent = await keepShown(context, first, { ...tried, isTried: false });
  harmfulHosts.add('harmful.example');
  const shown = await keepShown(context, saying('Linked', { write: nowHarmful }), tried);
  harmfulHosts.clear();
  expect(shown).toEqual({ ...sent, refusedLinks: '240000' });
  const { messages } = sandbox.world.channels.get(scene.channel)!;
  const said = [...messages.values()].map(({ content }) => content);
  expect(said.filter((text) => text.startsWith('Linked'))).toEqual(['Linked no more']);
});

test('what an earlier process sent and Discord does not show yet is edited to what is true now', async () => {
  const { context, sandbox } = scene;
  const sent = await keepShown(context, saying('Nonce'), { ...tried, isTried: false });
  const unseeing = { ...context, channels: { ...context.channels, readBack: seesNothing } };
  const newer = saying('Nonce', { write: async () => ({ content: 'Nonce, newer' }) });
  expect(await keepShown(unseeing, newer, tried)).toEqual(sent);
  const { messages } = sandbox.world.channels.get(scene.channel)!;
  const said = [...messages.values()].map(({ content }) => content);
  expect(said.filter((text) => text.startsWith('Nonce'))).toEqual(['Nonce, newer']);
});

test('an edit says nothing of a message’s flags, which a moderator may have changed since', async () => {
  const { context, sandbox } = scene;
  const target = { guild: scene.guild, channel: scene.channel };
  const body = { content: 'Quiet', flags: MessageFlags.SuppressNotifications } as const;
  const sent = await context.channels.sendMessage(target, body, 'quiet');
  const id = sent.status === 'sent' ? sent.message : '';
  const message = sandbox.world.channels.get(scene.channel)!.messages.get(id);
  expect(message?.flags).toBe(MessageFlags.SuppressNotifications);
  const flags = { method: 'PATCH', body: /"flags"/, status: 400, code: 50_035 } as const;
  const end = sandbox.faults.add(flags);
  const again = { ...body, content: 'Quiet still' };
  const edited = await context.channels.editMessage(target, id, again, async () => true);
  end();
  expect([edited.status, message?.content]).toEqual(['edited', 'Quiet still']);
});

test('where the bot may not look, what took long to write is sent once, and not written for ever', async () => {
  const { clock, context, sandbox } = scene;
  let holds = 0;
  const hold = async () => {
    clock.move(21_000);
    holds += 1;
    if (holds > 3) throw new Error('It begins again and again.');
    return true;
  };
  const unseen = saying('Slowly', { mayReadBack: false });
  expect(await keepShown(context, unseen, { isTried: false, hold })).toMatchObject({
    status: 'shown',
  });
  expect(sandbox.requests.count('POST', /messages$/)).toBe(1);
});

test('a channel that is not asked, because Discord refuses too much, is not called gone', async () => {
  const { context } = scene;
  const requests = {
    ...context.requests,
    async requireAllowed() {
      throw new ChannelRefused('Discord refuses too much.');
    },
  };
  const channels = openMessages({ ...context, requests });
  const target = { guild: scene.guild, channel: scene.channel };
  const refused = { status: 'refused', reason: 'refused', detail: '' };
  for (const answer of [
    channels.sendMessage(target, { content: 'Hello' }, 'refused'),
    channels.readBack(target, 0, () => true, tried.hold),
    channels.editMessage(target, '1', { content: 'Hello' }, tried.hold),
    channels.publish(target, '1'),
  ]) {
    expect(await answer).toEqual(refused);
  }
  expect(scene.sandbox.requests.count()).toBe(0);
});

test.each<[string, Shown['status'], boolean[], ('said' | 'nothing')[], number?]>([
  ['whoever lost the right to show a message', 'lost', [false], ['said']],
  ['whoever lost it while looking for the message', 'lost', [true, false], ['said', 'said']],
  ['whoever has nothing to say', 'none', [], ['nothing']],
  ['whoever has nothing left to say after the look', 'none', [true], ['said', 'nothing']],
  [
    'whoever has nothing to say without links',
    'none',
    [true, true],
    ['said', 'said', 'nothing'],
    1,
  ],
])('%s sends nothing (%s)', async (_, status, holds, writes, refused = 0) => {
  const { sandbox, clock, context } = scene;
  const sent = () => sandbox.requests.count('POST', /messages$/);
  const links = { method: 'POST', route: /messages$/, status: 400, code: 240_000 };
  if (refused > 0) sandbox.faults.add({ ...links, times: refused });
  const standing: Standing = {
    target: { guild: scene.guild, channel: scene.channel },
    nonce: `not-${holds.length}-${writes.length}`,
    matches: (content) => content.startsWith('Never'),
    sinceMs: clock.now(),
    mayReadBack: true,
    write: async () => (writes.shift() === 'said' ? { content: 'Never said' } : null),
  };
  const claim = { isTried: false, hold: async () => holds.shift() === true };
  expect(await keepShown(context, standing, claim)).toEqual({ status });
  expect([sent(), holds, writes]).toEqual([refused, [], []]);
  // Where nothing hinders it, it is sent.
  const free = { ...standing, write: async () => ({ content: 'Never said' }) };
  const allowed = { isTried: false, hold: async () => true };
  expect(await keepShown(context, free, allowed)).toMatchObject({ status: 'shown' });
  expect(sent()).toBe(refused + 1);
});

test('an edition that Discord would publish in an hour alone delays nothing, and its manager is told', async () => {
  const { admin, faults } = scene.sandbox;
  const hourly = { route: /crosspost/, status: 429, retryAfterSeconds: 3600 };
  faults.add({ method: 'POST', ...hourly });
  await scene.setUp('limited', { channel: news, publish: true, savedBy: admin });
  await scene.postArticles(['Best']);
  scene.goTo(SIX);
  expect(await scene.runDigest('limited')).toBe('posted');
  expect(crossposts()).toBe(1);
  const told = scene.sandbox.as(admin).directMessages();
  const texts = () => [...told.messages.values()].map(({ content }) => content);
  await expect.poll(() => texts().join('\n')).toContain('ten');
});

// Withstands (Requests to Discord): An article goes while Discord does not publish an edition to followers
// → it is edited, and published then
test.each(['removed', 'retitled', 'hidden'])(
  'an edition of which an article was %s before Discord published it says so when it is published',
  async (change) => {
    const end = scene.sandbox.faults.add({ method: 'POST', route: /crosspost/, status: 503 });
    await scene.setUp('late', { channel: news, publish: true });
    const [article = ''] = await scene.postArticles(['A slander', 'Second']);
    scene.goTo(SIX);
    await scene.tick();
    await changeArticle(change, article);
    end();
    scene.clock.move(2 * 60_000);
    await scene.tick();
    expect(published()).toEqual(change === 'retitled' ? [['A fact', 'Second']] : [['Second']]);
  },
);

test.each(['removed', 'retitled', 'hidden'])(
  'an edition of which an article was %s while it was on its way to Discord says so when it is published',
  async (change) => {
    await scene.setUp('way', { channel: news, publish: true });
    const [article = ''] = await scene.postArticles(['A slander', 'Second']);
    scene.goTo(SIX);
    const { channels } = scene.context;
    const slow = async (...of: Parameters<typeof channels.sendMessage>) => {
      await changeArticle(change, article);
      return channels.sendMessage(...of);
    };
    const context = { ...scene.context, channels: { ...channels, sendMessage: slow } };
    expect(await scene.runDigest('way', context)).toBe('posted');
    expect(published()).toEqual(change === 'retitled' ? [['A fact', 'Second']] : [['Second']]);
  },
);

test('an edition that Discord accepts late does not name who opted out since', async () => {
  const [poster = ''] = scene.sandbox.members;
  await scene.setUp('daily', {});
  await scene.postArticles(['Best', 'Second']);
  scene.goTo(SIX);
  const route = /^\/channels\/:channel\/messages$/;
  const end = scene.sandbox.faults.add({ method: 'POST', route, status: 503 });
  await scene.tick();
  expect(scene.posted()).toEqual([]);
  await setOptedOut(scene.context.store, scene.guild, poster, true);
  end();
  scene.clock.move(2 * 60_000);
  await scene.tick();
  expect(scene.posted()).toHaveLength(1);
  expect(JSON.stringify(scene.posted())).not.toContain(poster);
});

async function changeArticle(change: string, article: string): Promise<void> {
  const { ranking } = scene.context;
  const { guild, clock } = scene;
  const home = scene.sandbox.channels.general.id;
  if (change === 'removed') await removeArticle(ranking, guild, article, clock.now());
  else if (change === 'hidden') await moveArticle(ranking, { guild, article, home, listed: false });
  else await retitleArticle(ranking, { guild, article, title: 'A fact' });
}

/** The titles of each edition that was published. */
function published(): string[][] {
  return postedIn(news)
    .filter(({ flags }) => (flags & MessageFlags.Crossposted) !== 0)
    .map((message) => titlesOf({ embeds: message.embeds }));
}

test('an edition that somebody posts by hand is published too, or its manager hears that it is not', async () => {
  const { admin, channels, faults } = scene.sandbox;
  const now = async () => {
    const given = { name: 'by-hand' };
    const { message } = await scene.sandbox
      .as(admin)
      .command(channels.general.id, 'digest now', given);
    return message?.content ?? '';
  };
  /** A real message: the tallies are recounted first. */
  const post = async (title: string) => {
    const [poster = '', voter = ''] = scene.sandbox.members;
    const link = `https://example.com/${title}`;
    const id = await scene.post(poster, { channel: channels.general.id, link, title });
    await scene.vote(voter, id);
    scene.clock.move(60_000);
  };
  await scene.setUp('by-hand', { channel: news, publish: true });
  await post('Best');
  expect(await now()).toMatch(/^Posted: \S+$/);
  expect(published()).toEqual([['Best']]);
  await post('Fresh');
  faults.add({ method: 'POST', route: /crosspost/, status: 503 });
  expect(await now()).toContain('didn’t say whether it is published');
  expect(postedIn(news)).toHaveLength(2);
});

test.each<[string, Digest['schedule'], { fromMs: number; days: unknown }]>([
  ['a day', { every: 'day', time: '18:00', zone: 'UTC' }, { fromMs: SIX - 86_400_000, days: null }],
  [
    'a week',
    { every: 'week', weekdays: [3], time: '18:00', zone: 'UTC' },
    { fromMs: SIX - 7 * 86_400_000, days: { from: '2027-03-04', to: '2027-03-10' } },
  ],
])(
  'an edition of %s is recorded as it was posted, once, though the process dies in between',
  async (_, schedule, ofDays) => {
    await scene.setUp('kept', { schedule });
    const [best = '', second = ''] = await scene.postArticles(['Best', 'Second']);
    scene.goTo(SIX);
    const { context, died } = dyingAt(scene.context, { step: 'releaseLease', when: 'before' });
    void scene.runDigest('kept', context);
    await died;
    scene.clock.move(2 * 60_000);
    await scene.runDigest('kept');
    const [found, ...more] = await listEditions(scene.context.store, scene.guild, { only: 'kept' });
    expect(more).toEqual([]);
    expect(found?.edition.articles.map(({ id }) => id)).toEqual([best, second]);
    expect(found?.edition.message).toBe(scene.posted().at(-1)?.id);
    const window = { postedAtMs: SIX, ...ofDays };
    expect(found?.edition).toMatchObject({ ...window, channel: scene.channel, isPublic: true });
  },
);

test('an edition of a channel that not everybody views has no page, and the thread of its best article hears nothing of it', async () => {
  const { channels } = scene.sandbox;
  await scene.setUp('closed', { channel: channels.moderators.id });
  await scene.setUp('open', {});
  const [best = ''] = await scene.postArticles(['Best']);
  scene.goTo(SIX);
  expect(await scene.runDigest('closed')).toBe('posted');
  const ledBy = async () =>
    (await readOutcomes(scene.context.ranking, scene.guild, [best]))[0]?.led.map(
      ({ name }) => name,
    );
  expect(await ledBy()).toEqual([]);
  expect(await scene.runDigest('open')).toBe('posted');
  expect(await ledBy()).toEqual(['open']);
  const editions = await listEditions(scene.context.store, scene.guild);
  const isPublic = editions.map(({ name, edition }) => [name, edition.isPublic]);
  expect(Object.fromEntries(isPublic)).toEqual({ closed: false, open: true });
});
