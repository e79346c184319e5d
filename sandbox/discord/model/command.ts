import type { Snowflake } from '../world/snowflakes.ts';
import type { CommandForm } from '../forms/command-form.ts';
export type StoredCommand = {
  id: Snowflake;
  version: Snowflake;
  /** null for a global command. */
  guildId: Snowflake | null;
  form: CommandForm;
};
