import { ApplicationCommandOptionType } from 'discord.js';
import { z } from 'zod';
import type { Command } from '../src/discord/command.ts';
import { MAX_COMMENT_LENGTH } from '../src/discord/comment.ts';
import { groupOption, validOption } from '../src/discord/options.ts';
import { submit } from '../src/discord/submission.ts';
import { MAX_TITLE_LENGTH } from '../src/discord/title.ts';
import { groupOptionTypes } from '../src/discord/visibility.ts';
import { words } from '../src/discord/words.ts';

const groupOptions = ['group', 'group2', 'group3'] as const;

export default {
  data: {
    ...words('command.post'),
    options: [
      { type: ApplicationCommandOptionType.String, required: true, ...words('command.post.link') },
      {
        type: ApplicationCommandOptionType.String,
        max_length: MAX_TITLE_LENGTH,
        ...words('command.post.title'),
      },
      {
        type: ApplicationCommandOptionType.String,
        max_length: MAX_COMMENT_LENGTH,
        ...words('command.post.comment'),
      },
      ...groupOptions.map((name) => ({
        type: ApplicationCommandOptionType.Channel as const,
        channel_types: groupOptionTypes,
        ...words(`command.post.${name}`),
      })),
    ],
  },

  async run(interaction, bot) {
    const text = (name: string) => validOption(interaction, name, z.string().default(''));
    await submit(interaction, bot, {
      link: interaction.options.get('link')?.value,
      title: text('title'),
      comment: text('comment'),
      groups: groupOptions.flatMap((name) => groupOption(interaction, name) ?? []),
    });
  },
} satisfies Command;
