import type { APIApplicationCommandOption } from 'discord.js';
import type { App } from '../../src/app.ts';
import type {
  Choice,
  GuildCommand,
  GuildCompletion,
  GuildComponent,
  GuildForm,
} from '../../src/discord/commands/command.ts';

/** A subcommand of `/frontpage`. Its custom ids are `frontpage|<its English name>|<argument>|…`. */
export type Section = {
  option: APIApplicationCommandOption;
  run(interaction: GuildCommand, app: App): Promise<void>;
  /** Runs when its button on the panel is pressed. */
  open?(interaction: GuildComponent, app: App): Promise<void>;
  complete?(interaction: GuildCompletion, app: App): Promise<Choice[]>;
  component?(interaction: GuildComponent, args: string[], app: App): Promise<void>;
  form?(interaction: GuildForm, args: string[], app: App): Promise<void>;
};
