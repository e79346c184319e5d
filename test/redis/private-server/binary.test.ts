import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findServerBinary } from '../../../src/redis/private-server/binary.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'frontpage-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program that answers `--version` like this, whatever name it is called by. */
function program(name: string, answer: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\necho '${answer}'\n`);
  chmodSync(join(folder, name), 0o755);
}

test('this machine has a server that is recent enough', () => {
  expect(findServerBinary().version).toMatch(/^\d/);
});

test('the server goes before Valkey, and both go before the checkers', () => {
  program('redis-check-rdb', 'Redis server v=7.0.15 sha=0');
  program('valkey-server', 'Valkey server v=8.1.0 sha=0');
  expect(findServerBinary([folder])).toEqual({
    command: join(folder, 'valkey-server'),
    argv0: 'valkey-server',
    version: '8.1.0',
  });
  program('redis-server', 'Redis server v=6.2.0 sha=0');
  expect(findServerBinary([folder])).toEqual({
    command: join(folder, 'redis-server'),
    argv0: 'redis-server',
    version: '6.2.0',
  });
});

test('a checker is called by the name of a server', () => {
  program('redis-check-rdb', 'Redis server v=7.0.15 sha=0');
  expect(findServerBinary([folder])).toMatchObject({ argv0: 'redis-server' });
});

test('a checker that does not hold the server, and a program that cannot run, are passed over', () => {
  program('redis-check-rdb', 'Usage: redis-check-rdb <rdb-file-name>');
  writeFileSync(join(folder, 'redis-server'), 'not executable');
  expect(() => findServerBinary([folder])).toThrow('this machine has none. Type one of');
});

test('a server that does not answer as one is named', () => {
  program('redis-server', 'hello');
  const answersNot = (name: string) =>
    `${folder}/${name} does not answer --version as a server does. Type one of`;
  expect(() => findServerBinary([folder])).toThrow(answersNot('redis-server'));
  rmSync(join(folder, 'redis-server'));
  // A checker answers something, if it is only that.
  writeFileSync(join(folder, 'redis-check-rdb'), '#!/bin/sh\n', { mode: 0o755 });
  expect(() => findServerBinary([folder])).toThrow(answersNot('redis-check-rdb'));
});

test('an older server is passed over and named', () => {
  program('redis-server', 'Redis server v=6.0.16 sha=0');
  expect(() => findServerBinary([folder])).toThrow(
    `and ${folder}/redis-server is 6.0.16. Type one of\n\n  sudo apt-get install -y redis-tools\n`,
  );
  program('redis-check-rdb', 'Redis server v=7.0.15 sha=0');
  expect(findServerBinary([folder])).toMatchObject({ version: '7.0.15' });
});
