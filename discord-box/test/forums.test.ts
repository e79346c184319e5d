import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask as askAt } from './ask.ts';
import { type Community, startCommunity } from './community.ts';

/** Forums and private threads, as bots for tickets and reports use them. */
let discord: Community;
let general: string;

beforeAll(async () => {
  discord = await startCommunity({ rateLimits: false, botPermissions: 8n });
  general = discord.channels.general.id;
});
afterAll(() => discord.stop());

const ask = (method: string, path: string, body?: object) => askAt(discord, method, path, body);
const ids = (body: Record<string, unknown>) =>
  (body['threads'] as { id: string }[]).map(({ id }) => id);

test('a forum keeps what it was set to, and its posts begin with it and need a tag', async () => {
  const settings = {
    default_reaction_emoji: { emoji_id: null, emoji_name: '👍' },
    default_sort_order: 1,
    default_forum_layout: 2,
    default_thread_rate_limit_per_user: 5,
  };
  const form = { name: 'bugs', type: 15, available_tags: [{ name: 'open' }], ...settings };
  const made = await ask('POST', `/guilds/${discord.guildId}/channels`, form);
  expect(made.body).toMatchObject({ ...settings, flags: 0 });
  const forum = `/channels/${String(made.body['id'])}`;
  expect((await ask('PATCH', forum, { flags: 16 })).body).toMatchObject({ ...settings, flags: 16 });

  const post = (applied_tags?: string[]) =>
    ask('POST', `${forum}/threads`, { name: 'It sinks', message: { content: '…' }, applied_tags });
  expect(await post()).toMatchObject({ status: 400, code: 40067 });
  expect(await post([general])).toMatchObject({ code: 10087 });
  const [tag] = made.body['available_tags'] as { id: string }[];
  const posted = [await post([tag?.id ?? '']), await post([tag?.id ?? ''])];
  expect(posted[0]?.body).toMatchObject({ rate_limit_per_user: 5, applied_tags: [tag?.id] });

  const pin = (one = 0) =>
    ask('PATCH', `/channels/${String(posted[one]?.body['id'])}`, { flags: 2 });
  expect((await pin()).body).toMatchObject({ flags: 2 });
  expect(await pin(1)).toMatchObject({ code: 30047 });
});

test('an archived private thread is listed to who manages threads, and to who joined it', async () => {
  const { body } = await ask('POST', `/channels/${general}/threads`, { name: 'ticket', type: 12 });
  const id = String(body['id']);
  const member = await ask('GET', `/channels/${id}/thread-members/@me?with_member=true`);
  expect(member.body).toMatchObject({ member: { user: { id: discord.applicationId } } });
  await ask('PATCH', `/channels/${id}`, { archived: true });
  const all = `/channels/${general}/threads/archived/private`;
  const own = `/channels/${general}/users/@me/threads/archived/private`;
  expect(ids((await ask('GET', all)).body)).toEqual([id]);
  const joined = await ask('GET', own);
  expect(joined.body).toMatchObject({ members: [{ id, user_id: discord.applicationId }] });
  expect(ids((await ask('GET', `${own}?before=${id}`)).body)).toEqual([]);

  discord.operator.setBotPermissions({ permissions: ['ViewChannel', 'ReadMessageHistory'] });
  expect(await ask('GET', all)).toMatchObject({ status: 403, code: 50013 });
  expect(ids((await ask('GET', own)).body)).toEqual([id]);
  discord.operator.setBotPermissions({ permissions: ['Administrator'] });
});
