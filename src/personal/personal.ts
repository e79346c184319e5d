import type { APIEmbed } from 'discord.js';
import type { ArticlePageNeeds } from '../articles/lists/article-page.ts';
import type { GuildCommand, GuildComponent } from '../discord/commands/command.ts';
import type { ActionRow } from '../discord/interactions/components.ts';
import type { Requests } from '../discord/requests/requests.ts';
import type { MemberNames } from '../discord/member-names.ts';
import type { Due } from '../due/due.ts';
import type { History } from '../history/history.ts';
import { openMessages } from '../messages/messages.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import {
  bookmarksFile,
  findSaved,
  mutedPage,
  muteOption,
  newForMe,
  type NewView,
  savedPage,
} from './personal-pages.ts';
import { readMuted } from './muted.ts';
import { firstVotes, noteEarlyVotes } from './first-votes.ts';
import { ownArticlesPage } from './own-articles.ts';
import { toldLinesKind, type ToldLinesNeeds } from './told-lines.ts';
import {
  type Mute,
  mute,
  saveArticle,
  unmute,
  unsaveArticles,
  writeSeen,
} from './stored-personal.ts';

export interface PersonalNeeds extends ArticlePageNeeds, Omit<ToldLinesNeeds, 'channels'> {
  /** The names of members in a select, which shows no mentions. */
  names: MemberNames;
  /** Requests that can wait. */
  requests: Requests;
  /** Has threads told what became of their articles. */
  due: Due;
  /** Whether articles may be missing now. */
  mayLackArticles: History['mayLackArticles'];
}

type Asked = GuildCommand | GuildComponent;
type Shown = { content: string; embeds: APIEmbed[]; components: ActionRow[] };

/** What a member keeps for themself in a guild. Nobody else sees any of it. */
export interface Personal {
  /** What became of the member's own articles, with a select to change one. */
  ownArticles(asked: Asked, page: number): Promise<Shown>;
  /** What came since the member last looked; looking moves the mark. */
  newForMe(asked: Asked, view: NewView): Promise<Shown>;
  /** Puts the mark back, so that what came after this article is new again. */
  keepAsNew(guild: Snowflake, member: Snowflake, since: Snowflake): Promise<void>;
  /** Notes that the member was shown these since they need a vote, and says what came of their votes on earlier ones. */
  firstVotes(
    guild: Snowflake,
    member: Snowflake,
    shown: readonly Snowflake[],
  ): Promise<{ count: number; stars: number }>;
  /** Notes whose votes on an article came early, before its voters are deleted. */
  noteEarlyVotes(guild: Snowflake, article: Snowflake): Promise<void>;
  /** What the member saved, or what of it has these words, with a select that takes it off the list. */
  savedPage(asked: Asked, view: { page: number; words: string }): Promise<Shown>;
  /** All that the member saved, as browsers import bookmarks. */
  bookmarks(asked: Asked): Promise<string>;
  /** Saves an article; `full`: there are as many as can be. */
  save(guild: Snowflake, member: Snowflake, article: Snowflake): Promise<'saved' | 'full'>;
  /** Takes an article off the list. */
  unsave(guild: Snowflake, member: Snowflake, article: Snowflake): Promise<void>;
  /** Takes off the list what is gone. What the member may not view now stays for when they may again. */
  unsaveUnseen(asked: Asked, what: 'gone' | 'hidden'): Promise<void>;
  /** What the member muted, with a select that takes it back. */
  mutedPage(asked: Asked, page: number): Promise<Shown>;
  /** Leaves it out of the member's own lists; `full`: there is as much as can be. */
  mute(guild: Snowflake, member: Snowflake, muted: Mute): Promise<'muted' | 'full'>;
  /** Shows again what stands at an option of `mutedPage`. */
  unmute(guild: Snowflake, member: Snowflake, option: string): Promise<void>;
}

export function openPersonal(needs: PersonalNeeds): Personal {
  const { store, due } = needs;
  due.handle(toldLinesKind({ ...needs, channels: openMessages(needs) }));
  return {
    ownArticles: (asked, page) => ownArticlesPage(asked, needs, page),
    newForMe: (asked, view) => newForMe(asked, needs, view),
    firstVotes: (guild, member, shown) => firstVotes(needs, guild, member, shown),
    noteEarlyVotes: (guild, article) => noteEarlyVotes(needs, guild, article),
    keepAsNew: (guild, member, since) => writeSeen(store, guild, member, since),
    savedPage: (asked, view) => savedPage(asked, needs, view),
    async bookmarks(asked) {
      const { found } = await findSaved(asked, needs);
      return bookmarksFile(translate(asked.locale, 'personal.saved.title'), found);
    },
    save: (guild, member, article) => saveArticle(store, guild, member, article),
    unsave: (guild, member, article) => unsaveArticles(store, guild, member, [article]),
    async unsaveUnseen(asked, what) {
      const found = await findSaved(asked, needs);
      await unsaveArticles(store, asked.guildId, asked.user.id, found[what]);
    },
    mutedPage: (asked, page) => mutedPage(asked, needs, page),
    mute: (guild, member, muted) => mute(store, guild, member, muted),
    async unmute(guild, member, option) {
      const muted = await readMuted(store, guild, member);
      const chosen = muted.find((one) => muteOption(one) === option);
      if (chosen) await unmute(store, guild, member, chosen);
    },
  };
}
