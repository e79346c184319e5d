import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useInstalledBot } from '../fixtures/installed-bot.ts';

const host = useInstalledBot();
const { dataDir, run, startApp, command, top } = host;

const mount = (...words: string[]) => spawnSync('mount', words).status === 0;
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
if (!canMount) console.warn('Full and read-only disks are not tried: only root may mount them.');

beforeEach(() => {
  mkdirSync(dataDir);
  if (!mount('-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', dataDir)) throw new Error('Not mounted.');
});
afterEach(() => {
  spawnSync('umount', ['--lazy', dataDir]);
  rmSync(dataDir, { recursive: true });
});

const ballast = join(dataDir, 'ballast');
/** Takes all room but for what begun pages of files have. */
const fill = () => spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k']);

/** Each takes the vote back, and gives it again. */
function voteAnew(voters: readonly string[], article: string): void {
  const { general } = host.sandbox.channels;
  for (const voter of voters) {
    host.sandbox.as(voter).unreact(general.id, article, '👍');
    host.sandbox.as(voter).react(general.id, article, '👍');
  }
}

const noRoom = {
  code: 74,
  said: expect.stringContaining(`There is no room left for ${dataDir}/redis`),
};

async function refusal(): Promise<{ code: number | null; said: string }> {
  const { code, said } = run('start');
  return { code: await code, said: said() };
}

describe.runIf(canMount)('a start', () => {
  // Withstands (Starts that fail, with one sentence): The disk is full or read-only
  // → code 74 or 77
  test('a start on a full disk ends with one sentence', async () => {
    fill();
    expect(await refusal()).toMatchObject(noRoom);
  });

  test('a start on a read-only disk ends with one sentence', async () => {
    mkdirSync(join(dataDir, 'redis'));
    writeFileSync(join(dataDir, 'redis/redis.conf'), '');
    mount('-o', 'remount,ro', dataDir);
    expect(await refusal()).toMatchObject({
      code: 77,
      said: expect.stringContaining('set DATA_DIR to a folder that this user may write to'),
    });
  });
});

// Withstands (Redis, while the bot runs): The disk of Redis is full
// → no vote is lost
test.runIf(canMount)(
  'a disk that is full while members vote loses none, lists are read, and it is said',
  async () => {
    const bot = await startApp();
    await expect.poll(bot.said).toContain('The ranking of a guild is whole');
    const { sandbox } = host;
    const article = await command('post', { link: 'https://news.example/', title: 'Still read' });
    await expect.poll(top).toContain('▲ 1');
    fill();
    const voters = sandbox.members.slice(0, 7);
    // The first votes may fit into a page that was begun.
    const vote = () => (voteAnew(voters, article.id), bot.said());
    await expect.poll(vote, { interval: 500 }).toContain('MISCONF');
    expect(await top()).toContain('Still read');
    const late = sandbox.members[7] ?? '';
    sandbox.as(late).react(sandbox.channels.general.id, article.id, '👍');
    rmSync(ballast);
    await expect.poll(top).toContain(`▲ ${voters.length + 2}`);
    bot.child.kill('SIGTERM');
    await bot.code;
    // Redis itself would start with the data that it has, and refuse the first vote.
    fill();
    expect(await refusal()).toMatchObject(noRoom);
  },
);

test.runIf(canMount)(
  'a full disk ends a server that writes before each answer, and no vote is lost',
  async () => {
    const bot = await startApp({ APPENDFSYNC: 'always' });
    await expect.poll(bot.said).toContain('The ranking of a guild is whole');
    const { sandbox } = host;
    const article = await command('post', { link: 'https://always.example/', title: 'Always' });
    fill();
    const voters = sandbox.members.slice(0, 5);
    const vote = () => (voteAnew(voters, article.id), bot.said());
    // What begun pages of files have takes some writes yet.
    await expect.poll(vote).toContain('The private Redis server has ended');
    await expect.poll(bot.said).toContain('There is no room left');
    rmSync(ballast);
    await expect.poll(bot.said).toContain('The private Redis server runs again.');
    await expect.poll(top).toContain(`▲ ${voters.length + 1}`);
  },
);
