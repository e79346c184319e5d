import { createInflate } from 'node:zlib';
import { type Client, Events } from 'discord.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { removeMember } from '../src/world/guilds/change-member.ts';
import { setUnavailable } from '../src/world/guilds/change-guild.ts';
import { type Community, startCommunity } from './community.ts';
import { connectClient, createClient, recordEvents } from './client.ts';

let discord: Community;
let client: Client<true> | undefined;

beforeEach(async () => {
  discord = await startCommunity();
});
afterEach(async () => {
  await client?.destroy();
  client = undefined;
  await discord.stop();
});

describe('connecting', () => {
  test('the real client logs in and learns the guild, its channels and itself', async () => {
    client = await connectClient(discord);
    expect(client.user.id).toBe(discord.world.application.botId);
    expect(client.application.id).toBe(discord.applicationId);
    const guild = client.guilds.cache.get(discord.guildId);
    expect(guild?.name).toBe('Harbour');
    expect(guild?.channels.cache.get(discord.channels.rust.id)?.name).toBe('rust');
    expect(guild?.members.me?.permissions.has('AddReactions')).toBe(true);
    expect(guild?.members.me?.permissions.has('ManageMessages')).toBe(false);
  });

  test('a wrong token is refused by REST', async () => {
    const stranger = createClient(discord);
    await expect(stranger.login('wrong')).rejects.toThrow(/invalid token/i);
    await stranger.destroy();
  });

  // Withstands (Attacks): Another site uses the sandbox
  // → Host and Origin are checked
  test.each([{ origin: 'https://evil.example' }, { host: 'evil.example' }])(
    'another site’s page reaches no gateway: %j',
    async (headers) => {
      const address = `${discord.address.replace('http', 'ws')}/?v=10&encoding=json`;
      const socket = new WebSocket(address, { headers });
      const outcome = new Promise((resolve) => {
        socket.on('open', () => resolve('open'));
        socket.on('error', () => resolve('refused'));
      });
      expect(await outcome).toBe('refused');
    },
  );

  test('a client that asks for it gets one zlib stream, of which every message can be read at once', async () => {
    const query = '?v=10&encoding=json&compress=zlib-stream';
    const socket = new WebSocket(`${discord.address.replace('http', 'ws')}/${query}`);
    const inflate = createInflate();
    const events: string[] = [];
    const ready = new Promise<void>((resolve) => {
      inflate.on('data', (text: Buffer) => {
        events.push(...(text.toString().match(/"t":"\w+"/g) ?? []));
        if (events.some((event) => event.includes('GUILD_CREATE'))) resolve();
      });
    });
    socket.on('message', (data: Buffer) => inflate.write(data));
    socket.on('open', () => {
      socket.send(
        JSON.stringify({ op: 2, d: { token: discord.token, intents: 1, properties: {} } }),
      );
    });
    await ready;
    socket.terminate();
    expect(events).toEqual(['"t":"READY"', '"t":"GUILD_CREATE"']);
  });

  test('a client that asks for another encoding is told on the terminal, and closed', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {});
    const socket = new WebSocket(`${discord.address.replace('http', 'ws')}/?v=10&encoding=etf`);
    const code = await new Promise((resolve) => {
      socket.on('close', resolve);
    });
    expect(code).toBe(4002);
    expect(told.mock.calls.flat()).toEqual([expect.stringContaining('encoding=etf')]);
    told.mockRestore();
  });

  test('a privileged intent that the application lacks is refused', async () => {
    const greedy = createClient(discord, { intents: ['Guilds', 'MessageContent'] });
    await expect(greedy.login(discord.token)).rejects.toThrow(/disallowed intents/i);
    await greedy.destroy();
  });
});

describe('a lost connection', () => {
  test('a lost connection is resumed with everything that was missed, in order', async () => {
    client = await connectClient(discord);
    const events = recordEvents(client);
    const resumed = new Promise<number>((resolve) => {
      client?.once(Events.ShardResume, (_, replayed) => resolve(replayed));
    });
    const { general } = discord.channels;
    const ada = discord.as(discord.admin);
    discord.gateway.drop();
    const message = ada.send(general.id, 'While you were away');
    for (const member of discord.members) discord.as(member).react(general.id, message.id, '👍');
    expect(await resumed).toBeGreaterThanOrEqual(1 + discord.members.length);
    const adds = await events.count('MESSAGE_REACTION_ADD', discord.members.length);
    expect(adds.map((add) => add['user_id'])).toEqual(discord.members);
    expect(events.seen[0]?.t).toBe('MESSAGE_CREATE');
  });

  test('a lost connection whose session is forgotten begins anew, without what was missed', async () => {
    client = await connectClient(discord);
    const events = recordEvents(client);
    discord.gateway.drop({ resumable: false });
    discord.as(discord.admin).send(discord.channels.general.id, 'Unheard');
    await events.first('READY');
    await events.first('GUILD_CREATE');
    expect(events.of('MESSAGE_CREATE')).toEqual([]);
  });

  test('a lost connection follows from being told to reconnect, and is resumed', async () => {
    client = await connectClient(discord);
    const events = recordEvents(client);
    discord.gateway.askToReconnect();
    await events.first('RESUMED');
    expect(events.of('READY')).toEqual([]);
  });

  test('a lost connection is noticed by the client when heartbeats go unanswered', async () => {
    await discord.stop();
    discord = await startCommunity({ heartbeatMs: 100 });
    client = await connectClient(discord);
    const events = recordEvents(client);
    discord.gateway.acknowledging = false;
    await events.first('RESUMED');
    expect(events.of('READY')).toEqual([]);
  });
});

describe('a guild', () => {
  test('a guild in an outage is unavailable, and comes back', async () => {
    client = await connectClient(discord);
    const events = recordEvents(client);
    setUnavailable(discord.world, discord.guild, true);
    expect(await events.first('GUILD_DELETE')).toEqual({ id: discord.guildId, unavailable: true });
    setUnavailable(discord.world, discord.guild, false);
    expect(await events.first('GUILD_CREATE')).toMatchObject({ id: discord.guildId });
  });

  test('a guild that removes the bot says so without calling itself unavailable', async () => {
    client = await connectClient(discord);
    const events = recordEvents(client);
    removeMember(discord.world, discord.guild, client.user.id);
    expect(await events.first('GUILD_DELETE')).toEqual({ id: discord.guildId });
  });
});
