/** Where bots know Discord: its API, its gateway (some know that address by heart) and its files. */
export const DISCORD_HOSTS = /(?:^|\.)(?:discord\.com|discord\.gg|discordapp\.(?:com|net))$/;

/** Where the gateway is for a client that was led here under Discord's names: some keep the host alone, without a port. */
const GATEWAY = 'wss://gateway.discord.gg';

/** The gateway's address for who reached `address` under the name `host`. */
export function gatewayAt(address: string, host: string | undefined): string {
  const isLedHere = host !== undefined && DISCORD_HOSTS.test(host);
  return isLedHere ? GATEWAY : address.replace(/^http/, 'ws');
}
