/** discord.js, of whatever version. `library`: its module. */
export async function open(library, { api, token }, answer) {
  const client = new library.Client({
    intents: ['Guilds', 'GuildMessages', 'GuildMessageReactions'],
    partials: [library.Partials.Message, library.Partials.Channel, library.Partials.Reaction],
    rest: { api },
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
  });
  const ready = new Promise((resolve) =>
    client.once('clientReady', resolve).once('ready', resolve),
  );
  const heard = new Set();
  client.on('messageReactionAdd', ({ emoji }) => heard.add(emoji.name));
  client.on('interactionCreate', (i) =>
    answer({
      kind: i.isCommand()
        ? 'command'
        : i.isAutocomplete()
          ? 'completion'
          : i.isModalSubmit()
            ? 'form'
            : i.isButton()
              ? 'button'
              : 'select',
      name: i.commandName ?? i.customId,
      values: i.isStringSelectMenu()
        ? i.values
        : i.isModalSubmit()
          ? [i.fields.getTextInputValue('text')]
          : [],
      reply: (content, components = []) => i.reply({ content, components }),
      defer: () => i.deferReply(),
      edit: (content) => i.editReply(content),
      choose: (choices) => i.respond(choices),
      form: (form) => i.showModal(form),
    }),
  );
  await client.login(token);
  await ready;
  const channel = (id) => client.channels.fetch(id);
  const message = async (at, id) => (await channel(at)).messages.fetch(id);
  return {
    deploy: (commands) => client.application.commands.set(commands),
    send: async (at, content, file) =>
      (
        await (
          await channel(at)
        ).send({ content, files: file ? [{ name: 'a.txt', attachment: Buffer.from(file) }] : [] })
      ).id,
    react: async (at, id, emoji) => void (await (await message(at, id)).react(emoji)),
    unreact: async (at, id, emoji) =>
      (await message(at, id)).reactions.resolve(emoji).users.remove(client.user.id),
    heard: (emoji) => heard.has(emoji),
    history: async (at, query) => [
      ...(await (await channel(at)).messages.fetch({ cache: false, ...query })).keys(),
    ],
    thread: async (at, id, name) => (await (await message(at, id)).startThread({ name })).id,
    deny: async (at, role) =>
      (await channel(at)).permissionOverwrites.edit(role, { AddReactions: false }),
    bulkDelete: async (at, ids) => (await channel(at)).bulkDelete(ids),
    close: () => client.destroy(),
  };
}
