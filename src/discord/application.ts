import { type APIApplication, REST, Routes } from 'discord.js';

/** Reads the id of the token's application. The names of the bot's Redis keys contain it. */
export async function readApplicationId({
  token,
  apiBase,
}: {
  token: string;
  apiBase: string;
}): Promise<string> {
  const rest = new REST({ api: apiBase }).setToken(token);
  const { id } = (await rest.get(Routes.currentApplication())) as APIApplication;
  return id;
}
