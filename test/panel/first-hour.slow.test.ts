import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../discord-box/src/index.ts';
import { changeGuild } from '../../discord-box/src/world/guilds/change-guild.ts';
import { readDigests } from '../../src/digests/stored-digests.ts';
import { DAY_MS, HOUR_MS } from '../../src/runtime/clock.ts';
import { compareIds, snowflakeAt } from '../../src/runtime/snowflake.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

/** The most that a manager reads from the welcome to the end of the set-up. */
const WORDS_AT_MOST = 310;
/** Three of these are about a word. */
const IDEOGRAPHIC = /[\u3040-\u30ff\u4e00-\u9fff]/gu;

/** All that a message says: its text, its embeds, and the labels of its buttons. */
function textOf(
  message: { content: string; embeds: unknown[]; components?: unknown } | undefined,
): string {
  const embeds = (message?.embeds ?? []) as { title?: string; description?: string }[];
  const labels = JSON.stringify(message?.components ?? []).matchAll(/"label":"([^"]+)"/g);
  const parts = embeds.map(({ title = '', description = '' }) => `${title}\n${description}`);
  return [message?.content ?? '', ...parts, ...[...labels].map(([, label]) => label)].join('\n');
}

function wordsIn(text: string): number {
  const signs = text.match(IDEOGRAPHIC)?.length ?? 0;
  const others = text.replace(IDEOGRAPHIC, ' ').split(/\s+/).filter(Boolean);
  return others.length + Math.ceil(signs / 3);
}

function idOf(message: Answer['message'], begins: string): string {
  const ids = JSON.stringify(message?.components ?? []).matchAll(/"custom_id":"([^"]+)"/g);
  return [...ids].map(([, id = '']) => id).find((id) => id.startsWith(begins)) ?? '';
}

test.each(['en-US', 'de', 'fr', 'ja'])(
  'whoever adds the bot has a digest after two presses and the first link after one command, in %s',
  async (locale) => {
    const { sandbox, bot, clock } = scene;
    const { operator, world } = sandbox;
    const owner = operator.addPerson({ username: `owner-${locale.toLowerCase()}`, locale });
    const { guild, general } = operator.createGuild({ name: 'New', owner });
    const has = () => bot.client.guilds.cache.has(guild);
    await expect.poll(has).toBe(true);
    operator.kickBot({ guild });
    await expect.poll(has).toBe(false);
    changeGuild(world, world.guilds.get(guild)!, { locale });
    // The first welcome is too long ago to be the same message.
    clock.move(DAY_MS);
    operator.inviteBot({ guild });
    const { messages } = world.channels.get(general)!;
    const joined = snowflakeAt(clock.now() - HOUR_MS);
    const welcomed = () =>
      [...messages.values()].findLast(
        (one) =>
          compareIds(one.id, joined) > 0 && idOf(one as never, 'frontpage|setup|start') !== '',
      );
    await expect.poll(welcomed).toBeDefined();

    const as = sandbox.as(owner);
    const welcome = welcomed();
    const read = [textOf(welcome)];
    const offered = await as.press(general, welcome!.id, 'frontpage|setup|start');
    read.push(textOf(offered.message));
    expect(await readDigests(bot.store, guild)).toEqual([]);
    const id = offered.message?.id ?? '';
    const done = await as.press(general, id, idOf(offered.message, 'frontpage|setup|all'));
    read.push(textOf(done.message));
    expect(await readDigests(bot.store, guild)).toHaveLength(1);
    const posted = await as.command(general, 'post', { link: `https://first.example/${locale}` });
    expect(posted.message?.content).toContain('first.example');
    expect(wordsIn(read.join('\n'))).toBeLessThan(WORDS_AT_MOST);
  },
);
