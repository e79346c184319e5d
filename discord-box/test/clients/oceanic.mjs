import { kindOf } from './kind.mjs';

const camel = (part) => ({
  ...part,
  ...(part.custom_id === undefined ? {} : { customID: part.custom_id }),
  ...(part.components === undefined ? {} : { components: part.components.map(camel) }),
});

export async function open({ Client }, { api, token }, answer) {
  const client = new Client({
    auth: `Bot ${token}`,
    rest: { baseURL: `${api}/v10` },
    gateway: { intents: ['GUILDS', 'GUILD_MESSAGES', 'GUILD_MESSAGE_REACTIONS'] },
  });
  client.on('error', () => {});
  const heard = new Set();
  client.on('messageReactionAdd', (_, __, reaction) =>
    heard.add((reaction.emoji ?? reaction).name),
  );
  client.on('interactionCreate', (i) =>
    answer({
      kind: kindOf(i.type, i.data.componentType),
      name: i.data.name ?? i.data.customID,
      values:
        i.type === 5 ? [i.data.components.getTextInput('text', true)] : (i.data.values?.raw ?? []),
      reply: (content, components = []) =>
        i.createMessage({ content, components: components.map(camel) }),
      defer: () => i.defer(),
      edit: (content) => i.editOriginal({ content }),
      choose: (choices) => i.result(choices),
      form: (form) => i.createModal(camel(form)),
    }),
  );
  const ready = new Promise((resolve) => client.once('ready', resolve));
  await client.connect();
  await ready;
  const { channels } = client.rest;
  return {
    deploy: (commands) => client.application.bulkEditGlobalCommands(commands),
    send: async (at, content, file) =>
      (
        await channels.createMessage(at, {
          content,
          files: file ? [{ name: 'a.txt', contents: Buffer.from(file) }] : [],
        })
      ).id,
    react: (at, id, emoji) => channels.createReaction(at, id, emoji),
    unreact: (at, id, emoji) => channels.deleteReaction(at, id, emoji),
    heard: (emoji) => heard.has(emoji),
    history: async (at, query) => (await channels.getMessages(at, query)).map(({ id }) => id),
    thread: async (at, id, name) => (await channels.startThreadFromMessage(at, id, { name })).id,
    deny: (at, role) => channels.editPermission(at, role, { type: 0, allow: 0n, deny: 64n }),
    bulkDelete: (at, ids) => channels.deleteMessages(at, ids),
    close: () => client.disconnect(false),
  };
}
