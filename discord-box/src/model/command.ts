import type { CommandForm } from '../forms/command-form.ts';
import type { Snowflake } from './snowflakes.ts';

export type StoredCommand = {
  id: Snowflake;
  version: Snowflake;
  form: CommandForm;
};
