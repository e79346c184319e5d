import type { NonThreadGuildBasedChannel } from 'discord.js';
import { readBoard, type StoredBoard } from '../../board/stored-board.ts';
import { isGroup } from '../../community/guild-rules.ts';
import type { Settings } from '../../community/settings.ts';
import { applyOptions, ofItsChannel } from '../../digests/command/apply-options.ts';
import type { DigestOptions } from '../../digests/command/options.ts';
import { DEFAULT_DIGEST } from '../../digests/digest-settings.ts';
import { DIGEST_CHANNEL_TYPES } from '../../digests/posting/posting-context.ts';
import { fittingRhythm } from '../../digests/schedule/rhythm.ts';
import { homeZone } from '../../digests/schedule/time-zones.ts';
import { readDigests, type StoredDigest } from '../../digests/stored-digests.ts';
import {
  MESSAGE_PERMISSIONS,
  missingPermissions,
  NEEDED_PERMISSIONS,
} from '../../discord/access/permissions.ts';
import {
  type Closed,
  closedFor,
  groupOf,
  groupsOf,
  isListed,
  mayView,
} from '../../discord/access/visibility.ts';
import type { GuildComponent } from '../../discord/commands/command.ts';
import type { LinkCounts } from '../../history/import/import-needs.ts';
import { countsFor, notTakenIn } from '../../history/import/link-count-texts.ts';
import { readPosting } from '../../ranking/articles/fit-span.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Chosen } from './chosen.ts';
import type { SetupNeeds } from './setup-needs.ts';

const DIGEST_TIME = '09:00';
/** The name of the digest that fits a server that posts little. */
const WEEKLY = 'weekly';
/** A channel with fewer links is no channel for links. */
const LINKS_AT_LEAST = 3;
const LINK_CHANNELS_AT_MOST = 3;

/** What there is, and what is proposed where there is nothing. */
export interface Plan {
  /** As they are. */
  settings: Settings;
  /** The digest that the set-up looks after; null: there is none. */
  stored: StoredDigest | null;
  /** Null: there is none. */
  board: StoredBoard | null;
  /** For a digest and a board that are not there yet; null: no channel can hold them. */
  channel: Snowflake | null;
  /** Where links are posted by hand, and Frontpage may make articles of them. */
  linkChannels: readonly Snowflake[];
  /** Where bots post most links, of which those may become articles that members like. */
  feedChannels: readonly Snowflake[];
  /** The links that are here, of what the member may view; null: not counted yet. */
  counts: LinkCounts | null;
  /** Why the lists of the whole server would stay empty; null: they do not. */
  closed: Closed | null;
}

export async function readPlan(interaction: GuildComponent, needs: SetupNeeds): Promise<Plan> {
  const { guild, guildId, member } = interaction;
  const [{ settings }, digests, board, imported] = await Promise.all([
    needs.rules.refresh(guildId),
    readDigests(needs.store, guildId),
    readBoard(needs.store, guildId),
    needs.imports.read(guildId),
  ]);
  const named = (name: string) => digests.find((one) => one.name === name);
  const left = notTakenIn(needs.imports.counts.known(guildId), imported);
  const counts = countsFor(left, (channel) => mayView(member, channel));
  const groups = groupsOf(guild).filter(({ id }) => isGroup(settings, id));
  return {
    settings,
    stored: named(DEFAULT_DIGEST) ?? named(WEEKLY) ?? digests[0] ?? null,
    board,
    channel: usualChannel(interaction)?.id ?? null,
    linkChannels: channelsWithLinks(groups, counts, 'members'),
    feedChannels: channelsWithLinks(groups, counts, 'bots'),
    counts,
    closed: closedFor(groups),
  };
}

/**
 * Where most would have a digest: here, unless not everyone sees this channel and another one fits. A channel in
 * which a permission is missing is proposed too: its line says how to give it.
 */
function usualChannel({ channel: here, guild }: GuildComponent) {
  const own = here === null ? null : groupOf(here);
  const ofType = groupsOf(guild).filter(({ type }) =>
    DIGEST_CHANNEL_TYPES.some((one) => one === type),
  );
  const isHere = ofType.find(({ id }) => id === own?.id);
  if (isHere !== undefined && isListed(isHere)) return isHere;
  const rank = ({ id, rawPosition }: NonThreadGuildBasedChannel) =>
    id === guild.systemChannelId ? -1 : rawPosition;
  const [best] = ofType
    .filter((one) => isListed(one) && missingPermissions(one, MESSAGE_PERMISSIONS).length === 0)
    .sort((a, b) => rank(a) - rank(b));
  return best ?? isHere;
}

/**
 * Those with most links, where members post most of them, or bots. A channel with far fewer than another is rather one
 * for talk.
 */
function channelsWithLinks(
  groups: readonly NonThreadGuildBasedChannel[],
  counts: LinkCounts | null,
  by: 'members' | 'bots',
): Snowflake[] {
  const found = (counts?.channels ?? []).filter(({ id, links, ofBots, isListed: isOpen }) => {
    const group = groups.find((one) => one.id === id);
    if (group === undefined || links < LINKS_AT_LEAST) return false;
    const areOfBots = ofBots * 2 > links;
    if (areOfBots !== (by === 'bots') || (areOfBots && !isOpen)) return false;
    return missingPermissions(group, NEEDED_PERMISSIONS).length === 0;
  });
  const most = found[0]?.links ?? 0;
  return found
    .filter(({ links }) => links * 2 >= most)
    .slice(0, LINK_CHANNELS_AT_MOST)
    .map(({ id }) => id);
}

/**
 * The digest as it would be saved, with its name: a new one comes as often as fits what the server posts. Null: there
 * is none, and no channel for it.
 */
export async function digestOf(
  interaction: GuildComponent,
  { ranking, clock }: Pick<SetupNeeds, 'ranking' | 'clock'>,
  plan: Pick<Plan, 'stored' | 'channel'>,
  { zone, time }: Pick<Chosen, 'zone' | 'time'>,
  chosen: Snowflake | null = null,
) {
  const { guild, guildId, member } = interaction;
  const { stored } = plan;
  const channel = chosen ?? (stored === null ? plan.channel : null);
  if (stored === null && channel === null) return null;
  const isWeekly =
    stored === null &&
    fittingRhythm(await readPosting(ranking, { guild: guildId }, clock.now())) === 'week';
  const options: DigestOptions = {
    ...(stored === null && { time: DIGEST_TIME, timezone: homeZone(interaction) }),
    ...(isWeekly && { every: 'week' as const, days: 'sunday' }),
    ...(zone !== null && { timezone: zone }),
    ...(time !== null && { time }),
    ...(channel !== null && { channel }),
  };
  const by = { member: member.id, here: interaction.channelId, now: clock.now() };
  const applied = applyOptions(stored?.digest ?? null, options, by);
  const isClosed = channel !== null && !isListed(guild.channels.cache.get(channel));
  return {
    name: stored?.name ?? (isWeekly ? WEEKLY : DEFAULT_DIGEST),
    digest: isClosed ? ofItsChannel(applied) : applied,
  };
}
