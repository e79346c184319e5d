import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask as askAt } from './ask.ts';
import { type Community, startCommunity } from './community.ts';

/** What embeds and components of a message show, and what an answer or a forward refers to. */
let discord: Community;
let general: string;

beforeAll(async () => {
  discord = await startCommunity({ rateLimits: false, botPermissions: 8n });
  general = `/channels/${discord.channels.general.id}/messages`;
});
afterAll(() => discord.stop());

const ask = (method: string, path: string, body?: object) => askAt(discord, method, path, body);

/** Sends a message with one file, a.png, of three bytes. */
async function sendFile(message: object): Promise<Record<string, unknown>> {
  const form = new FormData();
  form.append('payload_json', JSON.stringify(message));
  form.append('files[0]', new Blob(['abc'], { type: 'image/png' }), 'a.png');
  const response = await fetch(`${discord.apiBase}/v10${general}`, {
    method: 'POST',
    headers: { authorization: `Bot ${discord.token}` },
    body: form,
  });
  return (await response.json()) as Record<string, unknown>;
}

test('a file that an embed or a component shows has its address there, and is not listed apart', async () => {
  const url: unknown = expect.stringMatching(/^http.*\/a\.png$/);
  const embed = { image: { url: 'attachment://a.png' }, footer: { text: 'x' } };
  const sent = await sendFile({ embeds: [embed] });
  expect(sent).toMatchObject({ attachments: [], embeds: [{ image: { url, proxy_url: url } }] });
  const plain = await sendFile({ embeds: [{ title: 'x' }] });
  expect(plain).toMatchObject({ attachments: [{ filename: 'a.png' }] });

  const file = { type: 13, file: { url: 'attachment://a.png' } };
  const gallery = { type: 12, items: [{ media: { url: 'attachment://a.png' } }] };
  const layout = await sendFile({ flags: 32_768, components: [file, gallery] });
  expect(layout).toMatchObject({
    attachments: [],
    components: [
      { name: 'a.png', size: 3, file: { url } },
      { items: [{ media: { url, content_type: 'image/png' } }] },
    ],
  });
  const path = `${general}/${String(layout['id'])}`;
  expect((await ask('PATCH', path, { components: [gallery] })).status).toBe(200);
  const unknown = { type: 13, file: { url: 'attachment://b.png' } };
  expect(await ask('PATCH', path, { components: [unknown] })).toMatchObject({ code: 50035 });
});

const button = (id: string) => ({
  content: 'x',
  components: [
    { type: 1, components: [{ type: 2, style: 1, custom_id: 'x', emoji: { id, name: 'e' } }] },
  ],
});

test('a button has an emoji of the application or of a server of the bot, and no other', async () => {
  const stranger = await ask('POST', general, button(discord.world.snowflake()));
  expect(stranger).toMatchObject({ code: 50035 });
  const emojis = `/applications/${discord.applicationId}/emojis`;
  const image = 'data:image/png;base64,AAAA';
  const { body } = await ask('POST', emojis, { name: 'tick', image });
  const own = String(body['id']);
  expect((await ask('POST', general, button(own))).status).toBe(200);
  expect((await ask('GET', emojis)).body).toMatchObject({ items: [{ id: own, name: 'tick' }] });
  expect((await ask('DELETE', `${emojis}/${own}`)).status).toBe(204);
  expect(await ask('POST', general, button(own))).toMatchObject({ code: 50035 });
});

test('a reply to a message that is gone is sent as none where that is allowed', async () => {
  const message_reference = { message_id: discord.world.snowflake(), fail_if_not_exists: false };
  const { body } = await ask('POST', general, { content: 'x', message_reference });
  expect(body).toMatchObject({ type: 0 });
  expect(body).not.toHaveProperty('message_reference');
});

test('a forward of a forward shows the first message, and no forward is edited', async () => {
  const forward = async (message_id: unknown) => {
    const channel_id = discord.channels.general.id;
    const message_reference = { type: 1, channel_id, message_id };
    return (await ask('POST', general, { message_reference })).body;
  };
  const first = await forward((await ask('POST', general, { content: 'the first' })).body['id']);
  const second = await forward(first['id']);
  expect(second).toMatchObject({
    message_reference: { message_id: first['id'] },
    message_snapshots: [{ message: { content: 'the first' } }],
  });
  const edit = await ask('PATCH', `${general}/${String(first['id'])}`, { content: 'mine' });
  expect(edit.status).toBe(400);
});
