import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Guild, GuildMember } from 'discord.js';
import { type Clock, DAY_MS } from '../runtime/clock.ts';
import { groupOf, isListed } from '../discord/access/visibility.ts';
import { isUnanswered } from '../discord/api-errors.ts';
import { missingPermissions } from '../discord/access/permissions.ts';
import { type Whereabouts, whereaboutsOf } from '../discord/requests/is-gone.ts';
import { isAcceptedLink } from '../ranking/links/parse.ts';
import { fault } from '../runtime/log.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import {
  type ArticleLine,
  type Header,
  type Kind,
  KINDS,
  type Line,
  type LineOf,
} from './guild-file/format.ts';
import {
  type Bytes,
  type FileFault,
  guildParts,
  type ReadLimits,
  surveyedParts,
} from './guild-file/read.ts';
import { type Restored, type RestoreOptions, restoreGuild } from './guild-file/restore-guild.ts';
import { idKindOf, isSettingName } from '../community/settings.ts';
import { isSignSetting, typedSign } from '../community/vote-offer.ts';
import { type LeaseNeeds, withLease } from '../redis/lease.ts';
import { translate } from '../text/catalogue.ts';
import { standingBy, titleOf } from '../community/may-stand.ts';
import { cleanTitle, cleanComment } from '../text/clean.ts';
import { refusalToBlock } from '../moderation/change-blocks.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Requests } from '../discord/requests/requests.ts';
import type { GuildRules, Rules } from '../community/guild-rules.ts';
import type { Listing } from '../articles/listing.ts';

/** The limits of a member's file. A gzip file can unpack to a thousand times its size, and to line feeds alone. */
const LIMITS: ReadLimits = { atMostBytes: 512 * 1024 * 1024, atMostLines: 1_200_000 };

/** The reason why a whole file does not belong here, or null. */
export function mismatchOf(file: Header, here: { application: string; now: number }) {
  if (Date.parse(file.madeAt) > here.now + DAY_MS) return 'future';
  return file.application === here.application ? null : 'application';
}

/** What checking a file needs. */
interface CheckNeeds {
  /** Asks Discord whether what a file names is in the guild. */
  requests: Requests;
  /** Words that the guild blocks stand in no article. */
  rules: GuildRules;
  /** Discord's time. */
  clock: Clock;
}

/** What restoring a file needs. */
interface RestoreNeeds extends LeaseNeeds, CheckNeeds {
  /** Where the file's articles are written. */
  ranking: Ranking;
  /** A restored channel may be private by now. */
  listing: Listing;
  /** Looks whether the messages of restored articles are still there, where voting is over. */
  lookAtRestored(guild: Snowflake, articles: readonly Snowflake[]): Promise<void>;
}

export type FileToRestore = Omit<RestoreOptions, 'now' | 'check' | 'onPut'> & {
  /** The member who restores. Without one, the host does. */
  by?: string;
};

/** Restores the guild's part of a checked file. `held`: another process is restoring the guild. */
export function restoreFile(
  needs: RestoreNeeds,
  guild: Guild,
  file: FileToRestore,
): Promise<Restored | { status: 'held' }> {
  return whileRestoring(needs, guild, (signal) => putFile(needs, guild, { ...file, signal }));
}

/** Does the work as the only one that restores the guild. */
export function whileRestoring<T>(
  needs: RestoreNeeds,
  guild: Guild,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | { status: 'held' }> {
  return withLease(needs, { guild: guild.id, work: 'restore' }, ({ signal }) => work(signal));
}

/** Call it `whileRestoring`. */
export async function putFile(
  needs: RestoreNeeds,
  guild: Guild,
  file: FileToRestore,
): Promise<Restored> {
  // They say whose articles the guild's lists hold.
  await needs.rules.read(guild.id);
  const check = checkForGuild(needs, guild, file.by);
  const put: Snowflake[] = [];
  const onPut = (some: readonly Snowflake[]) => void put.push(...some);
  const restored = await restoreGuild(needs, { ...file, now: needs.clock.now(), check, onPut });
  await needs.rules.reload(guild.id);
  // Channels can have become private since their lines were read, and others count as everybody now.
  await needs.listing.compare(guild);
  // What was deleted since the file was made is not to be seen until a night has looked.
  await needs.lookAtRestored(guild.id, put).catch((error: unknown) => {
    if (!isUnanswered(error)) throw error;
    needs.log.warn({ ...fault(error), guild: guild.id }, 'Restored articles could not be read.');
  });
  needs.log.info({ guild: guild.id, ...restored.article }, "A guild's file is restored.");
  return restored;
}

/** So many broken parts has no backup that is worth reading on. */
const BROKEN_PARTS_AT_MOST = 1000;

/** A guild's part of a file, and what is wrong with the file's other parts; null if nothing is. */
type OwnPart = {
  header: Header;
  /** How many there are. */
  count: number;
  lines: AsyncIterable<Line>;
  left: FileFault | null;
};

/**
 * The newest whole part of a guild in a file, which is read to its end first. Broken parts stop it only if
 * there is no such part: the fault is then that of the guild's own part, or of what may have been it.
 * `other-guild`: the file is of other guilds.
 */
export async function findPart(
  bytes: Bytes,
  guild: Snowflake,
): Promise<OwnPart | { header: null; fault: FileFault | 'other-guild' }> {
  let own: { header: Header; at: number; lines: number } | null = null;
  const broken: FileFault[] = [];
  let ofOwn: FileFault | null = null;
  let ofLast: FileFault | null = null;
  for await (const { header, fault, at, lines } of surveyedParts(bytes, LIMITS)) {
    ofLast = fault;
    const isOwn = header?.guild === guild;
    if (fault !== null) {
      broken.push(fault);
      if (isOwn || header === null) ofOwn ??= fault;
      if (broken.length > BROKEN_PARTS_AT_MOST) break;
    } else if (isOwn && (own === null || header.madeAt >= own.header.madeAt)) {
      own = { header, at, lines };
    }
  }
  if (own === null) return { header: null, fault: ofOwn ?? ofLast ?? 'other-guild' };
  const { header, at, lines: count } = own;
  return { header, count, lines: linesOfPart(bytes, at), left: broken[0] ?? null };
}

async function* linesOfPart(bytes: Bytes, wanted: number): AsyncGenerator<Line> {
  for await (const part of guildParts(bytes, LIMITS)) {
    if (part.header === null || part.at !== wanted) continue;
    yield* part.lines;
    return;
  }
}

export function faultText(locale: string, fault: FileFault): string {
  switch (fault.status) {
    case 'line': {
      const { line, kind, field } = fault;
      return translate(locale, 'data.fault.line', { line, part: partText(locale, kind, field) });
    }
    case 'many':
      return translate(locale, 'data.fault.many', { part: partText(locale, fault.kind, null) });
    case 'lines':
      return translate(locale, 'data.fault.lines', { most: fault.count });
    case 'version':
      return translate(locale, 'data.fault.version', { version: String(fault.version) });
    default: {
      const { status, ...values } = fault;
      return translate(locale, `data.fault.${status}`, values);
    }
  }
}

/** What a line of a file is about, such as "Articles · Link", or `none`. */
function partText(locale: string, kind: Kind | null, field: string | null): string {
  if (kind === null) return 'none';
  const words = (Object.keys(FIELDS) as FieldWord[])
    .filter((word) => FIELDS[word].includes(field ?? ''))
    .map((word) => translate(locale, `data.field.${word}`));
  return [translate(locale, `data.kind.${kind}`), ...words].join(' · ');
}

type FieldWord =
  | 'title'
  | 'link'
  | 'comment'
  | 'member'
  | 'channels'
  | 'votes'
  | 'time'
  | 'name'
  | 'value';

/** The fields of a file's lines that a person knows, by the word for them. */
const FIELDS: Record<FieldWord, readonly string[]> = {
  title: ['title'],
  link: ['link'],
  comment: ['comment'],
  member: ['poster', 'member', 'subject', 'by'],
  channels: ['groups', 'channel'],
  votes: ['up', 'down', 'voters'],
  time: ['removedAtMs', 'atMs', 'untilMs', 'postedAtMs', 'date'],
  name: ['name'],
  value: ['value', 'mark', 'spanDays'],
};

/** One line for each kind with restored, unchanged or left-out lines, and one of what somebody may have taken back since. */
export function fateLines(locale: string, restored: Restored): string[] {
  const lines = KINDS.flatMap((kind) => {
    const { put, unchanged, left } = restored[kind];
    if (put + unchanged + left === 0) return [];
    const what = translate(locale, `data.kind.${kind}`);
    return [translate(locale, 'data.fates', { what, put, unchanged, left })];
  });
  const isAgain = restored.block.put + restored['opted-out'].put > 0;
  return isAgain ? [...lines, translate(locale, 'data.restore.again')] : lines;
}

/** Yields a file in memory in pieces, and lets other work run between them. */
export function bytesOf(file: Buffer): Bytes {
  return async function* () {
    for (let i = 0; i < file.length; i += 65_536) {
      yield file.subarray(i, i + 65_536);
      await nextTurn();
    }
  };
}

/** The number of blocked members for whom a file can cause requests. */
const MEMBERS_ASKED_AT_MOST = 500;
/** The number of channels and threads that are not the guild's, such as deleted ones, for which it can cause them. */
const MISSED_AT_MOST = 100;

/**
 * Checks every id in a file's lines, so that each channel, thread and role is in the guild. Returns the
 * line that may be restored, or null. Discord is asked for archived threads, which are not cached: no
 * rebuild finds imported articles there. For the host it is also asked for channels, since the bot works
 * without the gateway then, and the list that it has lacks the channels that it may not view. Member ids are not checked, because they only affect this guild
 * and cause no requests, except for blocked members: the restorer can block only those whom a command
 * would let them block.
 */
function checkForGuild(
  needs: CheckNeeds,
  guild: Guild,
  /** The member who restores; null: the host. */
  by: string | null = null,
): (line: Line) => Promise<Line | null> {
  let membersAsked = 0;
  let restorer: Promise<GuildMember> | undefined;
  /** Those of the file among them: it has them before its articles. */
  let rules: Promise<Rules> | undefined;
  const mayAsk = (): boolean => (membersAsked += 1) <= MEMBERS_ASKED_AT_MOST;
  const places = openPlaces(needs, guild, by === null);
  return async (line) => {
    switch (line.kind) {
      case 'article':
        rules ??= needs.rules.reload(guild.id);
        return checkedArticle(guild, line, places, await judgeOf(rules, needs.clock));
      case 'digest':
        return checkedDigest(guild, line, by, places);
      case 'block':
        if (by !== null) restorer ??= guild.members.fetch(by);
        return checkedBlock(guild, line, await restorer, mayAsk);
      case 'board':
        // The restorer is told in the panel where it cannot be shown.
        return (await places.hasMessages(line.channel)) ? { ...line, savedBy: by } : null;
      case 'setting':
        return checkedSetting(guild, line, places);
      case 'mark':
      case 'web':
      case 'opted-out':
      case 'erased':
      case 'edition':
      case 'imported':
      case 'unnamed':
        return line;
      default:
        return line satisfies never;
    }
  };
}

/** Which of the ids in a file are channels and threads of the guild. */
interface Places {
  /** Whether it can hold messages. */
  hasMessages(channel: Snowflake): Promise<boolean>;
  /** Whether articles can be at home there. */
  canBeGroup(this: void, channel: Snowflake): Promise<boolean>;
  /** Whether it is a thread of this home channel, archived or not. */
  isThreadOf(home: Snowflake, thread: Snowflake): Promise<boolean>;
}

/** Asks Discord once for each id that the guild's list lacks. `isOfHost`: for channels, too. */
function openPlaces({ requests }: CheckNeeds, guild: Guild, isOfHost: boolean): Places {
  const { cache } = guild.channels;
  const asked = new Map<Snowflake, Promise<Whereabouts>>();
  let missed = 0;
  async function find(id: Snowflake): Promise<Whereabouts> {
    if (missed >= MISSED_AT_MOST) return 'missed';
    // A fault of Discord for one of them leaves out what it holds, and stops no other line.
    const found = await whereaboutsOf({ requests }, guild.id, id);
    if (found === 'here' || (found === 'hidden' && isOfHost)) return found;
    missed += 1;
    return 'missed';
  }
  function ask(id: Snowflake): ReturnType<typeof find> {
    const found = asked.get(id) ?? find(id);
    asked.set(id, found);
    return found;
  }
  /** The host's file names it, and Discord says that it is there. Whose it is, only the file can say. */
  const isHidden = async (id: Snowflake): Promise<boolean> =>
    isOfHost && !cache.has(id) && (await ask(id)) === 'hidden';
  return {
    async hasMessages(id) {
      return cache.get(id)?.isTextBased() === true || isHidden(id);
    },
    async canBeGroup(id) {
      const channel = cache.get(id);
      return channel === undefined ? isHidden(id) : groupOf(channel) === channel;
    },
    async isThreadOf(home, thread) {
      if (cache.has(thread)) return cache.get(thread)?.isTextBased() === true;
      const parent = cache.get(home);
      // Discord says nothing of the threads of a hidden channel. Each request for the article asks whose it is.
      if (parent === undefined || missingPermissions(parent, ['ViewChannel']).length > 0)
        return true;
      return (await ask(thread)) === 'here';
    },
  };
}

/** Those of some ids of which it holds, asked one after the other. */
async function among(
  ids: readonly Snowflake[],
  holds: (id: Snowflake) => boolean | Promise<boolean>,
): Promise<Snowflake[]> {
  const found: Snowflake[] = [];
  for (const id of ids) if (await holds(id)) found.push(id);
  return found;
}

/**
 * A list that loses all of its ids would mean "everybody" or "everywhere", so it is left out. So is an emoji that members
 * could not react with.
 */
async function checkedSetting(guild: Guild, line: LineOf<'setting'>, places: Places) {
  const { name, value } = line;
  if (isSettingName(name) && isSignSetting(name) && value !== null) {
    const sign = await typedSign(guild, value as string);
    return sign === null ? null : { ...line, value: sign };
  }
  const kind = isSettingName(name) ? idKindOf(name) : null;
  if (kind === null) return line;
  if (kind === 'channel') {
    return value === null || (await places.hasMessages(value as string)) ? line : null;
  }
  const isRole = (id: Snowflake) => guild.roles.cache.has(id);
  if (kind === 'role') return value === null || isRole(value as string) ? line : null;
  const stored = value as string[];
  const ids = await among(stored, kind === 'roles' ? isRole : places.canBeGroup);
  return ids.length === 0 && stored.length > 0 ? null : { ...line, value: ids };
}

/** Says which texts may stand in an article, and what its title is without one. */
type Judge = { mayStand: (text: string) => boolean; otherTitle: (link: string) => string };

async function judgeOf(rules: Promise<Rules>, clock: Clock): Promise<Judge> {
  const { blocks } = await rules;
  const now = clock.now();
  return {
    mayStand: standingBy(blocks, now).text,
    otherTitle: (link) => titleOf(blocks, link, { given: '' }, now),
  };
}

async function checkedArticle(
  guild: Guild,
  line: ArticleLine,
  places: Places,
  { mayStand, otherTitle }: Judge,
) {
  const { comment, groups, ...rest } = line;
  // What nobody could post is not restored either.
  if (!isAcceptedLink(line.link)) return null;
  const [home = '', ...others] = groups;
  if (!(await places.canBeGroup(home))) return null;
  if (line.channel !== home && !(await places.isThreadOf(home, line.channel))) return null;
  const said = comment === undefined ? '' : cleanComment(comment);
  const title = cleanTitle(line.title);
  return {
    ...rest,
    title: title !== '' && mayStand(title) ? title : otherTitle(line.link),
    ...(said === '' || !mayStand(said) ? {} : { comment: said }),
    groups: [home, ...(await among(others, places.canBeGroup))],
    listed: isListed(guild.channels.cache.get(home)),
  };
}

/** The restorer is told when it cannot be posted. */
async function checkedDigest(
  guild: Guild,
  line: LineOf<'digest'>,
  by: string | null,
  places: Places,
) {
  const { digest } = line;
  const { channel, groups, role } = digest;
  // `/digest set` refuses the role of everyone, too.
  if (role === guild.id) return null;
  const ours = await among(groups, places.canBeGroup);
  if (ours.length === 0 && groups.length > 0) return null;
  if (!(await places.hasMessages(channel))) return null;
  const isOurRole = role !== null && guild.roles.cache.has(role);
  const checked = { ...digest, groups: ours, role: isOurRole ? role : null, savedBy: by };
  return { ...line, digest: checked };
}

/** A file can name anybody as the blocker, so that the restorer answers for its blocks. */
async function checkedBlock(
  guild: Guild,
  line: LineOf<'block'>,
  restorer: GuildMember | undefined,
  mayAsk: () => boolean,
): Promise<LineOf<'block'> | null> {
  const { subject } = line;
  if (subject.kind === 'member' && subject.member === guild.ownerId) return null;
  if (restorer === undefined) return line;
  const refusal = await refusalToBlock(restorer, subject, mayAsk);
  return refusal === null ? { ...line, by: restorer.id } : null;
}
