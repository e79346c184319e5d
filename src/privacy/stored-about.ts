import { memberSubject } from '../community/block-subject.ts';
import { readBlock, readBlocks } from '../community/blocks.ts';
import { erasedAtMs } from '../community/erasures.ts';
import { isOptedOut } from '../community/opted-out.ts';
import { reportsBy } from '../community/stored-reports.ts';
import { isUnnamed } from '../community/unnamed.ts';
import { readImport } from '../history/import/stored-imports.ts';
import { exportOf, readPersonal } from '../personal/stored-personal.ts';
import { postsOf, votesOf } from '../ranking/ballots/of-member.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

export interface StoredAboutNeeds {
  /** Articles and votes. */
  ranking: Ranking;
  /** Everything else. */
  store: Store;
  /** The names of the digests, and whether the board, that the member set up: rooms beside and above keep them. */
  setUpBy: (guild: Snowflake, member: Snowflake) => Promise<readonly string[]>;
}

type Read = (needs: StoredAboutNeeds, guild: Snowflake, member: Snowflake) => Promise<unknown>;

/**
 * What is stored about a member in a guild, kind by kind, as it stands in their own copy; undefined: nothing.
 * The page of `/me data` and docs/PRIVACY.md have a line for each kind.
 */
const storedAbout = {
  async posts({ ranking }, guild, member) {
    const posts = await postsOf(ranking, guild, member);
    if (posts.length === 0) return undefined;
    return posts.map(
      ({ id, title, link, comment, channel, groups, postedAtMs, up, down, closed }) => ({
        id,
        title,
        link,
        comment: comment || undefined,
        channel,
        groups,
        posted: timeText(postedAtMs),
        up,
        down,
        closed,
      }),
    );
  },
  async votes({ ranking }, guild, member) {
    const votes = await votesOf(ranking, guild, member);
    if (votes.length === 0) return undefined;
    return votes.map(({ article, vote }) => ({ article: article.id, vote }));
  },
  async personal({ store }, guild, member) {
    return exportOf(await readPersonal(store, guild, member));
  },
  async reports({ store }, guild, member) {
    const reports = await reportsBy(store, guild, member);
    if (reports.length === 0) return undefined;
    return reports.map(({ article, reason, atMs }) => ({ article, reason, at: timeText(atMs) }));
  },
  async block({ store }, guild, member) {
    const block = await readBlock(store, guild, memberSubject(member));
    if (!block) return undefined;
    const { posting, voting, reason, sinceMs, untilMs } = block;
    const until = untilMs === null ? undefined : timeText(untilMs);
    return { posting, voting, reason, since: timeText(sinceMs), until };
  },
  async optedOut({ store }, guild, member) {
    return (await isOptedOut(store, guild, member)) || undefined;
  },
  async unnamedOnTheWeb({ store }, guild, member) {
    return (await isUnnamed(store, guild, member)) || undefined;
  },
  async erased({ store }, guild, member) {
    const atMs = await erasedAtMs(store, guild, member);
    return atMs === null ? undefined : timeText(atMs);
  },
  async managed({ store, setUpBy }, guild, member) {
    const [blocks, lastImport, setUp] = await Promise.all([
      readBlocks(store, guild),
      readImport(store, guild),
      setUpBy(guild, member),
    ]);
    const blocked = [...blocks].flatMap(([subject, { by }]) => (by === member ? [subject] : []));
    const hasImported = lastImport?.by === member;
    if (blocked.length + setUp.length === 0 && !hasImported) return undefined;
    return { setUp, blocked, lastImport: hasImported || undefined };
  },
} satisfies Record<string, Read>;

export type StoredKind = keyof typeof storedAbout;
export const storedKinds = Object.keys(storedAbout) as StoredKind[];

/** All that is stored about a member in a guild; null: nothing. */
export async function readStoredAbout(
  needs: StoredAboutNeeds,
  guild: Snowflake,
  member: Snowflake,
): Promise<Partial<Record<StoredKind, unknown>> | null> {
  const read = storedKinds.map(
    async (kind) => [kind, await storedAbout[kind](needs, guild, member)] as const,
  );
  const found = (await Promise.all(read)).filter(([, value]) => value !== undefined);
  return found.length === 0 ? null : Object.fromEntries(found);
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
