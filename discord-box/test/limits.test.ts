import type { TextChannel } from 'discord.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Community, startCommunity } from './community.ts';
import { connectClient, recordEvents } from './client.ts';

let discord: Community;
let client: Awaited<ReturnType<typeof connectClient>>;
let channel: TextChannel;

beforeEach(async () => {
  discord = await startCommunity();
  client = await connectClient(discord, { rest: { api: discord.apiBase, retries: 3 } });
  channel = client.channels.cache.get(discord.channels.general.id) as TextChannel;
});
afterEach(async () => {
  await client.destroy();
  await discord.stop();
});

describe('rate limits', () => {
  test('reactions are spaced, and the client keeps to the headers once it knows them', async () => {
    const message = await channel.send('An article');
    const startedMs = performance.now();
    for (const emoji of ['👍', '👎', '🎉']) await message.react(emoji);
    expect(performance.now() - startedMs).toBeGreaterThan(450);
    // It learns the bucket's name from its first response, and its state from the second.
    expect(discord.requests.count('PUT', /reactions/, 429)).toBeLessThanOrEqual(1);
  });

  test('a request too many gets 429 with the time to wait, and then goes through', async () => {
    const message = await channel.send('An article');
    const react = () =>
      fetch(
        `${discord.apiBase}/v10/channels/${channel.id}/messages/${message.id}/reactions/%F0%9F%91%8D/@me`,
        { method: 'PUT', headers: { authorization: `Bot ${discord.token}` } },
      );
    let response = await react();
    expect(response.status).toBe(204);
    // On a busy machine the time may be over before the next request.
    await expect.poll(async () => (response = await react()).status).toBe(429);
    const body = (await response.json()) as { retry_after: number; global: boolean };
    expect(body).toMatchObject({ global: false });
    expect(body.retry_after).toBeLessThanOrEqual(0.25);
    // The client knows nothing of these two: it is refused, waits, and tries again.
    await message.react('👎');
    expect([
      ...(discord.channels.general.messages.get(message.id)?.reactions.keys() ?? []),
    ]).toEqual(['👍', '👎']);
  });
});

describe('faults', () => {
  test('a request refused with 503 is tried again by the client', async () => {
    discord.faults.add({ method: 'POST', route: /messages/, status: 503, times: 1 });
    await channel.send('An article');
    expect(discord.requests.count('POST', /messages/, 503)).toBe(1);
    expect(discord.channels.general.messages.size).toBe(1);
  });

  test('a response lost after the work makes the client send twice', async () => {
    discord.faults.add({
      method: 'POST',
      route: /messages/,
      status: 502,
      times: 1,
      afterTheWork: true,
    });
    await channel.send('An article');
    expect(discord.channels.general.messages.size).toBe(2);
  });

  test('a request that is held is done when it is let go, and the next is not held', async () => {
    const { messages } = discord.channels.general;
    const held = discord.faults.hold({});
    const sent = channel.send('An article');
    await expect.poll(() => held.isHeld()).toBe(true);
    await client.rest.get('/users/@me');
    expect(messages.size).toBe(0);
    held.letGo();
    await sent;
    expect(messages.size).toBe(1);
  });

  test('faults drop, double and reorder events by the seed', async () => {
    const events = recordEvents(client);
    const { id } = await channel.send('An article');
    discord.gateway.events.set({ drop: 0.2, double: 0.2, reorder: 0.2, only: /REACTION/ });
    for (const emoji of ['👍', '👎']) {
      for (const userId of discord.members) discord.as(userId).react(channel.id, id, emoji);
    }
    discord.gateway.events.set(undefined);
    const last = discord.as(discord.admin);
    last.react(channel.id, id, '🎉');
    await events.count('MESSAGE_REACTION_ADD', 10);
    const heard = await discord.until(() => {
      const adds = events.of('MESSAGE_REACTION_ADD');
      return adds.at(-1)?.['user_id'] === last.userId ? adds : undefined;
    }, 'the last reaction');
    const sent = ['👍', '👎'].flatMap((name) => discord.members.map((user) => `${user} ${name}`));
    const keys = heard
      .slice(0, -1)
      .map((add) => `${String(add['user_id'])} ${(add['emoji'] as { name: string }).name}`);
    expect(keys).not.toEqual(sent);
    expect(new Set(keys).size).toBeLessThan(sent.length);
    expect(keys.length).toBeGreaterThan(new Set(keys).size);
  });
});
