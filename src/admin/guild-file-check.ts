import { DiscordAPIError, type Guild, type GuildMember } from 'discord.js';
import type { App } from '../app.ts';
import { groupOf, isListed } from '../discord/access/visibility.ts';
import { ChannelRefused, isForbidden } from '../discord/requests/refusals.ts';
import { memberSubject } from '../records/blocks.ts';
import type { ArticleLine, Line, LineOf } from '../records/guild-file/format.ts';
import { isSettingName, kindOf } from '../records/settings.ts';
import { parseLink } from '../ranking/links/parse.ts';
import { cleanTitle, titleOfLink } from '../text/clean.ts';
import { cleanComment } from '../text/comment.ts';
import { refusalToBlock } from './moderation/change-blocks.ts';

/** The number of threads that do not exist, such as deleted ones, for which a file can cause requests. */
const MISSING_AT_MOST = 100;
/** The number of these that Discord may refuse: it bans the address after 10 000 refusals in ten minutes. */
const REFUSALS_AT_MOST = 10;
/** The number of blocked members for whom a file can cause requests. */
const MEMBERS_ASKED_AT_MOST = 500;

/**
 * Checks every id in a file's lines, so that each channel, thread and role is in the guild. Returns the
 * line that may be restored, or null. Member ids are not checked, because they only affect this guild
 * and cause no requests, except for blocked members: the restorer can block only those whom a command
 * would let them block.
 */
export function checkForGuild(
  app: Pick<App, 'ownMessages' | 'refusals'>,
  guild: Guild,
  /** The member who restores; null: the host. */
  by: string | null = null,
): (line: Line) => Promise<Line | null> {
  const here = openQuestions(app, guild);
  const restorer = by === null ? null : openRestorer(guild, by);
  return async (line) => {
    switch (line.kind) {
      case 'article':
        return checkedArticle(here, line);
      case 'digest':
        return checkedDigest(here, line, by);
      case 'block':
        return checkedBlock(here, restorer, line);
      case 'setting': {
        const checked = await checkedSetting(here, line.name, line.value);
        return checked && { ...line, ...checked };
      }
      default:
        return line;
    }
  };
}

type Here = ReturnType<typeof openQuestions>;

/** The member who restores, asked for once. */
function openRestorer(guild: Guild, by: string): () => Promise<GuildMember> {
  let member: GuildMember | undefined;
  return async () => (member ??= await guild.members.fetch(by));
}

/** A list that loses all of its ids would mean "everybody" or "everywhere", so it is left out. */
async function checkedSetting(
  { hasMessages, isGroup, isRole }: Here,
  name: string,
  value: unknown,
): Promise<{ value: unknown } | null> {
  const kind = isSettingName(name) ? kindOf(name) : null;
  if (kind === 'channel') {
    return value === null || (await hasMessages(value as string)) ? { value } : null;
  }
  if (kind !== 'channels' && kind !== 'roles') return { value };
  const given = value as string[];
  const ids = given.filter(kind === 'roles' ? isRole : isGroup);
  return ids.length === 0 && given.length > 0 ? null : { value: ids };
}

async function checkedArticle(
  { guild, hasMessages, isGroup }: Here,
  line: ArticleLine,
): Promise<ArticleLine | null> {
  const { comment, groups, thread, ...rest } = line;
  // What nobody could post is not restored either.
  if (parseLink(line.link).status === 'refused') return null;
  const [home = '', ...others] = groups;
  const channel = guild.channels.cache.get(home);
  if (!channel || channel.isThread() || !isGroup(home)) return null;
  if (thread !== undefined && !(await hasMessages(thread))) return null;
  const said = comment === undefined ? '' : cleanComment(comment);
  return {
    ...rest,
    title: cleanTitle(line.title) || titleOfLink(line.link),
    ...(said === '' ? {} : { comment: said }),
    ...(thread === undefined ? {} : { thread }),
    groups: [home, ...others.filter(isGroup)],
    listed: isListed(channel),
  };
}

/** The restorer is told when it cannot be posted. */
async function checkedDigest(
  { hasMessages, isGroup, isRole }: Here,
  line: LineOf<'digest'>,
  by: string | null,
): Promise<LineOf<'digest'> | null> {
  const { digest } = line;
  const { channel, groups, role } = digest;
  const ours = groups.filter(isGroup);
  if (!(await hasMessages(channel)) || (ours.length === 0 && groups.length > 0)) return null;
  const isOurRole = role !== null && isRole(role);
  const checked = { ...digest, groups: ours, role: isOurRole ? role : null, savedBy: by };
  return { ...line, digest: checked };
}

/** A file can name anybody as the blocker, so that the restorer answers for its blocks. */
async function checkedBlock(
  { guild, mayAsk }: Here,
  restorer: (() => Promise<GuildMember>) | null,
  line: LineOf<'block'>,
): Promise<LineOf<'block'> | null> {
  if (line.subject === memberSubject(guild.ownerId)) return null;
  if (restorer === null) return line;
  const by = await restorer();
  const refusal = await refusalToBlock(by, line.subject, mayAsk);
  return refusal === null ? { ...line, by: by.id } : null;
}

/** What belongs to the guild. Discord is asked a bounded number of times for each file. */
function openQuestions(
  { ownMessages, refusals }: Pick<App, 'ownMessages' | 'refusals'>,
  guild: Guild,
) {
  const threads = new Map<string, boolean>();
  let missing = 0;
  let refused = 0;
  let membersAsked = 0;
  const mayAsk = (): boolean => (membersAsked += 1) <= MEMBERS_ASKED_AT_MOST;

  /** A channel or thread that can hold messages. Only archived threads are not cached. */
  async function hasMessages(id: string): Promise<boolean> {
    const channel = guild.channels.cache.get(id);
    if (channel) return channel.isTextBased();
    const known = threads.get(id);
    if (known !== undefined) return known;
    if (missing >= MISSING_AT_MOST || refused >= REFUSALS_AT_MOST) return false;
    const place = { guild: guild.id, channel: id };
    const isHere = await refusals
      .ask(place, 'GET', () => ownMessages.demandChannel(place))
      .then(() => true)
      .catch((error: unknown) => {
        const isGone = error instanceof DiscordAPIError && error.status === 404;
        if (isForbidden(error)) refused += 1;
        else if (!isGone && !(error instanceof ChannelRefused)) throw error;
        return false;
      });
    threads.set(id, isHere);
    if (!isHere) missing += 1;
    return isHere;
  }

  const isRole = (id: string): boolean => guild.roles.cache.has(id);
  const isGroup = (id: string): boolean => {
    const channel = guild.channels.cache.get(id);
    return channel !== undefined && groupOf(channel) === channel;
  };
  return { guild, hasMessages, mayAsk, isRole, isGroup };
}
