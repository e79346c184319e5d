import {
  ApplicationCommandType,
  type APIModalInteractionResponseCallbackData,
  type Message,
  TextInputStyle,
} from 'discord.js';
import { openForm } from '../src/discord/interactions/answer.ts';
import { textInput } from '../src/discord/interactions/text-input.ts';
import type { Command, GuildForm } from '../src/discord/commands/command.ts';
import { MAX_COMMENT_LENGTH } from '../src/text/comment.ts';
import { submit } from '../src/articles/posting/submit.ts';
import { MAX_TITLE_LENGTH } from '../src/text/clean.ts';
import { previewTitle } from '../src/articles/messages/preview.ts';
import { UserError } from '../src/discord/user-error.ts';
import { localizedName } from '../src/discord/commands/localized.ts';
import { translate } from '../src/text/catalogue.ts';
import { findLink, MAX_LINK_LENGTH } from '../src/ranking/links/parse.ts';

/** A message command on a message with a link: opens a form for the other fields. */
export default {
  data: {
    type: ApplicationCommandType.Message,
    ...localizedName('command.post-this-link.name'),
  },

  async runOnMessage(interaction) {
    // A forged command can contain no message.
    const message = interaction.targetMessage as Message | null;
    if (!message) throw new UserError('post-this.none');
    const { content, embeds } = message;
    const link = findLink([content, ...embeds.map(({ url }) => url ?? '')].join(' '));
    if (link.status === 'none') throw new UserError('post-this.none');
    if (link.status === 'refused') throw new UserError(`post.refused.${link.reason}`);
    const title = previewTitle(embeds, link.canonical);
    await openForm(interaction, form(interaction.locale, link.href, title));
  },

  async form(interaction, _, app) {
    await submit(interaction, app, {
      link: field(interaction, 'link'),
      title: field(interaction, 'title'),
      comment: field(interaction, 'comment'),
      groups: [],
    });
  },
} satisfies Command;

function form(
  locale: string,
  link: string,
  title: string,
): APIModalInteractionResponseCallbackData {
  const label = (name: 'link' | 'title' | 'comment') => translate(locale, `post-this.${name}`);
  return {
    custom_id: 'post-this-link',
    title: translate(locale, 'command.post-this-link.name'),
    components: [
      textInput(label('link'), {
        custom_id: 'link',
        max_length: MAX_LINK_LENGTH,
        required: true,
        value: link,
      }),
      textInput(label('title'), {
        custom_id: 'title',
        max_length: MAX_TITLE_LENGTH,
        required: false,
        ...(title !== '' && { value: title }),
      }),
      textInput(label('comment'), {
        custom_id: 'comment',
        style: TextInputStyle.Paragraph,
        max_length: MAX_COMMENT_LENGTH,
        required: false,
      }),
    ],
  };
}

/** A forged form can contain anything. A missing field is empty. */
function field({ fields }: GuildForm, name: string): string {
  return fields.fields.has(name) ? fields.getTextInputValue(name) : '';
}
