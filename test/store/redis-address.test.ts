import { expect, test } from 'vitest';
import { parseRedisAddress } from '../../src/store/redis-address.ts';

const tcp = { kind: 'tcp', host: 'host', port: 6379, tls: false, db: 0 };
const unix = { kind: 'unix', path: '/run/redis.sock', db: 0 };

test.each<[string, object]>([
  ['redis://host', tcp],
  ['redis://host/', tcp],
  ['redis://host:7000/3', { ...tcp, port: 7000, db: 3 }],
  ['rediss://host', { ...tcp, tls: true }],
  ['redis://[::1]:7000', { ...tcp, host: '::1', port: 7000 }],
  ['redis://:pass@host', { ...tcp, password: 'pass' }],
  ['redis://user:p%40ss,w%2Frd@host', { ...tcp, username: 'user', password: 'p@ss,w/rd' }],
  ['/run/redis.sock', unix],
  ['/run/100% redis?.sock', { ...unix, path: '/run/100% redis?.sock' }],
  ['unix:///run/redis.sock', unix],
  ['redis+unix:///run/redis.sock?db=2', { ...unix, db: 2 }],
  ['redis+unix:///run/a%20b.sock', { ...unix, path: '/run/a b.sock' }],
  ['redis+unix://user:p%40ss@/run/redis.sock', { ...unix, username: 'user', password: 'p@ss' }],
])('%s is understood', (text, address) => {
  expect(parseRedisAddress(text)).toEqual({ status: 'ok', address });
});

test.each([
  ['http://host', 'does not begin with'],
  ['host:6379', 'does not begin with'],
  ['not an address', 'is not an address'],
  ['redis://', 'names no host'],
  ['redis://host:99999', 'is not an address'],
  ['redis://user:%@host', 'is not an address'],
  ['redis+unix://', 'is not an address'],
  ['redis://host/database', 'names a database that is not a number'],
  ['redis+unix:///run/redis.sock?db=x', 'names a database that is not a number'],
  ['redis://a:1,b:2', 'lists several servers'],
  ['redis://a,b', 'lists several servers'],
  ['redis://a:1,redis://b:2', 'lists several servers'],
])('%s is refused', (text, fault) => {
  expect(parseRedisAddress(text)).toEqual({
    status: 'faulty',
    fault: expect.stringContaining(fault) as string,
  });
});

test('a refusal does not repeat the password', () => {
  const parsed = parseRedisAddress('redis://user:my-secret@host/my-secret');
  expect(JSON.stringify(parsed)).not.toContain('my-secret');
});
