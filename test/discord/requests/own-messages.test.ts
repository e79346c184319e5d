import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDigestContext } from '../../../src/digests/posting/posting-context.ts';
import { logAction } from '../../../src/community/moderation-log.ts';
import { showRemoval } from '../../../src/moderation/removal.ts';
import { postArticle } from '../../../src/ranking/articles/articles.ts';
import { finishErasing } from '../../../src/privacy/member-data.ts';
import { openRequests } from '../../../src/discord/requests/requests.ts';
import { noteErasing } from '../../../src/community/erasures.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import { recountArticlesInVoting } from '../../../src/votes/recount/recount-guild.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
let elsewhere: { guild: string; general: string };

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  elsewhere = sandbox.operator.createGuild({ name: 'Elsewhere', owner: sandbox.admin });
});
afterAll(() => scene.stop());

/** A message that is no article, and the ranking of the first guild holds it as one. */
async function plant(channel: string, id: string): Promise<void> {
  const { guildId: guild, channels, admin: poster } = scene.sandbox;
  await postArticle(scene.bot.ranking, {
    guild,
    id,
    title: 'Forged',
    link: `https://forged.example/${id}`,
    linkName: `https://forged.example/${id}`,
    poster,
    home: channels.general.id,
    channel,
    listed: true,
  });
}

const yes = async () => true;

// Withstands (Attacks): The ranking names somebody else’s message
// → only the bot’s own count
test('a message of somebody else, or of another guild, is never changed and never counted', async () => {
  const { sandbox, bot } = scene;
  await expect.poll(() => bot.client.guilds.cache.has(elsewhere.guild)).toBe(true);
  const { guildId: guild, channels, admin, members, requests } = sandbox;
  const [grace = ''] = members;
  const greeted = () => sandbox.world.channels.get(elsewhere.general)!.messages.size;
  await scene.eventually(greeted, (count) => count > 0, 'greeted');
  const here = sandbox.as(grace).send(channels.general.id, 'Mine.').id;
  const there = sandbox.as(admin).send(elsewhere.general, 'Mine too.').id;
  const forged = [
    { channel: channels.general.id, id: here },
    { channel: elsewhere.general, id: there },
  ];
  for (const { channel, id } of forged) {
    await plant(channel, id);
    sandbox.as(admin).react(channel, id, '👍');
  }
  requests.reset();

  const report = await recountArticlesInVoting(bot, guild, { full: true });
  expect(report).toMatchObject({ hidden: [here], unread: [there] });
  const by = await bot.client.guilds.cache.get(guild)!.members.fetch(admin);
  for (const { channel, id } of forged) {
    await bot.due.now(guild, `show:${id}`);
    const article = (await scene.article(id))!;
    expect(await showRemoval(bot, article, { by })).toBe('unedited');
    await noteErasing(bot.store, guild, { id, channel });
  }
  await finishErasing(bot, guild);
  expect(await bot.store.redis.hlen(storeKeys(bot.store, guild).erasing)).toBe(0);
  await writeSetting(bot.store, guild, 'log', elsewhere.general);
  await bot.rules.refresh(guild);
  await logAction(bot, { by }, () => 'Forged');

  const { channels: digests } = openDigestContext(bot);
  const place = { guild, channel: elsewhere.general };
  const gone = { status: 'refused', reason: 'gone' };
  expect(await digests.sendMessage(place, { content: 'A digest.' }, '1')).toMatchObject(gone);
  const readBack = digests.readBack(place, 0, () => true, yes);
  expect(await readBack).toMatchObject(gone);
  expect(await digests.editMessage(place, there, { content: 'x' }, yes)).toMatchObject(gone);
  expect(await digests.publish(place, there)).toMatchObject(gone);

  const touched = requests.recent.filter(
    ({ method, channelId }) => method !== 'GET' || channelId === elsewhere.general,
  );
  expect(touched).toEqual([]);
  expect(sandbox.world.channels.get(channels.general.id)?.messages.has(here)).toBe(true);
});

test('a bot that stops waits for no answer to what can wait', async () => {
  const { sandbox, bot } = scene;
  const { id: channel } = sandbox.channels.rust;
  const ending = new AbortController();
  const requests = openRequests({ ...bot, stopping: ending.signal });
  const held = sandbox.faults.hold({ method: 'GET', path: new RegExp(`/${channel}/messages$`) });
  let ended = '';
  const target = { guild: sandbox.guildId, channel };
  const asked = requests.get(target, `/channels/${channel}/messages`).catch((error: unknown) => {
    ended = String(error);
  });
  await expect.poll(() => held.isHeld()).toBe(true);
  ending.abort();
  await expect.poll(() => ended).toContain('abort');
  held.letGo();
  await asked;
});

test('what can wait takes its turn before Discord is asked whose message it is', async () => {
  const { bot } = scene;
  const { guildId: guild, requests } = scene.sandbox;
  const stopped = openRequests({ ...bot, stopping: AbortSignal.abort() });
  requests.reset();
  const place = { guild, channel: '100000000000000009' };
  await expect(stopped.delete(place, '/channels/100000000000000009')).rejects.toThrow('aborted');
  expect(requests.count('GET')).toBe(0);
});

test('the time is read from what Discord tells of: messages and what members ask for', async () => {
  const { clock, sandbox } = scene;
  const ids: string[] = [];
  Object.assign(clock, { readId: (id: string) => ids.push(id) });
  onTestFinished(() => void Reflect.deleteProperty(clock, 'readId'));
  const as = sandbox.as(sandbox.admin);
  const { interactionId } = await as.command(sandbox.channels.general.id, 'help');
  await expect.poll(() => ids).toEqual([interactionId]);
  const { id } = as.send(sandbox.channels.general.id, 'Hello.');
  await expect.poll(() => ids).toEqual([interactionId, id]);
});
