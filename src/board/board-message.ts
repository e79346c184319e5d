import { createHash } from 'node:crypto';
import type { RESTPostAPIChannelMessageJSONBody } from 'discord.js';
import { articleItems } from '../articles/lists/article-item.ts';
import { button, card, row } from '../discord/interactions/components.ts';
import { limits } from '../discord/limits.ts';
import type { Article } from '../ranking/articles/articles.ts';
import type { Replies } from '../ranking/articles/discussions.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { numberText, translate } from '../text/catalogue.ts';
import { plainText, shortened } from '../text/clean.ts';
import { timestamp } from '../text/mentions.ts';

/** Instead of a group, in a custom id: the whole guild. */
const EVERYWHERE = '-';
/** The custom id of the first button, by which a search of the channel knows a board. */
const FIRST_BUTTON = 'top|open|score|';

export type BoardContent = {
  guild: Snowflake;
  /** The guild's name, as Discord has it. */
  name: string;
  locale: string;
  /** The group whose list it is; null: what everyone may see. */
  group: Snowflake | null;
  articles: readonly Article[];
  replies: Replies;
  /** The number of articles that nobody has judged, among those that were read. */
  unjudged: number;
  /** Posters who opted out. */
  unnamed: ReadonlySet<Snowflake>;
  /** Titles lead to the articles' messages alone. */
  isPlain?: boolean;
};

type Body = Pick<
  RESTPostAPIChannelMessageJSONBody,
  'content' | 'embeds' | 'components' | 'allowed_mentions'
>;

/** The board's message. `shown` is a hash of all but the time of this change. */
export function boardMessage(
  content: BoardContent,
  updatedAtMs: number,
): { body: Body; shown: string } {
  const { guild, name, locale, group, articles, replies, unnamed, isPlain = false } = content;
  const updated = translate(locale, 'board.updated', { when: timestamp(updatedAtMs, 'R') });
  const length = limits.embedDescriptionLength - updated.length - 1;
  const now = updatedAtMs;
  const context = {
    guild,
    locale,
    now,
    ages: 'lasting',
    replies,
    unnamed,
    group,
    isPlain,
  } as const;
  const items = articleItems(articles, context, { length });
  const list = items.length > 0 ? items : [translate(locale, 'top.empty')];
  const title = shortened(plainText(name, limits.embedTitleLength), limits.embedTitleLength);
  const components = [row(...buttons(content))];
  const body = {
    content: '',
    embeds: [card(title, [`-# ${updated}`, ...list])],
    components,
    allowed_mentions: { parse: [] },
  };
  // For its number alone, no board is edited.
  const lasting = JSON.stringify([title, list, [row(...buttons({ ...content, unjudged: 0 }))]]);
  return { body, shown: createHash('sha256').update(lasting).digest('base64url') };
}

/** Each opens a list for its reader alone; `commands/top.ts` answers. */
function buttons({ locale, group, unjudged }: BoardContent) {
  const needing = translate(locale, 'board.unjudged');
  const of = group ?? EVERYWHERE;
  return [
    button(`${FIRST_BUTTON}${of}|1|ever|unvoted`, translate(locale, 'board.new'), 'main'),
    button(
      `top|open|time-asc|${of}|1|ever|unjudged`,
      unjudged > 0 ? `${needing} (${numberText(locale, unjudged)})` : needing,
    ),
    button(`top|open|votes|${of}|1|week|all`, translate(locale, 'board.week')),
    button('top|channels', translate(locale, 'board.channels')),
  ];
}

/** Whether a message of the bot is a board. */
export function isBoard({ components }: { components?: unknown }): boolean {
  return JSON.stringify(components ?? []).includes(`"custom_id":"${FIRST_BUTTON}`);
}
