import { readOwnScale, setScale } from '../../ranking/articles/mark.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { DAY_MS } from '../../runtime/clock.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { storeKeys } from '../../redis/store-keys.ts';
import type { Store } from '../../redis/store.ts';
import { readBoard, restoreBoardChoice } from '../../board/stored-board.ts';
import { readEdition, writeEdition } from '../../editions/stored-editions.ts';
import { readBlock, writeBlock } from '../../community/blocks.ts';
import { DIGESTS_PER_GUILD } from '../../digests/digest-settings.ts';
import { readDigest, repairRun, saveDigest } from '../../digests/stored-digests.ts';
import { noteErased } from '../../community/erasures.ts';
import { isUnnamed, setUnnamed } from '../../community/unnamed.ts';
import { isOptedOut, setOptedOut } from '../../community/opted-out.ts';
import {
  fixedScale,
  readSettings,
  type SettingName,
  writeSetting,
} from '../../community/settings.ts';
import { restoreWebSettings } from '../../web/web-settings.ts';
import { IMPORTED_AT_MOST, type Kind, type LineOf } from './format.ts';

/** `unchanged`: it was the same already, or the stored value is newer; `left`: the line is not taken. */
export type LineFate = 'put' | 'unchanged' | 'left';

/** The guild into which a file is restored, and what is known of the file. */
export type RestoreTarget = {
  ranking: Ranking;
  store: Store;
  guild: Snowflake;
  keys: ReturnType<typeof storeKeys>;
  now: number;
  madeAtMs: number;
  /** Articles of another application are members' messages for this one. */
  isForeign: boolean;
  /** The guild's ranking is complete. */
  isComplete: boolean;
};

/** The members up to whom a restore fills a guild's records. Members can still add themselves. */
const MEMBERS_AT_MOST = 100_000;

/** The editions up to which a restore fills a guild's records: twenty digests' of four years. */
const EDITIONS_AT_MOST = 30_000;

type Put<K extends Kind> = (target: RestoreTarget, line: LineOf<K>) => Promise<LineFate>;

/** Puts one line of each kind of which there are not so many that they are put together. */
export const putRecord: { [K in Exclude<Kind, 'article' | 'imported'>]: Put<K> } = {
  async setting({ store, guild }, { name, value }) {
    const setting = name as SettingName;
    const before = (await readSettings(store, guild))[setting];
    if (JSON.stringify(before) === JSON.stringify(value)) return 'unchanged';
    await writeSetting(store, guild, setting, value as never);
    return 'put';
  },

  async mark({ store, ranking, guild }, { mark, spanDays }) {
    const before = await readOwnScale(ranking, guild);
    // A file of an earlier version has no span: the guild's own stays.
    const span = spanDays === undefined ? {} : { spanDays };
    // What is fixed here stays too. Settings come before it in the file.
    const after = { mark, ...span, ...fixedScale(await readSettings(store, guild)) };
    const isSet =
      after.mark === before.mark && (after.spanDays ?? before.spanDays) === before.spanDays;
    // Also where it is set: an interrupted restore may have left articles with scores of another mark.
    await setScale(ranking, guild, after);
    return isSet ? 'unchanged' : 'put';
  },

  async web({ store, guild }, line) {
    const { kind: _, ...web } = line;
    return (await restoreWebSettings(store, guild, web)) ? 'put' : 'unchanged';
  },

  async board({ store, guild }, { channel, savedAtMs, savedBy }) {
    const choice = { channel, savedAtMs, savedBy };
    const before = await readBoard(store, guild);
    if (before !== null && before.choice.savedAtMs >= choice.savedAtMs) return 'unchanged';
    await restoreBoardChoice(store, guild, choice);
    return 'put';
  },

  async block({ store, guild }, block) {
    const before = await readBlock(store, guild, block.subject);
    if (before && before.sinceMs >= block.sinceMs) return 'unchanged';
    return (await writeBlock(store, guild, block)).status === 'full' ? 'left' : 'put';
  },

  /** A recount takes the member's votes away. */
  async 'opted-out'({ store, guild, keys }, { member }) {
    if (await isOptedOut(store, guild, member)) return 'unchanged';
    if ((await store.redis.scard(keys.optedOut)) >= MEMBERS_AT_MOST) return 'left';
    await setOptedOut(store, guild, member, true);
    return 'put';
  },

  async unnamed({ store, guild, keys }, { member }) {
    if (await isUnnamed(store, guild, member)) return 'unchanged';
    if ((await store.redis.scard(keys.unnamed)) >= MEMBERS_AT_MOST) return 'left';
    await setUnnamed(store, guild, member, true);
    return 'put';
  },

  async erased({ store, guild, keys, now }, { member, atMs: writtenAtMs }) {
    // A later time would also leave out what the member posts from now on.
    const atMs = Math.min(writtenAtMs, now);
    const known = await store.redis.hget(keys.erased, member);
    if (known !== null && Number(known) >= atMs) return 'unchanged';
    const members = await store.redis.hlen(keys.erased);
    if (known === null && members >= MEMBERS_AT_MOST) return 'left';
    await noteErased(store, guild, member, atMs);
    return 'put';
  },

  async digest({ store, guild, keys, now }, { name, digest, run }) {
    const before = await readDigest(store, guild, name);
    const isFull = (await store.redis.hlen(keys.digests)) >= DIGESTS_PER_GUILD;
    if (before === null && isFull) return 'left';
    const isNewer = digest.savedAtMs > (before?.digest.savedAtMs ?? -1);
    // What is still to come would put off all editions until then.
    const isPast = (run.lastSlotMs ?? 0) <= now && (run.lastDate ?? '') <= dateOf(now + DAY_MS);
    const isLater = isPast && (run.lastSlotMs ?? 0) > (before?.run.lastSlotMs ?? 0);
    if (!isNewer && !isLater) return 'unchanged';
    // Record earlier postings before the digest exists, or an edition may be posted again.
    if (isLater) await repairRun(store, guild, name, run);
    if (isNewer) {
      // Passed slots are skipped: the file cannot know which editions were posted.
      await saveDigest(store, guild, name, { ...digest, slotsFromMs: now });
    }
    return 'put';
  },

  /** An edition that is known stays as it was posted; one that cannot be read is replaced. */
  async edition({ store, guild, keys }, { kind: _kind, name, date, ...edition }) {
    if ((await readEdition(store, guild, { name, date })) !== null) return 'unchanged';
    const isFull = (await store.redis.zcard(keys.editionList)) >= EDITIONS_AT_MOST;
    if (isFull) return 'left';
    await store.redis.hdel(keys.editions(name), date);
    await writeEdition(store, guild, { name, date }, edition);
    return 'put';
  },
};

/** Puts those lines that follow one another in two round trips: there can be very many. */
export async function putImported(
  { store, keys }: RestoreTarget,
  lines: readonly LineOf<'imported'>[],
): Promise<LineFate[]> {
  const ids = lines.map(({ article }) => article);
  const [known, stored] = await Promise.all([
    store.redis.smismember(keys.imported, ...ids),
    store.redis.scard(keys.imported),
  ]);
  const isFull = stored >= IMPORTED_AT_MOST;
  const news = ids.filter((_, i) => known[i] !== 1);
  if (!isFull && news.length > 0) await store.redis.sadd(keys.imported, ...news);
  return known.map((isKnown) => (isKnown === 1 ? 'unchanged' : isFull ? 'left' : 'put'));
}

/** In UTC, of which no zone is a day ahead. */
function dateOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
