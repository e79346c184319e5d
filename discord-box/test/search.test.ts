import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChannel } from '../src/world/channels/change-channel.ts';
import { createMessage } from '../src/world/messages/change-message.ts';
import { type Community, startCommunity } from './community.ts';

let sandbox: Community;
let rust: string;
let links: string[];

beforeAll(async () => {
  sandbox = await startCommunity({ rateLimits: false, privileged: { messageContent: true } });
  rust = sandbox.channels.rust.id;
  links = ['https://one.example/', 'no link', 'https://two.example/'].map(
    (text) => sandbox.as(sandbox.admin).send(rust, text).id,
  );
});
afterAll(() => sandbox.stop());

async function search(query: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const address = `${sandbox.apiBase}/v10/guilds/${sandbox.guildId}/messages/search?${query}`;
  const response = await fetch(address, { headers: { authorization: `Bot ${sandbox.token}` } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('a search counts the messages with a link of one channel, newest first', async () => {
  const { body } = await search(`has=link&channel_id=${rust}`);
  expect(body).toMatchObject({ total_results: 2, doing_deep_historical_index: false });
  const found = (body['messages'] as { id: string }[][]).flat().map(({ id }) => id);
  expect(found).toEqual([links[2], links[0]]);
});

test('a search between two messages leaves out both of them', async () => {
  const { body } = await search(`channel_id=${rust}&min_id=${links[0]}&max_id=${links[2]}`);
  expect(body).toMatchObject({ total_results: 1 });
});

test('a search of a guild that is not indexed is accepted, and gives its response later', async () => {
  sandbox.world.unindexed.add(sandbox.guildId);
  const { status, body } = await search('has=link');
  sandbox.world.unindexed.delete(sandbox.guildId);
  expect(status).toBe(202);
  expect(body).toMatchObject({ code: 110000, retry_after: 2, documents_indexed: 0 });
});

test('an age-restricted channel is searched only where it is asked for', async () => {
  const { id } = createChannel(sandbox.world, {
    guildId: sandbox.guildId,
    name: 'adults',
    ageRestricted: true,
  });
  const channel = sandbox.world.channels.get(id)!;
  createMessage(sandbox.world, channel, {
    authorId: sandbox.admin,
    content: 'https://three.example/',
  });
  expect((await search(`channel_id=${id}`)).body).toMatchObject({ total_results: 0 });
  const asked = await search(`channel_id=${id}&include_nsfw=true`);
  expect(asked.body).toMatchObject({ total_results: 1 });
});

test.each(['limit=26', 'offset=9976', 'has=links', 'channel_id=x', 'include_nsfw=yes', 'colour=1'])(
  'a search with %s is refused',
  async (query) => {
    expect(await search(query)).toMatchObject({ status: 400, body: { code: 50035 } });
  },
);

test('a search is refused without the intent, and without Read Message History', async () => {
  sandbox.world.application.privileged.messageContent = false;
  expect(await search('has=link')).toMatchObject({ status: 403, body: { code: 50001 } });
  sandbox.world.application.privileged.messageContent = true;
});
