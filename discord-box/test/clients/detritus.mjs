import { kindOf } from './kind.mjs';

const camel = (part) => ({
  ...part,
  ...(part.custom_id === undefined ? {} : { customId: part.custom_id }),
  ...(part.components === undefined ? {} : { components: part.components.map(camel) }),
});

/** detritus-client, last published in 2021: it speaks an older version of the API. */
export async function open({ ShardClient }, { api, token }, answer) {
  const client = new ShardClient(token, {
    isBot: true,
    rest: { baseUrl: new URL(`${api}/v9`) },
    gateway: { intents: ['GUILDS', 'GUILD_MESSAGES', 'GUILD_MESSAGE_REACTIONS'] },
  });
  const heard = new Set();
  client.on('messageReactionAdd', ({ reaction }) => heard.add(reaction.emoji.name));
  client.on('interactionCreate', ({ interaction: i }) => {
    const { data } = i;
    return answer({
      kind: kindOf(i.type, data.componentType),
      name: data.name ?? data.customId,
      values: i.type === 5 ? [[...data.components][0].components[0].value] : (data.values ?? []),
      reply: (content, components = []) =>
        i.createResponse(4, { content, components: components.map(camel) }),
      defer: () => i.createResponse(5),
      edit: (content) => i.editResponse({ content }),
      choose: (choices) => post(client, i, 8, { choices }),
      form: (form) => post(client, i, 9, form),
    });
  });
  await client.run();
  const { rest } = client;
  return {
    deploy: (commands) => rest.bulkOverwriteApplicationCommands(client.applicationId, commands),
    send: async (at, content, file) =>
      (
        await rest.createMessage(at, {
          content,
          ...(file ? { files: [{ filename: 'a.txt', value: Buffer.from(file) }] } : {}),
        })
      ).id,
    react: (at, id, emoji) => rest.createReaction(at, id, emoji),
    unreact: (at, id, emoji) => rest.deleteReaction(at, id, emoji),
    heard: (emoji) => heard.has(emoji),
    history: async (at, query) => (await rest.fetchMessages(at, query)).map(({ id }) => id),
    thread: async (at, id, name) =>
      (await rest.createChannelMessageThread(at, id, { name, autoArchiveDuration: 60 })).id,
    deny: (at, role) => rest.editChannelOverwrite(at, role, { type: 0, allow: 0, deny: 64 }),
    bulkDelete: (at, ids) => rest.bulkDeleteMessages(at, ids),
    close: () => client.kill(),
  };
}

/** It is older than completions and forms, whose answers it leaves empty: these are sent by its REST alone. */
function post({ rest }, { id, token }, type, data) {
  return rest.request({
    body: { type, data },
    route: { method: 'POST', path: `/interactions/${id}/${token}/callback`, params: {} },
  });
}
