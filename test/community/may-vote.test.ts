import { type Client, PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { memberSubject } from '../../src/community/block-subject.ts';
import { deleteBlock, writeBlock, zBlock } from '../../src/community/blocks.ts';
import { readMemberFacts } from '../../src/community/may-vote.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { changeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { setOverwrite } from '../../discord-box/src/world/channels/change-channel.ts';
import { readVoter } from '../../src/ranking/ballots/voters.ts';
import { recountArticlesInVoting } from '../../src/votes/recount/recount-guild.ts';
import { englishSpeakers } from '../fixtures/english-speakers.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import type { SettingName } from '../../src/community/settings.ts';
import { VOTES_AT_MOST } from '../../src/community/member-limits.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
let general: string;
let admin: string;
let member: string;
let article: string;
let posted = 0;

/** What Discord says of more members than may be asked for at once. Between two requests a second passes. */
let factsOfMany: ReturnType<typeof readMemberFacts>;
const many = Array.from({ length: 101 }, (_, n) => String(1000 + n));

beforeAll(async () => {
  factsOfMany = readMemberFacts(
    { client: answering, stopping: new AbortController().signal },
    '1',
    many,
  );
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  ({ admin } = sandbox);
  [member = ''] = englishSpeakers(sandbox);
});
afterAll(() => scene.stop());
beforeEach(async () => {
  for (const setting of ['account-days', 'member-days', 'vote-roles'] as const) {
    await set(setting, null);
  }
  article = await scene.post(admin);
});

/** A Discord in whose only server everybody is a member since a time, without a role. */
const answering = {
  guilds: {
    cache: {
      get: () => ({
        available: true,
        members: {
          fetch: async ({ user }: { user: string[] }) =>
            new Map(user.map((id) => [id, { joinedTimestamp: 5, roles: { cache: new Map() } }])),
        },
      }),
    },
  },
} as unknown as Client;

const set = (name: SettingName, value: string | string[] | null) =>
  setSetting(scene.sandbox, name, value);
/** The role of the moderators, which the member has not. */
function moderators(): string {
  const roles = [...scene.sandbox.guild.roles.values()];
  return roles.find(({ name }) => name === 'Moderators')?.id ?? '';
}

const recount = () => recountArticlesInVoting(scene.bot, scene.sandbox.guildId, { full: true });
function joined(daysAgo: number): void {
  const { world, guild } = scene.sandbox;
  const found = guild.members.get(member);
  if (found)
    changeMember(world, guild, found, { joinedAtMs: scene.clock.now() - daysAgo * DAY_MS });
}

describe('a vote', () => {
  test('a vote of a member who is blocked from posting alone counts', async () => {
    const { bot } = scene;
    const subject = memberSubject(member);
    const block = { subject, ...zBlock.parse({ by: admin, posting: true, voting: false }) };
    await writeBlock(bot.store, scene.sandbox.guildId, block);
    await bot.rules.refresh(scene.sandbox.guildId, { block: subject });
    scene.react(member, article, '👍');
    await scene.expectTally(article, 2, 0);
    await recount();
    expect(await scene.tally(article)).toEqual([2, 0]);
    await deleteBlock(bot.store, scene.sandbox.guildId, subject);
    await bot.rules.refresh(scene.sandbox.guildId, { block: subject });
  });

  test('a vote of a young membership does not count, and a recount counts it once it has grown', async () => {
    joined(1);
    await set('member-days', '2');
    scene.react(member, article, '👍');
    scene.react(scene.sandbox.moderator, article, '👍');
    await scene.expectTally(article, 2, 0);
    await recount();
    await scene.expectTally(article, 2, 0);
    scene.clock.move(DAY_MS + 60_000);
    await recount();
    await scene.expectTally(article, 3, 0);
  });

  test('a vote that counted stays when a rule comes that would forbid it', async () => {
    scene.react(member, article, '👍');
    await scene.expectTally(article, 2, 0);
    await set('vote-roles', [moderators()]);
    await recount();
    await scene.expectTally(article, 2, 0);
    scene.react(member, article, '👎');
    scene.react(scene.sandbox.moderator, article, '👍');
    await scene.expectTally(article, 3, 0);
    // Taking back works for all.
    scene.unreact(member, article, '👍');
    await scene.expectTally(article, 2, 0);
  });

  test('a vote without one of the roles that may vote counts after the rule is lifted', async () => {
    await set('vote-roles', [moderators()]);
    scene.react(member, article, '👍');
    scene.react(member, article, '👎');
    scene.unreact(member, article, '👍');
    scene.react(scene.sandbox.moderator, article, '👍');
    await scene.expectTally(article, 2, 0);
    await recount();
    await scene.expectTally(article, 2, 0);
    await set('vote-roles', []);
    await recount();
    await scene.expectTally(article, 2, 1);
  });

  test('a vote of who has left counts in a recount, whichever role a vote needs since, but for who was blocked', async () => {
    const { sandbox } = scene;
    const { store, rules } = scene.bot;
    const [leaving = '', blocked = ''] = scene.crowd(2);
    const subject = memberSubject(blocked);
    const block = { subject, ...zBlock.parse({ by: admin, posting: false, voting: true }) };
    await writeBlock(store, sandbox.guildId, block);
    await rules.refresh(sandbox.guildId, { block: subject });
    await set('vote-roles', [moderators()]);
    for (const one of [leaving, blocked, member]) {
      scene.secretly(() => scene.react(one, article, '👍'));
    }
    for (const one of [leaving, blocked]) sandbox.operator.removeMember({ member: one });
    await recount();
    expect(await scene.tally(article)).toEqual([2, 0]);
    expect(await readVoter(scene.bot.ranking, sandbox.guildId, article, leaving)).not.toBeNull();
    await deleteBlock(store, sandbox.guildId, subject);
    await rules.refresh(sandbox.guildId, { block: subject });
  });

  test('a vote beyond the limit is undone, and the vote before it stands again', async () => {
    // These two have not voted in this minute.
    const [one = '', other = ''] = scene.sandbox.members.slice(-2);
    for (let votes = 1; votes < VOTES_AT_MOST; votes += 1) {
      scene.react(one, article, '👍');
      scene.unreact(one, article, '👍');
    }
    scene.react(one, article, '👍');
    await scene.expectTally(article, 2, 0);
    scene.react(one, article, '👎');
    scene.react(other, article, '👍');
    await scene.expectTally(article, 3, 0);
  });

  test('a vote that may not be given is taken away where the bot may, also by a recount', async () => {
    const { world, channels } = scene.sandbox;
    const me = world.application.botId;
    const allow = (bits: bigint) =>
      setOverwrite(world, channels.general, me, { kind: 'member', allow: bits, deny: 0n });
    await set('vote-roles', [moderators()]);
    scene.react(member, article, '👍');
    await recount();
    expect(scene.whoShows(article, '👍')).toContain(member);
    allow(PermissionFlagsBits.ManageMessages);
    await recount();
    await scene.eventually(
      async () => scene.whoShows(article, '👍'),
      (all) => !all.includes(member),
      'gone',
    );
    scene.react(member, article, '👎');
    await scene.eventually(
      async () => scene.whoShows(article, '👎'),
      (all) => !all.includes(member),
      'gone',
    );
    await scene.expectTally(article, 1, 0);
    setOverwrite(world, channels.general, me, null);
  });
});

test('of more members than Discord is asked for at once, all are known, and none counts as one who left', async () => {
  const facts = await factsOfMany;
  expect([...facts.values()]).toEqual(many.map((id) => ({ id, joinedAtMs: 5, roles: [] })));
});

describe('posting', () => {
  test('posting is for accounts and members of an age, with a role, in groups, within the limit', async () => {
    const { guild, channels } = scene.sandbox;
    const post = async (channel = general, by = member) => {
      posted += 1;
      const link = `https://posts.example/${posted}`;
      const answer = await scene.sandbox.as(by).command(channel, 'post', { link });
      return answer.ephemeral ? (answer.message?.content ?? '') : '';
    };
    joined(0);
    await set('member-days', '1');
    expect(await post()).toContain('n’t been here long enough');
    await set('member-days', '0');
    await set('account-days', '1');
    const [fresh = ''] = scene.crowd(1);
    // Of a member whose posts no other test counts.
    expect(await post(general, scene.sandbox.members.at(-1))).toBe('');
    expect(await post(general, fresh)).toContain('account is too new');
    await set('account-days', '0');
    expect(await post(general, fresh)).toBe('');
    const role = [...guild.roles.values()].find(({ name }) => name === 'Moderators');
    await set('post-roles', [role?.id ?? '']);
    expect(await post()).toContain(`<@&${role?.id}>`);
    await set('post-roles', []);
    await set('no-groups', [channels.rust.id]);
    expect(await post(channels.rust.id)).toContain('doesn’t take articles');
    await set('groups', [general]);
    expect(await post(channels.ai.id)).toContain('doesn’t take articles');
    await set('groups', []);
    await set('posts-per-hour', '1');
    expect(await post()).toBe('');
    expect(await post()).toContain('1 link per hour. Try again in 60 minutes.');
    await set('posts-per-hour', '0');
    expect(await post()).toBe('');
  });

  test('a duplicate is not counted toward the limit', async () => {
    await set('posts-per-hour', '2');
    const first = await scene.command(scene.sandbox.moderator, 'post', {
      link: 'https://dup.example/',
    });
    expect(first.ephemeral).toBe(false);
    for (let n = 0; n < 3; n += 1) {
      await scene.command(scene.sandbox.moderator, 'post', { link: 'https://dup.example/' });
    }
    const next = await scene.command(scene.sandbox.moderator, 'post', {
      link: 'https://dup2.example/',
    });
    expect(next.ephemeral).toBe(false);
    await set('posts-per-hour', '0');
  });

  test('a link returns after so many days, and both articles stay', async () => {
    await set('repost-days', '30');
    const link = 'https://again.example/';
    const first = await scene.command(member, 'post', { link });
    scene.clock.move(29 * DAY_MS);
    expect((await scene.command(member, 'post', { link })).message?.content).toContain('already');
    scene.clock.move(DAY_MS + 1000);
    const second = await scene.command(member, 'post', { link });
    expect(second.ephemeral).toBe(false);
    const [a, b] = [first.message?.id ?? '', second.message?.id ?? ''];
    await scene.eventually(() => scene.article(b), Boolean, 'committed');
    expect(await scene.article(a)).not.toBeNull();
    expect((await scene.command(member, 'post', { link })).message?.content).toContain(b);
  });

  test('the guild’s language is that of its articles', async () => {
    await set('language', ['zh-CN']);
    const { message } = await scene.command(member, 'post', { link: 'https://sprache.example/' });
    expect(message?.content).toContain('投稿于');
    await set('language', null);
  });
});
