import { createRequire } from 'node:module';
import { kindOf } from './kind.mjs';

/** discord.js without its cache: @discordjs/core on @discordjs/ws and @discordjs/rest, which lie beside it. */
export async function open({ Client, GatewayIntentBits: Intent }, { api, token, folder }, answer) {
  const require = createRequire(`${folder}/package.json`);
  const { REST } = require('@discordjs/rest');
  const { WebSocketManager } = require('@discordjs/ws');
  const rest = new REST({ api }).setToken(token);
  const gateway = new WebSocketManager({
    token,
    rest,
    intents: Intent.Guilds | Intent.GuildMessages | Intent.GuildMessageReactions,
  });
  const client = new Client({ rest, gateway });
  const heard = new Set();
  client.on('MESSAGE_REACTION_ADD', ({ data }) => heard.add(data.emoji.name));
  let applicationId = '';
  client.on('INTERACTION_CREATE', ({ data: i, api: { interactions } }) =>
    answer({
      kind: kindOf(i.type, i.data.component_type),
      name: i.data.name ?? i.data.custom_id,
      values: i.type === 5 ? [i.data.components[0].components[0].value] : (i.data.values ?? []),
      reply: (content, components = []) =>
        interactions.reply(i.id, i.token, { content, components }),
      defer: () => interactions.defer(i.id, i.token),
      edit: (content) => interactions.editReply(applicationId, i.token, { content }),
      choose: (choices) => interactions.createAutocompleteResponse(i.id, i.token, { choices }),
      form: (form) => interactions.createModal(i.id, i.token, form),
    }),
  );
  const ready = new Promise((resolve) =>
    client.once('READY', ({ data }) => resolve((applicationId = data.application.id))),
  );
  await gateway.connect();
  await ready;
  const { channels, applicationCommands } = client.api;
  return {
    deploy: (commands) => applicationCommands.bulkOverwriteGlobalCommands(applicationId, commands),
    send: async (at, content, file) =>
      (
        await channels.createMessage(at, {
          content,
          files: file ? [{ name: 'a.txt', data: Buffer.from(file) }] : [],
        })
      ).id,
    react: (at, id, emoji) => channels.addMessageReaction(at, id, emoji),
    unreact: (at, id, emoji) => channels.deleteOwnMessageReaction(at, id, emoji),
    heard: (emoji) => heard.has(emoji),
    history: async (at, query) => (await channels.getMessages(at, query)).map(({ id }) => id),
    thread: async (at, id, name) => (await channels.createThread(at, { name }, id)).id,
    deny: (at, role) =>
      channels.editPermissionOverwrite(at, role, { type: 0, allow: '0', deny: '64' }),
    bulkDelete: (at, ids) => channels.bulkDeleteMessages(at, ids),
    close: () => gateway.destroy(),
  };
}
