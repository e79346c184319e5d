import { once } from 'node:events';
import { PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isPlanned } from '../../src/due/kind.ts';
import { endRemoval } from '../../src/moderation/as-one.ts';
import { readRemoved } from '../../src/ranking/articles/removed.ts';
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

/** Posts six links of a member, and begins to remove them in a process that stands still after two others. */
async function halfRemoved(poster: string, by = admin) {
  const ids = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      scene.post(poster, { link: `https://half-${poster}.example/${n}` }),
    ),
  );
  const [article = ''] = ids;
  const goOn = new AbortController();
  const updates = scene.bot.messageUpdates;
  const giveReason = updates.giveReason.bind(updates);
  let calls = 0;
  updates.giveReason = async (...of) => {
    calls += 1;
    if (calls > 2 && !goOn.signal.aborted) await once(goOn.signal, 'abort');
    await giveReason(...of);
  };
  const { message } = await as(by).messageCommand(general, article, 'Moderate');
  const form = await as(by).press(general, message?.id ?? '', `moderate|remove|${article}`);
  const answer = as(by).submit(form.interactionId, { text: 'Spam', also: ['others'] });
  await expect.poll(() => calls).toBe(3);
  expect(await standing(ids)).toBe(3);
  return { ids, answer, end: () => goOn.abort() };
}

// Withstands (Processes that die): It dies while a press removes many links
// → another one removes the rest as the same act, logged once and undone as one
test('what a process left that stood still amid a removal is removed by another, logged and undone as one', async () => {
  const { ids, answer, end } = await halfRemoved(spammer);
  const before = logged().length;
  const first = scene.bot;
  await scene.joinBot();
  // The lease of the first ends.
  scene.clock.move(31_000);
  await scene.bot.due.look();
  expect(await standing(ids)).toBe(0);
  const { message } = await answer;
  expect(message?.content).toContain('5 other links of theirs are removed too.');
  end();
  await first.stop();
  await expect.poll(() => logged().length).toBe(before + 1);
  const text = logged().at(-1)?.embeds[0]?.description ?? '';
  expect(text).toContain('removed 6 articles');
  for (const part of [...ids, '`Spam`']) expect(text).toContain(part);
  const undone = await as().press(general, message?.id ?? '', undoOf(message));
  expect(undone.message?.content).toContain('6 articles are back.');
  expect(await standing(ids)).toBe(6);
});

test('a removal that is undone while it goes on removes no more', async () => {
  const [poster = '', stranger = ''] = others;
  const { ids, answer, end } = await halfRemoved(poster);
  const by = async (who: string) => scene.bot.client.guilds.cache.first()!.members.fetch(who);
  const { atMs } = (await readRemoved(scene.bot.ranking, scene.sandbox.guildId, ids[0] ?? ''))!;
  // Somebody who moderates nothing does not end it.
  await endRemoval(scene.bot, await by(stranger), atMs);
  const row = `sweep:${atMs}`;
  expect(await isPlanned(scene.bot.store, scene.sandbox.guildId, row)).toBe(true);
  await endRemoval(scene.bot, await by(admin), atMs);
  end();
  const { message } = await answer;
  expect(await standing(ids)).toBe(3);
  await as().press(general, message?.id ?? '', undoOf(message));
  await scene.bot.due.look();
  expect(await standing(ids)).toBe(6);
});

test('who loses the right to moderate amid a removal removes no more', async () => {
  const [poster = '', helper = ''] = scene.crowd(2);
  const { operator } = scene.sandbox;
  const channel = scene.bot.client.guilds.cache.first()!.channels.cache.get(general)!;
  const moderates = async () =>
    channel
      .permissionsFor(await channel.guild.members.fetch(helper))
      .has(PermissionFlagsBits.ManageMessages);
  operator.setPermissions({ channel: general, who: helper, allow: ['ManageMessages'] });
  await expect.poll(moderates).toBe(true);
  const { ids, answer, end } = await halfRemoved(poster, helper);
  operator.setPermissions({ channel: general, who: helper });
  await expect.poll(moderates).toBe(false);
  end();
  await answer;
  // The third was asked for before.
  expect(await standing(ids)).toBe(2);
});
