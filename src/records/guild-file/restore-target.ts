import { readMark } from '../../ranking/articles/mark.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import type { Store } from '../../redis/store.ts';
import { readAuditLog } from '../audit-log.ts';
import { readDigests, RUNS_AT_MOST } from '../digests/digests.ts';
import { readRebuildStates } from '../history/rebuilds.ts';
import type { Header } from './format.ts';

/** `kept`: it was the same already, or the stored value is newer; `left`: the line is not taken. */
export type LineFate = 'put' | 'kept' | 'left';

/** The most entries of each kind that a restore fills a guild up to. Members can still add themselves. */
const AT_MOST = { optedOut: 100_000, erased: 100_000, erasing: 100_000, runs: RUNS_AT_MOST };

/** The guild into which a file is restored, with what was there before. */
export type RestoreTarget = Awaited<ReturnType<typeof openTarget>>;

/** Without `write` nothing is written. */
export async function openTarget(
  { ranking, store }: { ranking: Ranking; store: Store },
  { header, now, write }: { header: Header; now: number; write: boolean },
) {
  const { guild, application, madeAt } = header;
  const keys = storeKeys(store, guild);
  const [rebuild] = await readRebuildStates(store, [guild]);
  const entries = await readAuditLog(store, guild);
  const digests = await readDigests(store, guild);
  return {
    ranking,
    store,
    guild,
    keys,
    now,
    write,
    madeAtMs: Date.parse(madeAt),
    /** Articles of another application are members' messages for this one. */
    isForeign: application !== store.applicationId,
    isComplete: rebuild?.complete === true,
    mark: await readMark(ranking, guild),
    /** The entries of the audit log, as JSON. */
    entries: new Set(entries.map((entry) => JSON.stringify(entry))),
    /** When each digest was saved last. */
    digests: new Map(digests.map(({ name, digest }) => [name, digest.savedAtMs])),
    sizes: {
      optedOut: await store.redis.scard(keys.optedOut),
      erased: await store.redis.hlen(keys.erased),
      erasing: await store.redis.hlen(keys.erasing),
      runs: await store.redis.hlen(keys.runs),
    },
    /** The members with votes, once an opt-out needs them: many opt out, and few of them voted. */
    voters: undefined as Promise<Set<Snowflake>> | undefined,
  };
}

/** Counts one more, if there is room for it. */
export function hasRoom({ sizes }: RestoreTarget, kind: keyof typeof AT_MOST): boolean {
  if (sizes[kind] >= AT_MOST[kind]) return false;
  sizes[kind] += 1;
  return true;
}
