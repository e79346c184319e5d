/** What members reported and nobody has decided, for a moderator. */

import { mayModerateAny } from './may-moderate.ts';
import { optionLabel } from '../articles/lists/option-label.ts';
import { requireWalk, type WalkNeeds } from '../community/member-limits.ts';
import { choiceSelect, card } from '../discord/interactions/components.ts';
import { limits } from '../discord/limits.ts';
import { UserError } from '../discord/user-error.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { fitting } from '../text/clean.ts';
import { timestamp } from '../text/mentions.ts';
import type { Moderating } from './actions.ts';
import type { Moderation } from './moderation.ts';
import { countText, reportButtons, reportedText, reportersLines } from './reports.ts';

interface ReportsPageNeeds extends WalkNeeds {
  /** Finds what is reported. */
  moderation: Moderation;
}

/** Moderators decide about the last reported first; then the others are shown. */
const LISTED_AT_MOST = 10;

/** The reported articles where this member moderates, with a select that shows one. */
export async function reportsPage(
  { guild, guildId, locale, member }: Moderating,
  { moderation, ...needs }: ReportsPageNeeds,
) {
  if (!mayModerateAny(member)) throw new UserError('mod.forbidden');
  requireWalk(needs, guildId, member.id);
  const open = await moderation.openReports(member);
  const listed = open.slice(0, LISTED_AT_MOST);
  const lines = listed.map(({ article, reports }) => {
    const last = timestamp(reports.open.at(-1)?.atMs ?? 0, 'R');
    return `${reportedText(guild, article)}\n${countText(locale, reports.open)} · ${last}`;
  });
  const shown = fitting(lines, {
    length: limits.embedDescriptionLength,
    total: open.length,
    more: (left) => translate(locale, 'mod.more', { more: left }),
  });
  const placeholder = translate(locale, 'report.choose');
  const options = listed.map(({ article }) => ({
    value: article.id,
    label: optionLabel(article),
  }));
  return {
    content: '',
    embeds: [card(translate(locale, 'report.title'), shown || translate(locale, 'report.none'))],
    components:
      options.length > 0
        ? [choiceSelect({ custom_id: 'mod|report', placeholder }, options, null)]
        : [],
  };
}

/** One of them, with what a moderator can do about it and who reported it. */
export async function reportedView(
  { guild, guildId, locale, member }: Moderating,
  { moderation, ...needs }: ReportsPageNeeds,
  id: Snowflake,
) {
  requireWalk(needs, guildId, member.id);
  const found = (await moderation.openReports(member)).find(({ article }) => article.id === id);
  if (found === undefined) throw new UserError('report.settled');
  const { article, reports } = found;
  const who = reportersLines(reports, locale);
  const lines = [reportedText(guild, article), countText(locale, reports.open), '', who];
  return {
    content: '',
    embeds: [card(translate(locale, 'report.title'), lines)],
    components: [reportButtons(locale, article, needs.clock.now())],
  };
}
