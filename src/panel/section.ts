import type { APIApplicationCommandOption } from 'discord.js';
import type { App } from '../app.ts';
import type { Command, GuildComponent } from '../discord/commands/command.ts';

/** A part of `/frontpage`. Its custom ids are `frontpage|<its English name>|<argument>|…`. */
export type Section = Pick<Command, 'run' | 'component' | 'form'> & {
  /** A subcommand, of a part that needs an option which a button cannot give. */
  option?: APIApplicationCommandOption;
  /** Runs when its button on the panel is pressed. */
  open?(interaction: GuildComponent, app: App): Promise<void>;
};
