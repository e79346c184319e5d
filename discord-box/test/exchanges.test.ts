import { expect, test } from 'vitest';
import { startDiscord } from '../src/index.ts';

test('who watches one Discord in a box hears nothing of another, and nothing after the end', async () => {
  const [one, other] = await Promise.all([startDiscord(), startDiscord()]);
  const heard: string[] = [];
  const end = one.world.exchanges.watch((exchange) => {
    if (exchange.kind === 'request') heard.push(exchange.route);
  });
  const ask = async ({ apiBase, token }: typeof one, path: string) => {
    const headers = { authorization: `Bot ${token}` };
    const response = await fetch(`${apiBase}/v10${path}`, { headers });
    expect(response.status).toBe(200);
  };
  await ask(one, '/users/@me');
  await ask(other, '/gateway/bot');
  end();
  await ask(one, '/gateway/bot');
  expect(heard).toEqual(['/users/@me']);
  await Promise.all([one.stop(), other.stop()]);
});
