import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonStyle,
  type ChatInputCommandInteraction,
  type Client,
  ComponentType,
  Events,
  type Interaction,
  MessageFlags,
  TextInputStyle,
} from 'discord.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Community, startCommunity } from './community.ts';
import { connectClient } from './client.ts';

let discord: Community;
let client: Client<true>;
let general: string;

beforeAll(async () => {
  discord = await startCommunity({ rateLimits: false });
  client = await connectClient(discord);
  general = discord.channels.general.id;
});
afterAll(async () => {
  await client.destroy();
  await discord.stop();
});
beforeEach(async () => {
  await client.application.commands.set([
    {
      name: 'echo',
      description: 'Says it again.',
      nameLocalizations: { 'zh-CN': '复述' },
      options: [
        {
          name: 'text',
          description: 'What to say.',
          type: ApplicationCommandOptionType.String,
          required: true,
          maxLength: 20,
          autocomplete: true,
        },
        {
          name: 'times',
          description: 'How often.',
          type: ApplicationCommandOptionType.Integer,
          minValue: 1,
          maxValue: 3,
        },
        { name: 'where', description: 'A channel.', type: ApplicationCommandOptionType.Channel },
      ],
    },
    {
      name: 'tidy',
      description: 'For moderators.',
      defaultMemberPermissions: 'ManageMessages',
      options: [
        { name: 'now', description: 'At once.', type: ApplicationCommandOptionType.Subcommand },
      ],
    },
    { name: 'Quote this', type: ApplicationCommandType.Message },
  ]);
});
afterEach(() => {
  client.removeAllListeners(Events.InteractionCreate);
});

function onInteraction(handle: (interaction: Interaction) => Promise<unknown>): void {
  client.on(Events.InteractionCreate, (interaction) => void handle(interaction));
}

function onCommand(handle: (interaction: ChatInputCommandInteraction) => Promise<unknown>): void {
  onInteraction(async (interaction) => {
    if (interaction.isChatInputCommand()) await handle(interaction);
  });
}

const ask = (values: Record<string, string | number>) => member().command(general, 'echo', values);
const member = () => discord.as(discord.members[0] ?? '');

const label = (component: object) => ({ type: ComponentType.Label, label: 'What', component });

describe('a slash command', () => {
  test('a slash command reaches the bot with its options, the member and the permissions', async () => {
    onCommand((interaction) =>
      interaction.reply(
        [
          interaction.options.getString('text', true),
          interaction.options.getInteger('times'),
          interaction.options.getChannel('where')?.name,
          interaction.appPermissions.has('EmbedLinks'),
          interaction.memberPermissions?.has('ManageMessages'),
          interaction.locale,
        ].join(' '),
      ),
    );
    const wangmin = discord.as(discord.members[1] ?? '');
    const answer = await wangmin.command(general, 'echo', {
      text: 'hello',
      times: 2,
      where: discord.channels.rust.id,
    });
    expect(answer.message?.content).toBe('hello 2 rust true false zh-CN');
    expect(answer).toMatchObject({ kind: 'message', ephemeral: false });
  });

  test('a slash command is refused by the client when an option is missing, wrong or out of bounds', async () => {
    await expect(ask({})).rejects.toThrow('text is required');
    await expect(ask({ text: 'x'.repeat(21) })).rejects.toThrow('at most 20');
    await expect(ask({ text: 'x', times: 4 })).rejects.toThrow('at most 3');
    await expect(ask({ text: 'x', times: 1.5 })).rejects.toThrow('whole number');
    const hidden = discord.channels.moderators.id;
    await expect(ask({ text: 'x', where: hidden })).rejects.toThrow('no channel that you can see');
    await expect(ask({ text: 'x', other: 1 })).rejects.toThrow('no option other');
  });

  test('a slash command with default permissions is offered only to those who have them', async () => {
    onCommand((interaction) => interaction.reply(interaction.options.getSubcommand()));
    await expect(member().command(general, 'tidy now')).rejects.toThrow('You have no command');
    const answer = await discord.as(discord.moderator).command(general, 'tidy now');
    expect(answer.message?.content).toBe('now');
    await expect(discord.as(discord.moderator).command(general, 'tidy')).rejects.toThrow(
      'subcommand is needed',
    );
  });

  test('a slash command answered privately is seen by its member alone', async () => {
    onCommand((interaction) =>
      interaction.reply({ content: 'psst', flags: MessageFlags.Ephemeral }),
    );
    const answer = await member().command(general, 'echo', { text: 'x' });
    expect(answer.ephemeral).toBe(true);
    const seen = (userId: string) =>
      discord
        .as(userId)
        .messages(general)
        .map((one) => one.id);
    const id = answer.message?.id ?? '';
    expect(seen(member().userId)).toContain(id);
    expect(seen(discord.admin)).not.toContain(id);
    const channel = await client.channels.fetch(general);
    if (channel?.isTextBased() !== true) throw new Error('no text channel');
    await expect(channel.messages.fetch(id)).rejects.toMatchObject({ code: 10008 });
  });

  test('a slash command deferred is answered by the edit, then followed up and deleted', async () => {
    onCommand(async (interaction) => {
      await interaction.deferReply();
      await interaction.editReply('at last');
      await interaction.followUp('and more');
      await interaction.deleteReply();
    });
    const answer = await member().command(general, 'echo', { text: 'x' });
    expect(answer.message?.content).toBe('at last');
    expect(answer.message?.edited_timestamp).toBeNull();
    const contents = await discord.until(() => {
      const now = member()
        .messages(general)
        .map((one) => one.content);
      return now.includes('and more') && !now.includes('at last') ? now : undefined;
    }, 'the follow-up without the deleted reply');
    expect(contents.at(-1)).toBe('and more');
  });

  test('a slash command answers with its message when a response is asked for', async () => {
    let id: string | undefined;
    onCommand(async (interaction) => {
      const response = await interaction.reply({ content: 'here', withResponse: true });
      id = response.resource?.message?.id;
    });
    const answer = await member().command(general, 'echo', { text: 'x' });
    await discord.until(() => id, 'the response');
    expect(id).toBe(answer.message?.id);
  });

  test('an interaction cannot be answered twice', async () => {
    let code: unknown;
    onCommand(async (interaction) => {
      const callback = (content: string) =>
        client.rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, {
          auth: false,
          body: { type: 4, data: { content } },
        });
      await callback('one');
      await callback('two').catch((error: { code: unknown }) => {
        code = error.code;
      });
    });
    await member().command(general, 'echo', { text: 'x' });
    expect(await discord.until(() => code, 'the second answer')).toBe(40060);
  });

  test('a slash command that nobody answers fails after three seconds, and cannot be answered then', async () => {
    let late: ChatInputCommandInteraction | undefined;
    onCommand(async (interaction) => {
      late = interaction;
    });
    const answer = await member().command(general, 'echo', { text: 'x' });
    expect(answer.kind).toBe('failed');
    await expect(late?.reply('too late')).rejects.toMatchObject({ code: 10062 });
  });
});

describe('completion', () => {
  test('completion gives the focused option and shows the choices', async () => {
    onInteraction(async (interaction) => {
      if (!interaction.isAutocomplete()) return;
      const focused = interaction.options.getFocused(true);
      await interaction.respond([{ name: `${focused.name}: ${focused.value}`, value: 'v' }]);
    });
    const choices = await member().complete(general, 'echo', 'text', { text: 'he' });
    expect(choices).toEqual([{ name: 'text: he', value: 'v' }]);
  });
});

describe('components', () => {
  test('a button updates its message, and a follow-up stays apart', async () => {
    onInteraction(async (interaction) => {
      if (interaction.isChatInputCommand()) {
        await interaction.reply({
          content: 'page 1',
          components: [
            {
              type: ComponentType.ActionRow,
              components: [
                {
                  type: ComponentType.Button,
                  style: ButtonStyle.Primary,
                  label: 'Next',
                  customId: 'next:2',
                },
              ],
            },
          ],
        });
      } else if (interaction.isButton()) {
        await interaction.update(`page ${interaction.customId.split(':')[1]}`);
      }
    });
    const first = await member().command(general, 'echo', { text: 'x' });
    const id = first.message?.id ?? '';
    const second = await member().press(general, id, 'next:2');
    expect(second.kind).toBe('update');
    expect(second.message).toMatchObject({ id, content: 'page 2' });
    await expect(member().press(general, id, 'other')).rejects.toThrow('no such component');
  });

  test('a select gives its values, within its limits', async () => {
    onInteraction(async (interaction) => {
      if (interaction.isChatInputCommand()) {
        await interaction.reply({
          components: [
            {
              type: ComponentType.ActionRow,
              components: [
                {
                  type: ComponentType.StringSelect,
                  customId: 'pick',
                  maxValues: 2,
                  options: ['a', 'b', 'c'].map((value) => ({ label: value, value })),
                },
              ],
            },
          ],
        });
      } else if (interaction.isStringSelectMenu()) {
        await interaction.reply(interaction.values.join('+'));
      }
    });
    const first = await member().command(general, 'echo', { text: 'x' });
    const id = first.message?.id ?? '';
    const answer = await member().choose(general, id, 'pick', ['a', 'c']);
    expect(answer.message?.content).toBe('a+c');
    await expect(member().choose(general, id, 'pick', ['z'])).rejects.toThrow('no choice z');
    await expect(member().choose(general, id, 'pick', ['a', 'b', 'c'])).rejects.toThrow('Between');
  });

  test('a modal opens, is filled and submitted', async () => {
    onInteraction(async (interaction) => {
      if (interaction.isChatInputCommand()) {
        await interaction.showModal({
          title: 'Details',
          custom_id: 'form',
          components: [
            {
              type: ComponentType.Label,
              label: 'Why',
              component: {
                type: ComponentType.TextInput,
                custom_id: 'why',
                style: TextInputStyle.Short,
              },
            },
          ],
        });
      } else if (interaction.isModalSubmit()) {
        await interaction.reply(interaction.fields.getTextInputValue('why'));
      }
    });
    const opened = await member().command(general, 'echo', { text: 'x' });
    expect(opened).toMatchObject({ kind: 'modal', modal: { title: 'Details' } });
    await expect(member().submit(opened.interactionId, {})).rejects.toThrow('Why is required');
    const answer = await member().submit(opened.interactionId, { why: 'because' });
    expect(answer.message?.content).toBe('because');
  });

  test('a form takes lists, files and a choice, and tells whom they name', async () => {
    onInteraction(async (interaction) => {
      if (interaction.isChatInputCommand()) {
        await interaction.showModal({
          title: 'Details',
          custom_id: 'form',
          components: [
            label({ type: 5, custom_id: 'friends', max_values: 2 }),
            label({ type: 7, custom_id: 'anyone', required: false }),
            label({ type: 19, custom_id: 'cv' }),
            label({
              type: 21,
              custom_id: 'drink',
              options: [
                { label: 'Tea', value: 'tea', default: true },
                { label: 'Milk', value: 'milk' },
              ],
            }),
            label({ type: 23, custom_id: 'agreed' }),
          ],
        } as never);
      } else if (interaction.isModalSubmit()) {
        const { fields } = interaction;
        const friends = fields.getSelectedUsers('friends')?.map(({ username }) => username);
        const files = fields.getUploadedFiles('cv')?.map(({ name }) => name);
        await interaction.reply([friends, files, fields.getRadioGroup('drink')].join(' '));
      }
    });
    const opened = await member().command(general, 'echo', { text: 'x' });
    const cv = { filename: 'cv.txt', data: new Uint8Array(3) };
    const friends = [discord.admin, discord.moderator];
    const { message } = await member().submit(opened.interactionId, { friends, cv, agreed: true });
    expect(message?.content).toBe('ada,linwei cv.txt tea');
  });

  test('a message command receives its target', async () => {
    onInteraction(async (interaction) => {
      if (!interaction.isMessageContextMenuCommand()) return;
      await interaction.reply(`> ${interaction.targetMessage.content}`);
    });
    const target = discord.as(discord.admin).send(general, 'quote me');
    const answer = await member().messageCommand(general, target.id, 'Quote this');
    expect(answer.message?.content).toBe('> quote me');
  });
});
