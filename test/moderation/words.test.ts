import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeToLogChannel } from '../../src/community/admin-messages.ts';
import { translate } from '../../src/text/catalogue.ts';
import { changeOwn } from '../fixtures/change-own.ts';
import { englishSpeakers } from '../fixtures/english-speakers.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
let general: string;
let rust: string;
let admin: string;
let other: string;
let posted = 0;
beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  ({ admin } = sandbox);
  // An English speaker, so that answers can be read here.
  [other = ''] = englishSpeakers(sandbox);
  await setSetting(sandbox, 'log', [rust]);
});
afterAll(() => scene.stop());

const logged = () => scene.sandbox.as(admin).messages(rust).at(-1)?.embeds[0]?.description;
const up = (who: string, id: string) => scene.sandbox.as(who).react(general, id, '👍');
const ups = (count: number, id: string) =>
  scene.eventually(
    () => scene.article(id),
    (now) => now?.up === count,
    `at ${count} up votes`,
  );

test('blocked words are refused in titles, comments and new titles, never with a vote, and moderators see them', async () => {
  const blocked = await scene.command(admin, 'mod block', {
    words: 'Free Nitro, scam*',
    reason: 'Spam',
  });
  expect(blocked.message?.content).toContain('`free nitro`, `scam*`');
  const post = async (title: string, comment = '') => {
    const link = `https://words.example/${posted}`;
    const { message } = await scene.command(other, 'post', { link, title, comment });
    return message?.content ?? '';
  };
  for (const title of ['FREE  NITRO!', 'fr33 n1trо', 'F r e e N i t r o', 'No scämmers']) {
    const refusal = await post(title);
    expect(refusal).toContain('words that this server doesn’t allow. Reason: `Spam`');
    expect(refusal).not.toMatch(/nitro|scam/i);
  }
  expect(await post('Good', 'get your free-nitro')).toContain('words that this server');
  await expect
    .poll(logged)
    .toContain(
      `A text of <@${other}> was refused for \`free nitro\`: \`Good – get your free-nitro\``,
    );
  const article = await scene.post(other, {
    title: 'The nitrogen of the free',
    link: `https://words.example/${posted}`,
  });
  const retitled = await scene.command(other, 'me retitle', { article, title: 'Scammed' });
  expect(retitled.message?.content).toContain('words that this server');
  const commented = await changeOwn(scene, other, article, 'comment', 'A scam');
  expect(commented.message?.content).toContain('words that this server');
  expect((await scene.article(article))?.comment ?? '').toBe('');
  up(scene.sandbox.moderator, article);
  await ups(2, article);
  const listed = await scene.command(admin, 'mod blocks');
  expect(listed.message?.embeds[0]?.description).toContain('`scam*` · words');
  await scene.command(admin, 'mod unblock', { words: 'free nitro,SCAM*' });
  posted += 1;
  expect(await post('Scam', 'free nitro')).toContain('Scam');
});

test('what was refused in a channel that not everybody sees is not shown by the log channel', async () => {
  const channel = scene.sandbox.channels.moderators.id;
  await scene.command(admin, 'mod block', { words: 'sweepstake' });
  const link = 'https://words.example/inside';
  const { message } = await scene.sandbox
    .as(admin)
    .command(channel, 'post', { link, title: 'A sweepstake inside' });
  expect(message?.content).toContain('words that this server');
  await expect.poll(logged).toBe(`A text of <@${admin}> was refused for \`sweepstake\`: –`);
  // Where an article is says it, and not where its title or comment is changed.
  const [inside, outside] = [await scene.post(admin, { channel }), await scene.post(admin)];
  const retitle = (article: string, title: string, from = general) =>
    scene.sandbox.as(admin).command(from, 'me retitle', { article, title });
  await retitle(outside, 'Sweepstake 1', channel);
  await expect.poll(logged).toContain('`sweepstake`: `Sweepstake 1`');
  await retitle(inside, 'Sweepstake 2');
  await expect.poll(logged).toContain('`sweepstake`: –');
  await changeOwn(scene, admin, outside, 'comment', 'A sweepstake 3');
  await expect.poll(logged).toContain('`sweepstake`: `A sweepstake 3`');
  await changeOwn(scene, admin, inside, 'comment', 'A sweepstake 4');
  await expect.poll(logged).toContain('`sweepstake`: –');
  await scene.command(admin, 'mod unblock', { words: 'sweepstake' });
});

test('the log channel speaks the language that the server chose', async () => {
  const article = await scene.post(other, { title: 'Im Hafen' });
  await setSetting(scene.sandbox, 'language', ['de']);
  await scene.moderate(admin, 'lock', article);
  const values = { by: `<@${admin}>`, article: '`Im Hafen`' };
  await expect.poll(logged).toContain(translate('de', 'audit.locked', values));
  await setSetting(scene.sandbox, 'language', null);
});

test('the log channel shows five refused texts of a member in an hour, and not all', async () => {
  const [noisy = ''] = scene.crowd(1);
  await scene.command(admin, 'mod block', { words: 'lottery' });
  for (let n = 0; n < 4; n += 1) {
    scene.bot.memberLimits.count('refused', scene.sandbox.guildId, noisy);
  }
  for (const link of ['https://words.example/lot-1', 'https://words.example/lot-2']) {
    await scene.command(noisy, 'post', { link, title: 'Lottery' });
  }
  await scene.command(admin, 'mod unblock', { words: 'lottery' });
  await expect.poll(logged).toContain('unblocked');
  const lines = scene.sandbox
    .as(admin)
    .messages(rust, 50)
    .map(({ embeds }) => embeds[0]?.description);
  expect(lines.filter((line) => line?.includes(`<@${noisy}> was refused`))).toHaveLength(1);
});

test('what is blocked leaves the server’s pages and boards at once, and comes back so', async () => {
  const { changes } = scene.bot.ranking;
  let noted = 0;
  changes.listen(() => (noted += 1));
  for (const words of ['mod block', 'mod unblock']) {
    await changes.flush();
    noted = 0;
    await scene.command(admin, words, { words: 'jackpot' });
    await changes.flush();
    expect({ words, noted }).toEqual({ words, noted: 1 });
  }
});

test('no line of the log channel pings, whatever stands in it', async () => {
  const content = `<@${other}> and @everyone`;
  await writeToLogChannel(scene.bot, scene.sandbox.guildId, () => ({ content }));
  const line = scene.sandbox.as(admin).messages(rust).at(-1);
  expect(line).toMatchObject({ content, mentions: [], mention_everyone: false });
});

test('words that say too little are refused with what to type', async () => {
  for (const words of ['a', '***', ' , ']) {
    const { message } = await scene.command(admin, 'mod block', { words });
    expect(message?.content).toContain('can’t be looked for');
  }
});

test('blocked words are found in the comments of what is still here', async () => {
  const options = { link: 'https://words.example/pizza', title: 'Lunch', comment: 'Free p1zza!' };
  await scene.command(other, 'post', options);
  const blocked = await scene.command(admin, 'mod block', { words: 'pizza' });
  expect(blocked.message?.content).toContain('1 link that this would refuse is still here.');
  expect(JSON.stringify(blocked.message?.components)).toContain('mod|sweep|words:pizza');
  await scene.command(admin, 'mod unblock', { words: 'pizza' });
  // The button is about one subject.
  await scene.post(other, { link: 'https://words.example/raffle', title: 'A raffle' });
  const words = 'pizza, raffle';
  const several = await scene.command(admin, 'mod block', { words });
  expect(several.message?.content).toContain('2 links that this would refuse are still here.');
  expect(several.message?.components).toEqual([]);
  await scene.command(admin, 'mod unblock', { words });
});
