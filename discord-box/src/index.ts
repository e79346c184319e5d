/**
 * What a test of a bot uses; README.md shows how. It acts through two doors alone: `discord.as(member)`
 * and `discord.operator`.
 */
export { startDiscord, type Discord, type DiscordOptions } from './server.ts';
export type { Actor } from './act/actor.ts';
export { ActorError } from './act/actor-error.ts';
export type { Answer } from './act/answer.ts';
export type { OptionValues } from './act/command-options.ts';
export type { FormValues } from './act/use-component.ts';
export type { Operator, PermissionName } from './act/operator.ts';
export { type Clock, type MovableClock, openClock } from './model/clock.ts';
export type { Exchange, Exchanges } from './model/exchanges.ts';
export type { IdentifyLimit, World } from './model/world.ts';
export type { CommandPermission, Guild } from './model/guild.ts';
export type { Channel } from './model/channel.ts';
export type { Json, Message, Reaction } from './model/message.ts';
export type { Web, WebPage } from './model/web.ts';
export { compareIds, snowflakeMaker, snowflakeMs, type Snowflake } from './model/snowflakes.ts';
export type { HeldRequest, RestFault } from './rest/faults.ts';
export { seededRandom, type Random } from './world/random.ts';
