import { ApplicationCommandOptionType } from 'discord.js';
import type { Command } from '../src/discord/command.ts';
import { MAX_COMMENT_LENGTH } from '../src/discord/comment.ts';
import { groupOption } from '../src/discord/options.ts';
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
    const { options } = interaction;
    await submit(interaction, bot, {
      link: options.get('link')?.value,
      title: options.getString('title') ?? '',
      comment: options.getString('comment') ?? '',
      groups: groupOptions.flatMap((name) => groupOption(interaction, name) ?? []),
    });
  },
} satisfies Command;
