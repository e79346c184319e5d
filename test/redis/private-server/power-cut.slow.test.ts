import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findServersIn } from '../../../src/redis/private-server/probe.ts';
import { useInstalledBot } from '../../fixtures/installed-bot.ts';

const host = useInstalledBot();
const { dataDir, startApp, command, top } = host;

/** The file that the private server appends to. */
function appendOnlyFile(): string {
  const folder = join(dataDir, 'redis');
  const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(
    (path) => path.endsWith('.incr.aof') || path.endsWith('appendonly.aof'),
  );
  return join(folder, name!);
}

// Withstands (Damaged data): The power fails
// → all but settings comes back
test('what a power cut costs the private server comes back from Discord, but for settings', async () => {
  const bot = await startApp();
  const { sandbox } = host;
  const general = sandbox.channels.general.id;
  const [first = '', second = '', third = ''] = sandbox.members;
  const tallies = async () => (await top()).match(/▲ \d+/g);
  const post = (title: string) => command('post', { link: `https://news.example/${title}`, title });
  const earlier = await post('earlier');
  sandbox.as(first).react(general, earlier.id, '👍');
  await expect.poll(top).toContain('▲ 2');
  const brought = statSync(appendOnlyFile()).size;

  // The last second: confirmed to members, but not yet on the disk.
  sandbox.as(second).react(general, earlier.id, '👍');
  sandbox.as(first).unreact(general, earlier.id, '👍');
  sandbox.as(first).react(general, earlier.id, '👎');
  const later = await post('later');
  for (const member of [first, second, third]) sandbox.as(member).react(general, later.id, '👍');
  await expect.poll(tallies).toEqual(['▲ 4', '▲ 1']);
  await command('digest set', { channel: general, time: '09:00', timezone: 'Europe/Berlin' });
  const settled = await top();

  const [server] = await findServersIn(join(dataDir, 'redis'));
  bot.child.kill('SIGKILL');
  process.kill(server!, 'SIGKILL');
  await bot.code;
  truncateSync(appendOnlyFile(), brought);

  await startApp();
  // Less often than a member may ask.
  await expect.poll(top, { interval: 250 }).toBe(settled);
  expect((await command('digest show')).said).not.toContain('Europe/Berlin');
}, 120_000);
