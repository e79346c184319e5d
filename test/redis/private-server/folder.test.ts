import {
  chmodSync,
  chownSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openFolder } from '../../../src/redis/private-server/folder.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'frontpage-test-')));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('a data folder is made with those above it, each of this user alone', async () => {
  const path = await openFolder(join(folder, 'a', 'b'));
  expect(path).toBe(join(folder, 'a', 'b', 'redis'));
  for (let at = path; at !== folder; at = dirname(at)) expect([at, mode(at)]).toEqual([at, '700']);
});

test.runIf(process.getuid?.() === 0)(
  'in a folder of another user, the bot uses a part of its own and leaves the rest as it is',
  async () => {
    writeFileSync(join(folder, 'frontpage-2026-11-20.backup.gz'), '');
    for (const name of ['frontpage-2026-11-20.backup.gz', '.']) {
      chmodSync(join(folder, name), 0o777);
      chownSync(join(folder, name), 12_345, 12_345);
    }
    // As a user who is neither root nor the other.
    vi.spyOn(process, 'getuid').mockReturnValue(54_321);
    await openFolder(folder);
    expect(
      ['redis', '.', 'frontpage-2026-11-20.backup.gz'].map((name) => mode(join(folder, name))),
    ).toEqual(['700', '777', '777']);
  },
);
