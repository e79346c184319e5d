import { VOTING_OPEN_MS, weightOf } from './rules.ts';
import { type Snowflake, snowflakeTimeMs } from './snowflake.ts';

export type Vote = 'up' | 'down' | 'none';
export type Direction = 'up' | 'down';

/** An article as readers see it. */
export type Article = {
  id: Snowflake;
  title: string;
  link: string;
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

/** What a row says that does not change with a vote. */
export type RowText = Pick<
  Article,
  'title' | 'link' | 'poster' | 'channel' | 'groups' | 'closed' | 'listed'
> & {
  /** Of the canonical link, so that a removal finds its entry in the index. */
  digest: string;
};

/** The part of a row behind the tally. Links hold no white space, and the title comes last. */
export function encodeRowText(row: RowText): string {
  const state = (row.closed ? 'c' : 'o') + (row.listed ? 'l' : 'h');
  // Most messages are in the home group itself, so only a thread is written.
  const thread = row.channel === row.groups[0] ? '' : ` ${row.channel}`;
  return `${state}${row.groups.join(',')} ${row.poster} ${row.digest}${thread}\n${row.link}\n${row.title}`;
}

const TALLY_BYTES = 8;

/** Reads a row of the articles' hash. Throws on a row that no version of Frontpage has written. */
export function decodeRow(id: Snowflake, row: Buffer, mark: number): Article {
  const text = row.toString('utf8', TALLY_BYTES);
  const space = text.indexOf(' ');
  const endOfPoster = text.indexOf(' ', space + 1);
  const endOfDigest = text.indexOf('\n', endOfPoster);
  const endOfLink = text.indexOf('\n', endOfDigest + 1);
  if (space < 3 || endOfPoster < 0 || endOfDigest < 0 || endOfLink < 0)
    throw new Error(`article ${id}: broken row`);
  const groups = text.slice(2, space).split(',');
  const home = groups[0]!;
  const thread = text.slice(endOfPoster + 1, endOfDigest).split(' ')[1];
  const postedAtMs = snowflakeTimeMs(id);
  const up = row.readUInt32BE(0);
  const down = row.readUInt32BE(4);
  return {
    id,
    title: text.slice(endOfLink + 1),
    link: text.slice(endOfDigest + 1, endOfLink),
    poster: text.slice(space + 1, endOfPoster),
    channel: thread ?? home,
    home,
    groups,
    postedAtMs,
    closesAtMs: postedAtMs + VOTING_OPEN_MS,
    up,
    down,
    score: Math.floor(postedAtMs / 1000) + weightOf(mark) * (up - down),
    interesting: up >= mark,
    locked: text.startsWith('k'),
    closed: text.startsWith('c'),
    listed: text[1] === 'l',
  };
}
