import { kindOf } from './kind.mjs';

/** seyfert. It opens its gateway by HTTPS to the host alone, without a port: `point` leads it here. */
export async function open({ Client }, { api, token }, answer) {
  process.env.DISCORD_API = api;
  await import('../../src/point.ts');
  const heard = new Set();
  let isReady;
  const ready = new Promise((resolve) => (isReady = resolve));
  const client = new Client({
    getRC: () => ({ token, locations: { base: '' }, intents: 1 | 512 | 1024 }),
    handlePayload: (_, { t, d }) => {
      if (t === 'READY') isReady();
      if (t === 'MESSAGE_REACTION_ADD') heard.add(d.emoji.name);
      if (t === 'INTERACTION_CREATE') void answer(asked(client, d));
    },
  });
  client.logger.active = false;
  await client.start();
  await ready;
  const { proxy, applicationId } = client;
  const of = (at) => proxy.channels(at);
  return {
    deploy: (body) => proxy.applications(applicationId).commands.put({ body }),
    send: async (at, content, file) =>
      (
        await client.messages.write(at, {
          content,
          files: file ? [{ filename: 'a.txt', data: Buffer.from(file) }] : [],
        })
      ).id,
    react: (at, id, emoji) => client.reactions.add(id, at, emoji),
    unreact: (at, id, emoji) => client.reactions.delete(id, at, emoji),
    heard: (emoji) => heard.has(emoji),
    history: async (at, query) => (await client.messages.list(at, query)).map(({ id }) => id),
    thread: async (at, id, name) => (await client.messages.thread(at, id, { name })).id,
    deny: (at, role) =>
      of(at)
        .permissions(role)
        .put({ body: { type: 0, allow: '0', deny: '64' } }),
    bulkDelete: (at, ids) => client.messages.purge(ids, at),
    close: () => client.gateway.disconnectAll(),
  };
}

function asked({ interactions }, { id, token, type, data }) {
  const say = (kind, body) => interactions.reply(id, token, { type: kind, data: body });
  return {
    kind: kindOf(type, data.component_type),
    name: data.name ?? data.custom_id,
    values: type === 5 ? [data.components[0].components[0].value] : (data.values ?? []),
    reply: (content, components = []) => say(4, { content, components }),
    defer: () => say(5),
    edit: (content) => interactions.editOriginal(token, { content }),
    choose: (choices) => say(8, { choices }),
    form: (form) => say(9, form),
  };
}
