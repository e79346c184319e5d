import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../discord-box/src/index.ts';
import { createMessage } from '../../discord-box/src/world/messages/change-message.ts';
import { readSettings, writeSetting } from '../../src/community/settings.ts';
import { onMetric } from '../../src/runtime/metrics.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
let rust: string;
let general: string;

beforeAll(async () => {
  scene = await startScene({
    privileged: { messageContent: true, guildMembers: false, presences: false },
    follows: true,
  });
  const { sandbox } = scene;
  rust = sandbox.channels.rust.id;
  general = sandbox.channels.general.id;
  const [feed = ''] = scene.crowd(1, true);
  const { world, operator, channels } = sandbox;
  // Of the week before.
  const id = world.snowflake(scene.clock.now() - 8 * DAY_MS);
  createMessage(world, channels.rust, { id, authorId: feed, content: 'https://feed.example/old' });
  for (let n = 0; n < 12; n += 1) {
    const content = `https://feed.example/${n}`;
    createMessage(sandbox.world, sandbox.channels.rust, { authorId: feed, content });
  }
  const [member = ''] = sandbox.members;
  for (let n = 0; n < 12; n += 1) {
    sandbox.as(member).send(general, `https://news.example/${n}`);
  }
  const links = (channel: Channel, authorId: string, count: number) => {
    for (let n = 0; n < count; n += 1) {
      const content = `https://others.example/${channel.id}/${n}`;
      createMessage(world, channel, { authorId, content });
    }
  };
  // Far fewer than elsewhere, not for everyone, and where Frontpage may not post.
  links(channels.gameDev, member, 5);
  links(channels.moderators, feed, 12);
  links(channels.ai, member, 12);
  operator.setPermissions({ channel: channels.ai.id, who: 'bot', deny: ['SendMessages'] });
  // Nor where no articles are.
  const { id: off } = operator.createChannel({ name: 'off' });
  links(world.channels.get(off)!, member, 12);
  await writeSetting(scene.bot.store, sandbox.guildId, 'no-groups', [off]);
  const { botId } = world.application;
  await scene.eventually(
    () => JSON.stringify(scene.bot.client.channels.cache.get(channels.ai.id)),
    (known) => known.includes(botId),
    'denied',
  );
});
afterAll(() => scene.stop());

const admin = () => scene.sandbox.as(scene.sandbox.admin);
const check = async () =>
  JSON.stringify((await openPanel(admin(), general, 'check-up')).message?.embeds[0]);
const stored = () => readSettings(scene.bot.store, scene.sandbox.guildId);

test('the set-up proposes a channel into which a bot pours links as one where members choose, and others as link channels', async () => {
  const at = await openPanel(admin(), general, 'setup');
  const id = at.message?.id ?? '';
  const text = await scene.eventually(
    () =>
      admin()
        .messages(general)
        .find((message) => message.id === id)?.embeds[0]?.description ?? '',
    (shown) => shown.includes('Feed channels'),
    'counted',
  );
  expect(text).toContain(`➕ **Feed channels** · <#${rust}>`);
  expect(text).toContain(`➕ **Link channels** · <#${general}>\n`);
  // Who may not view a channel does not hear of the links in it.
  const [manager = ''] = scene.crowd(1);
  const { operator } = scene.sandbox;
  operator.giveRole({ member: manager, permissions: ['ManageGuild'] });
  operator.setPermissions({ channel: rust, who: manager, deny: ['ViewChannel'] });
  const known = () => JSON.stringify(scene.bot.client.channels.cache.get(rust));
  await expect.poll(known).toContain(manager);
  const theirs = await openPanel(scene.sandbox.as(manager), general, 'setup');
  const proposed = theirs.message?.embeds[0]?.description ?? '';
  expect(proposed).toContain(`➕ **Link channels** · <#${general}>\n`);
  expect(proposed).not.toContain(rust);
  operator.setPermissions({ channel: rust, who: manager });
  const press = async (action: string) => {
    const shown = admin()
      .messages(general)
      .find((message) => message.id === id);
    const custom = new RegExp(`frontpage\\|setup\\|${action}\\|[^"]*`).exec(
      JSON.stringify(shown?.components),
    );
    return (await admin().press(general, id, custom?.[0] ?? '')).message?.embeds[0]?.description;
  };
  // What is left out stays as it is.
  for (const action of ['links', 'leave', 'feeds', 'leave', 'all']) await press(action);
  expect(await stored()).toMatchObject({ 'link-channels': [], 'nomination-channels': [] });
  for (const action of ['links', 'take', 'feeds', 'take']) await press(action);
  const done = await press('all');
  expect(done).toContain(`✅ **Link channels** · <#${general}>\n`);
  expect(done).toContain(`✅ **Feed channels** · <#${rust}>`);
  expect(await stored()).toMatchObject({
    'link-channels': [general],
    'nomination-channels': [rust],
    nominations: 2,
  });
});

test('the check-up says how many links of the week became articles, and which channels not everyone can see', async () => {
  const { channels, members } = scene.sandbox;
  const [first = '', second = ''] = members;
  await setSetting(scene.sandbox, 'nomination-channels', [rust]);
  const source = [...channels.rust.messages.keys()].at(-1) ?? '';
  scene.react(first, source, '👍');
  scene.react(second, source, '👍');
  await scene.eventually(
    () => scene.bot.nominations.count(scene.sandbox.guildId),
    (count) => count === 1,
    'an article',
  );
  expect(await check()).toContain('12 links this week, 1 became an article.');
  // Discord can find a link late: no more became articles than there are.
  await setSetting(scene.sandbox, 'nomination-channels', [channels.lateNight.id]);
  expect(await check()).toContain('1 link this week, 1 became an article.');
  await setSetting(scene.sandbox, 'nomination-channels', [rust, channels.moderators.id]);
  expect(await check()).toContain(`Not everyone can see <#${channels.moderators.id}>`);
});

test('the check-up names what Frontpage lacks in a feed channel, counts links that stand in previews alone, and nothing where no link can become an article', async () => {
  const { operator, world } = scene.sandbox;
  const { cache } = scene.bot.client.channels;
  const place = operator.createChannel({ name: 'previews' }).id;
  await expect.poll(() => cache.has(place)).toBe(true);
  const [feed = '', person = ''] = [...scene.crowd(1, true), ...scene.crowd(1)];
  const embeds = [{ title: 'News', url: 'https://feed.example/embedded' }];
  for (const authorId of [feed, feed, feed, person])
    createMessage(world, world.channels.get(place)!, { authorId, embeds });
  await setSetting(scene.sandbox, 'nomination-channels', [place]);
  expect(await check()).toContain('Feed channels: 3 links this week');
  operator.setPermissions({ channel: place, who: 'bot', deny: ['AddReactions'] });
  await expect.poll(() => JSON.stringify(cache.get(place))).toContain(world.application.botId);
  expect(await check()).toMatch(
    new RegExp(`Feed channels: [^\\n]*missing permissions in <#${place}>: Add Reactions`),
  );
  await setSetting(scene.sandbox, 'nominations', '');
  expect(await check()).not.toContain('this week');
  await setSetting(scene.sandbox, 'nominations', null);
  await setSetting(scene.sandbox, 'nomination-channels', [rust, place]);
  operator.deleteChannel({ channel: place });
  await expect.poll(() => cache.has(place)).toBe(false);
  expect(await check()).toContain('12 links this week');
  await setSetting(scene.sandbox, 'nomination-channels', [rust]);
});

test('the set-up offers feed channels to choose also where Discord refuses to search the messages', async () => {
  await setSetting(scene.sandbox, 'nomination-channels', []);
  // What it counted before is not kept.
  await scene.restartBot();
  // Who has dismissed the set-up by the time that the links are counted is told nothing.
  const outcomes: string[] = [];
  const end = onMetric('interaction', ({ outcome }) => outcomes.push(outcome));
  const gone = { method: 'PATCH', route: /webhooks/, status: 404, code: 10_008, times: 1 };
  const dismissed = scene.sandbox.faults.hold(gone);
  await openPanel(admin(), general, 'setup');
  await expect.poll(() => dismissed.isHeld()).toBe(true);
  dismissed.letGo();
  await expect.poll(() => outcomes).toEqual(['answered', 'answered', 'answered']);
  end();
  await scene.restartBot();
  scene.sandbox.faults.add({ method: 'GET', route: /search/, status: 403, code: 50001 });
  const at = await openPanel(admin(), general, 'setup');
  const id = at.message?.id ?? '';
  const shown = () =>
    admin()
      .messages(general)
      .find((message) => message.id === id);
  await scene.eventually(
    () => JSON.stringify(shown()?.embeds[0]?.description ?? ''),
    (text) => text.includes('**Feed channels** · none'),
    'offered',
  );
  const chosen = await admin().press(general, id, 'frontpage|setup|feeds|||');
  expect(JSON.stringify(chosen.message?.components)).toContain('nomination-channels');
  await setSetting(scene.sandbox, 'nomination-channels', [rust]);
  expect(await check()).toMatch(/Feed channels: (No|1) link became an article this week/);
});
