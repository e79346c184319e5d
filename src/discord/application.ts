import { type APIApplication, REST, Routes } from 'discord.js';

/** The application that a token is of; its keys in Redis are named after it. */
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
