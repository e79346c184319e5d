import { z } from 'zod';
import { groupOption, validOption } from '../src/discord/commands/checked-options.ts';
import { submit } from '../src/articles/posting/submit.ts';
import { MAX_TITLE_LENGTH, MAX_COMMENT_LENGTH } from '../src/text/clean.ts';
import { channelOption, localized, textOption } from '../src/discord/commands/localized.ts';
import type { PostingNeeds } from '../src/articles/posting/post-link.ts';
import type { BotCommand } from '../src/bot.ts';

const GROUP_OPTIONS = ['channel', 'channel2', 'channel3'] as const;

export default {
  data: {
    ...localized('command.post'),
    options: [
      textOption('command.post.link', { required: true }),
      textOption('command.post.title', { max_length: MAX_TITLE_LENGTH }),
      textOption('command.post.comment', { max_length: MAX_COMMENT_LENGTH }),
      ...GROUP_OPTIONS.map((name) => channelOption(`command.post.${name}`)),
    ],
  },

  async run(interaction, needs) {
    const text = (name: string) => validOption(interaction, name, z.string().default(''));
    await submit(interaction, needs, {
      link: interaction.options.get('link')?.value,
      title: text('title'),
      comment: text('comment'),
      groups: GROUP_OPTIONS.flatMap((name) => groupOption(interaction, name) ?? []),
    });
  },
} satisfies BotCommand<PostingNeeds>;
