import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Guild, GuildMember } from 'discord.js';
import { DAY_MS } from '../runtime/clock.ts';
import { groupOf, isListed } from '../discord/access/visibility.ts';
import { isOfOneChannel } from '../discord/requests/refusals.ts';
import { isAcceptedLink } from '../ranking/links/parse.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import {
  type ArticleLine,
  type Header,
  type Kind,
  KINDS,
  type Line,
  type LineOf,
} from './guild-file/format.ts';
import { type Bytes, type FileFault, guildParts, surveyedParts } from './guild-file/read.ts';
import { type Restored, type RestoreOptions, restoreGuild } from './guild-file/restore-guild.ts';
import { idKindOf, isSettingName } from '../community/settings.ts';
import { type LeaseNeeds, withLease } from '../redis/lease.ts';
import { translate } from '../text/catalogue.ts';
import { cleanTitle, titleOfLink, cleanComment } from '../text/clean.ts';
import { refusalToBlock } from '../moderation/change-blocks.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Requests } from '../discord/requests/requests.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import type { Listing } from '../articles/listing.ts';

/** The limit of a member's file. A gzip file can unpack to a thousand times its size. */
const UNPACKED_AT_MOST = 512 * 1024 * 1024;

/** The reason why a whole file does not belong here, or null. */
export function mismatchOf(file: Header, here: { application: string; now: number }) {
  if (Date.parse(file.madeAt) > here.now + DAY_MS) return 'future';
  return file.application === here.application ? null : 'application';
}

/** What checking a file needs. */
interface CheckNeeds {
  /** Asks Discord whether what a file names is in the guild. */
  requests: Requests;
}

/** What restoring a file needs. */
interface RestoreNeeds extends LeaseNeeds, CheckNeeds {
  /** Where the file's articles are written. */
  ranking: Ranking;
  /** Read again after a restore. */
  rules: GuildRules;
  /** A restored channel may be private by now. */
  listing: Listing;
}

export type FileToRestore = Omit<RestoreOptions, 'now' | 'check'> & {
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
  const check = checkForGuild(needs, guild, file.by);
  const restored = await restoreGuild(needs, { ...file, now: needs.clock.now(), check });
  // Channels can have become private since their lines were read.
  await needs.listing.compare(guild);
  await needs.rules.reload(guild.id);
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
  for await (const { header, fault, at, lines } of surveyedParts(bytes, UNPACKED_AT_MOST)) {
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
  let at = 0;
  for await (const part of guildParts(bytes, UNPACKED_AT_MOST)) {
    if (at === wanted && part.header !== null) {
      yield* part.lines;
      return;
    }
    at += 1;
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

/** One line for each kind with restored, unchanged or left-out lines. */
export function fateLines(locale: string, restored: Restored): string[] {
  return KINDS.flatMap((kind) => {
    const { put, unchanged, left } = restored[kind];
    if (put + unchanged + left === 0) return [];
    const what = translate(locale, `data.kind.${kind}`);
    return [translate(locale, 'data.fates', { what, put, unchanged, left })];
  });
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
/** The number of threads that are not the guild's, such as deleted ones, for which it can cause them. */
const THREADS_MISSED_AT_MOST = 100;

/**
 * Checks every id in a file's lines, so that each channel, thread and role is in the guild. Returns the
 * line that may be restored, or null. Discord is asked for archived threads, which are not cached: no
 * rebuild finds imported articles there. Member ids are not checked, because they only affect this guild
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
  const mayAsk = (): boolean => (membersAsked += 1) <= MEMBERS_ASKED_AT_MOST;
  const isThreadOf = openThreads(needs, guild);
  return async (line) => {
    switch (line.kind) {
      case 'article':
        return checkedArticle(guild, line, isThreadOf);
      case 'digest':
        return checkedDigest(guild, line, by);
      case 'block':
        if (by !== null) restorer ??= guild.members.fetch(by);
        return checkedBlock(guild, line, await restorer, mayAsk);
      case 'board':
        // The restorer is told in the panel where it cannot be shown.
        return hasMessages(guild, line.channel) ? { ...line, savedBy: by } : null;
      case 'setting':
        return checkedSetting(guild, line);
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

/** Whether it is a channel or thread of the guild that can hold messages. */
function hasMessages({ channels }: Guild, id: string): boolean {
  return channels.cache.get(id)?.isTextBased() === true;
}

/** Whether a thread is in the guild, archived or not. Each is asked for once. */
function openThreads({ requests }: CheckNeeds, guild: Guild) {
  const asked = new Map<string, boolean>();
  let missed = 0;
  return async (channel: string): Promise<boolean> => {
    if (guild.channels.cache.has(channel)) return hasMessages(guild, channel);
    const known = asked.get(channel);
    if (known !== undefined || missed >= THREADS_MISSED_AT_MOST) return known === true;
    const target = { guild: guild.id, channel };
    const isHere = await requests
      .ask(target, 'GET', async () => true)
      .catch((error: unknown) => {
        // A fault of Discord for one thread leaves out its articles, and stops no other line.
        if (isOfOneChannel(error)) return false;
        throw error;
      });
    asked.set(channel, isHere);
    if (!isHere) missed += 1;
    return isHere;
  };
}

function canBeGroup({ channels }: Guild, id: string): boolean {
  const channel = channels.cache.get(id);
  return channel !== undefined && groupOf(channel) === channel;
}

/** A list that loses all of its ids would mean "everybody" or "everywhere", so it is left out. */
function checkedSetting(guild: Guild, line: LineOf<'setting'>) {
  const { name, value } = line;
  const kind = isSettingName(name) ? idKindOf(name) : null;
  if (kind === null) return line;
  if (kind === 'channel') {
    return value === null || hasMessages(guild, value as string) ? line : null;
  }
  const stored = value as string[];
  const ids = stored.filter((id) =>
    kind === 'roles' ? guild.roles.cache.has(id) : canBeGroup(guild, id),
  );
  return ids.length === 0 && stored.length > 0 ? null : { ...line, value: ids };
}

async function checkedArticle(
  guild: Guild,
  line: ArticleLine,
  isThreadOf: (channel: string) => Promise<boolean>,
) {
  const { comment, groups, ...rest } = line;
  // What nobody could post is not restored either.
  if (!isAcceptedLink(line.link)) return null;
  const [home = '', ...others] = groups;
  if (!canBeGroup(guild, home)) return null;
  if (line.channel !== home && !(await isThreadOf(line.channel))) return null;
  const said = comment === undefined ? '' : cleanComment(comment);
  return {
    ...rest,
    title: cleanTitle(line.title) || titleOfLink(line.link),
    ...(said === '' ? {} : { comment: said }),
    groups: [home, ...others.filter((id) => canBeGroup(guild, id))],
    listed: isListed(guild.channels.cache.get(home)),
  };
}

/** The restorer is told when it cannot be posted. */
function checkedDigest(guild: Guild, line: LineOf<'digest'>, by: string | null) {
  const { digest } = line;
  const { channel, groups, role } = digest;
  const ours = groups.filter((id) => canBeGroup(guild, id));
  // `/digest set` refuses the role of everyone, too.
  if (role === guild.id) return null;
  if (!hasMessages(guild, channel) || (ours.length === 0 && groups.length > 0)) return null;
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
