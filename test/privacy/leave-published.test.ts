import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMessage } from '../../discord-box/src/world/messages/change-message.ts';
import { erasuresBegun } from '../../src/community/erasures.ts';
import { writeEdition } from '../../src/editions/stored-editions.ts';
import { leavePublished } from '../../src/privacy/leave-published.ts';
import { eraseMember } from '../../src/privacy/member-data.ts';
import { setScale } from '../../src/ranking/articles/mark.ts';
import { writePreview } from '../../src/ranking/articles/previews.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { MINUTE_MS } from '../../src/runtime/clock.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ follows: true });
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

test('a picture stays in a digest without the name of who opts out, also after it was removed', async () => {
  const { sandbox, bot } = scene;
  const { admin, channels, guildId } = sandbox;
  const [painter = '', writer = '', ...voters] = scene.crowd(5);
  const link = 'https://pictures.example/a.png';
  const best = await scene.post(writer, { title: 'Better than a picture' });
  const picture = await scene.post(painter, { link });
  for (const voter of voters) await scene.vote(voter, best);
  for (const voter of voters.slice(1)) await scene.vote(voter, picture);
  for (const [article, name] of [
    [best, 'best'],
    [picture, 'painted'],
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
  for (const name of ['best', 'painted']) expect(edition()).toContain(`/${name}.png`);
  await press(painter, 'erase', 'really');
  await expect.poll(edition).not.toContain('/painted.png');
  expect(edition()).toContain('/best.png');
});

test('one digest that cannot be edited does not keep a member who opts out in the others', async () => {
  const { sandbox, bot, clock } = scene;
  const { world, guildId: guild, channels, faults } = sandbox;
  const [member = ''] = scene.crowd(1);
  const id = await scene.rank({ title: 'In both', atMs: clock.now() - MINUTE_MS, poster: member });
  const said = `-# ▲ 2 · <@${member}>`;
  const [older = '', newer = ''] = await Promise.all(
    ['2026-01-01', '2026-01-02'].map(async (date, n) => {
      const { botId: authorId } = world.application;
      const message = createMessage(world, channels.rust, { authorId, content: said }).id;
      const postedAtMs = clock.now() + n;
      const where = { channel: channels.rust.id, message, isPublic: true };
      const articles = [{ id, net: 1, replies: 0 }];
      await writeEdition(
        bot.store,
        guild,
        { name: 'both', date },
        { articles, postedAtMs, fromMs: postedAtMs - MINUTE_MS, ...where },
      );
      return message;
    }),
  );
  const path = new RegExp(`/messages/${newer}$`);
  const end = faults.add({ method: 'PATCH', path, status: 400, code: 50006 });
  await expect(leavePublished(bot, guild, { member })).rejects.toThrow('A fault was asked for');
  end();
  const content = (message: string) => channels.rust.messages.get(message)?.content;
  expect([content(older), content(newer)]).toEqual(['-# ▲ 2', said]);
});

test('an erasure that failed is gone on with ten seconds later', async () => {
  const { bot, sandbox } = scene;
  const [member = ''] = scene.crowd(1);
  const { reports } = storeKeys(bot.store, sandbox.guildId);
  await bot.store.redis.set(reports, 'damaged');
  await expect(eraseMember(bot, sandbox.guildId, member)).rejects.toThrow('WRONGTYPE');
  await bot.store.redis.del(reports);
  const begun = () => erasuresBegun(bot.store, sandbox.guildId);
  expect(await begun()).toHaveLength(1);
  scene.clock.move(10_000);
  await bot.due.look();
  await expect.poll(begun).toEqual([]);
});
