import { button, card, row } from '../discord/interactions/components.ts';
import { digestTitle, nextText } from '../digests/command/describe.ts';
import { countEditions } from '../editions/stored-editions.ts';
import { answer } from '../discord/interactions/answer.ts';
import { subcommand } from '../discord/commands/localized.ts';
import { readDigests } from '../digests/stored-digests.ts';
import { limits } from '../discord/limits.ts';
import { countListed } from '../ranking/lists/ranked.ts';
import { readWebSettings } from '../web/web-settings.ts';
import { fitting } from '../text/clean.ts';
import { translate } from '../text/catalogue.ts';
import { version } from '../runtime/version.ts';
import { findingsOf, wrongLines } from './check-up-section.ts';
import { openButton } from './open-button.ts';
import type { Section } from './section.ts';

/** The doors of the panel, by the custom ids of their buttons. */
const doors = {
  posts: 'frontpage|settings|open|posts',
  who: 'frontpage|settings|open|who',
  web: 'frontpage|web|open',
  'check-up': 'frontpage|check-up|open',
  more: 'frontpage|settings|open|more',
} as const;
type Door = keyof typeof doors;

/** A digest is one of 20 at most; the panel names the first. */
const DIGESTS_NAMED = 3;

/** What `/frontpage panel` shows first: how things are, what is wrong before all else, and the doors to the rest. */
export const overview: Section = {
  option: subcommand('command.frontpage.panel'),
  async run(interaction, needs) {
    const { guildId, locale } = interaction;
    const [parts, total, editions, digests, page] = await Promise.all([
      findingsOf(interaction, needs, { hasPreviews: false }),
      countListed(needs.ranking, guildId),
      countEditions(needs.store, guildId),
      readDigests(needs.store, guildId),
      readWebSettings(needs.store, guildId),
    ]);
    const wrong = wrongLines(parts);
    const more = (left: number) => translate(locale, 'mod.more', { more: left });
    const lines = [
      ...(wrong.length > 0
        ? [fitting(wrong, { length: limits.embedFieldLength, between: '\n', more }), '']
        : []),
      translate(locale, 'frontpage.state', {
        articles: total,
        editions,
        is: wrong.length > 0 ? 'other' : 'well',
      }),
      ...digests
        .slice(0, DIGESTS_NAMED)
        .map((stored) => `**${digestTitle(locale, stored)}** · ${nextText(stored)}`),
      ...(needs.webAddress !== null && page.open
        ? [`**${translate(locale, 'frontpage.button.web')}** · ${needs.webAddress}/g/${guildId}`]
        : []),
    ];
    const footer = { text: `Frontpage ${version}` };
    const label = (door: Door) => translate(locale, `frontpage.door.${door}`);
    await answer(interaction, {
      embeds: [{ ...card(translate(locale, 'frontpage.title'), lines), footer }],
      components: [
        // Until there is a digest, that is the next step.
        ...(digests.length === 0 ? [row(openButton(locale, 'setup', 'main'))] : []),
        row(...(Object.keys(doors) as Door[]).map((door) => button(doors[door], label(door)))),
      ],
    });
  },
};
