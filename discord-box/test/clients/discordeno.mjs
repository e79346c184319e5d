import { kindOf } from './kind.mjs';

const camel = (part) => ({
  ...part,
  ...(part.custom_id === undefined ? {} : { customId: part.custom_id }),
  ...(part.components === undefined ? {} : { components: part.components.map(camel) }),
});

export async function open(library, { api, token }, answer) {
  const { createBot, createDesiredPropertiesObject, Intents } = library;
  const bot = createBot({
    token,
    intents: Intents.Guilds | Intents.GuildMessages | Intents.GuildMessageReactions,
    desiredProperties: createDesiredPropertiesObject({}, true),
  });
  bot.rest.baseUrl = api;
  for (const name of ['debug', 'info', 'warn', 'error']) bot.logger[name] = () => {};
  const heard = new Set();
  bot.events.reactionAdd = ({ emoji }) => heard.add(emoji.name);
  bot.events.interactionCreate = (i) =>
    answer({
      kind: kindOf(i.type, i.data.componentType),
      name: i.data.name ?? i.data.customId,
      values: i.type === 5 ? [textIn(i.data.components)] : (i.data.values ?? []),
      reply: (content, components = []) =>
        i.respond({ content, components: components.map(camel) }),
      defer: () => i.defer(),
      edit: (content) => i.edit({ content }),
      choose: (choices) => i.respond({ choices }),
      form: (form) => i.respond(camel(form)),
    });
  const ready = new Promise((resolve) => (bot.events.ready = resolve));
  void bot.start();
  await ready;
  const { helpers } = bot;
  return {
    deploy: (commands) => helpers.upsertGlobalApplicationCommands(commands),
    send: async (at, content, file) =>
      String(
        (
          await helpers.sendMessage(at, {
            content,
            ...(file ? { files: [{ name: 'a.txt', blob: new Blob([file]) }] } : {}),
          })
        ).id,
      ),
    react: (at, id, emoji) => helpers.addReaction(at, id, emoji),
    unreact: (at, id, emoji) => helpers.deleteOwnReaction(at, id, emoji),
    heard: (emoji) => heard.has(emoji),
    history: async (at, query) =>
      (await helpers.getMessages(at, query)).map(({ id }) => String(id)),
    thread: async (at, id, name) =>
      String((await helpers.startThreadWithMessage(at, id, { name, autoArchiveDuration: 60 })).id),
    deny: (at, role) =>
      helpers.editChannelPermissionOverrides(at, { id: role, type: 0, deny: ['ADD_REACTIONS'] }),
    bulkDelete: (at, ids) => helpers.deleteMessages(at, ids),
    close: () => bot.shutdown(),
  };
}

function textIn(parts) {
  for (const part of parts ?? []) {
    const inner = part.components ?? (part.component ? [part.component] : []);
    const text = part.value ?? textIn(inner);
    if (text !== undefined) return text;
  }
  return undefined;
}
