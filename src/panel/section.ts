import type { APIApplicationCommandOption } from 'discord.js';
import type { Backup } from '../backup/backup.ts';
import type { Board } from '../board/board.ts';
import type { MemberLimits } from '../community/member-limits.ts';
import type { Command, GuildComponent } from '../discord/commands/command.ts';
import type { History, HistoryNeeds } from '../history/history.ts';

export interface PanelNeeds extends HistoryNeeds, History {
  /** Where the host serves web pages, without a slash at the end; null if it serves none. */
  webAddress: string | null;
  /** How often a member may export. */
  memberLimits: MemberLimits;
  /** Restores attached files. */
  backup: Backup;
  /** The board that shows the ten best. */
  board: Board;
}

/** A part of `/frontpage`. Its custom ids are `frontpage|<its English name>|<argument>|…`. */
export type Section = Pick<Command<PanelNeeds>, 'run' | 'component' | 'form'> & {
  /** A subcommand, of a part that needs an option which a button cannot give. */
  option?: APIApplicationCommandOption;
  /** Runs when its button on the panel is pressed. */
  open?(interaction: GuildComponent, needs: PanelNeeds): Promise<void>;
};
