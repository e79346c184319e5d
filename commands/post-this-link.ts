import { ApplicationCommandType, type Message, TextInputStyle } from 'discord.js';
import { openForm } from '../src/discord/interactions/answer.ts';
import { textInput } from '../src/discord/interactions/components.ts';
import { readable } from '../src/articles/posting/forwarded.ts';
import { submit } from '../src/articles/posting/submit.ts';
import { MAX_TITLE_LENGTH, MAX_COMMENT_LENGTH, titleOfWords } from '../src/text/clean.ts';
import { previewTitle } from '../src/articles/messages/preview.ts';
import { UserError } from '../src/discord/user-error.ts';
import { localizedName } from '../src/discord/commands/localized.ts';
import { translate } from '../src/text/catalogue.ts';
import { findLink } from '../src/ranking/links/find-links.ts';
import { MAX_LINK_LENGTH } from '../src/ranking/links/parse.ts';
import type { PostingNeeds } from '../src/articles/posting/post-link.ts';
import type { BotCommand } from '../src/bot.ts';

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
    const { content, embeds } = readable(message);
    const link = findLink([content, ...embeds.map(({ url }) => url ?? '')].join(' '));
    if (link.status === 'none') throw new UserError('post-this.none');
    if (link.status === 'refused') throw new UserError(`post.refused.${link.reason}`);
    const title = titleOfWords(link.words) || previewTitle(embeds, link.canonical);
    await openForm(interaction, form(interaction.locale, link.href, title));
  },

  async form(interaction, _, needs) {
    const text = (name: Field) => interaction.fields.getTextInputValue(name);
    const typed = { link: text('link'), title: text('title'), comment: text('comment') };
    await submit(interaction, needs, { ...typed, groups: [] });
  },
} satisfies BotCommand<PostingNeeds>;

type Field = 'link' | 'title' | 'comment';

function form(locale: string, link: string, title: string) {
  const input = (name: Field, more: Omit<Parameters<typeof textInput>[1], 'custom_id'>) =>
    textInput(translate(locale, `post-this.${name}`), { custom_id: name, ...more });
  return {
    custom_id: 'post-this-link',
    title: translate(locale, 'command.post-this-link.name'),
    components: [
      input('link', { value: link, max_length: MAX_LINK_LENGTH, required: true }),
      input('title', { value: title, max_length: MAX_TITLE_LENGTH, required: false }),
      input('comment', {
        style: TextInputStyle.Paragraph,
        max_length: MAX_COMMENT_LENGTH,
        required: false,
      }),
    ],
  };
}
