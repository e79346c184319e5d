import type { APIApplicationCommandOption } from 'discord.js';
import type { Backup } from '../backup/backup.ts';
import type { Due } from '../due/due.ts';
import type { Board } from '../board/board.ts';
import type { MemberLimits } from '../community/member-limits.ts';
import type { Digests } from '../digests/digests.ts';
import type { Command, GuildComponent } from '../discord/commands/command.ts';
import type { Twin } from '../discord/twin.ts';
import type { MemberNames } from '../discord/member-names.ts';
import type { History, HistoryNeeds } from '../history/history.ts';
import type { Nominations } from '../nominations/nominations.ts';

export interface PanelNeeds extends HistoryNeeds, History {
  /** Where the host serves web pages, without a slash at the end; null if it serves none. */
  webAddress: string | null;
  /** The names of members, for a newsletter. */
  names: MemberNames;
  /** How often a member may export. */
  memberLimits: MemberLimits;
  /** Restores attached files. */
  backup: Backup;
  /** Notices another program with the same token and other data. */
  twin: Twin;
  /** Has digests and announcements posted at their times. */
  due: Due;
  /** Links that become articles because members like them. */
  nominations: Nominations;
  /** The board that shows the ten best. */
  board: Board;
  /** Their next editions, drafted or posted at once. */
  digests: Pick<Digests, 'preview' | 'draft' | 'post'>;
}

/** A part of `/frontpage`. Its custom ids are `frontpage|<its English name>|<argument>|…`. */
export type Section = Pick<Command<PanelNeeds>, 'run' | 'component' | 'form'> & {
  /** A subcommand, of a part that needs an option which a button cannot give. */
  option?: APIApplicationCommandOption;
  /** Runs when its button is pressed: `frontpage|<its English name>|open|<argument>|…`. */
  open?(interaction: GuildComponent, needs: PanelNeeds, args: string[]): Promise<void>;
};
