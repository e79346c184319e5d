import { button, card, row } from '../discord/interactions/components.ts';
import { nextText } from '../digests/command/describe.ts';
import { titleOf } from '../digests/content/edition-message.ts';
import { answer } from '../discord/interactions/answer.ts';
import { subcommand } from '../discord/commands/localized.ts';
import { readScale } from '../ranking/articles/mark.ts';
import { readDigests } from '../digests/stored-digests.ts';
import { readWebSettings } from '../web/web-settings.ts';
import { spanText } from '../text/facts.ts';
import { translate } from '../text/catalogue.ts';
import { version } from '../runtime/version.ts';
import type { Section } from './section.ts';

/** Two rows of buttons on the panel. A section that needs an option is a subcommand. */
const buttons = [
  ['setup', 'import', 'settings', 'web', 'board'],
  ['newsletter', 'check-up', 'recount', 'rebuild', 'export'],
] as const;

/** What `/frontpage panel` shows first. */
export const overview: Section = {
  option: subcommand('command.frontpage.panel'),
  async run(interaction, needs) {
    const { commandId, guildId, locale } = interaction;
    const [{ settings: own }, scale, digests, page] = await Promise.all([
      needs.rules.refresh(guildId),
      readScale(needs.ranking, guildId),
      readDigests(needs.store, guildId),
      readWebSettings(needs.store, guildId),
    ]);
    const lines = [
      translate(locale, 'frontpage.mark', {
        mark: scale.mark,
        is: own.mark === null ? 'fitted' : 'fixed',
      }),
      translate(locale, 'frontpage.span', {
        span: spanText(locale, scale.spanDays),
        is: own.span === null ? 'fitted' : 'fixed',
      }),
      ...(digests.length === 0 ? [translate(locale, 'check-up.digests.none')] : []),
      ...digests.map((stored) => `**${titleOf(locale, stored.name)}** · ${nextText(stored)}`),
      ...(needs.webAddress !== null && page.open
        ? [`**${translate(locale, 'frontpage.button.web')}** · ${needs.webAddress}/g/${guildId}`]
        : []),
      '',
      translate(locale, 'frontpage.more', {
        import: `</frontpage import:${commandId}>`,
        restore: `</frontpage restore:${commandId}>`,
      }),
    ];
    const footer = { text: `Frontpage ${version}` };
    await answer(interaction, {
      embeds: [{ ...card(translate(locale, 'frontpage.title'), lines), footer }],
      components: buttons.map((names) =>
        row(
          ...names.map((name) => {
            const label = translate(locale, `frontpage.button.${name}`);
            return button(`frontpage|${name}|open`, label, name === 'setup' ? 'main' : 'plain');
          }),
        ),
      ),
    });
  },
};
