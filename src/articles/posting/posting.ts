import type { GuildMember, NonThreadGuildBasedChannel } from 'discord.js';
import type { App } from '../../app.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import type { ArticleMessage } from '../messages/message.ts';

export type PostingParts = Pick<
  App,
  | 'client'
  | 'self'
  | 'ranking'
  | 'store'
  | 'rules'
  | 'clock'
  | 'log'
  | 'ownMessages'
  | 'ownReactions'
  | 'pendingPosts'
  | 'repairs'
>;

/** A link that a member wants posted as an article. */
export type Posting = {
  /** The id of the interaction, or of the message with a pasted link. */
  by: Snowflake;
  poster: GuildMember;
  home: NonThreadGuildBasedChannel;
  /** The home group itself or a thread of it. */
  channel: Snowflake;
  link: { href: string; canonical: string };
  title: string;
  comment?: string;
  /** The groups besides the home group. A hidden article has none. */
  groups?: readonly Snowflake[];
  /** The article answers a member's own message with the link, which shows the preview. */
  beside?: boolean;
  /**
   * Sends the article's message and returns its id. Throws `NotSent` if there is certainly no message.
   * After any other error, the message may exist.
   */
  sendArticleMessage(message: ArticleMessage): Promise<Snowflake>;
};
