import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readArticleMessage } from '../../src/articles/messages/article-message.ts';
import { type Key, translate } from '../../src/text/catalogue.ts';
import { listArticles } from '../../src/ranking/lists/ranked.ts';
import { forgeCommand } from '../fixtures/forge-command.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
let general: string;
let rust: string;
let member: string;
let moderator: string;
let article: string;
let secret: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  moderator = sandbox.moderator;
  [member = ''] = sandbox.members;
  article = await scene.post(sandbox.admin, { title: 'Borrow checkers compared' });
  secret = await scene.post(moderator, {
    channel: sandbox.channels.moderators.id,
    title: 'Borrow nothing',
  });
});
afterAll(() => scene.stop());

function group(change: 'add' | 'remove', channel: string, id = article, who = moderator) {
  return scene.sandbox.as(who).command(general, `group ${change}`, { article: id, channel });
}
async function idsOf(channel: string): Promise<string[]> {
  const { ranking } = scene.bot;
  const guild = scene.sandbox.guildId;
  const list = { guild, group: channel, order: 'time', page: 1, pageSize: 10 } as const;
  return (await listArticles(ranking, list)).articles.map(({ id }) => id);
}
function carried() {
  const message = scene.sandbox
    .as(moderator)
    .messages(general)
    .find(({ id }) => id === article);
  return readArticleMessage(message);
}

describe('/group', () => {
  test('/group completes titles, the newest first, and only what the asker may see', async () => {
    const { sandbox } = scene;
    const complete = (who: string, channel: string) =>
      sandbox.as(who).complete(channel, 'group add', 'article', { article: 'borrow' });
    expect(await complete(moderator, general)).toEqual([
      { name: 'Borrow checkers compared', value: article },
    ]);
    expect(await complete(moderator, sandbox.channels.moderators.id)).toHaveLength(2);
  });

  test('/group adds an article to a group, and the message keeps it', async () => {
    const answer = await group('add', rust);
    expect(answer.ephemeral).toBe(true);
    expect(answer.message?.content).toContain(`<#${rust}>`);
    expect(await idsOf(rust)).toEqual([article]);
    await expect.poll(() => carried()?.groups).toEqual([general, rust]);
    const again = await group('add', rust);
    expect(again.message?.content).toContain('已经在');
  });

  test('/group takes an article out of a channel again, but never out of its home', async () => {
    await group('add', rust);
    await group('remove', rust);
    expect(await idsOf(rust)).toEqual([]);
    await expect.poll(() => carried()?.groups).toEqual([general]);
    await group('remove', general);
    expect(await idsOf(general)).toEqual([article]);
  });

  test('/group adds nothing to a channel that takes no articles, and takes out what was added before', async () => {
    const { sandbox } = scene;
    await group('add', rust);
    await setSetting(sandbox, 'no-groups', [rust]);
    await group('remove', rust);
    expect(await idsOf(rust)).toEqual([]);
    const refused = await group('add', rust);
    const why = translate('zh-CN', 'channel.no-group', { channel: `<#${rust}>` });
    expect(refused.message?.content).toBe(why);
    expect(await idsOf(rust)).toEqual([]);
    await setSetting(sandbox, 'no-groups', null);
    await group('add', rust);
    expect(await idsOf(rust)).toEqual([article]);
    await group('remove', rust);
  });

  test('/group keeps a hidden channel’s article where it is', async () => {
    await group('add', rust, secret);
    expect(await idsOf(rust)).toEqual([]);
  });

  test('/group changes no channel that the asker does not moderate', async () => {
    const { operator } = scene.sandbox;
    const allow = ['ManageMessages'] as const;
    operator.setPermissions({ channel: general, who: member, allow });
    await group('add', rust, article, member);
    expect(await idsOf(rust)).toEqual([]);
    operator.setPermissions({ channel: rust, who: member, allow });
    await group('add', rust, article, member);
    expect(await idsOf(rust)).toEqual([article]);
    await group('remove', rust);
    for (const channel of [general, rust]) operator.setPermissions({ channel, who: member });
  });

  test.each<[string, () => string, () => string, Key]>([
    ['an article that does not exist', () => '1234567890123456', () => rust, 'article.unknown'],
    ['an article that is no id', () => 'Borrow checkers', () => rust, 'article.unknown'],
    ['a channel of another guild', () => article, () => '1234567890123456', 'channel.unknown'],
  ])('/group answers that there is no such thing to %s', async (_, id, channel, key) => {
    const answer = await forgeCommand(scene.sandbox, moderator, 'group add', {
      article: id(),
      channel: channel(),
    });
    expect(answer.ephemeral).toBe(true);
    expect(answer.message?.content).toBe(translate('zh-CN', key));
  });

  test('/group says nothing of an article in a channel that the asker may not view', async () => {
    const answer = await forgeCommand(scene.sandbox, member, 'group add', {
      article: secret,
      channel: rust,
    });
    expect(answer.message?.content).not.toContain('Borrow nothing');
  });
});
