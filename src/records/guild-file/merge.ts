import { eraseVotes } from '../../ranking/ballots/of-member.ts';
import { setMark } from '../../ranking/articles/mark.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { readBlocks, writeBlock } from '../blocks.ts';
import { readAuditLog, recordAuditEntry } from '../audit-log.ts';
import { readDigests, repairRun, saveDigest } from '../digests/digests.ts';
import { setDue } from '../digests/due.ts';
import { type Digest, DIGESTS_PER_GUILD, NO_RUN, parseStored, zRun } from '../digests/digest.ts';
import type { Kind, Line, LineOf } from './format.ts';
import { storeKeys } from '../../redis/keys.ts';
import { noteErasing, readErasing, readOptedOut, setOptedOut } from '../opted-out.ts';
import { readSettings, type SettingName, STANDARD, writeSetting } from '../settings.ts';
import type { Store } from '../../redis/store.ts';
import { readWebSettings } from '../web-settings.ts';

/** What became of a line: `kept`: it was so already, or what is there stays; `left`: not taken. */
export type Fate = 'added' | 'changed' | 'kept' | 'left';

export type MergeOptions = {
  guild: string;
  now: number;
  /** Without it, only what would be done is told. */
  write: boolean;
  /** The file is of another application, whose messages this one cannot touch. */
  isForeign: boolean;
};

export type Merge = {
  take(line: LineOf<Exclude<Kind, 'article'>>): Promise<Fate>;
  /** As they are once the lines so far are taken. */
  optedOut: Set<string>;
  erased: Map<string, number>;
  erasing: Map<string, string>;
  mark(): number;
};

/** Combines what a file says besides articles with what is there. `docs/export.md` has the rules. */
export async function openMerge(
  { ranking, store }: { ranking: Ranking; store: Store },
  { guild, now, write, isForeign }: MergeOptions,
): Promise<Merge> {
  const { redis } = store;
  const keys = storeKeys(store.applicationId, guild);
  const [settings, web, blocks, leftOut, erasing, deeds, digests, runs] = await Promise.all([
    readSettings(store, guild),
    readWebSettings(store, guild),
    readBlocks(store, guild),
    readOptedOut(store, guild),
    readErasing(store, guild),
    readAuditLog(store, guild),
    readDigests(store, guild),
    redis.hgetall(keys.runs),
  ]);
  const known = new Map(digests.map((one) => [one.name, one.digest]));
  const done = new Set(deeds.map((deed) => JSON.stringify(deed)));
  const optedOut = new Set(leftOut.optedOut);
  const erased = new Map(leftOut.erased);

  async function mergeSetting({ name, value }: LineOf<'setting'>): Promise<Fate> {
    const setting = name as SettingName;
    const before = JSON.stringify(settings[setting]);
    if (before === JSON.stringify(value)) return 'kept';
    Object.assign(settings, { [setting]: value });
    if (write) {
      if (setting === 'mark') await setMark(ranking, guild, value as number);
      else await writeSetting(store, guild, setting, value as never);
    }
    return before === JSON.stringify(STANDARD[setting]) ? 'added' : 'changed';
  }

  /** A page is opened and never closed; an address that was given since stays good. */
  async function mergeWeb(line: LineOf<'web'>): Promise<Fate> {
    const isNew = !web.open && !web.names && web.secret === null;
    const open = web.open || line.open;
    const names = line.open || isNew ? line.names : web.names;
    const secret = web.secret ?? line.secret;
    if (open === web.open && names === web.names && secret === web.secret) return 'kept';
    if (write) {
      if (open) await redis.hset(keys.web, 'open', '1');
      await redis.hset(keys.web, 'names', names ? '1' : '0');
      if (secret !== null) await redis.hsetnx(keys.web, 'secret', secret);
    }
    return isNew ? 'added' : 'changed';
  }

  async function mergeBlock(line: LineOf<'block'>): Promise<Fate> {
    const { subject, posting, voting, reason, by, sinceMs, untilMs } = line;
    const before = blocks.get(subject);
    if (before && before.sinceMs >= sinceMs) return 'kept';
    const block = { subject, posting, voting, reason, by, sinceMs, untilMs };
    if (write) await writeBlock(store, guild, block);
    return before ? 'changed' : 'added';
  }

  async function mergeOptedOut({ member }: LineOf<'opted-out'>): Promise<Fate> {
    if (optedOut.has(member)) return 'kept';
    optedOut.add(member);
    if (write) {
      await setOptedOut(store, guild, member, true);
      await eraseVotes(ranking, guild, member, now);
    }
    return 'added';
  }

  async function mergeErased({ member, atMs }: LineOf<'erased'>): Promise<Fate> {
    const before = erased.get(member);
    if (before !== undefined && before >= atMs) return 'kept';
    erased.set(member, atMs);
    if (write) await redis.hset(keys.erased, member, atMs);
    return before === undefined ? 'added' : 'changed';
  }

  async function mergeErasing({ article, channel }: LineOf<'erasing'>): Promise<Fate> {
    if (isForeign) return 'left';
    if (erasing.has(article)) return 'kept';
    erasing.set(article, channel);
    if (write) await noteErasing(store, guild, { id: article, channel });
    return 'added';
  }

  async function mergeDeed({ deed }: LineOf<'deed'>): Promise<Fate> {
    if (done.has(JSON.stringify(deed))) return 'kept';
    if (write) await recordAuditEntry(store, guild, deed);
    return 'added';
  }

  async function mergeDigest(line: LineOf<'digest'>): Promise<Fate> {
    const { name } = line;
    const json = runs[name];
    const run = json === undefined ? NO_RUN : (parseStored(zRun, json).value ?? NO_RUN);
    const before = known.get(name) ?? null;
    const isFull = before === null && known.size >= DIGESTS_PER_GUILD;
    const digest = line.digest === null || isFull ? before : merged(before, line.digest, now);
    const isRunLater = (line.run.lastSlotMs ?? 0) > (run.lastSlotMs ?? 0);
    const isSame = JSON.stringify(digest) === JSON.stringify(before);
    if (digest !== null) known.set(name, digest);
    if (write) {
      // First, so that what was posted is known before there is something to post.
      if (isRunLater) await repairRun(store, guild, name, line.run);
      if (digest !== null && !isSame) await saveDigest(store, guild, name, digest);
      if (digest !== null && (isRunLater || !isSame)) await setDue(store, guild, name, 0);
    }
    if (isSame && !isRunLater) return line.digest !== null && isFull ? 'left' : 'kept';
    return before === null ? 'added' : 'changed';
  }

  async function mergeImported({ article, run }: LineOf<'imported'>): Promise<Fate> {
    const isThere = (await redis.hexists(keys.imported, article)) === 1;
    if (!isThere && write) await redis.hsetnx(keys.imported, article, run);
    return isThere ? 'kept' : 'added';
  }

  return {
    optedOut,
    erased,
    erasing,
    mark: () => settings.mark,
    take(line) {
      switch (line.kind) {
        case 'setting':
          return mergeSetting(line);
        case 'web':
          return mergeWeb(line);
        case 'block':
          return mergeBlock(line);
        case 'opted-out':
          return mergeOptedOut(line);
        case 'erased':
          return mergeErased(line);
        case 'erasing':
          return mergeErasing(line);
        case 'deed':
          return mergeDeed(line);
        case 'digest':
          return mergeDigest(line);
        case 'imported':
          return mergeImported(line);
      }
    },
  };
}

/**
 * The file's settings of a digest. Nothing is made up for that passed before: whether it was posted
 * the file cannot know, and twice would be worse than not at all.
 */
function merged(before: Digest | null, digest: Digest, now: number): Digest {
  if (before === null) return { ...digest, slotsFromMs: Math.max(digest.slotsFromMs, now) };
  const later = (field: 'slotsFromMs' | 'savedAtMs' | 'createdAtMs' | 'sinceFloorMs'): number =>
    Math.max(before[field], digest[field]);
  const isResumed = before.paused && !digest.paused;
  const isMoved = JSON.stringify(before.schedule) !== JSON.stringify(digest.schedule);
  return {
    ...digest,
    slotsFromMs: Math.max(later('slotsFromMs'), isResumed || isMoved ? now : 0),
    savedAtMs: later('savedAtMs'),
    createdAtMs: later('createdAtMs'),
    sinceFloorMs: Math.max(later('sinceFloorMs'), isResumed ? now : 0),
  };
}

export function isPlain(line: Line): line is LineOf<Exclude<Kind, 'article'>> {
  return line.kind !== 'article' && line.kind !== 'votes';
}
