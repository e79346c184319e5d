import { ApplicationCommandType } from 'discord.js';
import { z } from 'zod';
import { findArticle, targetArticle } from '../src/articles/find-article.ts';
import type { BotCommand } from '../src/bot.ts';
import { REPORT_REASONS } from '../src/community/stored-reports.ts';
import { mayView } from '../src/discord/access/visibility.ts';
import { parseArgs } from '../src/discord/commands/checked-options.ts';
import { localizedName } from '../src/discord/commands/localized.ts';
import { answer, updateMessage } from '../src/discord/interactions/answer.ts';
import { choiceSelect } from '../src/discord/interactions/components.ts';
import { UserError } from '../src/discord/user-error.ts';
import type { Moderation } from '../src/moderation/moderation.ts';
import { readRemoved } from '../src/ranking/articles/removed.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import type { Clock } from '../src/runtime/clock.ts';
import { zSnowflake } from '../src/runtime/snowflake.ts';
import { translate } from '../src/text/catalogue.ts';
import { plainText } from '../src/text/clean.ts';

interface ReportNeeds {
  /** Notes a report, and has moderators see it. */
  moderation: Moderation;
  /** Where the article is, or stands as removed. */
  ranking: Ranking;
  /** Discord's time. */
  clock: Clock;
}

const zReason = z.tuple([z.enum(REPORT_REASONS)]);

/** A message command on an article: asks why, and tells the moderators. */
export default {
  data: {
    type: ApplicationCommandType.Message,
    ...localizedName('command.report-to-the-moderators.name'),
  },

  async runOnMessage(interaction, needs) {
    const { guildId, locale, member, targetId } = interaction;
    const removed = await readRemoved(needs.ranking, guildId, targetId);
    if (removed && mayView(member, removed.article.home)) throw new UserError('report.removed');
    const article = await targetArticle(interaction, needs);
    await needs.moderation.requireReportable(member, article);
    const placeholder = translate(locale, 'report.why');
    const custom_id = `report-to-the-moderators|${article.id}`;
    const reasons = REPORT_REASONS.map((value) => ({
      value,
      label: translate(locale, `report.reason.${value}`),
    }));
    await answer(interaction, {
      content: translate(locale, 'report.ask', { title: plainText(article.title, 200) }),
      components: [choiceSelect({ custom_id, placeholder }, reasons, null)],
    });
  },

  /** `report-to-the-moderators|<article>`: the reason was chosen. */
  async component(interaction, args, needs) {
    const [id] = parseArgs(z.tuple([zSnowflake]), args);
    const [reason] = parseArgs(zReason, interaction.isStringSelectMenu() ? interaction.values : []);
    const article = await findArticle(needs, interaction.member, id, null);
    if (!article) throw new UserError('article.gone');
    await needs.moderation.report(interaction.member, article, reason);
    const content = translate(interaction.locale, 'report.done');
    await updateMessage(interaction, { content, components: [] });
  },
} satisfies BotCommand<ReportNeeds>;
