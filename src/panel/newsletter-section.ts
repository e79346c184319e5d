import { AttachmentBuilder, TextInputStyle } from 'discord.js';
import { languageOfGuild } from '../community/settings.ts';
import type { GuildComponent, GuildForm } from '../discord/commands/command.ts';
import { answer, openForm } from '../discord/interactions/answer.ts';
import {
  type ActionRow,
  card,
  choiceSelect,
  linkButton,
  row,
  textInput,
} from '../discord/interactions/components.ts';
import { limits } from '../discord/limits.ts';
import { UserError } from '../discord/user-error.ts';
import { editionHeadline, editionTitle } from '../editions/edition-title.ts';
import { orderLines, writeNewsletter } from '../editions/newsletter.ts';
import { listEditions, readEdition } from '../editions/stored-editions.ts';
import { editionAddress } from '../web/edition-address.ts';
import {
  type DraftNeeds,
  newsletterOf,
  readEditionLeft,
  storeDraft,
  TYPED_AT_MOST,
} from '../web/newsletter-draft.ts';
import { shownEditions, standingNow } from '../web/shown.ts';
import { newsletterPath } from '../web/pages/newsletter-page.ts';
import { readWebSettings } from '../web/web-settings.ts';
import { communityOf } from '../discord/access/visibility.ts';
import { translate } from '../text/catalogue.ts';
import { cleanLine, shortened } from '../text/clean.ts';
import type { Section } from './section.ts';

/** Custom ids are `frontpage|newsletter|<digest>|<date>`. */
export const newsletter: Section = {
  async open(interaction, needs) {
    const { guildId, locale } = interaction;
    const editions = await listEditions(needs.store, guildId, { most: limits.selectOptions });
    const lines = [translate(locale, 'newsletter.about')];
    if (editions.length === 0) lines.push('', translate(locale, 'newsletter.none'));
    const shown = await shownEditions(
      needs.ranking,
      guildId,
      editions.map(({ edition }) => edition),
      await standingNow(needs, guildId),
    );
    const options = editions.map((named, at) => {
      const title = editionTitle(locale, named);
      const headline = editionHeadline(locale, shown[at]!.articles);
      return {
        label: shortened(headline ?? title, limits.selectOptionLength),
        ...(headline === null ? {} : { description: shortened(title, limits.selectOptionLength) }),
        value: `${named.name}|${named.date}`,
      };
    });
    const placeholder = translate(locale, 'newsletter.pick');
    const select = { custom_id: 'frontpage|newsletter|pick', placeholder };
    await answer(interaction, {
      embeds: [card(translate(locale, 'frontpage.button.newsletter'), lines)],
      components: options.length === 0 ? [] : [choiceSelect(select, options, null)],
    });
  },

  async component(interaction, _, needs) {
    const { guildId, locale } = interaction;
    const [chosen = ''] = interaction.isStringSelectMenu() ? interaction.values : [];
    const [name = '', date = ''] = chosen.split('|');
    const left = await readEditionLeft(needs, guildId, { name, date });
    if (left === null) throw await nothingLeft(interaction, needs, { name, date });
    const { articles, edition } = left;
    await openForm(interaction, {
      custom_id: `frontpage|newsletter|${name}|${date}`,
      title: cleanLine(editionTitle(locale, { name, date, edition }), limits.modalTitleLength),
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
          value: orderLines(articles, TYPED_AT_MOST),
          max_length: TYPED_AT_MOST,
          required: false,
        }),
      ],
    });
  },

  async form(interaction, [name = '', date = ''], needs) {
    const { guild, guildId, locale, fields } = interaction;
    const { store, names, webAddress } = needs;
    const intro = fields.getTextInputValue('intro').trim();
    const draft = { name, date, intro, order: fields.getTextInputValue('order') };
    const settings = await readWebSettings(store, guildId);
    const made = await newsletterOf(needs, draft, {
      guild: guildId,
      community: cleanLine(guild.name, limits.nameLength) || guildId,
      locale: languageOfGuild(await needs.rules.read(guildId), guild) ?? 'en',
      settings,
      namesOf: (members) => names.soon(guildId, members),
      pageOf: ({ channel, isPublic }) =>
        isPublic
          ? editionAddress(
              { store, address: webAddress, community: (id) => communityOf(needs.client, id) },
              { guild: guildId, channel, name, date },
            )
          : null,
    });
    if (made === null) throw await nothingLeft(interaction, needs, { name, date });
    const { letter, edition } = made;
    const written = writeNewsletter(letter);
    const day = date.slice(0, 10);
    const files = (['html', 'markdown', 'text'] as const).map(
      (format) =>
        new AttachmentBuilder(Buffer.from(written[format]), {
          name: `newsletter-${day}.${ENDINGS[format]}`,
        }),
    );
    const content = translate(locale, 'newsletter.ready', {
      edition: editionTitle(locale, { name, date, edition }),
    });
    const components: ActionRow[] = [];
    if (webAddress !== null && settings.open) {
      const secret = await storeDraft(store, guildId, draft);
      const path = newsletterPath({ guild: guildId, secret, lang: undefined });
      components.push(
        row(linkButton(`${webAddress}${path}`, translate(locale, 'newsletter.look'))),
      );
    }
    await answer(interaction, { content, files, components });
  },
};

const ENDINGS = { html: 'html', markdown: 'md', text: 'txt' } as const;

/** Why there is no newsletter of an edition. */
async function nothingLeft(
  { guildId }: GuildComponent | GuildForm,
  { store }: DraftNeeds,
  which: { name: string; date: string },
): Promise<UserError> {
  const isGone = (await readEdition(store, guildId, which)) === null;
  return new UserError(isGone ? 'stale' : 'newsletter.empty');
}
