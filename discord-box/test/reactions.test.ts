import { PermissionFlagsBits as P, ReactionType, type TextChannel } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMember } from '../src/world/guilds/change-member.ts';
import { addUser } from '../src/world/users.ts';
import { compareIds } from '../src/index.ts';
import { removeAllReactions, removeEmoji } from '../src/world/messages/reactions.ts';
import { setOverwrite } from '../src/world/channels/change-channel.ts';
import { type Community, startCommunity } from './community.ts';
import { connectClient, recordEvents } from './client.ts';

let discord: Community;
let client: Awaited<ReturnType<typeof connectClient>>;
let events: ReturnType<typeof recordEvents>;
let channel: TextChannel;
let id: string;

beforeAll(async () => {
  discord = await startCommunity({ rateLimits: false });
  client = await connectClient(discord);
  events = recordEvents(client);
});
afterAll(async () => {
  await client.destroy();
  await discord.stop();
});
beforeEach(async () => {
  channel = client.channels.cache.get(discord.channels.ai.id) as TextChannel;
  setBotRights(0n, 0n);
  id = (await channel.send('An article')).id;
  events.seen.length = 0;
});

function setBotRights(allow: bigint, deny: bigint): void {
  const { botId } = discord.world.application;
  setOverwrite(discord.world, discord.channels.ai, botId, { kind: 'member', allow, deny });
}

const grace = () => discord.as(discord.members[0] ?? '');
const stored = () => {
  const message = discord.channels.ai.messages.get(id);
  if (message === undefined) throw new Error('The message is gone.');
  return message;
};

describe('a reaction', () => {
  test('a reaction is told with who, whose message and of which kind', async () => {
    expect(grace().react(channel.id, id, '👍')).toBe(true);
    expect(grace().react(channel.id, id, '👍')).toBe(false);
    expect(await events.first('MESSAGE_REACTION_ADD')).toMatchObject({
      user_id: grace().userId,
      message_id: id,
      message_author_id: client.user.id,
      channel_id: channel.id,
      guild_id: discord.guildId,
      emoji: { id: null, name: '👍' },
      burst: false,
      type: 0,
      member: { user: { id: grace().userId } },
    });
    expect(events.of('MESSAGE_REACTION_ADD')).toHaveLength(1);
  });

  test('a reaction that is a super reaction has a list of its own', async () => {
    grace().react(channel.id, id, '👍', true);
    expect(await events.first('MESSAGE_REACTION_ADD')).toMatchObject({ burst: true, type: 1 });
    const [reaction] = (
      await channel.messages.fetch({ message: id, force: true })
    ).reactions.cache.values();
    expect(reaction?.countDetails).toEqual({ normal: 0, burst: 1 });
    const users = (type: ReactionType) => reaction?.users.fetch({ type });
    expect((await users(ReactionType.Normal))?.size).toBe(0);
    expect((await users(ReactionType.Super))?.has(grace().userId)).toBe(true);
  });

  test('a reaction of a member who joined what is there needs no permission to add', () => {
    const { world, guildId, channels } = discord;
    setOverwrite(world, channels.ai, guildId, { kind: 'role', allow: 0n, deny: P.AddReactions });
    expect(() => grace().react(channel.id, id, '👍')).toThrow('may not add reactions');
    discord.as(discord.admin).react(channel.id, id, '👍');
    expect(grace().react(channel.id, id, '👍')).toBe(true);
    setOverwrite(world, channels.ai, guildId, null);
  });
});

describe('taking reactions away', () => {
  beforeEach(() => {
    for (const userId of [grace().userId, discord.admin]) {
      for (const emoji of ['👍', '👎']) discord.as(userId).react(channel.id, id, emoji);
    }
  });

  test('a member takes one’s own reaction away', async () => {
    grace().unreact(channel.id, id, '👍');
    expect(await events.first('MESSAGE_REACTION_REMOVE')).toMatchObject({
      user_id: grace().userId,
      emoji: { name: '👍' },
      burst: false,
    });
  });

  test('the bot takes a member’s reaction away if it may manage messages', async () => {
    const message = await channel.messages.fetch({ message: id, force: true });
    const remove = () => message.reactions.cache.get('👍')?.users.remove(grace().userId);
    await expect(remove()).rejects.toMatchObject({ code: 50013 });
    setBotRights(P.ManageMessages, 0n);
    await remove();
    await events.first('MESSAGE_REACTION_REMOVE');
    expect([...(stored().reactions.get('👍')?.normal ?? [])]).toEqual([discord.admin]);
  });

  test('all reactions of one emoji go in one event', async () => {
    removeEmoji(discord.world, discord.channels.ai, stored(), { id: null, name: '👎' });
    expect(await events.first('MESSAGE_REACTION_REMOVE_EMOJI')).toMatchObject({
      message_id: id,
      emoji: { name: '👎' },
    });
  });

  test('all reactions of a message go in one event', async () => {
    removeAllReactions(discord.world, discord.channels.ai, stored());
    expect(await events.first('MESSAGE_REACTION_REMOVE_ALL')).toMatchObject({ message_id: id });
    expect(stored().reactions.size).toBe(0);
  });
});

describe('reading reactions', () => {
  test('the counts are on the message, with whether the bot is among them', async () => {
    const message = await channel.messages.fetch(id);
    await message.react('👍');
    grace().react(channel.id, id, '👍');
    const [listed] = (await client.rest.get(`/channels/${channel.id}/messages?limit=1`)) as {
      reactions: object[];
    }[];
    expect(listed?.reactions).toEqual([
      {
        emoji: { id: null, name: '👍' },
        count: 2,
        count_details: { normal: 2, burst: 0 },
        me: true,
        me_burst: false,
        burst_colors: [],
      },
    ]);
  });

  test('the list of users comes in pages, ascending by id, whatever the order of arrival', async () => {
    const users = Array.from({ length: 230 }, (_, n) => {
      const { id: userId } = addUser(discord.world, { username: `voter${n}` });
      addMember(discord.world, discord.guild, userId);
      return userId;
    });
    for (const userId of users.toReversed()) discord.as(userId).react(channel.id, id, '👍');
    const read: string[] = [];
    for (;;) {
      const query = `limit=100&after=${read.at(-1) ?? '0'}`;
      const path = `/channels/${channel.id}/messages/${id}/reactions/${encodeURIComponent('👍')}`;
      const page = (await client.rest.get(`${path as '/'}?${query}`)) as { id: string }[];
      read.push(...page.map((user) => user.id));
      if (page.length < 100) break;
    }
    expect(read).toEqual(users.sort(compareIds));
  });
});

describe('a response that lags behind the gateway', () => {
  test('a response that lags behind the gateway shows reactions and messages as they were a moment ago', async () => {
    grace().react(channel.id, id, '👍');
    // The lag has room for a busy machine.
    const fromMs = performance.now();
    await expect.poll(() => performance.now() - fromMs).toBeGreaterThan(3500);
    grace().react(channel.id, id, '👎');
    grace().unreact(channel.id, id, '👍');
    const { id: young } = await channel.send('A young message');
    const end = discord.faults.add({ method: 'GET', staleMs: 3000 });
    const message = await channel.messages.fetch({ message: id, force: true });
    expect([...message.reactions.cache.keys()]).toEqual(['👍']);
    await expect(channel.messages.fetch({ message: young, force: true })).rejects.toThrow(
      'Unknown',
    );
    const page = await channel.messages.fetch({ limit: 10 });
    expect([page.has(id), page.has(young)]).toEqual([true, false]);
    end();
    const now = await channel.messages.fetch({ message: id, force: true });
    expect([...now.reactions.cache.keys()]).toEqual(['👎']);
  });
});
