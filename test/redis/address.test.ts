import { expect, test } from 'vitest';
import { faultOfAddress, parseRedisAddress } from '../../src/redis/address.ts';

const node = (host: string, port = 6379) => ({ host, port });
const tcp = { host: 'host', port: 6379, db: 0 };
const unix = { path: '/run/redis.sock', db: 0 };

test.each<[string, object]>([
  ['redis://host', tcp],
  ['redis://host/', tcp],
  ['redis://host:7000/3', { ...tcp, port: 7000, db: 3 }],
  ['valkey://host', tcp],
  ['valkeys://host', { ...tcp, tls: { servername: 'host' } }],
  ['rediss://host', { ...tcp, tls: { servername: 'host' } }],
  ['rediss://127.0.0.1', { ...tcp, host: '127.0.0.1', tls: {} }],
  ['redis://[::1]:7000', { ...tcp, host: '::1', port: 7000 }],
  ['redis://:pass@host', { ...tcp, password: 'pass' }],
  ['redis://user:p%40ss,w%2Frd@host', { ...tcp, username: 'user', password: 'p@ss,w/rd' }],
  ['redis://us%40er:pass@host', { ...tcp, username: 'us@er', password: 'pass' }],
  ['/run/redis.sock', { path: '/run/redis.sock' }],
  ['/run/100% redis?.sock', { path: '/run/100% redis?.sock' }],
  ['unix:///run/redis.sock', unix],
  ['redis+unix:///run/redis.sock?db=2', { ...unix, db: 2 }],
  ['redis+unix:///run/a%20b.sock', { ...unix, path: '/run/a b.sock' }],
  ['redis+unix://user:p%40ss@/run/redis.sock', { ...unix, username: 'user', password: 'p@ss' }],
  [
    'redis+sentinel://:pass@a,b:26380/mymaster/2',
    { db: 2, password: 'pass', name: 'mymaster', sentinels: [node('a', 26379), node('b', 26380)] },
  ],
  [
    'rediss+sentinel://a/mymaster',
    {
      db: 0,
      name: 'mymaster',
      sentinels: [node('a', 26379)],
      tls: {},
      sentinelTLS: {},
      enableTLSForSentinelMode: true,
    },
  ],
  [
    'redis+sentinel://a/my%20master?sentinelUsername=u&sentinelPassword=p%40s',
    {
      db: 0,
      name: 'my master',
      sentinels: [node('a', 26379)],
      sentinelUsername: 'u',
      sentinelPassword: 'p@s',
    },
  ],
])('the address %s of Redis is understood', (text, options) => {
  expect(parseRedisAddress(text)).toEqual({ options });
});

test.each<[string, object]>([
  [
    'redis://a:7001,b:7002,[::1]',
    { options: { db: 0 }, nodes: [node('a', 7001), node('b', 7002), node('::1')] },
  ],
  [
    'rediss://user:p%2Css@a,rediss://b:7002/',
    {
      options: { db: 0, username: 'user', password: 'p,ss', tls: {} },
      nodes: [node('a'), node('b', 7002)],
    },
  ],
])('%s is understood as a cluster', (text, address) => {
  expect(parseRedisAddress(text)).toEqual(address);
});

test.each([
  'http://host',
  'host:6379',
  'not an address',
  'redis://',
  'redis://host:99999',
  'redis://user:%@host',
  'redis+unix://',
  'redis://host/database',
  'redis+unix:///run/redis.sock?db=x',
  'redis://a:1,b:99999',
  'redis://a,,b',
  'redis://a,b/2',
  'redis+sentinel://a,b',
  'redis://host?ssl=true',
  'redis+sentinel://a/group?password=x',
])('the address %s of Redis is refused', (text) => {
  expect(parseRedisAddress(text)).toBeNull();
});

const SIGNS = /%40 for @/;

test.each<[string, RegExp]>([
  ['localhost:6379', /write redis:\/\//],
  ['http://host', /write redis:\/\//],
  ['redis://:p@ss@host:6379', SIGNS],
  ['redis://:pa/ss@host', SIGNS],
  ['redis://:pa%ss@host', SIGNS],
  // What .env leaves of redis://:pa#ss@host.
  ['redis://:pa', /no host/],
  ['redis://', /no host/],
  ['redis://:password@', /no host/],
  ['redis://host:637900', /port/],
  ['redis://host:99999', /port/],
  ['redis://host:abc', /port/],
  ['redis://host/database', /database/],
  ['redis+unix:///run/redis.sock?db=x', /database/],
  ['redis://a,b/2', /only database 0/],
  ['redis+sentinel://a,b', /group/],
  ['redis+sentinel://a,b/', /group/],
  ['redis+unix://', /path/],
  ['redis+unix://host/run/redis.sock', /path/],
  // A % that begins no sign.
  ['redis+unix:///run/100%.sock', /redis\+unix:\/\/\/path for a unix socket/],
  ['redis+sentinel://a/my%group', /host:port\/group for Sentinels/],
  ['redis://host?ssl=true', /rediss:\/\/ for TLS/],
  ['redis+sentinel://a/group?sentinelpassword=x', /sentinelPassword/],
])('what is wrong with %s is said, with a cure', (text, words) => {
  expect(faultOfAddress(text)).toMatch(words);
  expect(faultOfAddress(text)).toMatch(/: write|: leave/);
});

test('the fault of an address repeats nothing of the password', () => {
  for (const address of ['redis://:sec@ret@host', 'redis://:secret', 'redis://:secret@host:x']) {
    expect(faultOfAddress(address)).not.toMatch(/sec|ret@/);
  }
});
