import { type APIStringSelectComponent, PermissionFlagsBits as P } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, OptionValues } from '../../discord-box/src/index.ts';
import {
  changeChannel,
  setOverwrite,
} from '../../discord-box/src/world/channels/change-channel.ts';
import { deleteArticle, postArticle, readArticle } from '../../src/ranking/articles/articles.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { translate } from '../../src/text/catalogue.ts';
import { chooseInTop } from '../fixtures/choose-in-top.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { listedTitles } from '../fixtures/listed-titles.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;
let moderators: string;
let member: string;
let moderator: string;

beforeAll(async () => {
  scene = await startScene();
  const { channels } = scene.sandbox;
  general = channels.general.id;
  moderators = channels.moderators.id;
  [member = ''] = scene.sandbox.members.filter((_, i) => i % 2 === 0);
  moderator = scene.sandbox.moderator;
  const startMs = scene.clock.now() - 3_600_000;
  // Two minutes apart, so that a vote more outranks the neighbour.
  for (let i = 1; i <= 23; i += 1) {
    await scene.rank({ title: `Article ${i}`, atMs: startMs + i * 120_000 });
  }
  await scene.rank({ title: 'Secret', atMs: startMs, home: moderators, listed: false });
});
afterAll(() => scene.stop());

function top(values: OptionValues = {}, who = member, channel = general) {
  return scene.sandbox.as(who).command(channel, 'top', values);
}
async function listsAi(): Promise<boolean> {
  return listedTitles(await top({ show: 'time' })).some((title) => title.includes('AI'));
}
function selectOf(message: Answer['message'], what: string): APIStringSelectComponent | undefined {
  const rows = (message?.components ?? []) as { components: APIStringSelectComponent[] }[];
  return rows
    .flatMap(({ components }) => components)
    .find(({ custom_id: id }) => id.startsWith(`top|${what}|`));
}
function offered({ message }: Answer) {
  return selectOf(message, 'group')?.options ?? [];
}
function button({ message }: Answer, turn: string): string {
  const customIds = JSON.stringify(message?.components).match(/"custom_id":"[^"]+"/g) ?? [];
  const found = customIds.find((text) => text.includes(`|${turn}|`));
  return found?.slice('"custom_id":"'.length, -1) ?? '';
}

describe('/top', () => {
  test('/top shows ten articles to the asker alone, best first, with link, votes and age', async () => {
    const best = await scene.rank({ title: 'Best of all', atMs: scene.clock.now() - 3_600_000 });
    const ranking = scene.bot.ranking;
    for (const voter of scene.sandbox.members.slice(0, 9)) {
      const ballot = {
        guild: scene.sandbox.guildId,
        article: best,
        member: voter,
        vote: 'up',
      } as const;
      await setVote(ranking, ballot, scene.clock.now());
    }
    const answer = await top();
    expect(answer.ephemeral).toBe(true);
    expect(listedTitles(answer)).toHaveLength(10);
    expect(listedTitles(answer)[0]).toBe('1. Best of all');
    const [, facts] = answer.message?.embeds[0]?.description?.split('\n') ?? [];
    const poster = (await readArticle(ranking, scene.sandbox.guildId, best))?.poster;
    expect(facts).toBe(
      `-# ▲ 10 · <@${poster}> · <#${general}> · 1h ago · [vote](https://discord.com/channels/${scene.sandbox.guildId}/${general}/${best})`,
    );
    expect(answer.message?.embeds[0]?.footer?.text).toMatch(/^Page 1 of \d+ · \d+ articles$/);
  });

  test.each([
    ['time', '1. Article 23'],
    ['time-asc', '1. Best of all'],
    ['score-asc', '1. Article 1'],
  ])('/top in the order %s begins with %s', async (order, first) => {
    const answer = await chooseInTop(scene.sandbox, member, `${order},all`);
    expect(listedTitles(answer)[0]).toBe(first);
  });

  test('/top says so when a page or a list is empty', async () => {
    const beyond = await top({ page: 99 });
    expect(listedTitles(beyond)).toEqual([]);
    expect(beyond.message?.embeds[0]?.description).toContain('nothing on page 99');
    const none = await chooseInTop(scene.sandbox, member, 'interesting,all');
    expect(none.message?.embeds[0]?.description).toContain('Nothing like that here');
    expect(none.message?.embeds[0]).not.toHaveProperty('footer');
  });

  test('/top of the one channel that has articles leads back to the front page, which offers no channel', async () => {
    const { operator, admin } = scene.sandbox;
    const { guild, general: place } = operator.createGuild({ name: 'Small', owner: admin });
    await expect.poll(() => scene.bot.client.guilds.cache.has(guild)).toBe(true);
    const id = scene.sandbox.world.snowflake(scene.clock.now() - 1000);
    const link = 'https://small.example/';
    const article = { guild, id, title: 'Small', link, linkName: link, poster: admin };
    await postArticle(scene.bot.ranking, { ...article, home: place, listed: true });
    expect(offered(await top({}, admin, place))).toEqual([]);
    const ofOne = offered(await top({ channel: place }, admin, place));
    expect(ofOne.map(({ value }) => value)).toEqual(['-', place]);
    await deleteArticle(scene.bot.ranking, guild, id);
    const stats = await scene.sandbox.as(admin).command(place, 'stats server');
    expect(stats.message?.embeds[0]?.description).toContain('0 articles');
  });

  test('/top of a channel without articles says so, and offers every other order', async () => {
    const { message } = await top({ channel: scene.sandbox.channels.gameDev.id });
    expect(message?.embeds[0]?.description).toBe(translate('en', 'top.empty'));
    expect(selectOf(message, 'order')).toBeDefined();
  });

  test('/top lists all also where it cannot be read what the asker muted, and what is chosen for them not', async () => {
    const { store } = scene.bot;
    const [reader = ''] = scene.crowd(1);
    const key = storeKeys(store, scene.sandbox.guildId).personal(reader);
    await store.redis.lpush(key, 'damaged');
    expect(listedTitles(await top({}, reader))).toHaveLength(10);
    expect((await top({ show: 'unjudged' }, reader)).message?.content).toContain('went wrong');
    await store.redis.del(key);
  });

  test('/top offers no more channels than a list to choose from can hold', async () => {
    const { operator } = scene.sandbox;
    const channels = Array.from({ length: 26 }, (_, n) =>
      operator.createChannel({ name: `n${n}` }),
    );
    const { cache } = scene.bot.client.channels;
    await expect.poll(() => cache.has(channels.at(-1)!.id)).toBe(true);
    const atMs = scene.clock.now() - 3_600_000;
    const ranked = channels.map(({ id }) => scene.rank({ title: 'Of many', atMs, home: id }));
    const ids = await Promise.all(ranked);
    expect(offered(await top({}, moderator))).toHaveLength(25);
    for (const id of ids) await deleteArticle(scene.bot.ranking, scene.sandbox.guildId, id);
    for (const { id } of channels) operator.deleteChannel({ channel: id });
    await expect.poll(() => cache.has(channels.at(-1)!.id)).toBe(false);
  });

  test('/top links a title that Discord would not mask by a word beside it', async () => {
    const title = 'What [brackets] do on www.example.com';
    const link = 'https://news.example/brackets';
    const id = await scene.rank({ title, link, atMs: scene.clock.now() + 1000 });
    const { message } = await top({ show: 'time' });
    const [head] = message?.embeds[0]?.description?.split('\n') ?? [];
    expect(head).toBe(
      `**1.** What \\[brackets\\] do on www.example.com · [visit](${link}) · news.example`,
    );
    await deleteArticle(scene.bot.ranking, scene.sandbox.guildId, id);
  });

  test('/top turns pages, also after the bot was restarted', async () => {
    const first = await top({ show: 'time' });
    const id = first.message?.id ?? '';
    const second = await scene.sandbox.as(member).press(general, id, button(first, 'next'));
    expect(second.kind).toBe('update');
    expect(listedTitles(second)[0]).toBe('11. Article 13');
    await scene.restartBot();
    const third = await scene.sandbox.as(member).press(general, id, button(second, 'next'));
    expect(listedTitles(third)[0]).toBe('21. Article 3');
    const back = await scene.sandbox.as(member).press(general, id, button(third, 'previous'));
    expect(listedTitles(back)[0]).toBe('11. Article 13');
  });

  test('/top shows a hidden channel’s articles only to who may view it, and only in its own list', async () => {
    const open = await Promise.all([1, 2, 3].map((page) => top({ page }, moderator)));
    expect(open.flatMap(listedTitles).join()).not.toContain('Secret');
    const shown = await top({ channel: moderators }, moderator);
    expect(listedTitles(shown)).toEqual(['1. Secret']);
  });

  test('/top offers the channels that have articles and that the asker may view, and no others', async () => {
    const shown = await top();
    expect(offered(shown)).toEqual([]);
    const pick = (userId: string) =>
      forgeComponent(scene.sandbox, { userId, sourceId: shown.message!.id }, 'top|channels');
    const none = await pick(member);
    expect(none.message?.content).toBe(translate('en', 'top.empty.channels'));
    expect((await pick(moderator)).message?.content).toBe(translate('zh-CN', 'top.pick.channel'));
    const all = await top({}, moderator);
    expect(offered(all).map(({ label }) => label)).toEqual(['所有频道', '#general', '#moderators']);
    const actor = scene.sandbox.as(moderator);
    const id = all.message?.id ?? '';
    const press = (from: Answer, value: string) =>
      actor.choose(general, id, selectOf(from.message, 'group')!.custom_id, [value]);
    const chosen = await press(all, moderators);
    expect(listedTitles(chosen)).toEqual(['1. Secret']);
    expect(offered(chosen).find((option) => option.default)?.value).toBe(moderators);
    expect(listedTitles(await press(chosen, offered(chosen)[0]!.value))).toHaveLength(10);
  });

  test('/top treats a channel that the asker may no longer view as unknown', async () => {
    const { world, channels } = scene.sandbox;
    for (let i = 0; i < 11; i += 1)
      await scene.rank({
        title: `AI ${i}`,
        atMs: scene.clock.now() - i * 1000,
        home: channels.ai.id,
      });
    const shown = await top({ channel: channels.ai.id });
    expect(listedTitles(shown)).toHaveLength(10);
    // The bot goes on viewing it.
    setOverwrite(world, channels.ai, world.application.botId, {
      kind: 'member',
      allow: P.ViewChannel,
      deny: 0n,
    });
    setOverwrite(world, channels.ai, world.guilds.get(scene.sandbox.guildId)?.id ?? '', {
      kind: 'role',
      allow: 0n,
      deny: P.ViewChannel,
    });
    const id = shown.message?.id ?? '';
    const turned = await scene.eventually(
      () => scene.sandbox.as(member).press(general, id, button(shown, 'next')),
      ({ kind }) => kind === 'message',
      'refused',
    );
    expect(turned.message?.content).toContain('no such channel');
  });

  test('/top lists a channel’s articles for the guild as long as everyone may view it', async () => {
    const { world, channels } = scene.sandbox;
    const guild = scene.sandbox.guildId;
    await expect.poll(listsAi).toBe(false);
    setOverwrite(world, channels.ai, guild, null);
    await expect.poll(listsAi).toBe(true);
    changeChannel(world, channels.ai, { ageRestricted: true });
    await expect.poll(listsAi).toBe(false);
  });

  test('/top answers a button of another version with what to do', async () => {
    const answer = await scene.sandbox.as(member).command(general, 'top', {});
    const id = answer.message?.id ?? '';
    const message = scene.sandbox.world.channels.get(general)?.messages.get(id);
    const stale = button(answer, 'next').replace('score', 'best-first');
    const components = JSON.stringify(message?.components).replace(button(answer, 'next'), stale);
    Object.assign(message ?? {}, { components: JSON.parse(components) });
    const pressed = await scene.sandbox.as(member).press(general, id, stale);
    expect(pressed).toMatchObject({ kind: 'message', ephemeral: true });
    expect(pressed.message?.content).toContain('out of date');
  });
});

const unjudged = async (who: string) =>
  JSON.stringify((await top({ show: 'unjudged' }, who)).message?.embeds);

test('what needs a vote lists nothing of a channel that is closed to its reader alone', async () => {
  const { operator, channels } = scene.sandbox;
  const { id: rust } = channels.rust;
  const [reader = '', other = ''] = scene.crowd(2);
  await scene.rank({ title: 'Closed to one', atMs: scene.clock.now() - 7_200_000, home: rust });
  expect(await unjudged(reader)).toContain('Closed to one');
  operator.setPermissions({ channel: rust, who: reader, deny: ['ViewChannel'] });
  const known = () => JSON.stringify(scene.bot.client.channels.cache.get(rust));
  await expect.poll(known).toContain(reader);
  expect(await unjudged(reader)).not.toContain('Closed to one');
  expect(await unjudged(reader)).toContain('Article 2');
  expect(await unjudged(other)).toContain('Closed to one');
});
