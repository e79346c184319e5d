import { createServer } from 'node:http';
import { once } from 'node:events';
import { DiscordAPIError, DiscordjsError, DiscordjsErrorCodes } from 'discord.js';
import { expect, test } from 'vitest';
import { CannotStart, cannotUse } from '../../src/runtime/cannot-start.ts';
import { explain, gatewayRefusal } from '../../src/explain.ts';
import { NotDiscord } from '../../src/discord/api-errors.ts';

const system = (code: string, more: object = {}) =>
  Object.assign(new Error(code), { code, ...more });
const apiError = (status: number) =>
  new DiscordAPIError({ code: 0, message: '' }, 0, status, 'GET', '', {
    files: undefined,
    body: undefined,
  });
const redisAnswers = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

/** As discord.js throws it for an empty or cut body. */
function cutJson(): unknown {
  try {
    return JSON.parse('{"a":');
  } catch (error) {
    return error;
  }
}

// Withstands (Starts that fail, with one sentence): Discord answers nonsense, or Redis is full
// → code 69
// Withstands (Starts that fail, with one sentence): The gateway refuses for good (4010 to 4014)
// → code 78
test.each([
  [gatewayRefusal(4004), 78, 'does not accept the token'],
  [gatewayRefusal(4014), 78, 'switch on Message Content Intent'],
  [gatewayRefusal(4013), 78, 'install a newer'],
  [cannotUse('/data', system('ENOSPC')), 74, 'no room left for /data'],
  [cannotUse('/data', system('EDQUOT')), 74, 'no room left for /data'],
  [cannotUse('/data', system('EROFS')), 77, 'set DATA_DIR to a folder'],
  [cannotUse('/data', system('EISDIR')), 78, 'set DATA_DIR to a folder'],
  [cannotUse('/data', new CannotStart('Another Frontpage', 'disk')), 74, 'Another Frontpage'],
  [new CannotStart('Another Frontpage', 'temporary'), 75, 'Another Frontpage'],
  [system('ENOSPC', { path: '/x' }), 74, 'The disk is full'],
  [system('EACCES', { path: '/x' }), 77, '/x cannot be used'],
  [system('ENAMETOOLONG', { path: '/x' }), 66, '/x cannot be used'],
  [system('EACCES', { syscall: 'listen', address: '::1', port: 80 }), 78, 'at ::1, port 80'],
  [system('ENOTFOUND', { syscall: 'getaddrinfo' }), 69, 'Discord cannot be reached (ENOTFOUND)'],
  [system('SELF_SIGNED_CERT_IN_CHAIN'), 69, 'Discord cannot be reached (SELF_SIGNED'],
  [system('CERT_NOT_YET_VALID'), 69, "check the network, this machine's clock and"],
  [system('HPE_INVALID_CONSTANT'), 69, 'Discord cannot be reached (HPE_'],
  [new Error('Command timed out'), 69, 'Redis answered and then went away'],
  [redisAnswers("OOM command not allowed when used memory > 'maxmemory'."), 69, "> 'maxmemory'"],
  [redisAnswers('MISCONF Errors writing to the AOF file: No space left'), 69, 'No space left'],
  [redisAnswers('NOREPLICAS Not enough good replicas to write.'), 69, '(NOREPLICAS Not enough'],
  [redisAnswers('WRONGTYPE Operation against a key'), 69, 'Redis refuses what Frontpage needs'],
  [gatewayRefusal(4010), 78, 'correct SHARDS'],
  [gatewayRefusal(4011), 78, 'leave SHARD_COUNT out'],
  [gatewayRefusal(4012), 78, 'code 4012'],
  [new NotDiscord('HTML'), 69, 'answers with something else'],
  [cutJson(), 69, 'answers with something else'],
  [Object.assign(new Error('Forbidden'), { status: 403 }), 69, 'status 403'],
  [Object.assign(new Error('Aborted'), { name: 'AbortError' }), 69, 'does not answer'],
  [new DOMException('Late', 'TimeoutError'), 69, 'does not answer'],
  [apiError(401), 78, 'does not accept the token'],
  [apiError(403), 69, 'status 403'],
  [gatewayRefusal(4999), 78, 'look at https://discordstatus.com'],
  [system('EDQUOT', { path: '/x' }), 74, 'The disk is full'],
  [system('EEXIST', { path: '/x' }), 73, 'There is a file /x already'],
  [system('ENOENT', { path: '/x' }), 66, 'There is no /x'],
  [system('EISDIR'), 66, 'A folder stands where a file is needed'],
  [system('EPERM', { path: '/x' }), 77, '/x cannot be used'],
  [system('EROFS', { path: '/x' }), 77, '/x cannot be used'],
  [system('EADDRINUSE', { syscall: 'listen', port: 80 }), 69, 'The port 80 is taken'],
])('%s ends the start with a sentence and the code %i', (error, code, sentence) => {
  const known = explain(error);
  expect(known?.code).toBe(code);
  expect(known?.message).toContain(sentence);
});

test('a refused login of the library is a refused token, and no other fault of it is', () => {
  const Fault = DiscordjsError as unknown as new (code: string) => Error;
  expect(explain(new Fault(DiscordjsErrorCodes.TokenInvalid))?.code).toBe(78);
  expect(explain(new Fault(DiscordjsErrorCodes.ClientInvalidOption))).toBeNull();
});

test('a port that is taken is named', async () => {
  const first = createServer().listen(0);
  await once(first, 'listening');
  const { port } = first.address() as { port: number };
  const second = createServer().listen(port);
  const [error] = (await once(second, 'error')) as [Error];
  first.close();
  expect(explain(error)?.message).toContain(`The port ${port} is taken`);
});

test('what nobody foresaw has no sentence', () => {
  expect(explain(new TypeError('x is not a function'))).toBeNull();
  expect(explain(new SyntaxError('Unexpected token'))).toBeNull();
  expect(explain('a text')).toBeNull();
  // A code, and none of the network.
  expect(explain(system('ERR_INVALID_ARG_TYPE'))).toBeNull();
});
