import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMember, changeMember, removeMember } from '../../sandbox/discord/index.ts';
import { closeDueArticles } from '../../src/recount/close-articles.ts';
import { refreshGuild } from '../../src/guilds/nightly.ts';
import { readUncounted } from '../../src/ranking/ballots/uncounted.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { type Scene, startScene } from '../scene.ts';

const dayMs = 86_400_000;

let scene: Scene;
let general: string;
let admin: string;
let member: string;
let role: string;
let article: string;
let posted = 0;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  ({ admin } = sandbox);
  [member = ''] = sandbox.members;
  role = [...sandbox.guild.roles.values()].find(({ name }) => name === 'Moderators')!.id;
});
afterAll(() => scene.stop());
beforeEach(async () => {
  for (const setting of ['member-days', 'vote-roles']) await reset(setting);
  change({ joinedAtMs: scene.clock.now() - 400 * dayMs, roleIds: new Set() });
  posted += 1;
  const link = `https://judged.example/${posted}`;
  const { message } = await scene.sandbox.as(admin).command(general, 'post', { link });
  article = message?.id ?? '';
  await scene.eventually(() => scene.article(article), Boolean, 'committed');
});

function command(words: string, values: Record<string, string>) {
  return scene.sandbox.as(admin).command(general, words, values);
}
const set = (setting: string, value: string) => command('settings set', { setting, value });
const reset = (setting: string) => command('settings reset', { setting });
/** Nobody tells the bot of it: that takes a privileged intent. */
function change(changed: { joinedAtMs?: number; roleIds?: Set<string> }): void {
  const { world, guild } = scene.sandbox;
  changeMember(world, guild, guild.members.get(member)!, changed);
}
async function expectUp(up: number): Promise<void> {
  const found = await scene.eventually(
    () => scene.article(article),
    (now) => now?.up === up,
    `at ${up}`,
  );
  expect(found?.up).toBe(up);
}
async function vote(): Promise<void> {
  scene.sandbox.as(member).react(general, article, '👍');
  await expectUp(2);
}
const uncounted = async () =>
  (await readUncounted(scene.bot.app.ranking, scene.sandbox.guildId, article)).get(member);
const night = () => {
  scene.clock.move(dayMs);
  return refreshGuild(scene.bot.app, scene.sandbox.guildId, async () => {});
};

describe('a vote that counts', () => {
  test('is judged anew when memberships must be older, and counts again when they need not', async () => {
    change({ joinedAtMs: scene.clock.now() - 3 * dayMs });
    await vote();
    await set('member-days', '30');
    await expectUp(1);
    expect(await uncounted()).toMatchObject({ reason: 'member', vote: 'up' });
    await set('member-days', '2');
    await expectUp(2);
    expect(await uncounted()).toBeUndefined();
  });

  test('is judged anew when roles may vote that the voter has not, in both directions', async () => {
    await vote();
    await set('vote-roles', `<@&${role}>`);
    await expectUp(1);
    expect(await uncounted()).toMatchObject({ reason: 'role' });
    await set('vote-roles', 'none');
    await expectUp(2);
  });

  test('follows the voter’s roles by the next night, in both directions', async () => {
    change({ roleIds: new Set([role]) });
    await vote();
    await set('vote-roles', `<@&${role}>`);
    change({ roleIds: new Set() });
    await night();
    await expectUp(1);
    change({ roleIds: new Set([role]) });
    await night();
    await expectUp(2);
  });

  test('is frozen by the roles that the voter has at the end', async () => {
    change({ roleIds: new Set([role]) });
    await set('vote-roles', `<@&${role}>`);
    await vote();
    change({ roleIds: new Set() });
    scene.clock.move(7 * dayMs + 60_000);
    await closeDueArticles(scene.bot.app, scene.sandbox.guildId);
    expect(await scene.article(article)).toMatchObject({ closed: true, up: 1 });
  });

  test('stays when the voter leaves', async () => {
    const { world, guild } = scene.sandbox;
    await vote();
    const joinedAtMs = scene.clock.now() - 400 * dayMs;
    removeMember(world, guild, member);
    // Somebody else, of whom it is seen that the pass is through.
    const other = scene.sandbox.members[1]!;
    scene.sandbox.as(other).react(general, article, '👍');
    await expectUp(3);
    await set('vote-roles', `<@&${role}>`);
    await expectUp(2);
    expect(await uncounted()).toBeUndefined();
    addMember(world, guild, member, { joinedAtMs });
  });
});

test('hundreds of voters are asked for a hundred at a time, over the gateway', async () => {
  const { sandbox, bot, clock } = scene;
  const crowd = Array.from({ length: 150 }, (_, i) => {
    const bornMs = clock.now() - 500 * dayMs - i;
    return sandbox.operator.addPerson({ username: `voter${i}`, bornMs });
  });
  for (const one of crowd) {
    const ballot = { guild: sandbox.guildId, article, member: one, vote: 'up' as const };
    await setVote(bot.app.ranking, ballot, clock.now());
  }
  await expectUp(151);
  sandbox.requests.reset();
  await set('member-days', '10');
  await expectUp(1);
  await set('member-days', '0');
  await expectUp(151);
  expect(sandbox.requests.count('GET', /members/)).toBe(0);
});
