import type { Redis } from 'ioredis';
import { guildTag, spellKeys, storeKeys } from '../redis/store-keys.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/** Where an application's ranking is. */
export type RankingStore = {
  redis: Redis;
  /** The application that owns the keys. */
  applicationId: Snowflake;
};

/**
 * The schema of the ranking: every key that `src/ranking` keeps in Redis.
 *
 * All keys of a guild share the hash tag `{guild id}`, so a script touches one slot of a cluster.
 * Below, `…` stands for `frontpage:<application id>:{<guild id>}:`.
 *
 * | key | type | holds | lifetime |
 * | --- | --- | --- | --- |
 * | `…articles` | hash | article id → row; `mark` → the interesting mark, in up votes, absent until the guild is first seen: 200; `span` → days that as many net votes as the mark are worth, one of `SPANS`, absent until the first night: 1; a vote weighs span ÷ mark; `limit` → `none` where all votes count, else they count up to two marks; `scored` → version of the score that all articles have, see `SCORE_VERSION`; `version` → how often changes were published | with the guild |
 * | `…texts` | hash | article id → link, and if members vote with other signs than 👍 and 👎 a space and these (`vote-signs.ts`), line feed, title; if there is a comment, line feed, the poster's comment | with the article |
 * | `…previews` | hash | article id → address of the picture, line feed, description, and after another line feed the address of Discord's own copy of the picture, from Discord's preview of the link; each may be empty | with the article |
 * | `…replies` | hash | article id → messages in its discussion, counted by Discord | with the article |
 * | `…outcomes` | hash | what became of articles, see `outcomes.ts`: article id → the best place at which a reader saw it; `<article>:led` → the editions that it led, `<name>:<date>`, separated by spaces; `<article>:first` → since when it was first for a day (ms); `<article>:told` → what its thread was told; `<article>:led-on` → its thread began with the bot's line; `first` → the article that is first, a space, since when (ms) | with the article |
 * | `…subjects` | hash | article id → the words that say what it is about, and the site and sections of its link, separated by spaces; empty where nothing does; `rules` → by which version of the rules all articles have theirs (see `subjects/`) | with the article |
 * | `…subject-words` | hash | one of those words → the articles that have it, separated by spaces: of a common word the 41 that came last | with the articles |
 * | `…score` | sorted set | article id by score: the listed articles | with the guild |
 * | `…time` | sorted set | article id by post time in seconds: the listed articles | with the guild |
 * | `…score:<channel>` `…time:<channel>` | sorted set | the same for a group | with the group's last article |
 * | `…votes` `…votes:<channel>` | sorted set | closed article id by net votes: the best 1 000 | with the guild |
 * | `…interesting` | sorted set | article id by post time: listed, up votes at or over the mark | with the guild |
 * | `…open` | set | article id: voting not yet closed, listed or not; an intset | until closing |
 * | `…voters:<article>` | set | member id (up) or minus member id (down), without the poster; an intset | until closing; swept after 5 weeks |
 * | `…older:<article>` | set | member id: the reaction opposite to the vote is shown as well | until closing; swept after 5 weeks |
 * | `…removed` | hash | article → time of removal (ms), a space, its row, a line feed, its text: removed by a moderator or the poster | 90 days, or until undone |
 * | `…links` | hash | link hash → article id | with the article |
 * | `…link-rules` | string | version of the rules by which all links are indexed | with the guild |
 * | `…rescoring` | string | the scale, while not all articles have their scores by them | until it is finished |
 * | `…channel-scales` | hash | channel → `<mark> <span>`, by which its own list is ordered when it is read: only channels that post clearly less than the guild | until the night in which they do not |
 * | `…postings` | hash | link hash → `<interaction> <reserved at, ms>` | until committed or released; a day after the last |
 *
 * A row is `<up> <down> <seconds> <state><listed> <groups> <poster> <link hash>`, such as
 * `12 3 1772366400 ol 300000000000000001 200000000000000001 q83vEiNFZ4mrze8B`: up votes with the
 * poster's own, down votes, the post time, `o`pen, loc`k`ed, `c`losed, or closed while `s`tarred,
 * `l`isted or `h`idden, the groups separated by commas with the home group first, the poster, and
 * the link hash. If the message is in a thread, a space and the thread follow. A row holds the data that a
 * vote needs; data that only readers need is in `…texts`. The link hash is the first 96 bits of the SHA-256
 * of the link's name, in base64url.
 *
 * An article is listed if @everyone may view its home channel without a step in between: it is neither
 * age-restricted nor a spoiler channel.
 * A hidden article is only in the rankings of its home group.
 */
export type GuildKeys = Record<keyof typeof guildKeyTypes, string> & {
  /** The rankings that can contain an article. */
  rankings: readonly string[];
  /** Those that scripts get, in the order of `guild-keys.include.lua`. */
  ofScripts: readonly string[];
  /** A ranking of a group, which has none of interesting articles. */
  ofGroup(ranking: RankingName, group: Snowflake): string;
  voters(article: Snowflake): string;
  older(article: Snowflake): string;
};

export type RankingName = 'score' | 'time' | 'votes' | 'interesting';

/** The keys without an id in their names, and their types, as in the table above. */
export const guildKeyTypes = {
  articles: 'hash',
  texts: 'hash',
  previews: 'hash',
  replies: 'hash',
  outcomes: 'hash',
  subjects: 'hash',
  subjectWords: 'hash',
  score: 'zset',
  time: 'zset',
  votes: 'zset',
  interesting: 'zset',
  open: 'set',
  removed: 'hash',
  links: 'hash',
  linkRules: 'string',
  postings: 'hash',
  rescoring: 'string',
  channelScales: 'hash',
} as const;

/** A cache: building the keys costs more than the rest of a vote's work in this process. */
const spelled = new Map<Snowflake, { applicationId: Snowflake; keys: GuildKeys }>();
const SPELLED_AT_MOST = 10_000;

export function guildKeys(
  { applicationId }: Pick<RankingStore, 'applicationId'>,
  guild: Snowflake,
): GuildKeys {
  const known = spelled.get(guild);
  // A process serves one application.
  if (known?.applicationId === applicationId) return known.keys;
  if (spelled.size >= SPELLED_AT_MOST) spelled.clear();
  const { due, troubles } = storeKeys({ applicationId }, guild);
  const keys = spell(guildTag(applicationId, guild), [due, troubles]);
  spelled.set(guild, { applicationId, keys });
  return keys;
}

/**
 * The channel on which changes are published. A message is `<guild> <version>`, or `<guild> due <ms> <sender>`: a
 * process planned a row.
 */
export function changesChannel(applicationId: Snowflake): string {
  return `frontpage:${applicationId}:changes`;
}

const spellGuildKeys = spellKeys(guildKeyTypes);

function spell(tag: string, ofDue: readonly string[]): GuildKeys {
  const keys = spellGuildKeys(tag);
  const { articles, texts, previews, replies, outcomes, removed, links, postings, open } = keys;
  const ofSubjects = [keys.subjects, keys.subjectWords];
  const rankings = [keys.interesting, keys.score, keys.time, keys.votes];
  const rows = [articles, texts, previews, replies, outcomes, removed, links, postings, open];
  const voters = `${tag}voters:`;
  const older = `${tag}older:`;
  return {
    ...keys,
    rankings,
    ofScripts: [...rows, ...rankings, voters, older, ...ofDue, ...ofSubjects],
    ofGroup: (ranking, group) => `${keys[ranking]}:${group}`,
    voters: (article) => voters + article,
    older: (article) => older + article,
  };
}
