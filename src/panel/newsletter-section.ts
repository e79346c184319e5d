import { AttachmentBuilder, TextInputStyle } from 'discord.js';
import { languageOfGuild } from '../community/settings.ts';
import type { GuildComponent, GuildForm } from '../discord/commands/command.ts';
import { answer, openForm } from '../discord/interactions/answer.ts';
import { card, choiceSelect, textInput } from '../discord/interactions/components.ts';
import { limits } from '../discord/limits.ts';
import { UserError } from '../discord/user-error.ts';
import { readEditionArticles } from '../editions/edition-articles.ts';
import { editionTitle } from '../editions/edition-title.ts';
import { inOrderOf, orderLines, writeNewsletter } from '../editions/newsletter.ts';
import { listEditions, readEdition } from '../editions/stored-editions.ts';
import { readPreviews } from '../ranking/articles/previews.ts';
import { editionAddress } from '../web/edition-address.ts';
import { communityOf } from '../discord/access/visibility.ts';
import { translate } from '../text/catalogue.ts';
import { cleanLine, isSpoiler, shortened } from '../text/clean.ts';
import type { PanelNeeds, Section } from './section.ts';

/** Discord's limit of a text that is typed in a form. */
const TYPED_AT_MOST = 4000;

/** Custom ids are `frontpage|newsletter|<digest>|<date>`. */
export const newsletter: Section = {
  async open(interaction, needs) {
    const { guildId, locale } = interaction;
    const editions = await listEditions(needs.store, guildId, { most: limits.selectOptions });
    const lines = [translate(locale, 'newsletter.about')];
    if (editions.length === 0) lines.push('', translate(locale, 'newsletter.none'));
    const options = editions.map(({ name, date }) => ({
      label: shortened(editionTitle(locale, { name, date }), limits.selectOptionLength),
      value: `${name}|${date}`,
    }));
    const placeholder = translate(locale, 'newsletter.pick');
    const select = { custom_id: 'frontpage|newsletter|pick', placeholder };
    await answer(interaction, {
      embeds: [card(translate(locale, 'frontpage.button.newsletter'), lines)],
      components: options.length === 0 ? [] : [choiceSelect(select, options, null)],
    });
  },

  async component(interaction, _, needs) {
    const { locale } = interaction;
    const [chosen = ''] = interaction.isStringSelectMenu() ? interaction.values : [];
    const [name = '', date = ''] = chosen.split('|');
    const { articles } = await editionOf(interaction, needs, { name, date });
    const lines = articles.map(({ number, article: { title } }) => ({ number, title }));
    await openForm(interaction, {
      custom_id: `frontpage|newsletter|${name}|${date}`,
      title: cleanLine(editionTitle(locale, { name, date }), limits.modalTitleLength),
      components: [
        textInput(translate(locale, 'newsletter.intro'), {
          custom_id: 'intro',
          style: TextInputStyle.Paragraph,
          max_length: TYPED_AT_MOST,
          required: false,
        }),
        textInput(translate(locale, 'newsletter.order'), {
          custom_id: 'order',
          style: TextInputStyle.Paragraph,
          value: orderLines(lines, TYPED_AT_MOST),
          max_length: TYPED_AT_MOST,
          required: false,
        }),
      ],
    });
  },

  async form(interaction, [name = '', date = ''], needs) {
    const { guild, guildId, locale, fields } = interaction;
    const { articles, channel } = await editionOf(interaction, needs, { name, date });
    const chosen = inOrderOf(articles, fields.getTextInputValue('order'));
    if (chosen.length === 0) throw new UserError('newsletter.empty');
    const previews = await readPreviews(
      needs.ranking,
      guildId,
      chosen.map(({ article }) => article.id),
    );
    const language = languageOfGuild(await needs.rules.read(guildId), guild) ?? 'en';
    const title = editionTitle(language, { name, date });
    const written = writeNewsletter({
      locale: language,
      community: cleanLine(guild.name, limits.nameLength) || guildId,
      title,
      intro: fields.getTextInputValue('intro').trim(),
      items: chosen.map(({ article, net }, at) => ({
        title: article.title,
        link: article.link,
        net,
        description: previews[at]?.description ?? '',
      })),
      page: await editionAddress(
        {
          store: needs.store,
          address: needs.webAddress,
          community: (id) => communityOf(needs.client, id),
        },
        { guild: guildId, channel, name, date },
      ),
    });
    const day = date.slice(0, 10);
    const files = (['html', 'markdown', 'text'] as const).map(
      (format) =>
        new AttachmentBuilder(Buffer.from(written[format]), {
          name: `newsletter-${day}.${ENDINGS[format]}`,
        }),
    );
    const content = translate(locale, 'newsletter.ready', {
      edition: editionTitle(locale, { name, date }),
    });
    await answer(interaction, { content, files });
  },
};

const ENDINGS = { html: 'html', markdown: 'md', text: 'txt' } as const;

type Which = { name: string; date: string };

/**
 * The articles of an edition that everyone may see, each with its number in the edition: a form may be
 * open while an article leaves. Refuses an edition without any.
 */
async function editionOf(
  { guildId }: GuildComponent | GuildForm,
  { ranking, store }: Pick<PanelNeeds, 'ranking' | 'store'>,
  which: Which,
) {
  const edition = await readEdition(store, guildId, which);
  if (edition === null) throw new UserError('stale');
  const { articles: all } = await readEditionArticles(ranking, guildId, edition);
  // A newsletter has no way to hide what its poster hid.
  const articles = all
    .filter(({ article }) => !isSpoiler(article.title))
    .map((shown) => {
      const at = edition.articles.findIndex(({ id }) => id === shown.article.id);
      return { ...shown, number: at + 1 };
    });
  if (articles.length === 0) throw new UserError('newsletter.empty');
  return { articles, channel: edition.channel };
}
