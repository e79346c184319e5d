import type { APIApplicationCommandOption } from 'discord.js';
import type { App } from '../../src/app.ts';
import type {
  GuildCommand,
  GuildComponent,
  GuildForm,
} from '../../src/discord/commands/command.ts';

/** A part of `/frontpage`. Its custom ids are `frontpage|<its English name>|<argument>|…`. */
export type Section = {
  /** A subcommand, of a part that needs an option which a button cannot give. */
  option?: APIApplicationCommandOption;
  run?(interaction: GuildCommand, app: App): Promise<void>;
  /** Runs when its button on the panel is pressed. */
  open?(interaction: GuildComponent, app: App): Promise<void>;
  component?(interaction: GuildComponent, args: string[], app: App): Promise<void>;
  form?(interaction: GuildForm, args: string[], app: App): Promise<void>;
};
