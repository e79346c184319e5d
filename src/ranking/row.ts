import { parseUrl } from '../runtime/url.ts';
import { type Scale, scoreOf, VOTING_OPEN_MS } from './rules.ts';
import { parseSigns, signsText, type VoteSigns } from './vote-signs.ts';
import { secondsOf, type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';

export type Vote = 'up' | 'down' | 'none';
export type Direction = 'up' | 'down';

/** An article as readers see it. */
export type Article = {
  id: Snowflake;
  title: string;
  link: string;
  /** The poster's comment, of one or more lines. */
  comment?: string;
  poster: Snowflake;
  /** The channel of its message: the home group, or a thread of it. */
  channel: Snowflake;
  home: Snowflake;
  /** All groups, the home group first. */
  groups: Snowflake[];
  postedAtMs: number;
  closesAtMs: number;
  /** Up votes, the poster's own included. */
  up: number;
  down: number;
  /** Post time in whole seconds + weight × min(up − down, 2 × mark). */
  score: number;
  /** At least as many up votes as the guild's mark; of a closed article, as the mark at its closing. */
  interesting: boolean;
  /** A moderator stopped the voting; existing votes stay. */
  locked: boolean;
  /** The votes are frozen and the voters deleted. Voting ends at `closesAtMs` even if this is still false. */
  closed: boolean;
  /** @everyone may view the home channel, so the article stands in the guild's lists. */
  listed: boolean;
  /** What members vote with; absent: 👍 and 👎. It keeps what it was posted with. */
  signs?: VoteSigns;
};

/** The data of a row. A removal needs `linkHash` to find the index entry. */
export type Row = Pick<
  Article,
  'up' | 'down' | 'poster' | 'channel' | 'groups' | 'closed' | 'locked' | 'listed'
> & {
  linkHash: string;
  /** It was interesting when it closed. */
  starred: boolean;
};

/** Listed or hidden, as a row and the scripts spell it. */
export function listingOf(listed: boolean): 'l' | 'h' {
  return listed ? 'l' : 'h';
}

/**
 * The row of an article that is posted, in the same format as in `row.include.lua`. If the message is in a thread, the
 * row ends with the thread. Without `starred`, the script that posts a closed article decides it by the mark.
 */
export function encodeRow(
  row: Omit<Row, 'starred' | 'locked'> & { id: Snowflake; starred: boolean | undefined },
): string {
  const { id, up, down, groups, poster, linkHash, channel, starred } = row;
  const closed = starred === undefined ? 'd' : starred ? 's' : 'c';
  const voting = row.closed ? closed : 'o';
  const state = voting + listingOf(row.listed);
  const thread = channel === groups[0] ? '' : ` ${channel}`;
  return `${up} ${down} ${secondsOf(id)} ${state} ${groups.join(',')} ${poster} ${linkHash}${thread}`;
}

/** Reads an article's row; null if it is malformed, or another article's. */
export function decodeRow(id: Snowflake, text: string): Row | null {
  const found =
    /^(\d{1,9}) (\d{1,9}) (\d+) ([ocks])([lh]) (\d+(?:,\d+)*) (\d+) ([\w-]{16})(?: (\d+))?$/.exec(
      text,
    );
  if (!found || Number(found[3]) !== secondsOf(id)) return null;
  const [, up, down, , state, listed, groups = '', poster = '', linkHash = '', thread] = found;
  return {
    up: Number(up),
    down: Number(down),
    closed: state === 'c' || state === 's',
    starred: state === 's',
    locked: state === 'k',
    listed: listed === 'l',
    groups: groups.split(','),
    poster,
    linkHash,
    channel: thread ?? groups.split(',', 1)[0]!,
  };
}

type Words = Pick<Article, 'link' | 'title' | 'comment' | 'signs'>;

/** The text of an article. A link must contain no white space; line feeds in a title become spaces. */
export function encodeText({ link, title, comment, signs }: Words): string {
  const head = signs ? `${link} ${signsText(signs)}` : link;
  return `${head}\n${asOneLine(title)}${comment ? `\n${comment}` : ''}`;
}

export function asOneLine(text: string): string {
  return text.replace(/[\n\r]+/g, ' ');
}

function decodeText(text: string): Words | null {
  const endOfLink = text.indexOf('\n');
  if (endOfLink < 0) return null;
  const endOfTitle = text.indexOf('\n', endOfLink + 1);
  const first = text.slice(0, endOfLink);
  const space = first.indexOf(' ');
  const link = space < 0 ? first : first.slice(0, space);
  const signs = space < 0 ? null : parseSigns(first.slice(space + 1));
  if (parseUrl(link) === null) return null;
  const head = { link, ...(signs ? { signs } : {}) };
  if (endOfTitle < 0) return { ...head, title: text.slice(endOfLink + 1) };
  return {
    ...head,
    title: text.slice(endOfLink + 1, endOfTitle),
    comment: text.slice(endOfTitle + 1),
  };
}

/** Reads an article from its row and its text. Null if one of them is missing or malformed. */
export function decodeArticle(
  id: Snowflake,
  row: string | null | undefined,
  text: string | null | undefined,
  scale: Scale,
): Article | null {
  const decoded = decodeRow(id, row ?? '');
  const words = decodeText(text ?? '');
  if (!decoded || !words) return null;
  const { linkHash: _, starred, ...state } = decoded;
  const { up, closed } = state;
  const postedAtMs = snowflakeTimeMs(id);
  return {
    id,
    ...words,
    ...state,
    home: state.groups[0]!,
    postedAtMs,
    closesAtMs: postedAtMs + VOTING_OPEN_MS,
    score: scoreOf(state, Math.floor(postedAtMs / 1000), scale),
    interesting: closed ? starred : up >= scale.mark,
  };
}
