import https from 'node:https';
import net from 'node:net';
import { kindOf } from './kind.mjs';

/** It speaks HTTPS alone: this gives it sockets of the box. `point` does the same for a bot unchanged. */
class BoxAgent extends https.Agent {
  constructor(api) {
    super();
    this.box = new URL(api);
  }
  createConnection() {
    return net.connect(Number(this.box.port), this.box.hostname);
  }
}

export async function open({ Client }, { api, token }, answer) {
  const agent = new BoxAgent(api);
  const client = new Client(`Bot ${token}`, {
    intents: ['guilds', 'guildMessages', 'guildMessageReactions'],
    rest: { agent },
    ws: { agent },
  });
  client.on('error', () => {});
  const heard = new Set();
  client.on('messageReactionAdd', (_, emoji) => heard.add(emoji.name));
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
    deploy: (commands) =>
      client.bulkEditCommands(commands.map((command) => ({ type: 1, ...command }))),
    send: async (at, content, file) =>
      (
        await client.createMessage(
          at,
          { content },
          file && { name: 'a.txt', file: Buffer.from(file) },
        )
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
