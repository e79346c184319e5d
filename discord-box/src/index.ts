/** What a test of a bot uses; README.md shows how. */
export { startDiscord, type Discord, type DiscordOptions } from './server.ts';
export type { Exchange, Exchanges } from './model/exchanges.ts';
export { type Clock, type MovableClock, openClock } from './model/clock.ts';
export { seededRandom, type Random } from './world/random.ts';
export { compareIds, snowflakeMaker, snowflakeMs, type Snowflake } from './model/snowflakes.ts';
export { addUser } from './world/users.ts';
export type { IdentifyLimit, World } from './model/world.ts';
export {
  addRole,
  changeRole,
  createGuild,
  deleteRole,
  setUnavailable,
} from './world/guilds/change-guild.ts';
export type { CommandPermission, Guild } from './model/guild.ts';
export { guildPayload } from './world/guilds/guild-payload.ts';
export { addMember, changeMember, removeMember } from './world/guilds/change-member.ts';
export type { Channel } from './model/channel.ts';
export {
  changeChannel,
  createChannel,
  deleteChannel,
  setOverwrite,
} from './world/channels/change-channel.ts';
export { createMessage, deleteMessages, editMessage } from './world/messages/change-message.ts';
export type { Json, Message } from './model/message.ts';
export type { Web, WebPage } from './model/web.ts';
export {
  addReaction,
  removeAllReactions,
  removeEmoji,
  removeReaction,
} from './world/messages/reactions.ts';
export type { Reaction } from './model/message.ts';
export { setCommandPermissions } from './world/interactions/stored-commands.ts';
export { openInteraction } from './world/interactions/open-interaction.ts';
export type { Actor } from './act/actor.ts';
export { type Answer, answerTo, choicesOf } from './act/answer.ts';
export type { OptionValues } from './act/command-options.ts';
