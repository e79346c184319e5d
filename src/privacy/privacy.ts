import type { DirectCommand, DirectComponent } from '../discord/commands/command.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { unnamingKind } from './leave-published.ts';
import { eraseLeft, finishErasing } from './member-data.ts';
import {
  pressPrivacy,
  type PrivacyPage,
  privacyPage,
  type PrivacyPanelNeeds,
} from './privacy-panel.ts';

export interface PrivacyNeeds extends PrivacyPanelNeeds {}

/** What a member can see, take along and erase. */
export interface Privacy {
  /** Explains the stored data, with buttons to export the member's data, erase it, or opt out. */
  page(interaction: DirectCommand | DirectComponent): Promise<PrivacyPage>;
  /** Does what a button of the page says, and answers. */
  press(interaction: DirectComponent, args: string[]): Promise<void>;
  /** Deletes the messages of erased articles of a guild. What cannot be deleted now is tried again. */
  finishErasing(guild: Snowflake): Promise<void>;
  /** The same without another try. Returns whether some cannot be deleted now. */
  eraseLeft(guild: Snowflake): Promise<boolean>;
}

export function openPrivacy(needs: PrivacyNeeds): Privacy {
  needs.due.handle(unnamingKind(needs));
  return {
    page: (interaction) => privacyPage(interaction, needs),
    press: (interaction, args) => pressPrivacy(interaction, args, needs),
    finishErasing: (guild) => finishErasing(needs, guild),
    eraseLeft: (guild) => eraseLeft(needs, guild),
  };
}
