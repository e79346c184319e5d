/** Where bots know Discord: its API, its gateway (some know that address by heart) and its files. */
export const DISCORD_HOSTS = /(?:^|\.)(?:discord\.com|discord\.gg|discordapp\.(?:com|net))$/;
