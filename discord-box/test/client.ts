import { Client, type ClientOptions, Events, GatewayIntentBits, Partials } from 'discord.js';
import type { Discord } from '../src/index.ts';

/** The real client against the discord, ready. */
export async function connectClient(
  discord: Pick<Discord, 'apiBase' | 'token'>,
  options: Partial<ClientOptions> = {},
): Promise<Client<true>> {
  const client = createClient(discord, options);
  const ready = new Promise<Client<true>>((resolve) => {
    client.once(Events.ClientReady, resolve);
  });
  await client.login(discord.token);
  return ready;
}

export function createClient(
  discord: Pick<Discord, 'apiBase' | 'token'>,
  options: Partial<ClientOptions> = {},
): Client {
  return new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.GuildMessageReactions,
      GatewayIntentBits.DirectMessages,
    ],
    partials: [Partials.Message, Partials.Channel, Partials.Reaction, Partials.User],
    allowedMentions: { parse: [] },
    rest: { api: discord.apiBase },
    // Sessions may begin at any pace here; discord.js would wait for five seconds.
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
    ...options,
  });
}

/** Raw gateway events in the order of arrival, and waiting for them. */
export function recordEvents(client: Client) {
  const seen: { t: string; d: Record<string, unknown> }[] = [];
  const wakers = new Set<() => void>();
  client.on(Events.Raw, (packet: { t: string | null; d: Record<string, unknown> }) => {
    if (packet.t === null) return;
    seen.push({ t: packet.t, d: packet.d });
    for (const wake of wakers) wake();
  });
  const until = <T>(ask: () => T | undefined, what: string): Promise<T> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        wakers.delete(check);
        reject(new Error(`Waited in vain for ${what}; saw ${seen.map(({ t }) => t).join(' ')}`));
      }, 60_000);
      const check = (): void => {
        const found = ask();
        if (found === undefined) return;
        clearTimeout(timer);
        wakers.delete(check);
        resolve(found);
      };
      wakers.add(check);
      check();
    });
  return {
    seen,
    of: (t: string) => seen.filter((event) => event.t === t).map((event) => event.d),
    first: (t: string) => until(() => seen.find((event) => event.t === t)?.d, t),
    count: (t: string, wanted: number) =>
      until(() => {
        const found = seen.filter((event) => event.t === t).map((event) => event.d);
        return found.length >= wanted ? found : undefined;
      }, `${wanted} × ${t}`),
  };
}
