import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMessage } from '../../discord-box/src/world/messages/change-message.ts';
import { readSettings } from '../../src/community/settings.ts';
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
  for (let n = 0; n < 12; n += 1) {
    const content = `https://feed.example/${n}`;
    createMessage(sandbox.world, sandbox.channels.rust, { authorId: feed, content });
  }
  const [member = ''] = sandbox.members;
  for (let n = 0; n < 12; n += 1) {
    sandbox.as(member).send(general, `https://news.example/${n}`);
  }
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
  await admin().press(general, id, 'frontpage|setup|all|||');
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
  await setSetting(scene.sandbox, 'nomination-channels', [rust, channels.moderators.id]);
  expect(await check()).toContain(`Not everyone can see <#${channels.moderators.id}>`);
});

test('the set-up offers feed channels to choose also where Discord refuses to search the messages', async () => {
  await setSetting(scene.sandbox, 'nomination-channels', []);
  // What it counted before is not kept.
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
});
