import { openArticles } from '../../ranking/articles/closing.ts';
import { readOwnMark, setMark } from '../../ranking/articles/mark.ts';
import { walkRemoved } from '../../ranking/articles/removed.ts';
import { readVoters } from '../../ranking/ballots/voters.ts';
import { eraseVotes } from '../../ranking/members/of-member.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { recordAuditEntry } from '../audit-log.ts';
import { readBlock, writeBlock } from '../blocks.ts';
import { DIGESTS_PER_GUILD } from '../digests/digest-settings.ts';
import { readRun, repairRun, saveDigest } from '../digests/digests.ts';
import { setDue } from '../digests/due-queue.ts';
import { isImported, noteImported } from '../history/imported.ts';
import {
  erasedAmong,
  erasingAmong,
  isOptedOut,
  noteErased,
  noteErasing,
  setOptedOut,
} from '../opted-out.ts';
import { readSetting, type SettingName, writeSetting } from '../settings.ts';
import { readWebSettings, setInvite } from '../web-settings.ts';
import type { Kind, LineOf } from './format.ts';
import { type LineFate, hasRoom, type RestoreTarget } from './restore-target.ts';

type Put<K extends Kind> = (target: RestoreTarget, line: LineOf<K>) => Promise<LineFate>;

/** Puts one line of each kind, except articles. */
export const putRecord: { [K in Exclude<Kind, 'article'>]: Put<K> } = {
  async setting({ store, guild, write }, { name, value }) {
    const setting = name as SettingName;
    const before = await readSetting(store, guild, setting);
    if (JSON.stringify(before) === JSON.stringify(value)) return 'kept';
    if (write) await writeSetting(store, guild, setting, value as never);
    return 'put';
  },

  async mark(target, { mark }) {
    const { ranking, guild } = target;
    if (mark === (await readOwnMark(ranking, guild))) return 'kept';
    target.mark = mark;
    if (target.write) await setMark(ranking, guild, mark);
    return 'put';
  },

  async web({ store, guild, keys, write }, { open, names, invite, secret: kept }) {
    const before = await readWebSettings(store, guild);
    // If the addresses of the feeds were revoked since, the secret that is there is newer.
    const secret = before.secret ?? kept;
    const isSame = open === before.open && names === before.names && invite === before.invite;
    if (isSame && secret === before.secret) return 'kept';
    if (!write) return 'put';
    await store.redis.hset(keys.web, 'open', open ? '1' : '0', 'names', names ? '1' : '0');
    await setInvite(store, guild, invite);
    if (secret !== null) await store.redis.hsetnx(keys.web, 'secret', secret);
    return 'put';
  },

  async block({ store, guild, write }, block) {
    const before = await readBlock(store, guild, block.subject);
    if (before && before.sinceMs >= block.sinceMs) return 'kept';
    if (!write) return 'put';
    return (await writeBlock(store, guild, block)).status === 'full' ? 'left' : 'put';
  },

  async 'opted-out'(target, { member }) {
    const { ranking, store, guild } = target;
    if (await isOptedOut(store, guild, member)) return 'kept';
    if (!hasRoom(target, 'optedOut')) return 'left';
    if (!target.write) return 'put';
    await setOptedOut(store, guild, member, true);
    target.voters ??= allVoters(target);
    if ((await target.voters).has(member)) await eraseVotes(ranking, guild, member);
    return 'put';
  },

  async erased(target, { member, atMs: givenMs }) {
    const { store, guild, now } = target;
    // A later time would also leave out what the member posts from now on.
    const atMs = Math.min(givenMs, now);
    const known = (await erasedAmong(store, guild, [member])).get(member);
    if (known !== undefined && known >= atMs) return 'kept';
    if (known === undefined && !hasRoom(target, 'erased')) return 'left';
    if (target.write) await noteErased(store, guild, member, atMs);
    return 'put';
  },

  async erasing(target, { article, channel }) {
    const { store, guild } = target;
    if (target.isForeign) return 'left';
    if ((await erasingAmong(store, guild, [article])).has(article)) return 'kept';
    if (!hasRoom(target, 'erasing')) return 'left';
    if (target.write) await noteErasing(store, guild, { id: article, channel });
    return 'put';
  },

  async entry({ store, guild, entries, now, write }, { entry }) {
    if (entries.has(JSON.stringify(entry))) return 'kept';
    // The log keeps the latest entries: those of the future would push out every new one.
    if (entry.atMs > now) return 'left';
    if (write) await recordAuditEntry(store, guild, entry);
    return 'put';
  },

  async digest(target, { name, digest, run }) {
    const { store, guild, digests, now } = target;
    const before = digests.get(name);
    const isFull = before === undefined && digests.size >= DIGESTS_PER_GUILD;
    const isNewer = digest !== null && !isFull && digest.savedAtMs > (before ?? -1);
    const runNow = await readRun(store, guild, name);
    const isLater = (run.lastSlotMs ?? 0) > (runNow?.lastSlotMs ?? 0);
    if (isNewer) digests.set(name, digest.savedAtMs);
    if (!isNewer && !isLater) return digest !== null && isFull ? 'left' : 'kept';
    if (runNow === null && !hasRoom(target, 'runs')) return 'left';
    if (!target.write) return 'put';
    // Record earlier postings before the digest exists, or an edition may be posted again.
    if (isLater) await repairRun(store, guild, name, run);
    if (isNewer) {
      // Passed slots are skipped: the file cannot know which editions were posted.
      const slotsFromMs = Math.max(digest.slotsFromMs, now);
      await saveDigest(store, guild, name, { ...digest, slotsFromMs });
    }
    if (digests.has(name)) await setDue(store, guild, name, 0);
    return 'put';
  },

  async imported({ store, guild, write }, { article }) {
    if (await isImported(store, guild, article)) return 'kept';
    if (write) await noteImported(store, guild, article);
    return 'put';
  },
};

/** The members who have a vote that can be erased. */
async function allVoters({ ranking, guild }: RestoreTarget): Promise<Set<Snowflake>> {
  const members = new Set<Snowflake>();
  const add = async (article: Snowflake): Promise<void> => {
    for (const member of (await readVoters(ranking, guild, article)).keys()) members.add(member);
  };
  for (const article of await openArticles(ranking, guild)) await add(article);
  for await (const { article } of walkRemoved(ranking, guild)) await add(article.id);
  return members;
}
