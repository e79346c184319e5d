/** What a test of a bot uses; README.md shows how. */
export { startDiscord, type Discord, type DiscordOptions } from './server.ts';
export { type Clock, startClock } from './world/clock.ts';
export { seededRandom, type Random } from './world/random.ts';
export { compareIds, snowflakeMaker, snowflakeMs, type Snowflake } from './world/snowflakes.ts';
export { addUser, type IdentifyLimit, type World } from './world/world.ts';
export {
  addRole,
  type CommandPermission,
  createGuild,
  type Guild,
  setUnavailable,
} from './guilds/guild.ts';
export { guildPayload } from './guilds/guild-payload.ts';
export { addMember, changeMember, removeMember } from './guilds/member.ts';
export {
  type Channel,
  changeChannel,
  createChannel,
  deleteChannel,
  setOverwrite,
} from './channels/channel.ts';
export {
  createMessage,
  deleteMessages,
  editMessage,
  type Json,
  type Message,
} from './messages/message.ts';
export {
  addReaction,
  type Reaction,
  removeAllReactions,
  removeEmoji,
  removeReaction,
} from './messages/reactions.ts';
export { setCommandPermissions } from './interactions/command.ts';
export { openInteraction } from './interactions/interaction.ts';
export type { Actor } from './members/actor.ts';
export { type Answer, answerTo, choicesOf } from './members/answer.ts';
export type { OptionValues } from './members/command-options.ts';
