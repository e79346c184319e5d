import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Community, startCommunity } from '../../../discord-box/test/community.ts';
import { connectRedis } from '../../../src/redis/connection.ts';
import { startPrivateServer } from '../../../src/redis/private-server/private-server.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { APPLICATION, GUILD } from '../../backup/guild-file/guild-files.ts';
import { runFrontpage } from '../../fixtures/bot-process.ts';
import { type Dump, load } from './a-guild.ts';

const versions = readdirSync(import.meta.dirname).filter((name) => /^\d+$/.test(name));
/** What a server decided, which only a backup brings back. */
const KINDS = ['setting', 'block', 'opted-out', 'erased', 'unnamed', 'mark'];

let sandbox: Community;
let folder: string;
beforeAll(async () => {
  sandbox = await startCommunity({ rateLimits: false, answerWithinMs: 30_000 });
  folder = mkdtempSync(join(tmpdir(), 'frontpage-folder-'));
});
afterAll(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

/** The ids of the bot and the guild are those of this Discord. */
function ofHere(text: string): string {
  return text
    .replaceAll(APPLICATION, sandbox.world.application.id)
    .replaceAll(GUILD, sandbox.guildId);
}

function environment(place: string) {
  const { token: DISCORD_TOKEN, apiBase: DISCORD_API_BASE } = sandbox;
  return { DISCORD_TOKEN, DISCORD_API_BASE, DATA_DIR: place };
}

async function frontpage(place: string, ...words: string[]): Promise<number | null> {
  const run = runFrontpage(environment(place), { words });
  const code = await run.code;
  expect([words[0], run.said(), code]).toEqual([words[0], expect.any(String), 0]);
  return code;
}

function linesIn(text: string, kinds = KINDS): string[] {
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => kinds.includes((JSON.parse(line) as { kind?: string }).kind ?? ''))
    .sort();
}

test.each(versions)(
  'a data folder of version %s is upgraded by the program, its backup fills an empty one, and the bot starts with either',
  async (version) => {
    const read = (name: string) =>
      ofHere(readFileSync(join(import.meta.dirname, version, name), 'utf8'));
    const [old, fresh] = [join(folder, `${version}-old`), join(folder, `${version}-fresh`)];
    const log = createLog('silent');
    const server = await startPrivateServer({ dataDir: old, log });
    const redis = connectRedis(server.url, { log, name: 'test' });
    await load(redis, JSON.parse(read('redis.json')) as Dump);
    await redis.quit();
    await server.stop();

    const [first, second] = [join(folder, `${version}.gz`), join(folder, `${version}-again.gz`)];
    await frontpage(old, 'backup', first);
    const before = read('guild-file.jsonl');
    const saved = gunzipSync(readFileSync(first)).toString();
    expect(linesIn(saved)).toHaveLength(linesIn(before).length);
    expect(linesIn(saved, ['article', 'edition', 'digest'])).toHaveLength(
      linesIn(before, ['article', 'edition', 'digest']).length,
    );

    await frontpage(fresh, 'restore', first);
    await frontpage(fresh, 'backup', second);
    // A setting that names a channel, role or emoji which this Discord does not have is left out.
    const isOfElsewhere = /300000000000000001|<:up:\d+>/;
    // Its mark is fixed by a setting, whatever scale a guild of chance has beside it.
    const kinds = KINDS.filter((kind) => kind !== 'mark');
    const wanted = linesIn(saved, kinds).filter((line) => !isOfElsewhere.test(line));
    expect(wanted.length).toBeGreaterThan(20);
    expect(linesIn(gunzipSync(readFileSync(second)).toString(), kinds)).toEqual(wanted);

    for (const place of [old, fresh]) {
      const bot = runFrontpage(environment(place));
      await bot.isOn();
      await expect.poll(bot.said).toContain('The ranking of a guild is whole');
      expect(await bot.end()).toBe(0);
      // Neither errors nor worse.
      expect(bot.said()).not.toMatch(/"level":[56]0/);
    }
  },
  // Five processes, one after the other.
  300_000,
);
