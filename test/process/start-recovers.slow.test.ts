import { expect, test } from 'vitest';
import { useInstalledBot } from '../fixtures/installed-bot.ts';

const bot = useInstalledBot();

test.each(['503 Service Unavailable', '200 OK'])(
  'a gateway that answers %s instead of an upgrade is asked again at the start, and the bot comes on',
  async (answer) => {
    const { gateway } = bot.sandbox;
    const upgrade = gateway.upgrade.bind(gateway);
    let refused = 0;
    gateway.upgrade = (request, socket, head) => {
      if (refused === 3) return upgrade(request, socket, head);
      refused += 1;
      socket.end(`HTTP/1.1 ${answer}\r\ncontent-length: 0\r\n\r\n`);
    };
    const run = await bot.startApp();
    expect(refused).toBe(3);
    expect(run.said()).toContain('Unexpected server response');
    gateway.upgrade = upgrade;
    gateway.drop({ code: 4000 });
    await expect.poll(run.said).toContain('"code":4000,"meaning":"UnknownError"');
    expect(await run.end()).toBe(0);
  },
);

test('commands that could not be deployed at the start are deployed as soon as Discord takes them', async () => {
  const { faults, requests } = bot.sandbox;
  bot.sandbox.world.commands.clear();
  const end = faults.add({ path: /commands/, status: 503 });
  const run = await bot.startApp();
  await expect.poll(run.said).toContain('The commands could not be deployed. It is tried again in');
  expect(bot.sandbox.world.commands.size).toBe(0);
  end();
  await expect.poll(() => bot.sandbox.world.commands.size).toBeGreaterThan(0);
  expect(requests.count('PUT', /commands/)).toBeGreaterThan(0);
  expect(await run.end()).toBe(0);
});
