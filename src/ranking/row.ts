import { VOTING_OPEN_MS, weightOf } from './rules.ts';
import { type Snowflake, snowflakeTimeMs } from './snowflake.ts';

export type Vote = 'up' | 'down' | 'none';
export type Direction = 'up' | 'down';

/** An article as readers see it. */
export type Article = {
  id: Snowflake;
  title: string;
  link: string;
  /** What the poster says about it, in lines; absent where nothing. */
  comment?: string;
  poster: Snowflake;
  /** Where its message is: the home group, or a thread of it. */
  channel: Snowflake;
  home: Snowflake;
  /** All groups, the home group first. */
  groups: Snowflake[];
  postedAtMs: number;
  closesAtMs: number;
  /** Up votes, the poster's own included. */
  up: number;
  down: number;
  /** Post time in whole seconds + weight × (up − down). */
  score: number;
  /** At least as many up votes as the guild's interesting mark. */
  interesting: boolean;
  /** A moderator stopped the voting; what was voted stays. */
  locked: boolean;
  /** The votes are frozen and the voters deleted. Voting itself ends at `closesAtMs`, whatever this says. */
  closed: boolean;
  /** @everyone may view the home channel, so the article stands in the guild's lists. */
  listed: boolean;
};

/** What the head of a row says behind its tally. */
export type RowState = Pick<Article, 'poster' | 'channel' | 'groups' | 'closed' | 'listed'>;

/**
 * The head of a row behind the tally. `digest` is the canonical link's, so that a removal finds its
 * entry in the index. Of a message in a thread the head names the thread at the end.
 */
export function encodeRowState(row: RowState, digest: string): string {
  const state = (row.closed ? 'c' : 'o') + (row.listed ? 'l' : 'h');
  const thread = row.channel === row.groups[0] ? '' : ` ${row.channel}`;
  return `${state}${row.groups.join(',')} ${row.poster} ${digest}${thread}`;
}

/** What members read of an article. Links hold no white space, titles no line feed. */
export function encodeText({
  link,
  title,
  comment,
}: Pick<Article, 'link' | 'title' | 'comment'>): string {
  return `${link}\n${title}${comment ? `\n${comment}` : ''}`;
}

function decodeText(text: string): Pick<Article, 'link' | 'title' | 'comment'> | null {
  const endOfLink = text.indexOf('\n');
  if (endOfLink < 0) return null;
  const endOfTitle = text.indexOf('\n', endOfLink + 1);
  const link = text.slice(0, endOfLink);
  if (endOfTitle < 0) return { link, title: text.slice(endOfLink + 1) };
  return {
    link,
    title: text.slice(endOfLink + 1, endOfTitle),
    comment: text.slice(endOfTitle + 1),
  };
}

/** Of up and down, in front of a row's characters. */
export const TALLY_BYTES = 8;
const LINE_FEED = 10;

/** Reads an article from its row and its text. Throws on what no version of Frontpage has written. */
export function decodeArticle(id: Snowflake, row: Buffer, text: Buffer, mark: number): Article {
  // Behind the head stand the first voters of an open article.
  const endOfHead = row.indexOf(LINE_FEED, TALLY_BYTES);
  const state = row.toString('latin1', TALLY_BYTES, endOfHead < 0 ? row.length : endOfHead);
  const endOfGroups = state.indexOf(' ');
  const endOfPoster = state.indexOf(' ', endOfGroups + 1);
  const endOfDigest = state.indexOf(' ', endOfPoster + 1);
  const words = decodeText(text.toString());
  if (endOfGroups < 3 || endOfPoster < 0 || !words) {
    throw new Error(`article ${id}: broken row`);
  }
  const groups = state.slice(2, endOfGroups).split(',');
  const home = groups[0]!;
  const postedAtMs = snowflakeTimeMs(id);
  const up = row.readUInt32BE(0);
  const down = row.readUInt32BE(4);
  return {
    id,
    ...words,
    poster: state.slice(endOfGroups + 1, endOfPoster),
    channel: endOfDigest < 0 ? home : state.slice(endOfDigest + 1),
    home,
    groups,
    postedAtMs,
    closesAtMs: postedAtMs + VOTING_OPEN_MS,
    up,
    down,
    score: Math.floor(postedAtMs / 1000) + weightOf(mark) * (up - down),
    interesting: up >= mark,
    locked: state.startsWith('k'),
    closed: state.startsWith('c'),
    listed: state[1] === 'l',
  };
}
