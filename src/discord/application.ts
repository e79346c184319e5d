import { type REST, Routes } from 'discord.js';
import { z } from 'zod';
import { zSnowflake } from '../ranking/snowflake.ts';
import { readAnswer } from './api-errors.ts';

export const zIdentified = z.object({ id: zSnowflake });

/** Reads the id of the token's application. The names of the bot's Redis keys contain it. */
export async function readApplicationId(rest: REST): Promise<string> {
  return readAnswer(zIdentified, await rest.get(Routes.currentApplication())).id;
}
