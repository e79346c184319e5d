import type { Discord } from '../src/index.ts';

export type BotResponse = {
  status: number;
  code?: number;
  body: Record<string, unknown>;
  headers: Headers;
};

/** Asks as the bot, without a client between. */
export async function ask(
  discord: Pick<Discord, 'apiBase' | 'token'>,
  method: string,
  path: string,
  body?: object,
): Promise<BotResponse> {
  const { status, headers, text } = await askRaw(discord, method, path, body);
  const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status, code: json['code'] as number, body: json, headers };
}

export async function askRaw(
  { apiBase, token }: Pick<Discord, 'apiBase' | 'token'>,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${apiBase}/v10${path}`, {
    method,
    headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
