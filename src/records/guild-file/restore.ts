import { finishRescoring, readMark, readOwnMark, setMark } from '../../ranking/articles/mark.ts';
import { putArticle } from '../history/put-article.ts';
import { readArticles } from '../../ranking/articles/articles.ts';
import { openArticles } from '../../ranking/articles/closing.ts';
import { readRemoved, walkRemoved } from '../../ranking/articles/removed.ts';
import { eraseVotes } from '../../ranking/members/of-member.ts';
import { readVoters, type Voter } from '../../ranking/ballots/voters.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Direction } from '../../ranking/row.ts';
import { FINAL_AFTER_MS } from '../../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { storeKeys } from '../../redis/keys.ts';
import type { Store } from '../../redis/store.ts';
import { readAuditLog, recordAuditEntry } from '../audit-log.ts';
import { readBlocks, writeBlock } from '../blocks.ts';
import { isNews, noteAnnounced } from '../digests/announced.ts';
import { DIGESTS_PER_GUILD } from '../digests/digest.ts';
import { readDigests, readRun, repairRun, RUNS_AT_MOST, saveDigest } from '../digests/digests.ts';
import { setDue } from '../digests/due-queue.ts';
import {
  erasedAmong,
  erasingAmong,
  isOptedOut,
  noteErased,
  noteErasing,
  optedOutAmong,
  setOptedOut,
} from '../opted-out.ts';
import { isImported } from '../history/imported.ts';
import { readRebuildStates } from '../history/rebuilds.ts';
import { readSettings, type SettingName, writeSetting } from '../settings.ts';
import { readWebSettings, setInvite } from '../web-settings.ts';
import {
  type ArticleLine,
  type Header,
  type Kind,
  KINDS,
  type Line,
  type LineOf,
} from './format.ts';

/** `kept`: it was the same already, or the stored value is newer; `left`: the line is not taken. */
export type Fate = 'put' | 'kept' | 'left';
/** How many lines of each kind met which fate. */
export type Restored = Record<Kind, Record<Fate, number>>;

export type RestoreOptions = {
  header: Header;
  /** The lines of a checked file. The caller checks that the file is of this guild. */
  lines: AsyncIterable<Line>;
  now: number;
  /** Without it nothing is written: the answer says what would be done. */
  write: boolean;
  /** Returns the line as it may be stored in this guild, or null if it refers to something outside it. */
  check?: (line: Line) => Promise<Line | null>;
  onLine?: (lines: number) => void;
  /** Ends it before the next line. Started again, the restore goes on from there. */
  signal?: AbortSignal;
};

type Target = { ranking: Ranking; store: Store };
type Voters = NonNullable<ArticleLine['voters']>;
type Belongs = (member: Snowflake) => boolean;

/** The most entries of each kind that a restore fills a guild up to. Members can still add themselves. */
const AT_MOST = { 'opted-out': 100_000, erased: 100_000, erasing: 100_000, runs: RUNS_AT_MOST };

/** The weight of one step. */
const STEP = 500;

/** Lines of one kind that follow one another, as many as are put at once. */
async function* inSteps(lines: AsyncIterable<Line>): AsyncGenerator<Line[]> {
  let step: Line[] = [];
  let weight = 0;
  for await (const line of lines) {
    if (step.length > 0 && (weight >= STEP || line.kind !== step[0]?.kind)) {
      yield step;
      step = [];
      weight = 0;
    }
    step.push(line);
    weight += weightOf(line);
  }
  if (step.length > 0) yield step;
}

function weightOf(line: Line): number {
  switch (line.kind) {
    case 'article':
      return 5 + (line.voters?.up.length ?? 0) + (line.voters?.down.length ?? 0);
    case 'opted-out':
    case 'erased':
    case 'erasing':
    case 'imported':
      return 1;
    default:
      return STEP; // One at a time, because it can change the fate of the next line.
  }
}

/**
 * Restores the content of a guild's file, unless Discord or the stored data is newer. It can be
 * repeated or resumed: the result is the same. The bot keeps running meanwhile.
 */
export async function restoreGuild(target: Target, options: RestoreOptions): Promise<Restored> {
  const { ranking, store } = target;
  const { header, write, check = (line: Line) => Promise.resolve(line) } = options;
  const { guild } = header;
  const restored = noFates();
  const put = await openRestore(target, options);
  let count = 0;
  for await (const step of inSteps(options.lines)) {
    const checked: Line[] = [];
    for (const given of step) {
      options.signal?.throwIfAborted();
      const line = await check(given);
      if (line === null) restored[given.kind].left += 1;
      else checked.push(line);
      options.onLine?.((count += 1));
    }
    const kind = step[0]!.kind;
    for (const fate of await put(checked)) restored[kind][fate] += 1;
  }
  if (!write) return restored;
  // Articles of another file's interrupted restore are no longer marked; a recount repairs their votes.
  await store.redis.del(storeKeys(store.applicationId, guild).restoring);
  // This does something only if an interrupted restore had changed the mark.
  await finishRescoring(ranking, guild);
  // Every process keeps pages and lists of the guild.
  ranking.changes.note(guild);
  await ranking.changes.flush();
  return restored;
}

function noFates(): Restored {
  const none = { put: 0, kept: 0, left: 0 };
  return Object.fromEntries(KINDS.map((kind) => [kind, { ...none }])) as Restored;
}

async function openRestore(
  { ranking, store }: Target,
  { header, now, write }: Pick<RestoreOptions, 'header' | 'now' | 'write'>,
) {
  const { guild, application } = header;
  const { redis } = store;
  const keys = storeKeys(store.applicationId, guild);
  const madeAtMs = Date.parse(header.madeAt);
  /** Articles of another application are members' messages for this one. */
  const isForeign = application !== store.applicationId;
  const [settings, web, blocks, entries, digests, optedOut, erased, erasing, runs, [rebuild]] =
    await Promise.all([
      readSettings(store, guild),
      readWebSettings(store, guild),
      readBlocks(store, guild),
      readAuditLog(store, guild),
      readDigests(store, guild),
      redis.scard(keys.optedOut),
      redis.hlen(keys.erased),
      redis.hlen(keys.erasing),
      redis.hlen(keys.runs),
      readRebuildStates(store, [guild]),
    ]);
  let markNow = await readMark(ranking, guild);
  const done = new Set(entries.map((entry) => JSON.stringify(entry)));
  const named = new Map(digests.map(({ name, digest }) => [name, digest.savedAtMs]));
  const sizes = { 'opted-out': optedOut, erased, erasing, runs };
  /** Counts one more, if there is room for it. */
  function hasRoom(kind: keyof typeof sizes): boolean {
    if (sizes[kind] >= AT_MOST[kind]) return false;
    sizes[kind] += 1;
    return true;
  }
  /** The members who have a vote that can be erased: many opt out, and few of them voted. */
  let voters: Promise<Set<string>> | undefined;

  const put: {
    [K in Exclude<Kind, 'article'>]: (line: LineOf<K>) => Promise<Fate>;
  } = {
    async setting({ name, value }) {
      const setting = name as SettingName;
      if (JSON.stringify(settings[setting]) === JSON.stringify(value)) return 'kept';
      Object.assign(settings, { [setting]: value });
      if (!write) return 'put';
      await writeSetting(store, guild, setting, value as never);
      return 'put';
    },

    async mark({ mark }) {
      if (mark === (await readOwnMark(ranking, guild))) return 'kept';
      markNow = mark;
      if (write) await setMark(ranking, guild, mark);
      return 'put';
    },

    async web({ open, names, invite, secret: kept }) {
      // If the addresses of the feeds were revoked since, the secret that is there is newer.
      const secret = web.secret ?? kept;
      const isSame = open === web.open && names === web.names && invite === web.invite;
      if (isSame && secret === web.secret) return 'kept';
      if (!write) return 'put';
      await redis.hset(keys.web, 'open', open ? '1' : '0', 'names', names ? '1' : '0');
      await setInvite(store, guild, invite);
      if (secret !== null) await redis.hsetnx(keys.web, 'secret', secret);
      return 'put';
    },

    async block({ subject, posting, voting, reason, by, sinceMs, untilMs }) {
      const block = { subject, posting, voting, reason, by, sinceMs, untilMs };
      if ((blocks.get(block.subject)?.sinceMs ?? -1) >= block.sinceMs) return 'kept';
      if (!write) return 'put';
      return (await writeBlock(store, guild, block)).status === 'full' ? 'left' : 'put';
    },

    async 'opted-out'({ member }) {
      if (await isOptedOut(store, guild, member)) return 'kept';
      if (!hasRoom('opted-out')) return 'left';
      if (!write) return 'put';
      await setOptedOut(store, guild, member, true);
      voters ??= allVoters(ranking, guild);
      if ((await voters).has(member)) await eraseVotes(ranking, guild, member);
      return 'put';
    },

    async erased({ member, atMs }) {
      const known = (await erasedAmong(store, guild, [member])).get(member);
      if (known !== undefined && known >= atMs) return 'kept';
      if (known === undefined && !hasRoom('erased')) return 'left';
      if (write) await noteErased(store, guild, member, atMs);
      return 'put';
    },

    async erasing({ article, channel }) {
      if (isForeign) return 'left';
      if ((await erasingAmong(store, guild, [article])).has(article)) return 'kept';
      if (!hasRoom('erasing')) return 'left';
      if (write) await noteErasing(store, guild, { id: article, channel });
      return 'put';
    },

    async entry({ entry }) {
      if (done.has(JSON.stringify(entry))) return 'kept';
      if (write) await recordAuditEntry(store, guild, entry);
      return 'put';
    },

    async digest({ name, digest, run }) {
      const before = named.get(name);
      const isFull = before === undefined && named.size >= DIGESTS_PER_GUILD;
      const isNewer = digest !== null && !isFull && digest.savedAtMs > (before ?? -1);
      const runNow = await readRun(store, guild, name);
      const isLater = (run.lastSlotMs ?? 0) > (runNow?.lastSlotMs ?? 0);
      if (isNewer) named.set(name, digest.savedAtMs);
      if (!isNewer && !isLater) return digest !== null && isFull ? 'left' : 'kept';
      if (runNow === null && !hasRoom('runs')) return 'left';
      if (!write) return 'put';
      // Record earlier postings before the digest exists, or an edition may be posted again.
      if (isLater) await repairRun(store, guild, name, run);
      if (isNewer) {
        // Passed slots are skipped: the file cannot know which editions were posted.
        const slotsFromMs = Math.max(digest.slotsFromMs, now);
        await saveDigest(store, guild, name, { ...digest, slotsFromMs });
      }
      if (named.has(name)) await setDue(store, guild, name, 0);
      return 'put';
    },

    async imported({ article, run }) {
      if (await isImported(store, guild, article)) return 'kept';
      if (write) await redis.hsetnx(keys.imported, article, run);
      return 'put';
    },
  };
  /** The members in these lines who opted out, or whose data was erased since the file was made. */
  async function leftOutOf(lines: readonly ArticleLine[]) {
    const voted = lines.flatMap(({ voters = NONE }) => [...voters.up, ...voters.down]);
    const [erased, optedOut] = await Promise.all([
      erasedAmong(store, guild, [...lines.map(({ poster }) => poster), ...voted]),
      optedOutAmong(store, guild, voted),
    ]);
    const isErased = (member: Snowflake) => (erased.get(member) ?? 0) > madeAtMs;
    const mayVote = (member: Snowflake) => !isErased(member) && !optedOut.has(member);
    return { isErased, mayVote };
  }

  function fateOf({ id, poster, state, removedAtMs }: ArticleLine, isErased: Belongs): Fate {
    const postedAtMs = snowflakeTimeMs(id);
    if (isErased(poster) || postedAtMs > now + CLOCKS_APART_MS) return 'left';
    if (removedAtMs !== undefined) return isForeign ? 'left' : 'put';
    // The article's message has the result, and the next rebuild reads it from there.
    const hasResult = now >= postedAtMs + FINAL_AFTER_MS;
    return !isClosed(state) && hasResult && !rebuild?.complete ? 'left' : 'put';
  }

  async function putOne(line: ArticleLine, mayVote: Belongs): Promise<void> {
    const { kind: _, groups, thread, state, up, down, voters, ...plain } = line;
    const [home = '', ...others] = groups;
    const closed = isForeign || isClosed(state);
    await putArticle(ranking, {
      ...plain,
      guild,
      home,
      groups: others,
      channel: thread ?? home,
      ...(closed
        ? { tally: { up, down, closed, starred: state === 'starred' } }
        : { voters: votersOf(voters, mayVote), locked: state === 'locked' }),
    });
  }

  async function putArticles(lines: readonly ArticleLine[]): Promise<Fate[]> {
    const ids = lines.map(({ id }) => id);
    const [present, removed, begun, { isErased, mayVote }, beingErased] = await Promise.all([
      readArticles(ranking, guild, ids),
      Promise.all(ids.map((id) => readRemoved(ranking, guild, id))),
      redis.smismember(keys.restoring, ...ids),
      leftOutOf(lines),
      erasingAmong(store, guild, ids),
    ]);
    const fates = lines.map((line, i): Fate => {
      if (removed[i] || (present[i] && begun[i] !== 1)) return 'kept';
      return beingErased.has(line.id) ? 'left' : fateOf(line, isErased);
    });
    const wanted = lines.filter((_, i) => fates[i] === 'put');
    if (!write || wanted.length === 0) return fates;
    const inSteps = wanted.filter((line) => !isClosed(line.state) || isRemoved(line));
    if (inSteps.length > 0) await redis.sadd(keys.restoring, ...inSteps.map(({ id }) => id));
    // Record this before the articles are visible, so that none is announced again.
    const told = wanted.filter(({ up, id }) => up >= markNow && isNews(id, now));
    await noteAnnounced(
      store,
      guild,
      told.map(({ id }) => id),
    );
    // Record these first, so that the bot never treats another application's messages as its own.
    const pairs = wanted.flatMap(({ id }) => [id, application]);
    if (isForeign) await redis.hset(keys.imported, ...pairs);
    // Put removed articles last: if a link was posted again, the article that is not removed keeps it.
    await Promise.all(
      wanted.filter((line) => !isRemoved(line)).map((line) => putOne(line, mayVote)),
    );
    await Promise.all(wanted.filter(isRemoved).map((line) => putOne(line, mayVote)));
    if (inSteps.length > 0) await redis.srem(keys.restoring, ...inSteps.map(({ id }) => id));
    return fates;
  }

  return async (lines: readonly Line[]): Promise<Fate[]> => {
    const [first] = lines;
    if (first === undefined) return [];
    if (first.kind === 'article') return putArticles(lines as ArticleLine[]);
    const putLine = put[first.kind] as (line: Line) => Promise<Fate>;
    return Promise.all(lines.map(putLine));
  };
}

/** Articles are dated by Discord, and until its first answer our clock is the machine's. */
const CLOCKS_APART_MS = 600_000;
const NONE: Voters = { up: [], down: [] };

async function allVoters(ranking: Ranking, guild: Snowflake): Promise<Set<string>> {
  const members = new Set<string>();
  const add = async (article: Snowflake): Promise<void> => {
    for (const member of (await readVoters(ranking, guild, article)).keys()) members.add(member);
  };
  for (const article of await openArticles(ranking, guild)) await add(article);
  for await (const { article } of walkRemoved(ranking, guild)) await add(article.id);
  return members;
}

const isRemoved = ({ removedAtMs }: ArticleLine): boolean => removedAtMs !== undefined;

function votersOf({ up, down, both = [] }: Voters = NONE, mayVote: Belongs) {
  const older = new Set(both);
  const voted = (members: readonly string[], vote: Direction) =>
    members
      .filter(mayVote)
      .map((member): [string, Voter] => [member, { vote, older: older.has(member) }]);
  return new Map([...voted(up, 'up'), ...voted(down, 'down')]);
}

function isClosed(state: ArticleLine['state']): boolean {
  return state === 'closed' || state === 'starred';
}
