import { PermissionFlagsBits, type PermissionsBitField } from 'discord.js';
import { UserError } from '../user-error.ts';

/** Refuses members without Manage Server. Discord's own settings only hide a command. */
export function demandManager(
  { memberPermissions }: { memberPermissions: Readonly<PermissionsBitField> },
  refusal: `${'digest' | 'frontpage'}.forbidden`,
): void {
  if (!memberPermissions.has(PermissionFlagsBits.ManageGuild)) throw new UserError(refusal);
}
