import https from 'node:https';
import { createRequire } from 'node:module';
import type { ClientOptions, WebSocket } from 'ws';

/** Whether Node uses the proxies of the environment (`NODE_USE_ENV_PROXY=1`), as it can from 22.21 and 24.5 on. */
const usesProxy = (https.globalAgent.options as { proxyEnv?: object }).proxyEnv !== undefined;

const ws = createRequire(import.meta.url)('ws') as { WebSocket: typeof WebSocket };

// Node leads requests through the proxy, and discord.js has no option for its gateway. It takes this class where it is
// loaded, so this file must be imported before it.
if (usesProxy) {
  ws.WebSocket = class extends ws.WebSocket {
    constructor(address: string | URL, protocols?: string[], options?: ClientOptions) {
      const isSecure = String(address).startsWith('wss:');
      super(address, protocols, { ...options, ...(isSecure && { agent: https.globalAgent }) });
    }
  } as typeof WebSocket;
}

/** Connects in the way in which discord.js does. */
export function openSocket(address: string): WebSocket {
  return new ws.WebSocket(address);
}

/** Whether Discord is reached through a proxy that the environment names, for the host; null if it names none. */
export function describeProxy(
  environment: Readonly<Record<string, string | undefined>>,
): { isUsed: boolean; sentence: string } | null {
  const names = Object.keys(environment).filter(
    (name) => /^(https?|all)_proxy$/i.test(name) && environment[name],
  );
  const name = names.find((one) => /^https_/i.test(one)) ?? names[0];
  if (name === undefined) return null;
  if (!/^https_/i.test(name)) {
    const sentence = `${name} is set, and Discord is reached without it: for a proxy to Discord, set HTTPS_PROXY.`;
    return { isUsed: false, sentence };
  }
  if (usesProxy)
    return { isUsed: true, sentence: `Discord is reached through the proxy of ${name}.` };
  const cure = process.allowedNodeEnvironmentFlags.has('--use-env-proxy')
    ? 'to use it, set NODE_USE_ENV_PROXY=1 in the environment, too'
    : 'Node can use it from 22.21 and 24.5 on, with NODE_USE_ENV_PROXY=1 in the environment';
  const sentence = `${name} is set, and Discord is reached without it: ${cure}.`;
  return { isUsed: false, sentence };
}
