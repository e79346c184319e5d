import {
  ActionRowBuilder,
  type APIModalInteractionResponseCallbackData,
  type APITextInputComponent,
  ApplicationCommandOptionType as Type,
  ApplicationCommandType,
  ButtonBuilder,
  ButtonStyle,
  type ChatInputCommandInteraction,
  Client,
  ComponentType,
  Events,
  MessageFlags,
  StringSelectMenuBuilder,
  TextInputStyle,
} from 'discord.js';
import type { Sandbox } from '../../../sandbox/tour/sandbox.ts';
import { connectClient } from '../../../discord-box/test/client.ts';

const COLOURS = ['red', 'green', 'blue'];

/** A bot that uses everything that the page can show, and says what it was given. */
export async function startPretendBot(sandbox: Sandbox): Promise<Client<true>> {
  const client = await connectClient(sandbox);
  await client.application.commands.set([
    {
      name: 'paint',
      description: 'Paints something',
      nameLocalizations: { 'zh-CN': '绘画' },
      options: [
        {
          name: 'what',
          description: 'What to paint',
          type: Type.String,
          required: true,
          minLength: 3,
          autocomplete: true,
        },
        {
          name: 'colour',
          description: 'In which colour',
          type: Type.String,
          required: true,
          choices: COLOURS.map((name) => ({ name, value: name })),
        },
        { name: 'times', description: 'How often', type: Type.Integer, minValue: 1, maxValue: 9 },
        { name: 'where', description: 'In which channel', type: Type.Channel },
      ],
    },
    { name: 'parts', description: 'Shows its parts' },
    {
      name: 'weigh',
      description: 'Weighs a file',
      options: [{ name: 'file', description: 'Which', type: Type.Attachment, required: true }],
    },
    { name: 'Praise', type: ApplicationCommandType.Message },
  ]);
  client.on(Events.InteractionCreate, async (interaction) => {
    if (interaction.isAutocomplete()) {
      const text = interaction.options.getFocused();
      const found = ['house', 'horse', 'harbour'].filter((word) => word.startsWith(text));
      await interaction.respond(found.map((name) => ({ name: `a ${name}`, value: name })));
    } else if (interaction.isChatInputCommand()) {
      const { commandName } = interaction;
      const acts = { paint, weigh, parts: showParts };
      await acts[commandName as keyof typeof acts](interaction);
    } else if (interaction.isMessageContextMenuCommand()) {
      const { author } = interaction.targetMessage;
      await interaction.reply({
        content: `Well said, <@${author.id}>!`,
        flags: MessageFlags.Ephemeral,
      });
    } else if (interaction.isButton()) {
      await interaction.showModal(modal());
    } else if (interaction.isStringSelectMenu()) {
      await interaction.reply(`Chosen: ${interaction.values.join(' and ')}`);
    } else if (interaction.isModalSubmit()) {
      await interaction.reply(`Filled in: ${interaction.fields.getTextInputValue('why')}`);
    }
  });
  return client;
}

async function paint(interaction: ChatInputCommandInteraction): Promise<void> {
  const { options } = interaction;
  const [what, colour] = [options.getString('what'), options.getString('colour')];
  await interaction.reply(
    `Painted **${what}** in ${colour}, ${options.getInteger('times') ?? 1} ×`,
  );
}

async function weigh(interaction: ChatInputCommandInteraction): Promise<void> {
  const { url, name, size } = interaction.options.getAttachment('file', true);
  const text = await (await fetch(url)).text();
  await interaction.reply(`${name} has ${size} bytes and says ${text}`);
}

function select(customId: string, most: number): StringSelectMenuBuilder {
  return new StringSelectMenuBuilder()
    .setCustomId(customId)
    .setPlaceholder(customId)
    .setMaxValues(most)
    .addOptions(COLOURS.map((value) => ({ label: value, value })));
}

const CHART = '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="420"/>';

async function showParts(interaction: ChatInputCommandInteraction): Promise<void> {
  const button = new ButtonBuilder()
    .setCustomId('ask')
    .setLabel('Ask me')
    .setStyle(ButtonStyle.Primary);
  await interaction.reply({
    content: 'The **parts**, since <t:1600000000:D>',
    files: [
      { attachment: Buffer.from('plain text'), name: 'notes.txt' },
      { attachment: Buffer.from(CHART), name: 'chart.svg' },
    ],
    embeds: [{ image: { url: 'attachment://chart.svg' } }],
    components: [
      new ActionRowBuilder<ButtonBuilder>().addComponents(button),
      new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(select('one', 1)),
      new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(select('many', 3)),
    ],
  });
}

function modal(): APIModalInteractionResponseCallbackData {
  const why: APITextInputComponent = {
    type: ComponentType.TextInput,
    custom_id: 'why',
    style: TextInputStyle.Paragraph,
    value: 'No reason',
  };
  return {
    custom_id: 'reasons',
    title: 'Reasons',
    components: [{ type: ComponentType.Label, label: 'Why?', component: why }],
  };
}
