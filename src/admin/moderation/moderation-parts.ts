import type { App } from '../../app.ts';
import type { LogChannelParts } from '../../discord/requests/log-channel.ts';

/** The parts of the bot with which a moderator's action is done, recorded and told in the log channel. */
export type ModerationParts = LogChannelParts &
  Pick<App, 'ranking' | 'store' | 'clock' | 'messageUpdates' | 'takenAwayReactions' | 'tasks'>;
