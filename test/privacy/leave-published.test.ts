import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Json } from '../../discord-box/src/model/message.ts';
import { createMessage } from '../../discord-box/src/world/messages/change-message.ts';
import { noteAnnounced } from '../../src/articles/announced.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { languages, translate } from '../../src/text/catalogue.ts';
import { erasuresBegun, noteErasing, walkErasing } from '../../src/community/erasures.ts';
import { writeEdition } from '../../src/editions/stored-editions.ts';
import { leavePublished } from '../../src/privacy/leave-published.ts';
import { eraseLeft, eraseMember } from '../../src/privacy/member-data.ts';
import { setScale } from '../../src/ranking/articles/mark.ts';
import { writePreview } from '../../src/ranking/articles/previews.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { DAY_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { chooseForDigest } from '../fixtures/choose-for-digest.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ follows: true });
  // The recount of its start would take what is ranked below for deleted: it has no messages.
  await scene.settled();
});
afterAll(() => scene.stop());

/** Presses the buttons of `/me data` one after the other, and returns the last answer's text. */
async function press(member: string, ...buttons: string[]): Promise<string> {
  const general = scene.sandbox.channels.general.id;
  const as = scene.sandbox.as(member);
  const { message } = await as.command(general, 'me data');
  let text = '';
  for (const button of buttons) {
    const pressed = await as.press(general, message!.id, `me|${button}`);
    text = JSON.stringify(pressed.message);
  }
  return text;
}

// Withstands (Attacks): A member opts out, or erases their data, after a digest has named them
// → the digests of the last week are edited, and the answer says what stays
test('who opts out or erases their data is taken out of the digests of the last week, and told what stays', async () => {
  const { sandbox } = scene;
  const { admin, members, channels } = sandbox;
  const [ada = '', , grace = '', , tomas = '', , noor = ''] = members;
  const best = await scene.post(ada, { title: 'The best of the day' });
  const second = await scene.post(tomas, { title: 'The second of the day' });
  for (const [voter, article] of [
    [grace, best],
    [noor, best],
    [grace, second],
  ] as const) {
    await scene.vote(voter, article);
  }
  await scene.command(admin, 'digest set', { time: '18:00', timezone: 'UTC' });
  await scene.command(admin, 'digest now');
  const edition = () => {
    const message = [...channels.general.messages.values()].findLast(({ content }) =>
      content.startsWith('## '),
    )!;
    return `${message.content}\n${JSON.stringify(message.embeds)}`;
  };
  const before = edition();
  for (const part of ['The best of the day', 'The second of the day', `<@${ada}>`, `<@${tomas}>`]) {
    expect(before).toContain(part);
  }

  expect(await press(ada, 'out', 'leave')).toContain(
    'Your name is leaving the last week’s digests and announcements',
  );
  await expect.poll(edition).not.toContain(`<@${ada}>`);
  expect(edition()).toContain('The best of the day');
  expect(edition()).toContain(`<@${tomas}>`);
  // The line that says only who found it is gone as a whole.
  expect(before).toContain(`\\nfound by <@${ada}>\\n`);
  expect(edition()).not.toContain('found');
  expect(await press(ada)).toBe('');
  const page = await sandbox.as(ada).command(channels.general.id, 'me data');
  expect(JSON.stringify(page.message)).toContain('Your articles name you until you erase them');

  expect(await press(tomas, 'erase', 'really')).toContain('digests and announcements corrected');
  await expect.poll(edition).not.toContain('The second of the day');
  expect(edition()).not.toContain(`<@${tomas}>`);
  expect(edition()).toContain('**2.** This article has been erased.');
  expect(edition()).toContain('The best of the day');

  await press(ada, 'erase', 'really');
  await expect.poll(edition).not.toContain('The best of the day');
  const [headline = '', opening = ''] = edition().split('\n');
  expect(headline).toBe(before.split('\n')[0]);
  expect(opening).toBe('This article has been erased.');
});

// Withstands (Attacks): Discord or the bot's rights hinder the edit of what names a member who opted out
// → it is tried again until it is done, while it is of the last week
test('an announcement that names who opted out is edited as soon as Discord lets it be', async () => {
  const { sandbox, bot } = scene;
  const { members, channels, guildId } = sandbox;
  const [, , grace = '', , , noor = ''] = members;
  const [finder = '', other = ''] = scene.crowd(2);
  await setScale(bot.ranking, guildId, { mark: 3 });
  await setSetting(sandbox, 'announcements', [channels.rust.id]);
  await scene.minute();
  const posts = [
    await scene.post(finder, { title: 'A find' }),
    await scene.post(other, { title: 'Another find' }),
  ];
  for (const article of posts) for (const voter of [grace, noor]) await scene.vote(voter, article);
  await scene.pass(MINUTE_MS);
  const announced = () =>
    [...channels.rust.messages.values()].map(({ content }) => content).join('\n');
  await expect.poll(announced).toContain(`<@${finder}>`);
  expect(announced()).toContain(`<@${other}>`);

  const end = sandbox.faults.add({
    method: 'PATCH',
    route: /messages\/:message$/,
    status: 429,
    code: 30046,
  });
  await press(finder, 'out', 'leave');
  const { troubles } = storeKeys(bot.store, guildId);
  await expect.poll(() => scene.redis.redis.hexists(troubles, `unname:${finder}`)).toBe(1);
  expect(announced()).toContain(`<@${finder}>`);
  end();
  scene.clock.move(MINUTE_MS);
  await expect
    .poll(async () => {
      await bot.due.look();
      return announced();
    })
    .not.toContain(`<@${finder}>`);
  expect(announced()).toContain('A find');
  expect(announced()).toContain(`<@${other}>`);
  const pinged = [...channels.rust.messages.values()].flatMap(({ pings }) => pings.userIds);
  expect(pinged).toEqual([]);
  // Who is back by then stays named.
  await bot.due.plan(guildId, `unname:${other}`, 0);
  await bot.due.look();
  expect(announced()).toContain(`<@${other}>`);

  await press(other, 'erase', 'really');
  await expect.poll(announced).not.toContain('Another find');
  expect(announced()).toContain('A find');
});

test('what one said and posted first stands in a digest without the name of who opts out', async () => {
  const { sandbox } = scene;
  const { admin, members, channels } = sandbox;
  const [, , grace = '', , , noor = ''] = members;
  const [writer = '', newcomer = ''] = scene.crowd(2);
  const options = {
    link: 'https://words.example/1',
    title: 'Well said',
    comment: 'Read it twice.',
  };
  const best = (await scene.command(writer, 'post', options)).message!.id;
  const first = await scene.post(newcomer, { title: 'My first' });
  for (const voter of [grace, noor]) await scene.vote(voter, best);
  await scene.vote(grace, first);
  await scene.command(admin, 'digest set', { name: 'short', time: '19:00', timezone: 'UTC' });
  await chooseForDigest(sandbox, 'count', ['1'], { name: 'short' });
  await scene.command(admin, 'digest now', { name: 'short' });
  const lines = () =>
    [...channels.general.messages.values()]
      .findLast(({ content }) => content.startsWith('## '))!
      .embeds.flatMap(({ description }) => String(description).split('\n'));
  expect(lines()).toContain(`> Read it twice. — <@${writer}>`);
  const find = lines().find((line) => line.startsWith(`<@${newcomer}>: [My first]`))!;
  expect(find).toBeDefined();
  for (const member of [writer, newcomer]) {
    await press(member, 'out', 'leave');
    await expect.poll(() => lines().join('\n')).not.toContain(`<@${member}>`);
  }
  expect(lines()).toContain('> Read it twice.');
  expect(lines()).toContain(find.slice(`<@${newcomer}>: `.length));
  await press(newcomer, 'erase', 'really');
  await expect.poll(() => lines().join('\n')).not.toContain('My first');
  expect(lines()).toContain('This article has been erased.');
  expect(lines()).toContain('> Read it twice.');
  await press(writer, 'erase', 'really');
});

test('a picture stays in a digest without the name of who opts out, also after it was removed', async () => {
  const { sandbox, bot } = scene;
  const { admin, channels, guildId } = sandbox;
  const [painter = '', writer = '', ...voters] = scene.crowd(5);
  const link = 'https://pictures.example/a.png';
  const best = await scene.post(writer, { title: 'Better than a picture' });
  const picture = await scene.post(painter, { link });
  const third = await scene.post(writer, { link: 'https://pictures.example/b.png' });
  for (const voter of voters) await scene.vote(voter, best);
  for (const voter of voters.slice(1)) await scene.vote(voter, picture);
  for (const voter of voters.slice(2)) await scene.vote(voter, third);
  for (const [article, name] of [
    [best, 'best'],
    [picture, 'painted'],
    [third, 'third'],
  ] as const) {
    await writePreview(bot.ranking, guildId, article, {
      picture: `https://pictures.example/${name}.png`,
    });
  }
  await scene.command(admin, 'digest now');
  const edition = () => {
    const message = [...channels.general.messages.values()].findLast(({ content }) =>
      content.startsWith('## '),
    )!;
    return JSON.stringify(message.embeds);
  };
  await expect.poll(edition).toContain(`(${link}) by <@${painter}>`);
  await removeArticle(bot.ranking, guildId, picture, scene.clock.now());

  await press(painter, 'out', 'leave');
  await expect.poll(edition).not.toContain(`<@${painter}>`);
  expect(edition()).toContain(`[A picture](${link}) · pictures.example`);
  expect(edition()).toContain('Better than a picture');
  // The small pictures of the others stay, and that of what is erased goes with it.
  for (const name of ['best', 'painted', 'third']) expect(edition()).toContain(`/${name}.png`);
  await press(painter, 'erase', 'really');
  await expect.poll(edition).not.toContain('/painted.png');
  for (const name of ['best', 'third']) expect(edition()).toContain(`/${name}.png`);
});

/** A digest of rust that says this, posted so long ago (ms). Resolves with its message. */
async function published(
  content: string,
  article: string,
  date: string,
  agoMs: number,
  {
    authorId = scene.sandbox.world.application.botId,
    embeds = [],
  }: { authorId?: string; embeds?: Json[] } = {},
) {
  const { sandbox, bot, clock } = scene;
  const { world, guildId: guild, channels } = sandbox;
  const { id: message } = createMessage(world, channels.rust, { authorId, content, embeds });
  const postedAtMs = clock.now() - agoMs;
  const where = { channel: channels.rust.id, message, isPublic: true };
  const articles = [{ id: article, net: 1, replies: 0 }];
  await writeEdition(
    bot.store,
    guild,
    { name: 'by-hand', date },
    { articles, postedAtMs, fromMs: postedAtMs - MINUTE_MS, ...where },
  );
  return message;
}
const saidBy = (message: string) => scene.sandbox.channels.rust.messages.get(message)?.content;

test('one digest that cannot be edited, or is gone, does not keep a member who opts out in the others', async () => {
  const { sandbox, bot, clock } = scene;
  const { guildId: guild, channels, faults } = sandbox;
  const [member = ''] = scene.crowd(1);
  const id = await scene.rank({ title: 'In both', atMs: clock.now() - MINUTE_MS, poster: member });
  const said = `-# ▲ 2 · <@${member}>`;
  const older = await published(said, id, '2026-01-01', 3);
  const newer = await published(said, id, '2026-01-02', 2);
  const gone = await published(said, id, '2026-01-03', 1);
  channels.rust.messages.delete(gone);
  const path = new RegExp(`/messages/${newer}$`);
  // What cannot be read now is not gone.
  for (const method of ['GET', 'PATCH']) {
    const end = faults.add({ method, path, status: 400, code: 50006 });
    await expect(leavePublished(bot, guild, { member })).rejects.toThrow('A fault was asked for');
    end();
    expect([saidBy(older), saidBy(newer)]).toEqual(['-# ▲ 2', said]);
  }
  await leavePublished(bot, guild, { member });
  expect(saidBy(newer)).toBe('-# ▲ 2');
});

test('a digest or an announcement that is older than a week, or names the member no more, is not edited', async () => {
  const { sandbox, bot, clock } = scene;
  const { guildId: guild, requests, world, channels } = sandbox;
  const [member = ''] = scene.crowd(1);
  const atMs = clock.now() - 7 * DAY_MS - 2 * MINUTE_MS;
  // Closed, so that nobody reads its message, which is not there.
  const tally = { up: 2, down: 0, closed: true };
  const id = await scene.rank({ title: 'Old', atMs, poster: member, tally });
  const said = `-# ▲ 2 · <@${member}>`;
  const old = await published(said, id, '2026-01-04', 7 * DAY_MS + MINUTE_MS);
  const { id: message } = createMessage(world, channels.rust, {
    id: world.snowflake(atMs + MINUTE_MS),
    authorId: world.application.botId,
    content: said,
  });
  await noteAnnounced(bot.store, guild, [id], { channel: channels.rust.id, message });
  const edited = () => requests.count('PATCH', /messages\/:message$/);
  const before = edited();
  await leavePublished(bot, guild, { member });
  expect([saidBy(old), saidBy(message), edited() - before]).toEqual([said, said, 0]);
  const recent = await published(said, id, '2026-01-05', 7 * DAY_MS - MINUTE_MS);
  for (let n = 0; n < 2; n += 1) {
    await leavePublished(bot, guild, { member });
    expect([saidBy(recent), edited() - before]).toEqual(['-# ▲ 2', 1]);
  }
});

test('a digest loses a name, and an erased article, in whichever language it is written', async () => {
  const { sandbox, bot, clock } = scene;
  const { guildId: guild, channels } = sandbox;
  const [member = ''] = scene.crowd(1);
  const atMs = clock.now() - MINUTE_MS;
  // Closed, so that nobody reads its message, which is not there.
  const tally = { up: 2, down: 0, closed: true };
  const id = await scene.rank({ title: 'A picture', atMs, poster: member, tally });
  const what = '[A picture](https://p.example/)';
  const embedOf = (message: string) => channels.rust.messages.get(message)!.embeds[0];
  let day = 10;
  for (const locale of languages.keys()) {
    day += 1;
    await writeSetting(bot.store, guild, 'language', locale);
    await bot.rules.refresh(guild);
    const named = translate(locale, 'kind.by', { what, poster: `<@${member}>` });
    const facts = `-# [1](https://d.example/${id})`;
    const found = translate(locale, 'digest.found', { poster: `<@${member}>` });
    const others = [`Thanks to <@${member}>!`, `-# <@${member}> was here`];
    const lines = [`${named} · p.example`, facts, found, ...others];
    const embeds = [{ description: lines.join('\n') }];
    const message = await published('Pictures', id, `2026-02-${day}`, 1, { embeds });
    await leavePublished(bot, guild, { member });
    expect(embedOf(message)?.['description']).toBe(
      `${what} · p.example\n-# [1](https://d.example/${id})`,
    );
    await leavePublished(bot, guild, { articles: new Set([id]) });
    expect(embedOf(message)?.['description']).toBe(translate(locale, 'digest.erased'));
  }
  await setSetting(sandbox, 'language', null);
});

test('what is noted of an announcement ends by itself', async () => {
  const { bot, sandbox, clock } = scene;
  const id = sandbox.world.snowflake(clock.now());
  await noteAnnounced(bot.store, sandbox.guildId, [id]);
  const leftMs = await bot.store.redis.pttl(storeKeys(bot.store, sandbox.guildId).announced(id));
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThan(30 * DAY_MS);
});

test('a message of somebody else that a restored file calls a digest stays as it is, and hinders nothing', async () => {
  const { sandbox, bot, clock } = scene;
  const { guildId: guild, world } = sandbox;
  const [member = '', other = ''] = scene.crowd(2);
  const id = await scene.rank({ title: 'Copied', atMs: clock.now() - MINUTE_MS, poster: member });
  const said = `-# ▲ 2 · <@${member}>`;
  // Discord shows the bot what mentions it.
  const copy = `${said}\n<@${world.application.botId}>`;
  const copied = await published(copy, id, '2026-01-08', 2, { authorId: other });
  const own = await published(said, id, '2026-01-09', 1);
  await leavePublished(bot, guild, { member });
  expect([saidBy(copied), saidBy(own)]).toEqual([copy, '-# ▲ 2']);
});

test('a digest whose best article is erased still says whom it is for, and keeps the others', async () => {
  const { sandbox, bot, clock } = scene;
  const { guildId: guild, channels } = sandbox;
  const id = await scene.rank({ title: 'Best', atMs: clock.now() - MINUTE_MS });
  const link = 'https://discord.com/channels/1/2';
  const embeds = [
    {
      title: 'Best',
      url: 'https://best.example/',
      description: `best.example\n-# ▲ 2 · [vote](${link}/${id})\n**2.** [Second](https://second.example/)`,
      image: { url: 'https://best.example/best.png' },
      footer: { text: 'Daily digest' },
    },
  ];
  const said = '## Daily digest\n<@&77> Best and 1 more';
  const message = await published(said, id, '2026-01-11', 1, { embeds });
  await leavePublished(bot, guild, { articles: new Set([id]) });
  const erased = 'This article has been erased.';
  expect(saidBy(message)).toBe(`## Daily digest\n<@&77> ${erased}`);
  const [embed] = channels.rust.messages.get(message)!.embeds;
  expect(embed).toMatchObject({
    description: `${erased}\n**2.** [Second](https://second.example/)`,
    footer: { text: 'Daily digest' },
  });
  for (const gone of ['title', 'url', 'image']) expect(embed).not.toHaveProperty(gone);
});

// Withstands (Processes that die): The process dies right after a member opted out
// → the row that was planned before takes their name out of the digests all the same
test('a bot that fails right after it noted who opts out takes their name out of the digests half a minute later', async () => {
  const { bot, clock } = scene;
  const [member = ''] = scene.crowd(1);
  const id = await scene.rank({ title: 'Cut off', atMs: clock.now() - MINUTE_MS, poster: member });
  const message = await published(`-# ▲ 2 · <@${member}>`, id, '2026-01-10', 1);
  const refresh = vi.spyOn(bot.rules, 'refresh').mockRejectedValueOnce(new Error('It died.'));
  await press(member, 'out', 'leave');
  expect(refresh).toHaveBeenCalled();
  refresh.mockRestore();
  await bot.due.look();
  expect(saidBy(message)).toContain(`<@${member}>`);
  clock.move(30_000);
  await bot.due.look();
  await expect.poll(() => saidBy(message)).toBe('-# ▲ 2');
});

test('in an outage a digest counts as one to edit later, not as gone', async () => {
  const { sandbox, bot, clock } = scene;
  const { guildId: guild, operator } = sandbox;
  const [member = ''] = scene.crowd(1);
  const id = await scene.rank({ title: 'Out', atMs: clock.now() - MINUTE_MS, poster: member });
  const message = await published(`-# ▲ 2 · <@${member}>`, id, '2026-01-06', 1);
  const isOut = () => bot.client.guilds.cache.get(guild)?.available === false;
  // Discord's answers tell of it before its gateway.
  scene.secretly(() => operator.setOutage({ outage: true }));
  await expect(leavePublished(bot, guild, { member })).rejects.toThrow('Unknown Channel');
  scene.secretly(() => operator.setOutage({ outage: false }));
  operator.setOutage({ outage: true });
  await expect.poll(isOut).toBe(true);
  await expect(leavePublished(bot, guild, { member })).rejects.toThrow('Unknown Channel');
  operator.setOutage({ outage: false });
  await expect.poll(isOut).toBe(false);
  await leavePublished(bot, guild, { member });
  expect(saidBy(message)).toBe('-# ▲ 2');
});

test('an erased article is not done with before it has left the digests, and not by a bot that stops', async () => {
  const { sandbox, bot, clock } = scene;
  const { guildId: guild, channels, faults } = sandbox;
  const id = await scene.rank({ title: 'Erased', atMs: clock.now() - MINUTE_MS });
  const message = await published(`[Erased](https://e.example/${id})`, id, '2026-01-07', 1);
  const channel = channels.rust.id;
  await noteErasing(bot.store, guild, { id, channel });
  const left = async () => {
    const found: string[] = [];
    for await (const { article } of walkErasing(bot.store, guild)) found.push(article);
    return found;
  };
  const path = new RegExp(`/messages/${message}$`);
  const end = faults.add({ method: 'PATCH', path, status: 400, code: 50006 });
  expect(await eraseLeft(bot, guild)).toBe(true);
  expect(await left()).toEqual([id]);
  end();
  expect(await eraseLeft({ ...bot, stopping: AbortSignal.abort() }, guild)).toBe(true);
  expect(await left()).toEqual([id]);
  expect(await eraseLeft(bot, guild)).toBe(false);
  expect(await left()).toEqual([]);
  expect(saidBy(message)).toBe('This article has been erased.');
});

test('an erasure that failed is gone on with ten seconds later', async () => {
  const { bot, sandbox } = scene;
  const [member = ''] = scene.crowd(1);
  const { reports } = storeKeys(bot.store, sandbox.guildId);
  await bot.store.redis.set(reports, 'damaged');
  await expect(eraseMember(bot, sandbox.guildId, member)).rejects.toThrow('WRONGTYPE');
  expect(await eraseLeft(bot, sandbox.guildId)).toBe(true);
  await bot.store.redis.del(reports);
  const begun = () => erasuresBegun(bot.store, sandbox.guildId);
  expect(await begun()).toHaveLength(1);
  scene.clock.move(10_000);
  await bot.due.look();
  await expect.poll(begun).toEqual([]);
});
