import type { GuildMember, Role } from 'discord.js';
import { isApiError } from '../../discord/api-errors.ts';
import {
  type Block,
  blockedMember,
  BLOCKS_AT_MOST,
  deleteBlock,
  memberSubject,
  readBlock,
  united,
  writeBlock,
} from '../../records/blocks.ts';
import { UserError } from '../../discord/user-error.ts';
import type { DisplayNames } from '../../discord/display-names.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { type Act, logAction, type ModerationParts, newEntry } from './audit-entries.ts';
import { retractVotes } from '../../articles/retract-votes.ts';
import { limits } from '../../discord/limits.ts';

/** Blocks a member or an origin, in addition to an earlier block, and returns the resulting block. */
export async function blockBy(app: ModerationParts, more: Block, act: Act): Promise<Block> {
  const block = united(await readBlock(app.store, act.by.guild.id, more.subject), more);
  await putBlock(app, block, act);
  return block;
}

/** Replaces a block. Retracts the open votes of a member who may not vote any more. */
export async function putBlock(app: ModerationParts, block: Block, act: Act): Promise<void> {
  const guild = act.by.guild.id;
  await demandMayBlock(act.by, block.subject);
  const before = await readBlock(app.store, guild, block.subject);
  const { status } = await writeBlock(app.store, guild, block);
  if (status === 'full') throw new UserError('mod.block.full', { most: BLOCKS_AT_MOST });
  await app.rules.refresh(guild, { block: block.subject });
  const member = blockedMember(block.subject);
  if (block.voting && member !== null) {
    // In the background: there can be thousands of open articles.
    app.tasks.add(`votes of ${member} in ${guild}`, () => retractVotes(app, guild, member));
  }
  const change = { subject: block.subject, before, after: block };
  await logAction(app, guild, newEntry(app, act, 'block', change));
}

/** Refuses to change a block of oneself, and to block the owner or a member with a higher role. */
async function demandMayBlock(by: GuildMember, subject: string): Promise<void> {
  const refusal = await refusalToBlock(by, subject);
  if (refusal !== null) throw new UserError(`mod.block.${refusal}`);
}

/**
 * The reason why a member may not block this subject: it is the member, or somebody above. Where Discord
 * must be asked and may not be, the subject counts as above.
 */
export async function refusalToBlock(
  by: GuildMember,
  subject: string,
  mayAsk = () => true,
): Promise<'own' | 'above' | null> {
  const { guild } = by;
  const target = blockedMember(subject);
  if (target === null) return null;
  if (target === by.id) return 'own';
  if (target === guild.ownerId) return 'above';
  const isHigher = (role: Role) => role.comparePositionTo(by.roles.highest) > 0;
  if (by.id === guild.ownerId || !guild.roles.cache.some(isHigher)) return null;
  if (!mayAsk()) return 'above';
  const member = await guild.members.fetch(target).catch((error: unknown) => {
    if (isApiError(error, 'UnknownMember', 'UnknownUser')) return null;
    throw error;
  });
  return member !== null && isHigher(member.roles.highest) ? 'above' : null;
}

export async function unblockBy(
  app: ModerationParts,
  subject: string,
  act: Act,
): Promise<'deleted' | 'unknown'> {
  const guild = act.by.guild.id;
  if (subject === memberSubject(act.by.id)) throw new UserError('mod.block.own');
  const before = await readBlock(app.store, guild, subject);
  const { status } = await deleteBlock(app.store, guild, subject);
  if (status === 'deleted') {
    await app.rules.refresh(guild, { block: subject });
    await logAction(app, guild, newEntry(app, act, 'unblock', { subject, before }));
  }
  return status;
}

/** A member's id, or an origin, as it is shown where no mention can be. */
export function plainName(subject: string): string {
  const member = blockedMember(subject);
  return member === null ? subject.slice(subject.indexOf(':') + 1) : `@${member}`;
}

/** The names of blocked members and origins, for a list that shows no mentions. */
export async function subjectNames(
  displayName: DisplayNames,
  guildId: Snowflake,
  subjects: readonly string[],
): Promise<Map<string, string>> {
  const unique = [...new Set(subjects)];
  const asked = unique
    .filter((subject) => blockedMember(subject) !== null)
    .slice(0, limits.choices);
  const nameOf = async (subject: string): Promise<[string, string]> => {
    const member = asked.includes(subject) ? blockedMember(subject) : null;
    const called = member === null ? null : await displayName(guildId, member);
    return [subject, called === null ? plainName(subject) : `@${called}`];
  };
  return new Map(await Promise.all(unique.map(nameOf)));
}
