import type { CommandForm } from '../forms/command-form.ts';
import type { Snowflake } from './snowflakes.ts';

export type StoredCommand = {
  id: Snowflake;
  version: Snowflake;
  /** The guild that alone has it; null for everywhere. */
  guildId: Snowflake | null;
  form: CommandForm;
};
