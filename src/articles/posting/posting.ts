import type { GuildMember, NonThreadGuildBasedChannel } from 'discord.js';
import type { Snowflake } from '../../ranking/snowflake.ts';
import type { ArticleMessage } from '../message.ts';

/** A link that a member wants posted as an article. */
export type Posting = {
  /** The interaction. */
  by: Snowflake;
  poster: GuildMember;
  home: NonThreadGuildBasedChannel;
  /** The home group itself or a thread of it. */
  channel: Snowflake;
  link: { href: string; canonical: string };
  title: string;
  comment?: string;
  /** Besides the home group. A hidden article is in no other. */
  groups?: readonly Snowflake[];
  /** The article answers a member's own message with the link, which shows the preview. */
  beside?: boolean;
  /**
   * Sends the article's message and returns its id. Throws `NotSent` when there is certainly no
   * message; any other failure leaves that open.
   */
  send(message: ArticleMessage): Promise<Snowflake>;
};
