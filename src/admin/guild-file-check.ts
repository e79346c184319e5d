import type { Guild, GuildMember } from 'discord.js';
import type { App } from '../app.ts';
import { isRefusal } from '../discord/api-errors.ts';
import { ChannelRefused } from '../discord/requests/refusals.ts';
import { groupOf, isListed } from '../discord/access/visibility.ts';
import { memberSubject } from '../records/blocks.ts';
import type { ArticleLine, Line, LineOf } from '../records/guild-file/format.ts';
import { isSettingName, kindOf } from '../records/settings.ts';
import { parseLink } from '../ranking/links/parse.ts';
import { cleanTitle, titleOfLink } from '../text/clean.ts';
import { cleanComment } from '../text/comment.ts';
import { refusalToBlock } from './moderation/change-blocks.ts';

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
export function checkForGuild(
  app: Pick<App, 'ownMessages' | 'refusals'>,
  guild: Guild,
  /** The member who restores; null: the host. */
  by: string | null = null,
): (line: Line) => Promise<Line | null> {
  let membersAsked = 0;
  let restorer: Promise<GuildMember> | undefined;
  const mayAsk = (): boolean => (membersAsked += 1) <= MEMBERS_ASKED_AT_MOST;
  const isThreadOf = openThreads(app, guild);
  return async (line) => {
    switch (line.kind) {
      case 'article':
        return checkedArticle(guild, line, isThreadOf);
      case 'digest':
        return checkedDigest(guild, line, by);
      case 'block':
        if (by !== null) restorer ??= guild.members.fetch(by);
        return checkedBlock(guild, line, await restorer, mayAsk);
      case 'setting':
        return checkedSetting(guild, line);
      default:
        return line;
    }
  };
}

/** Whether it is a channel or thread of the guild that can hold messages. */
function hasMessages({ channels }: Guild, id: string): boolean {
  return channels.cache.get(id)?.isTextBased() === true;
}

type IsThreadOf = (thread: string) => Promise<boolean>;

/** Whether a thread is in the guild, archived or not. Each is asked for once. */
function openThreads(
  { ownMessages, refusals }: Pick<App, 'ownMessages' | 'refusals'>,
  guild: Guild,
): IsThreadOf {
  const asked = new Map<string, boolean>();
  let missed = 0;
  return async (channel) => {
    if (guild.channels.cache.has(channel)) return hasMessages(guild, channel);
    const known = asked.get(channel);
    if (known !== undefined || missed >= THREADS_MISSED_AT_MOST) return known === true;
    const place = { guild: guild.id, channel };
    const isHere = await refusals
      .ask(place, 'GET', () => ownMessages.demandChannel(place))
      .then(() => true)
      .catch((error: unknown) => {
        if (error instanceof ChannelRefused || isRefusal(error)) return false;
        throw error;
      });
    asked.set(channel, isHere);
    if (!isHere) missed += 1;
    return isHere;
  };
}

function isGroup({ channels }: Guild, id: string): boolean {
  const channel = channels.cache.get(id);
  return channel !== undefined && groupOf(channel) === channel;
}

/** A list that loses all of its ids would mean "everybody" or "everywhere", so it is left out. */
function checkedSetting(guild: Guild, line: LineOf<'setting'>): LineOf<'setting'> | null {
  const { name, value } = line;
  const kind = isSettingName(name) ? kindOf(name) : null;
  if (kind === 'channel') {
    return value === null || hasMessages(guild, value as string) ? line : null;
  }
  if (kind !== 'channels' && kind !== 'roles') return line;
  const given = value as string[];
  const ids = given.filter((id) =>
    kind === 'roles' ? guild.roles.cache.has(id) : isGroup(guild, id),
  );
  return ids.length === 0 && given.length > 0 ? null : { ...line, value: ids };
}

async function checkedArticle(
  guild: Guild,
  line: ArticleLine,
  isThreadOf: IsThreadOf,
): Promise<ArticleLine | null> {
  const { comment, groups, ...rest } = line;
  // What nobody could post is not restored either.
  if (parseLink(line.link).status === 'refused') return null;
  const [home = '', ...others] = groups;
  const group = guild.channels.cache.get(home);
  if (!group || group.isThread() || !isGroup(guild, home)) return null;
  if (line.channel !== home && !(await isThreadOf(line.channel))) return null;
  const said = comment === undefined ? '' : cleanComment(comment);
  return {
    ...rest,
    title: cleanTitle(line.title) || titleOfLink(line.link),
    ...(said === '' ? {} : { comment: said }),
    groups: [home, ...others.filter((id) => isGroup(guild, id))],
    listed: isListed(group),
  };
}

/** The restorer is told when it cannot be posted. */
function checkedDigest(
  guild: Guild,
  line: LineOf<'digest'>,
  by: string | null,
): LineOf<'digest'> | null {
  const { digest } = line;
  const { channel, groups, role } = digest;
  const ours = groups.filter((id) => isGroup(guild, id));
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
  if (line.subject === memberSubject(guild.ownerId)) return null;
  if (restorer === undefined) return line;
  const refusal = await refusalToBlock(restorer, line.subject, mayAsk);
  return refusal === null ? { ...line, by: restorer.id } : null;
}
