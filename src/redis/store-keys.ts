import type { Redis } from 'ioredis';

/**
 * The schema of all data in Redis except the ranking's (see `src/ranking/keys.ts`).
 *
 * All keys of a guild share the hash tag `{guild id}`, so a script touches one slot of a cluster.
 * Below, `…` stands for `frontpage:<application id>:{<guild id>}:`.
 *
 * | key | type | holds | lifetime |
 * | --- | --- | --- | --- |
 * | `…digests` | hash | name → the settings of a digest, JSON (see `digest-settings.ts`) | until deleted |
 * | `…runs` | hash | name → the history of a digest, JSON | until the digest is deleted |
 * | `…due` | sorted set | row, `<kind>` or `<kind>:<id>`, by when it is due (ms): what the bot does by itself (see `due/due.ts`). Made again from the guild's other data | with the guild |
 * | `…lease:<row>` | hash | the lease of a row of `due`: `token`, `until` (ms) and `due` of its holder; notes of the work | swept after 9 days |
 * | `…troubles` | hash | row → what hinders it, JSON (see `due/troubles.ts`) | until it is over |
 * | `…claim:<name>:<date>` | hash | one posting: a lease, and `tried` | swept after 9 days |
 *
 * | `…complete` | string | time since which the ranking is complete (ms); without this key, the ranking is rebuilt | with the guild |
 * | `…rebuild` | hash | a rebuild that is not finished: `state` (JSON, see `rebuilds.ts`), channel → `end` or the oldest message read | until finished |
 * | `…unread` | set | channels, threads and lists of threads that a rebuild could not read | until they are read or gone |
 * | `…lease:<work>` | hash | a lease: `token` and `until` (ms) of its holder, `done`; notes of the work | swept after 9 days |
 * | `…refreshed` | string | the date of the night of the last refresh | with the guild |
 * | `…welcomed` | string | when the bot joined the guild (ms), as of the welcome that it was sent | with the guild |
 * | `…scanned` | string | time (ms) until which messages were searched for articles that were not committed | with the guild |
 * | `…looked` | string | the closed article at which the nights stopped looking for messages that are gone | until all are looked at |
 * | `…import` | hash | the guild's last import: `phase`, `state` (JSON), channel → `end`, the oldest message read, or nothing for a thread that only a message named (see `stored-imports.ts`) | until the next |
 * | `…import-made` | set | article that the last import made, so that it can be undone | until the next, or undone |
 * | `…import-votes` | sorted set | imported article by how soon the lists of who reacted are to be read | until they are |
 * | `…import-lost` | hash | report of an import whose articles Redis lost → its channel and what was asked for, JSON | until the next |
 * | `…imported` | set | article that is a member's own message; it stays after the article is gone, so that no import makes it again | with the guild |
 * | `…nominated` | sorted set | message whose link became an article because members like it, by its time (ms) | a week |
 * | `…restoring` | set | article whose restore from a file is not finished (see `records/guild-file/restore-guild.ts`) | until that restore is finished |
 *
 * | `…settings` | hash | name → value, JSON (see `settings.ts`); default values are not stored | with the guild |
 * | `…recorded` | string | those of `settings`, `digests`, `blocks` and `optedOut` that the guild has (see `lost-records.ts`) | with the guild |
 * | `…blocks` | hash | `member:<id>` or `origin:<host and path>` → the moderator, the reason and the end, JSON (see `blocks.ts`) | until lifted |
 * | `…reports` | hash | `<article>:<member>` → when (ms) and why the member reported it; `<article>:entry` → the channel and message that tell moderators, `<article>:settled` → when moderators last decided (ms), `<article>:open` → `1` until they do (see `stored-reports.ts`) | 30 days after the report |
 * | `…announced:<article>` | string | the article counts as announced: by `<channel>/<message>`, or `1` where no message is known | 9 days |
 * | `…announcing` | string | the mark at the last search for interesting articles; absent: nothing is announced | while articles are announced |
 * | `…references` | string | deleted roles and channels that settings name and that admins were told of | with the guild |
 * | `…opted-out` | set | members who opted out: their actions are not recorded, counted or named | until they come back |
 * | `…threadless` | string | the last article, if Discord's limit of active threads left it without its thread | until an article gets one |
 * | `…personal:<member>` | hash | what a member keeps for themself: `seen` → the newest article when they last looked, `saved` → articles, `unjudged` → articles that they were shown because they need a vote, `early` → those of them on which they voted, `muted` → `site:<host>`, `poster:<member>`, `word:<word>`; the newest first, each on a line, an article's id in base 36 (see `personal/stored-personal.ts`) | swept a year after the last look |
 * | `…unnamed` | set | members whom the web page does not name | until they want to be named |
 * | `…erased` | hash | member → the time of the erasure of their data (ms): older data of theirs in Discord or a file is ignored | with the guild |
 * | `…erasing` | hash | erased article → channel: its message is to be deleted; `member:<member>` → when the erasure of their data was begun (ms), which has not ended | until it is |
 * | `…refused` | hash | `<purpose> <channel>` → the bot's permissions, for how long and until when, JSON: Discord answered 403 (see `refused-channels.ts`) | two days |
 * | `…edition-list` | sorted set | `<name>:<date>` of each edition of a digest, by when its window ended (ms) | with the guild |
 * | `…editions:<name>` | hash | date → what an edition of a digest showed, JSON (see `editions/stored-editions.ts`) | with the guild |
 * | `…board` | hash | the message that always shows the best: `choice` and `state`, JSON (see `board/stored-board.ts`) | until it is taken down |
 * | `…web` | hash | `open`: the guild has a public page; `secret`: stands in the addresses of its feeds; `invite`: an invite that it shows; `about`: its sentence; `names`: it names posters | until it is switched off |
 * | `…newsletter` | string | the draft of a newsletter that was made last: its edition, its introduction, its order, and the secret that stands in its address, JSON (see `web/newsletter-draft.ts`) | a day, until the next draft, or until the page is closed |
 *
 * These keys belong to no guild, so a script with guild keys may not use them:
 *
 * | key | type | holds | lifetime |
 * | --- | --- | --- | --- |
 * | `frontpage:<application id>:data-set` | hash | `id` of this data, drawn once; `seen`, when a process last looked (ms); `process:<drawn>`, when each did: how another data set is noticed, and another process (see `guilds/data-set.ts`) | |
 * | `frontpage:<application id>:due` | sorted set | nothing any more: what was due in all guilds, by earlier versions | until the next start |
 * | `frontpage:<application id>:deployed` | string | hash of the commands that were deployed last | |
 * | `frontpage:<application id>:guilds` | set | the guilds that the bot is in, to notice which removed it while it was away; derived | |
 * | `frontpage:<application id>:leaving` | sorted set | guild by when it removed the bot (ms) | until its data is deleted or it is back |
 * | `frontpage:<application id>:probe` | string | written by `/readyz`, to see that Redis takes writes | 1 s |
 * | `frontpage:<application id>:schema` | string | the version of all that is stored (see `schema-version.ts`) | |
 * | `frontpage:<application id>:lease:<work>` | hash | a lease, as in a guild: `identify:<bucket>` | swept after 9 days |
 * | `frontpage:started` | string | empty: in all data of a private server, so that lost data is noticed (see `private-server/launch.ts`) | |
 */
type StoreKeys = Record<keyof typeof storeKeyTypes, string> & {
  claim(digest: string, date: string): string;
  editions(digest: string): string;
  lease(work: string): string;
  announced(article: string): string;
  personal(member: string): string;
};

/** The keys without an id in their names, and their types, as in the table above. */
export const storeKeyTypes = {
  due: 'zset',
  troubles: 'hash',
  digests: 'hash',
  runs: 'hash',
  complete: 'string',
  rebuild: 'hash',
  unread: 'set',
  refreshed: 'string',
  welcomed: 'string',
  scanned: 'string',
  looked: 'string',
  import: 'hash',
  imported: 'set',
  importMade: 'set',
  importVotes: 'zset',
  importLost: 'hash',
  nominated: 'zset',
  restoring: 'set',
  web: 'hash',
  newsletter: 'string',
  board: 'hash',
  editionList: 'zset',
  optedOut: 'set',
  unnamed: 'set',
  erased: 'hash',
  erasing: 'hash',
  refused: 'hash',
  threadless: 'string',
  settings: 'hash',
  recorded: 'string',
  references: 'string',
  blocks: 'hash',
  reports: 'hash',
  announcing: 'string',
} as const;

/** Spells keys by their names, with dashes: `spellKeys(types)(tag).optedOut` is `<tag>opted-out`. */
export function spellKeys<Name extends string>(types: Record<Name, string>) {
  const endings = (Object.keys(types) as Name[]).map(
    (name) => [name, name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)] as const,
  );
  return (tag: string): Record<Name, string> => {
    const keys = {} as Record<Name, string>;
    for (const [name, end] of endings) keys[name] = tag + end;
    return keys;
  };
}

/** The names of those keys whose type in Redis is not the one that they should have. */
export async function findWrongTypes<Name extends string>(
  redis: Redis,
  keys: NoInfer<Record<Name, string>>,
  types: Record<Name, string>,
): Promise<Name[]> {
  const names = Object.keys(types) as Name[];
  const found = await Promise.all(names.map((name) => redis.type(keys[name])));
  return names.filter((name, i) => found[i] !== 'none' && found[i] !== types[name]);
}

const spellStoreKeys = spellKeys(storeKeyTypes);

export function storeKeys({ applicationId }: { applicationId: string }, guild: string): StoreKeys {
  const tag = guildTag(applicationId, guild);
  return {
    ...spellStoreKeys(tag),
    claim: (digest, date) => `${tag}claim:${digest}:${date}`,
    editions: (digest) => `${tag}editions:${digest}`,
    lease: (work) => `${tag}lease:${work}`,
    announced: (article) => `${tag}announced:${article}`,
    personal: (member) => `${tag}personal:${member}`,
  };
}

/** The prefix of all keys of a guild. */
export function guildTag(applicationId: string, guild: string): string {
  return `frontpage:${applicationId}:{${guild}}:`;
}

/** Keys that belong to no guild, and their types, as in the table above. */
const sharedKeyTypes = {
  dataSet: 'hash',
  due: 'zset',
  deployed: 'string',
  guilds: 'set',
  leaving: 'zset',
  probe: 'string',
  schema: 'string',
} as const;

const spellSharedKeys = spellKeys(sharedKeyTypes);

export function sharedKeys({ applicationId }: { applicationId: string }) {
  return spellSharedKeys(`frontpage:${applicationId}:`);
}

/** The lease of some work that belongs to no guild. */
export function sharedLeaseKey(applicationId: string, work: string): string {
  return `frontpage:${applicationId}:lease:${work}`;
}
