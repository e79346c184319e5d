/** The origins of Discord's own copies of pictures. */
export const DISCORD_PICTURES = [
  'https://images-ext-1.discordapp.net',
  'https://images-ext-2.discordapp.net',
] as const;
