/**
 * What Redis keeps besides the ranking (whose schema is `src/voting/keys.ts`).
 *
 * All keys of a guild share the hash tag `{guild id}`, so a script touches one slot of a cluster.
 * Below, `…` stands for `frontpage:<application id>:{<guild id>}:`.
 *
 * | key | type | holds | lifetime |
 * | --- | --- | --- | --- |
 * | `…editions` | hash | name → the settings of a digest, JSON (see `edition.ts`) | until deleted |
 * | `…runs` | hash | name → what happened to it so far, JSON; outlives the settings, so that a digest made anew is not posted twice a day | with the guild |
 * | `…claim:<name>:<date>` | hash | one posting: `token` and `until` (ms) of who is at it, `claims`, `plan`, `tried`, `done` | swept after a week |
 *
 * Without a guild, and so never in a script with guild keys:
 *
 * | key | type | holds | lifetime |
 * | --- | --- | --- | --- |
 * | `frontpage:<application id>:due` | sorted set | `<guild id>:<name>` by when to look at it next (ms); derived, rebuilt from the guilds' data | |
 * | `frontpage:<application id>:deployed` | string | hash of the commands that were deployed last | |
 */
export type StoreKeys = {
  editions: string;
  runs: string;
  claim(edition: string, date: string): string;
};

export function storeKeys(applicationId: string, guild: string): StoreKeys {
  const tag = `frontpage:${applicationId}:{${guild}}:`;
  return {
    editions: `${tag}editions`,
    runs: `${tag}runs`,
    claim: (edition, date) => `${tag}claim:${edition}:${date}`,
  };
}

export function dueKey(applicationId: string): string {
  return `frontpage:${applicationId}:due`;
}

export function deployedKey(applicationId: string): string {
  return `frontpage:${applicationId}:deployed`;
}
