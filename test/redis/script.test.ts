import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { openScript } from '../../src/redis/script.ts';

test('a script that no folder around has is missing at the start, by its name', () => {
  expect(() => openScript(tmpdir(), 'no-such')).toThrow('There is no script no-such.lua.');
});
