import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandPermission, setCommandPermissions } from '../../sandbox/discord/index.ts';
import { patience, type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;
let rust: string;
let member: string;
let moderator: string;
/** What each may use while no admin has said anything. */
let usual: Map<string, string[]>;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  [member = ''] = sandbox.members;
  ({ moderator } = sandbox);
  usual = new Map([member, moderator, sandbox.admin].map((who) => [who, offered(who)]));
});
afterAll(() => scene.stop());

async function helped(who: string, channel = general): Promise<string[]> {
  const { message } = await scene.sandbox.as(who).command(channel, 'help');
  const text = message?.embeds.map(({ description }) => description).join('\n') ?? '';
  const slash = [...text.matchAll(/<\/([a-z]+)[ :]/g)].map(([, name]) => name ?? '');
  return [...new Set(slash)].toSorted();
}
/** What Discord's own client offers. */
function offered(who: string, channel = general): string[] {
  const all = scene.sandbox.as(who).commands(channel);
  return all
    .filter(({ type }) => type === 1)
    .map(({ name }) => String(name))
    .toSorted();
}
/** What is offered and does not refuse: an admin can open a command, and it still asks for its right. */
function usable(who: string): string[] {
  return offered(who).filter((name) => usual.get(who)?.includes(name));
}
function idOf(name: string): string {
  return [...scene.sandbox.world.commands.values()].find(({ form }) => form.name === name)!.id;
}
function allow(of: string, rules: CommandPermission[]): void {
  const id = of === 'all' ? scene.sandbox.applicationId : idOf(of);
  setCommandPermissions(scene.sandbox.world, scene.sandbox.guild, id, rules);
}

type Rule = [kind: 'role' | 'member' | 'channel', id: () => string, permission: boolean];
const types = { role: 1, member: 2, channel: 3 } as const;
const everyone = () => scene.sandbox.guildId;
const everywhere = () => String(BigInt(scene.sandbox.guildId) - 1n);
const moderators = () =>
  [...scene.sandbox.guild.roles.values()].find(({ name }) => name === 'Moderators')!.id;

const settings: [string, Record<string, Rule[]>, string[], string[]][] = [
  ['opens a command to everyone', { frontpage: [['role', everyone, true]] }, ['frontpage'], []],
  ['opens one to a member', { mod: [['member', () => member, true]] }, ['mod'], []],
  ['closes one to everyone', { post: [['role', everyone, false]] }, [], ['post']],
  [
    'closes one to everyone but a member',
    {
      post: [
        ['role', everyone, false],
        ['member', () => member, true],
      ],
    },
    ['post'],
    [],
  ],
  ['closes one in a channel', { top: [['channel', () => general, false]] }, [], ['top']],
  [
    'closes one in all channels but here',
    {
      top: [
        ['channel', everywhere, false],
        ['channel', () => general, true],
      ],
    },
    ['top'],
    [],
  ],
  ['closes all in a channel', { all: [['channel', () => rust, false]] }, ['post'], []],
  [
    'closes all to a member but one',
    { all: [['member', () => member, false]], help: [['member', () => member, true]] },
    ['help'],
    ['post', 'top'],
  ],
  [
    'opens all to everyone, who still need the permission of each',
    { all: [['role', everyone, true]] },
    ['post'],
    ['frontpage', 'mod'],
  ],
  ['closes one to a role', { mod: [['role', moderators, false]] }, ['post'], ['mod']],
];

describe('/help', () => {
  test('puts what members may do first, and names no part that the asker may not use', async () => {
    const parts = async (who: string) => {
      const { message } = await scene.sandbox.as(who).command(general, 'help');
      const text = message?.embeds.map(({ description }) => description).join('\n') ?? '';
      return [...text.matchAll(/^(?:(\*\*.+\*\*)$|<\/([a-z]+))/gm)].map(([, heading, name]) =>
        heading === undefined ? name : 'heading',
      );
    };
    const members = ['heading', 'post', 'top', 'search', 'me', 'stats', 'help'];
    expect(await parts(member)).toEqual(members);
    const moderators = [...members, 'heading', 'group', 'mod'];
    expect(await parts(moderator)).toEqual(moderators);
    expect(await parts(scene.sandbox.admin)).toEqual([
      ...moderators,
      'heading',
      'digest',
      'frontpage',
    ]);
  });

  test.each(settings)(
    'names what Discord offers and does not refuse where an admin %s',
    async (_, rules, named, unnamed) => {
      for (const [of, list] of Object.entries(rules)) {
        allow(
          of,
          list.map(([kind, id, permission]) => ({ id: id(), type: types[kind], permission })),
        );
      }
      await expect.poll(() => helped(member), patience).toEqual(usable(member));
      expect(offered(member)).toEqual(expect.arrayContaining(named));
      for (const name of unnamed) expect(offered(member)).not.toContain(name);
      expect(await helped(moderator)).toEqual(usable(moderator));
      expect(await helped(scene.sandbox.admin)).toEqual(usable(scene.sandbox.admin));
      for (const of of Object.keys(rules)) allow(of, []);
      await expect.poll(() => helped(member), patience).toEqual(usable(member));
    },
  );

  test('asks once for many, and says the usual where Discord does not tell', async () => {
    allow('frontpage', []);
    await helped(member);
    scene.sandbox.requests.reset();
    for (let n = 0; n < 3; n += 1) await helped(member);
    expect(scene.sandbox.requests.count('GET', /permissions/)).toBeLessThanOrEqual(1);
    allow('top', [{ id: everyone(), type: 1, permission: false }]);
    const end = scene.sandbox.faults.add({ route: /commands\/permissions/, status: 403 });
    await expect.poll(() => helped(member), patience).toContain('top');
    end();
    await expect.poll(() => helped(member), patience).not.toContain('top');
    const slow = scene.sandbox.faults.add({ route: /commands\/permissions/, delayMs: 5000 });
    allow('top', []);
    const startedMs = performance.now();
    expect(await helped(member)).toContain('post');
    expect(performance.now() - startedMs).toBeLessThan(2000);
    slow();
  });
});
