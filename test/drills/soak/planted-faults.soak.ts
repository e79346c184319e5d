import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/**
 * Faults planted in a copy of the code that posts once. The search over schedules must find each, or it
 * proves nothing.
 */
type Plant = [file: string, from: string, to: string];

const RUN = 'src/digests/posting/run-digest.ts';
const SEND = 'src/digests/posting/send-once.ts';
const ANNOUNCE = 'src/digests/announcements.ts';
const TAKE = 'src/redis/lua/take-lease.lua';
const HOLD = 'src/redis/lua/hold-lease.lua';
const LUA_HELD = "if holder and heldUntil > now then return {'held', heldUntil} end";
const LUA_LOST = "if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end";
const CHECKED =
  "    const held = await holdLease(store, lease, clock.now(), { tried: 1 });\n    if (held.status === 'lost') return { status: 'lost' };\n";

const faults: Record<string, Plant[]> = {
  'nobody asks who holds the claim': [
    [TAKE, LUA_HELD, ''],
    [HOLD, LUA_LOST, ''],
  ],
  'a draft is not stored before it is sent': [
    [
      RUN,
      'await holdLease(context.store, lease, now, note)',
      'await holdLease(context.store, lease, now)',
    ],
  ],
  'the channel is not read back': [[SEND, 'if (mayReadBack) {', 'if (false) {']],
  'an edition is recorded before it is sent': [
    [
      RUN,
      '  const outcome = await sendEdition(context, edition, state);',
      "  await record(context, edition, { ...done(run, slot), shownUntilMs: slot.atMs }, 'open');\n  const outcome = await sendEdition(context, edition, state);",
    ],
  ],
  'each try has a nonce of its own': [
    [RUN, 'nonceOf(guild, name, slot.date)', 'nonceOf(guild, name, slot.date, Math.random())'],
  ],
  'a try is not noted': [[SEND, '{ tried: 1 }', '{}']],
  'an old look counts': [
    [SEND, 'if (clock.now() - readAtMs <= FRESH_MS || !mayReadBack) break;', 'break;'],
  ],
  'neither the lease nor the age of the look is asked before the send': [
    [SEND, CHECKED, ''],
    [SEND, 'if (clock.now() - readAtMs <= FRESH_MS || !mayReadBack) break;', 'break;'],
  ],
  'what failed counts as done': [
    [
      RUN,
      "await releaseLease(context.store, claim.lease, 'open')",
      "await releaseLease(context.store, claim.lease, 'done')",
    ],
  ],
  'an announcement is recorded before it is sent': [
    [
      ANNOUNCE,
      '  const sent = await sendOnce(context, {',
      '  await noteAnnounced(store, guild, ids);\n  const sent = await sendOnce(context, {',
    ],
  ],
  'the plan of an announcement is not stored': [
    [
      ANNOUNCE,
      'await holdLease(store, lease, clock.now(), note)',
      'await holdLease(store, lease, clock.now())',
    ],
  ],
};

/** How the search found a fault: in which schedule, the how manieth, and what then was wrong. */
type Found = { fault: string; played: number; fates: string; wrong: string };
const found: Found[] = [];
/** Enough for most on a machine of its own; a busy one needs longer. */
const SECONDS = process.env['SEARCH_SECONDS'] ?? '90';

test.each(Object.entries(faults))('the search finds that %s', async (fault, plants) => {
  const copy = await mkdtemp(join(tmpdir(), 'frontpage-planted-'));
  try {
    for (const part of PARTS) {
      await cp(part, join(copy, part), { recursive: true, filter: isOurs });
    }
    await symlink(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
    for (const [file, from, to] of plants) {
      const path = join(copy, file);
      const text = await readFile(path, 'utf8');
      expect(text).toContain(from);
      await writeFile(path, text.replace(from, to));
    }
    const told = await search(copy, placeOf(fault));
    const [, played, fates = '', wrong = ''] =
      /Schedule (\d+), (.*?): (It .*|An? .*|Posted .*)$/m.exec(told) ?? [];
    expect(played).toBeDefined();
    found.push({ fault, played: Number(played), fates, wrong });
  } finally {
    await rm(copy, { recursive: true });
  }
});

/** What the search plays to find it. A try is looked at only where the channel cannot be read. */
function placeOf(fault: string): string {
  if (fault.includes('announcement')) return 'an article';
  return fault === 'a try is not noted' ? 'an unread edition' : 'an edition';
}

const BEGIN = '<!-- written by test/drills/soak/planted-faults.soak.ts -->';
const END = '<!-- end -->';
const PAGE = 'test/digests/search/README.md';

test('the page of the search says what it found', async () => {
  // Where some of them were planted alone, the page stays as it is.
  expect(found.length).toBeGreaterThan(0);
  if (found.length < Object.keys(faults).length) return;
  const page = await readFile(PAGE, 'utf8');
  const rows = found.map(
    ({ fault, fates, played, wrong }) => `| ${fault} | ${played} | ${fates} | ${wrong} |`,
  );
  const head = [
    '| planted | schedules until found | what happened | what was wrong |',
    '| --- | --- | --- | --- |',
  ];
  const [before] = page.split(BEGIN);
  const [, after] = page.split(END);
  await writeFile(
    PAGE,
    [`${before}${BEGIN}`, '', ...head, ...rows, '', `${END}${after}`].join('\n'),
  );
});

const PARTS = [
  'src',
  'commands',
  'discord-box',
  'test',
  'sandbox',
  'package.json',
  'vitest.config.ts',
  'tsconfig.json',
];

function isOurs(path: string): boolean {
  return !path.includes('node_modules');
}

/** What the search says of a copy. */
async function search(copy: string, what: string): Promise<string> {
  const path = 'test/drills/soak/search.soak.ts';
  const args = ['vitest', 'run', '--project', 'soak', path, '-t', what, '--reporter', 'default'];
  const env = { ...process.env, SEARCH_SECONDS: SECONDS, NO_COLOR: '1' };
  const run = promisify(execFile)('npx', args, { cwd: copy, env, maxBuffer: 1e8 });
  return run.then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}
