import type { Client, GuildMember } from 'discord.js';
import { standingBy } from '../community/may-stand.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import { isPublic, mayView } from '../discord/access/visibility.ts';
import type { Due } from '../due/due.ts';
import type { Article } from '../ranking/articles/articles.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { earlierKind } from './earlier-kind.ts';
import { earlierLine } from './earlier-line.ts';
import { earlierThan, subjectsOf } from './find-earlier.ts';

export interface EarlierNeeds {
  /** Who may view which channel, and which threads are open. */
  client: Client;
  /** The articles, and the index of what they are about. */
  ranking: Ranking;
  /** What the guild blocks. */
  rules: GuildRules;
  /** The line tells of months by its time. */
  clock: Clock;
  /** Has articles indexed, and threads told. */
  due: Due;
}

/** What a guild had on the subject of an article before it. */
export interface Earlier {
  /**
   * A line for a member: of what they may view, and `accept` allows; empty where there is nothing. `locale`: the
   * member's language.
   */
  lineFor(
    member: GuildMember,
    article: Article,
    of: { locale: string; accept: (article: Article) => boolean },
  ): Promise<string>;
  /** Whether there is something that all who read in an article's thread may view. */
  hasInThread(guild: Snowflake, article: Article): Promise<boolean>;
}

/** Opens it, and keeps the index of subjects equal to the articles. */
export function openEarlier(needs: EarlierNeeds): Earlier {
  const { client, ranking, rules, clock, due } = needs;
  due.handle(earlierKind({ ...needs, subjects: subjectsOf(ranking) }));

  /** Of those that may stand here. */
  async function find(guild: Snowflake, article: Article, accept: (article: Article) => boolean) {
    const { blocks } = await rules.read(guild);
    const standing = standingBy(blocks, clock.now());
    return earlierThan(ranking, guild, article, (one) => standing.article(one) && accept(one));
  }

  return {
    async lineFor(member, article, { locale, accept }) {
      const guild = member.guild.id;
      const found = await find(guild, article, (one) => accept(one) && mayView(member, one.home));
      return earlierLine(found, { guild, locale, now: clock.now() });
    },
    async hasInThread(guild, article) {
      const of = client.guilds.cache.get(guild);
      if (of === undefined) return false;
      const isOpen = (channel: Snowflake) => isPublic(of.channels.cache.get(channel));
      // Whoever reads in a channel that anybody may view need not be among those who see the lists.
      const isForAll = (one: Article) => one.listed && (isOpen(one.home) || !isOpen(article.home));
      const found = await find(guild, article, (one) => one.home === article.home || isForAll(one));
      return found.length > 0;
    },
  };
}
