import { kindOf } from './kind.mjs';

export async function open({ Client }, { api, token }, answer) {
  const { port, hostname } = new URL(api);
  const client = new Client(`Bot ${token}`, {
    rest: { domain: hostname, port: Number(port), https: false, baseURL: '/api/v10' },
    gateway: { intents: ['guilds', 'guildMessages', 'guildMessageReactions'] },
  });
  client.on('error', () => {});
  const heard = new Set();
  client.on('messageReactionAdd', (_, emoji) => heard.add(emoji.name ?? emoji.emoji?.name));
  client.on('interactionCreate', (i) =>
    answer({
      kind: kindOf(i.type, i.data.component_type),
      name: i.data.name ?? i.data.custom_id,
      values: i.type === 5 ? [textIn(i.data.components)] : (i.data.values ?? []),
      reply: (content, components = []) => i.createMessage({ content, components }),
      defer: () => i.defer(),
      edit: (content) => i.editOriginalMessage({ content }),
      choose: (choices) => i.result(choices),
      form: (form) => i.createModal(form),
    }),
  );
  const ready = new Promise((resolve) => client.once('ready', resolve));
  await client.connect();
  await ready;
  return {
    deploy: (commands) => client.bulkEditCommands(commands),
    send: async (at, content, file) =>
      (
        await client.createMessage(at, {
          content,
          ...(file ? { attachments: [{ filename: 'a.txt', file: Buffer.from(file) }] } : {}),
        })
      ).id,
    react: (at, id, emoji) => client.addMessageReaction(at, id, emoji),
    unreact: (at, id, emoji) => client.removeMessageReaction(at, id, emoji),
    heard: (emoji) => heard.has(emoji),
    history: async (at, query) => (await client.getMessages(at, query)).map(({ id }) => id),
    thread: async (at, id, name) =>
      (await client.createThreadWithMessage(at, id, { name, autoArchiveDuration: 60 })).id,
    deny: (at, role) => client.editChannelPermission(at, role, 0, 64, 0),
    bulkDelete: (at, ids) => client.deleteMessages(at, ids),
    close: () => client.disconnect({ reconnect: false }),
  };
}

function textIn(parts) {
  for (const part of parts) {
    const inner = part.components ?? (part.component ? [part.component] : []);
    const text = part.value ?? textIn(inner);
    if (text !== undefined) return text;
  }
  return undefined;
}
