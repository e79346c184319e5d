import { setTimeout as pause } from 'node:timers/promises';
import { type APIEmbed, AttachmentBuilder, type Client, Routes } from 'discord.js';
import { z } from 'zod';
import { isApiError } from '../discord/api-errors.ts';
import { answer, updateMessage } from '../discord/interactions/answer.ts';
import { button, card, type ActionRow, row } from '../discord/interactions/components.ts';
import { fileOf } from '../discord/requests/attachment.ts';
import type { DirectCommand, DirectComponent } from '../discord/commands/command.ts';
import { parseArgs } from '../discord/commands/checked-options.ts';
import { requireWithinLimit, type MemberLimits } from '../community/member-limits.ts';
import {
  eraseMember,
  type ErasingNeeds,
  finishErasing,
  forgetReports,
  hasDataOf,
  memberExport,
} from './member-data.ts';
import { UserError } from '../discord/user-error.ts';
import type { Due } from '../due/due.ts';
import { readGuilds } from '../community/known-guilds.ts';
import { isUnnamed, setUnnamed } from '../community/unnamed.ts';
import { isOptedOut, setOptedOut } from '../community/opted-out.ts';
import { translate } from '../text/catalogue.ts';
import { readMemberFacts } from '../community/may-vote.ts';
import { retractVotes } from '../votes/retract-votes.ts';
import { type StoredAboutNeeds, storedKinds } from './stored-about.ts';
import { forEach } from '../runtime/for-each.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import type { Store } from '../redis/store.ts';
import type { TakenAwayReactions } from '../votes/events/taken-away-reactions.ts';

/** A button's custom id is `me|<what>`. It concerns the member who presses it. */
const zArgs = z.tuple([
  z.enum(['export', 'erase', 'really', 'out', 'leave', 'in', 'unname', 'name', 'cancel']),
]);
type What = z.infer<typeof zArgs>[0];

/** What the page and its buttons need. */
export interface PrivacyPanelNeeds extends ErasingNeeds, StoredAboutNeeds {
  /** How often a member may export, erase or opt out. */
  memberLimits: MemberLimits;
  /** Refreshed when a member opts out or comes back. */
  rules: GuildRules;
  /** Takes away the reactions of a member who opted out. */
  takenAwayReactions: TakenAwayReactions;
  /** Has a member who opted out taken from what names them, until it is done. */
  due: Due;
}

/** A message that explains the stored data. */
export type PrivacyPage = { content: string; embeds: APIEmbed[]; components: ActionRow[] };

/** Explains the stored data, with buttons to export the member's data, erase it, or opt out. */
export async function privacyPage(
  { guildId, user, locale }: DirectCommand | DirectComponent,
  { store }: { store: Store },
): Promise<PrivacyPage> {
  const scope = guildId === null ? 'everywhere' : 'here';
  const out = guildId !== null && (await isOptedOut(store, guildId, user.id));
  const offered: What[] = ['export', 'erase', ...(out ? [] : (['out'] as const))];
  if (out || guildId === null) offered.push('in');
  // Each server has its own page. Who opted out is not named anyway.
  if (guildId !== null && !out) {
    offered.push((await isUnnamed(store, guildId, user.id)) ? 'name' : 'unname');
  }
  const paragraphs = [
    ...(out ? [translate(locale, 'privacy.out.state')] : []),
    storedKinds.map((kind) => translate(locale, `privacy.stored.${kind}`)).join('\n'),
    translate(locale, 'privacy.elsewhere'),
    translate(locale, `privacy.scope.${scope}`),
  ];
  return {
    content: '',
    embeds: [card(translate(locale, 'privacy.title'), paragraphs.join('\n\n'))],
    components: [buttons(locale, offered)],
  };
}

function buttons(locale: string, offered: readonly What[]): ActionRow {
  return row(
    ...offered.map((what) => {
      const isFinal = what === 'really' || what === 'leave';
      const label = translate(locale, `privacy.button.${what}`);
      return button(`me|${what}`, label, isFinal ? 'danger' : 'plain');
    }),
  );
}

export async function pressPrivacy(
  interaction: DirectComponent,
  args: string[],
  needs: PrivacyPanelNeeds,
): Promise<void> {
  const [what] = parseArgs(zArgs, args);
  const { guildId, user } = interaction;
  // In direct messages, a button applies to all servers. The stored list of them may lack one.
  const every = async () => [
    ...(await readGuilds(needs.store)),
    ...needs.client.guilds.cache.keys(),
  ];
  const guilds = guildId === null ? [...new Set(await every())] : [guildId];
  switch (what) {
    case 'erase':
      return ask(interaction, 'really');
    case 'out':
      return ask(interaction, 'leave');
    case 'cancel':
      return updateMessage(interaction, await privacyPage(interaction, needs));
    case 'export':
      requireWithinLimit(needs, guildId, user.id, 'export');
      return exportData(interaction, needs, guilds);
    case 'really':
      requireWithinLimit(needs, guildId, user.id, 'erase');
      return erase(interaction, needs, guilds);
    case 'unname':
    case 'name':
      // Each has the server's pages made anew.
      requireWithinLimit(needs, guildId, user.id, 'opt');
      return setWebName(interaction, needs, what === 'unname');
    case 'leave':
    case 'in':
      requireWithinLimit(needs, guildId, user.id, 'opt');
      return opt(interaction, needs, guilds, what === 'in' ? 'in' : 'out');
    default:
      return what satisfies never;
  }
}

/** Whether the server's web page may name the member. The page is made anew at once. */
async function setWebName(
  interaction: DirectComponent,
  needs: PrivacyPanelNeeds,
  isHidden: boolean,
): Promise<void> {
  const { guildId, user, locale } = interaction;
  if (guildId === null) throw new UserError('stale');
  await setUnnamed(needs.store, guildId, user.id, isHidden);
  needs.ranking.changes.note(guildId);
  const content = translate(locale, isHidden ? 'privacy.unname.done' : 'privacy.name.done');
  await updateMessage(interaction, { ...(await privacyPage(interaction, needs)), content });
}

/** Asks for confirmation in place of the page, which Cancel brings back. */
async function ask(interaction: DirectComponent, sure: 'really' | 'leave'): Promise<void> {
  const { locale } = interaction;
  await updateMessage(interaction, {
    content: translate(locale, `privacy.sure.${sure}`),
    embeds: [],
    components: [buttons(locale, [sure, 'cancel'])],
  });
}

async function exportData(
  interaction: DirectComponent,
  needs: PrivacyPanelNeeds,
  guilds: readonly Snowflake[],
): Promise<void> {
  const { attachmentSizeLimit, locale, user } = interaction;
  const file = await fileOf(memberExport(needs, guilds, user.id), attachmentSizeLimit);
  if (file === null) throw new UserError('privacy.export.big');
  const name = `frontpage.json${file.isPacked ? '.gz' : ''}`;
  await answer(interaction, {
    content: translate(locale, 'privacy.exported'),
    files: [new AttachmentBuilder(file.data, { name })],
  });
}

/**
 * Erases in the servers that the member is in, and where something of theirs is found: nothing is
 * written into others, so that strangers cannot make their records longer.
 */
async function erase(
  interaction: DirectComponent,
  needs: PrivacyPanelNeeds,
  guilds: readonly Snowflake[],
): Promise<void> {
  const { guildId, locale, user } = interaction;
  let posts = 0;
  let votes = 0;
  const step = async (guild: Snowflake): Promise<void> => {
    const isTheirs =
      guildId !== null ||
      (await isMember(needs, guild, user.id).catch(() => false)) ||
      (await hasDataOf(needs, guild, user.id));
    if (!isTheirs) return;
    const erased = await eraseMember(needs, guild, user.id);
    posts += erased.posts;
    votes += erased.votes;
  };
  const stepped = inSteps(interaction, needs, guilds, step, async (rest) => {
    const content = [translate(locale, 'privacy.erased', { posts, votes }), ...rest].join('\n');
    await updateMessage(interaction, { content, embeds: [], components: [] });
  });
  // This can take long. The articles are already gone for everyone else.
  await stepped.finally(() => forEach(guilds, (guild) => finishErasing(needs, guild)));
}

/**
 * Opts out of the servers that share the member, or into those that the member opted out of. Opting out
 * retracts the open votes; posts stay until they are erased.
 */
async function opt(
  interaction: DirectComponent,
  needs: PrivacyPanelNeeds,
  guilds: readonly Snowflake[],
  what: 'out' | 'in',
): Promise<void> {
  const { guildId, locale, user } = interaction;
  const isIn = what === 'in';
  const wanted: Snowflake[] = [];
  for (const guild of guilds) {
    // Where that cannot be read, the step fails, and stops no other.
    const isOut = await isOptedOut(needs.store, guild, user.id).catch(() => isIn);
    if (guildId !== null || isOut === isIn) wanted.push(guild);
  }
  const step = async (guild: Snowflake): Promise<void> => {
    if (guildId === null && !isIn && !(await isMember(needs, guild, user.id))) return;
    // Should this process die before all is done, the row is there.
    if (!isIn) await needs.due.plan(guild, `unname:${user.id}`, needs.clock.now() + STORED_MS);
    await setOptedOut(needs.store, guild, user.id, !isIn);
    await needs.rules.refresh(guild, { member: user.id });
    // Pages and boards that name the member are made anew.
    needs.ranking.changes.note(guild);
    if (isIn) return;
    // What names them is edited when other requests leave time for it.
    await needs.due.plan(guild, `unname:${user.id}`, 0);
    await forgetReports(needs, guild, user.id);
    await retractVotes(needs, guild, user.id);
  };
  await inSteps(interaction, needs, wanted, step, async (rest) => {
    const content = [translate(locale, `privacy.opted.${what}`), ...rest].join('\n');
    await updateMessage(interaction, { ...(await privacyPage(interaction, needs)), content });
  });
}

/** By then, it is stored who opts out. */
const STORED_MS = 30_000;
/** The number of servers that are handled before the answer. */
const STEP = 25;
/** The pause before each further server: a connection may send 120 times a minute, also for other work. */
const EVERY_MS = 1000;

/**
 * A step for each server. A bot with many servers answers after the first ones and goes on, one server a
 * second. `rest` are lines that say so. A server whose step fails stops no other: the first error is thrown at
 * the end, so that the member is told.
 */
async function inSteps(
  { locale }: DirectComponent,
  { stopping }: { stopping: AbortSignal },
  guilds: readonly Snowflake[],
  step: (guild: Snowflake) => Promise<void>,
  answered: (rest: string[]) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  const tryStep = (guild: Snowflake) => step(guild).catch((error: unknown) => errors.push(error));
  for (const guild of guilds.slice(0, STEP)) await tryStep(guild);
  const rest = guilds.slice(STEP);
  const minutes = Math.ceil((rest.length * EVERY_MS) / 60_000);
  const line = translate(locale, 'privacy.rest', { servers: rest.length, minutes });
  await answered(rest.length > 0 ? [line] : []);
  for (const guild of rest) {
    await pause(EVERY_MS, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) throw new UserError('stopping');
    await tryStep(guild);
  }
  if (errors.length > 0) throw errors[0];
}

/**
 * Asks over the gateway, so that a server without the member costs no REST request; by REST where this process does
 * not have the server: another may, or it is in an outage. Throws if that cannot be known now.
 */
async function isMember(
  needs: { client: Client; stopping: AbortSignal },
  guild: Snowflake,
  member: Snowflake,
): Promise<boolean> {
  const { client } = needs;
  const known = client.guilds.cache.get(guild);
  if (known?.available === true) {
    return (await readMemberFacts(needs, guild, [member])).get(member) !== null;
  }
  try {
    await client.rest.get(Routes.guildMember(guild, member));
    return true;
  } catch (error) {
    if (isApiError(error, 'UnknownMember', 'UnknownUser')) return false;
    // The bot has left it. In an outage that proves nothing.
    if (known === undefined && isApiError(error, 'UnknownGuild', 'MissingAccess')) return false;
    throw error;
  }
}
