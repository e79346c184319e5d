import { Routes } from 'discord.js';
import type { Scene } from '../../fixtures/scene.ts';

/** The number of requests about messages until now. */
export const askedOf = ({ sandbox }: Scene) => sandbox.requests.count(undefined, /messages/);

/** Reads a channel as the bot does. `read`, or the name of what is thrown. */
export const readIn = ({ bot }: Scene, guild: string, channel: string) =>
  bot.requests
    .get({ guild, channel }, Routes.channelMessages(channel))
    .then(() => 'read')
    .catch((error: Error) => error.name);
