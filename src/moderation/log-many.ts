/** What the log channel says of articles that were removed or restored as one. */

import type { LogChannelNeeds } from '../community/admin-messages.ts';
import { type Act, logAction, loggedName } from '../community/moderation-log.ts';
import { isListed } from '../discord/access/visibility.ts';
import type { Article } from '../ranking/row.ts';
import { translate } from '../text/catalogue.ts';
import { code, fitting } from '../text/clean.ts';
import { messageLink } from '../text/mentions.ts';

/** Beside the first line and the reason, in an embed. */
const NAMED_LENGTH = 3000;

/** Says in the log channel which articles were removed or restored as one: whose they were, which links, why, and what else they posted. */
export async function logMany(
  needs: LogChannelNeeds,
  articles: readonly Article[],
  act: Act,
  what: 'removed' | 'restored',
  /** What is logged anew under the same key within some minutes is logged once. */
  key?: string,
): Promise<void> {
  const { guild } = act.by;
  const posters = new Set(articles.map(({ poster }) => poster));
  await logAction(
    needs,
    act,
    (locale, by) => {
      const lines = articles.map((article) => {
        const name = loggedName(guild, article);
        if (!isListed(guild.channels.cache.get(article.home))) return name;
        const facts = [name, `<@${article.poster}>`, code(article.link)];
        return [...facts, messageLink(guild.id, article)].join(' · ');
      });
      const shown = fitting(lines, {
        length: NAMED_LENGTH,
        more: (left) => translate(locale, 'mod.more', { more: left }),
      });
      return `${translate(locale, `audit.some.${what}`, { by, count: articles.length })}\n${shown}`;
    },
    [...posters],
    key,
  );
}
