import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { createLog, fault } from '../../src/runtime/log.ts';
import { hidden } from '../threats/message-faults.ts';

/** A terminal, by default without colours. */
function terminal(hasColours = false): { stream: NodeJS.WriteStream; text: () => string } {
  const stream = Object.assign(new PassThrough(), { isTTY: true, hasColors: () => hasColours });
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text };
}

test('on a terminal a line is the time, what is said and its facts, with a link as it is', () => {
  const { stream, text } = terminal();
  const invite = 'https://discord.com/oauth2/authorize?client_id=1&scope=bot';
  createLog('info', stream).info({ guilds: 2, redis: '7.0.15' }, `Add it with ${invite}`);
  expect(text()).toMatch(/^\d\d:\d\d:\d\d Add it with https:\S+  guilds: 2, redis: 7\.0\.15\n$/);
  expect(text()).toContain(` ${invite} `);
});

test('an error with a code is one line more, and one without a code has its stack', () => {
  const { stream, text } = terminal();
  const log = createLog('info', stream);
  log.error(fault(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })), 'Away.');
  expect(text()).toMatch(/^\S+ Away\.\n {9}Error: refused\n$/);
  log.error(fault(new Error('a bug')), 'A fault.');
  expect(text()).toMatch(/ {9}Error: a bug\n\s+at /);
});

test('no line has the token of an interaction or a password, wherever the error holds it', () => {
  const { stream, text } = terminal();
  const url = 'https://discord.com/api/v10/webhooks/1/my-secret/messages/@original';
  const callback = 'https://discord.com/api/v10/interactions/1/my-secret/callback';
  const error = new Error(`${url}, ${callback} and redis://user:my@my-secret@host failed.`);
  const log = createLog('info', stream);
  log.error(fault(Object.assign(error, { url, request: { url } })), 'A fault.');
  expect(text()).toContain('/webhooks/1/…/messages/@original, https:');
  expect(text()).toContain('/interactions/1/…/callback and redis://…@host failed.');
  expect(text()).not.toContain('my-secret');
});

test('what is thrown and is no error is a line too, without a password', () => {
  const { stream, text } = terminal();
  const log = createLog('info', stream);
  log.error(fault('redis://user:my-secret@host is away'), 'A fault.');
  log.error(fault(Object.assign(new Error('No stack'), { stack: undefined })), 'Another.');
  expect(text()).toContain('Error: redis://…@host is away\n');
  expect(text()).toContain('Error: No stack\n');
  expect(text()).not.toContain('my-secret');
});

test('on a terminal with colours what is wrong is red, what may be wrong is yellow, and no other line is', () => {
  vi.stubEnv('FORCE_COLOR', '1');
  const { stream, text } = terminal(true);
  const log = createLog('info', stream);
  log.error('Wrong.');
  log.warn('Perhaps.');
  log.info('Well.');
  vi.unstubAllEnvs();
  expect(text()).toContain('\u001b[31mWrong.');
  expect(text()).toContain('\u001b[33mPerhaps.');
  expect(text()).toMatch(/ Well\.\n$/);
});

// Withstands (Attacks): A name forges lines in the log
// → lines are JSON, or escaped
test('a text of somebody else neither moves the cursor nor forges a line', () => {
  const { stream, text } = terminal();
  const hostile = 'Nice\u001b[2J\u009b1A\r\n12:00:00 Forged.\u2028\u202e';
  const log = createLog('info', stream);
  log.info({ name: hostile, names: [hostile] }, 'Joined.');
  log.warn(fault(Object.assign(new Error(hostile), { code: 7 })), 'A fault.');
  expect(text()).not.toMatch(hidden);
  expect(text()).not.toMatch(/^12:00:00/m);
  expect(text().split('\n')).toHaveLength(5);
});

test.runIf(existsSync('/dev/full'))(
  'a log whose disk is full stops neither the process nor its end',
  () => {
    const program = `
      await import('./bin/read-typescript.js');
      const { createLog } = await import('./src/runtime/log.ts');
      createLog('info').info('This does not fit.');
      setTimeout(() => process.exit(3), 50);`;
    const words = ['--input-type=module', '--eval', program];
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, words, {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
      timeout: 20_000,
    });
    closeSync(full);
    expect([status, stderr]).toEqual([3, '']);
  },
);
