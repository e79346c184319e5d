import assert from 'node:assert';
import { test } from 'node:test';
import { startDiscord } from 'discord-in-a-box';
import { Client, Events, GatewayIntentBits } from 'discord.js';

test('the bot waves back', async () => {
  const discord = await startDiscord();
  const bot = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: discord.apiBase } });
  bot.on(Events.ClientReady, () => {
    void bot.application?.commands.create({ name: 'wave', description: 'Waves back' });
  });
  bot.on(Events.InteractionCreate, async (interaction) => {
    if (interaction.isChatInputCommand()) await interaction.reply('👋');
  });

  const { general, owner } = discord.operator.createGuild({ name: 'Harbour' });
  await bot.login(discord.token);
  await discord.until(() => discord.world.commands.size || undefined, 'the command');

  const answer = await discord.as(owner).command(general, 'wave');
  assert.equal(answer.message?.content, '👋');

  await bot.destroy();
  await discord.stop();
});
