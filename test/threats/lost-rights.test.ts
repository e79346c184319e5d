import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../../discord-box/src/act/answer.ts';
import { changeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { readSettings, STANDARD } from '../../src/community/settings.ts';
import { readDigests } from '../../src/digests/stored-digests.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;
let member: string;
let role: string;
let article: string;
let swept = 0;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  [member = ''] = scene.crowd(1);
  sandbox.as(member).speak('en-US');
  const permissions = ['ManageGuild', 'ManageMessages'] as const;
  role = sandbox.operator.addRole({ name: 'Helpers', permissions });
  // The server's own settings may show a command to everybody.
  sandbox.world.commands.forEach(({ form }) => (form.default_member_permissions = null));
  article = await scene.post(sandbox.admin, { title: 'As it was' });
});
afterAll(() => scene.stop());
beforeEach(() => scene.sandbox.operator.giveRole({ member, role }));

const as = () => scene.sandbox.as(member);

function loseRole(): void {
  const { world, guild } = scene.sandbox;
  changeMember(world, guild, guild.members.get(member)!, { roleIds: new Set() });
}

const blocked = async () => [...(await scene.bot.rules.read(scene.sandbox.guildId)).blocks.keys()];

const moderateCard = () => as().messageCommand(general, article, 'Moderate');

/** Each begins before and ends after the member loses the role that allows it. */
const ACTS: [what: string, begin: () => Promise<() => Promise<Answer>>, refusal: string][] = [
  [
    'opens the panel',
    async () => () => as().command(general, 'frontpage panel'),
    'You need the Manage Server permission',
  ],
  [
    'presses a button of an older panel',
    async () => {
      const { message } = await as().command(general, 'frontpage panel');
      return () => as().press(general, message!.id, 'frontpage|settings|open|posts');
    },
    'You need the Manage Server permission',
  ],
  [
    'sends an older form of the panel',
    async () => {
      const { message } = await openPanel(as(), general, 'settings|more');
      await as().choose(general, message!.id, 'frontpage|settings|pick', ['repost-days']);
      const form = await as().press(general, message!.id, 'frontpage|settings|form|repost-days');
      return () => as().submit(form.interactionId, { value: '5' });
    },
    'You need the Manage Server permission',
  ],
  [
    'sets up a digest',
    async () => () => as().command(general, 'digest set', { name: 'theirs' }),
    'You need the Manage Server permission',
  ],
  [
    'presses an older button of Moderate',
    async () => {
      const { message } = await moderateCard();
      return () => as().press(general, message!.id, `moderate|lock|${article}`);
    },
    'Manage Messages. Ask an admin',
  ],
  [
    'sends an older form of Moderate',
    async () => {
      const { message } = await moderateCard();
      const form = await as().press(general, message!.id, `moderate|retitle|${article}`);
      return () => as().submit(form.interactionId, { text: 'Other' });
    },
    'Manage Messages. Ask an admin',
  ],
  [
    'moves an article by an older choice',
    async () => {
      const { message } = await moderateCard();
      const to = scene.sandbox.channels.rust.id;
      return () => as().choose(general, message!.id, `moderate|move|${article}`, [to]);
    },
    'Manage Messages. Ask an admin',
  ],
  ['opens Moderate', async () => () => moderateCard(), 'Manage Messages. Ask an admin'],
  [
    'opens Moderate on what was removed, whose title is seen by nobody else',
    async () => {
      const { admin } = scene.sandbox;
      const removed = await scene.post(admin, { title: 'Sealed' });
      await scene.moderate(admin, 'remove', removed);
      return () => as().messageCommand(general, removed, 'Moderate');
    },
    'Manage Messages. Ask an admin',
  ],
  [
    'presses a button of Moderate on what was removed since',
    async () => {
      const { admin } = scene.sandbox;
      const removed = await scene.post(admin);
      const { message } = await as().messageCommand(general, removed, 'Moderate');
      await scene.moderate(admin, 'remove', removed);
      return () => as().press(general, message!.id, `moderate|lock|${removed}`);
    },
    'Manage Messages. Ask an admin',
  ],
  [
    'lifts a block by an older list',
    async () => {
      await as().command(general, 'mod block', { words: 'lottery' });
      const { message } = await as().command(general, 'mod blocks');
      return () => as().choose(general, message!.id, 'mod|lift', ['words:lottery']);
    },
    'for the whole server',
  ],
  [
    'removes by an older button what a block would refuse',
    async () => {
      const site = `swept-${(swept += 1)}.example`;
      await scene.post(scene.sandbox.admin, { link: `https://${site}/` });
      const { message } = await as().command(general, 'mod block', { site });
      return () => as().press(general, message!.id, `mod|sweep|origin:${site}`);
    },
    'for the whole server',
  ],
];

describe('who lost the role that allowed it', () => {
  test.each(ACTS)('is refused who %s', async (_, begin, refusal) => {
    const end = await begin();
    const blocks = await blocked();
    loseRole();
    const { message, ephemeral } = await end();
    expect(message?.content).toContain(refusal);
    expect(ephemeral).toBe(true);
    const { store } = scene.bot;
    const guild = scene.sandbox.guildId;
    expect(await readSettings(store, guild)).toEqual({ ...STANDARD });
    expect(await readDigests(store, guild)).toEqual([]);
    expect(await blocked()).toEqual(blocks);
    const { title, locked, home } = (await scene.article(article))!;
    expect([title, locked, home]).toEqual(['As it was', false, general]);
  });

  test.each(ACTS)('does it with the role who %s', async (_, begin, refusal) => {
    const { message } = await (await begin())();
    expect(message?.content ?? '').not.toContain(refusal);
  });
});
