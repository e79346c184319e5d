import { Client, Events, GatewayIntentBits } from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUser } from '../src/world/users.ts';
import { type Discord, startDiscord } from '../src/index.ts';

/** A bot that has nothing to do with Frontpage: it counts waves. */
function createBot(api: string): Client {
  let waves = 0;
  const bot = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api } });
  bot.on(Events.ClientReady, () => {
    void bot.application?.commands.create({ name: 'wave', description: 'Waves back' });
  });
  bot.on(Events.InteractionCreate, async (interaction) => {
    waves += 1;
    if (interaction.isChatInputCommand()) await interaction.reply(`👋 ${waves}`);
  });
  return bot;
}

let discord: Discord;
let bot: Client;

beforeAll(async () => {
  discord = await startDiscord();
  bot = createBot(discord.apiBase);
});
afterAll(async () => {
  await bot.destroy();
  await discord.stop();
});

test('a bot of ten lines is tried in an empty world', async () => {
  const { world, operator } = discord;
  const owner = addUser(world, { username: 'ada' }).id;
  const { guild, general } = operator.createGuild({ name: 'Harbour', owner });
  const member = operator.addPerson({ guild, username: 'grace' });
  await bot.login(discord.token);
  await discord.until(() => (world.commands.size > 0 ? true : undefined), 'the command');

  const first = await discord.as(owner).command(general, 'wave');
  const second = await discord.as(member).command(general, 'wave');

  expect(first).toMatchObject({ kind: 'message', ephemeral: false, message: { content: '👋 1' } });
  expect(second.message?.content).toBe('👋 2');
  expect(discord.as(member).messages(general)).toHaveLength(2);
  const answers = () => discord.requests.count('POST', /\/interactions\//, 204);
  await discord.until(() => (answers() === 2 ? true : undefined), 'two answers in the log');
});
