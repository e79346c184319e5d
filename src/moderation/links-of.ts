/** What a poster has here, for a moderator. */

import { netVotesText } from '../text/facts.ts';
import { translate } from '../text/catalogue.ts';
import { code, fitting, plainText, shownHost } from '../text/clean.ts';
import { messageLink, timestamp } from '../text/mentions.ts';
import { button, card, row } from '../discord/interactions/components.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { requireWalk, type WalkNeeds } from '../community/member-limits.ts';
import { UserError } from '../discord/user-error.ts';
import { mayModerateServer } from './may-moderate.ts';
import type { Moderating } from './actions.ts';
import type { Moderation } from './moderation.ts';

const LISTED_AT_MOST = 100;
/** About ten lines, with the addresses of their messages. */
const SHOWN_LENGTH = 2500;

/** The newest of a poster's links that this moderator may moderate, with what can be done with all of them. */
export async function linksOf(
  { guildId, locale, member }: Moderating,
  { moderation, ...needs }: { moderation: Moderation } & WalkNeeds,
  poster: Snowflake,
) {
  requireWalk(needs, guildId, member.id);
  const [links, removed] = await Promise.all([
    moderation.linksOf(member, poster),
    moderation.removedOf(member, poster),
  ]);
  if (links.length + removed === 0)
    throw new UserError(mayModerateServer(member) ? 'mod.links.none' : 'mod.forbidden');
  const lines = links.slice(0, LISTED_AT_MOST).map((article) => {
    const host = code(shownHost(new URL(article.link).host));
    const facts = [netVotesText(locale, article), timestamp(article.postedAtMs, 'R')];
    return `${plainText(article.title, 100)} · ${host} · ${facts.join(' · ')} · ${messageLink(guildId, article)}`;
  });
  const shown = fitting(lines, {
    length: SHOWN_LENGTH,
    more: (left) => translate(locale, 'mod.more', { more: left + links.length - lines.length }),
  });
  const sum = translate(locale, 'mod.links.sum', {
    member: `<@${poster}>`,
    count: links.length,
    removed,
  });
  const remove = translate(locale, 'moderate.remove-all', { count: links.length });
  return {
    embeds: [card(translate(locale, 'mod.links.title'), [sum, shown].filter(Boolean))],
    components:
      links.length === 0 ? [] : [row(button(`moderate|remove-all|${poster}`, remove, 'danger'))],
  };
}
