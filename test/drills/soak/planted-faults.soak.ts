import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Finding, Search } from '../../digests/search/searched.ts';

/**
 * Faults planted in a copy of the code that posts once. The search over schedules must find each, or it
 * proves nothing.
 */
type Plant = [file: string, from: string, to: string];

const RUN = 'src/digests/posting/run-digest.ts';
const RECORD = 'src/digests/posting/end-edition.ts';
const SEND = 'src/messages/keep-shown.ts';
const CHANNEL = 'src/messages/messages.ts';
const ANNOUNCE = 'src/digests/announcements.ts';
const TAKE = 'src/redis/lua/take-lease.lua';
const HOLD = 'src/redis/lua/hold-lease.lua';
const RELEASE = 'src/redis/lua/release-lease.lua';
const LUA_HELD = "if holder and heldUntil > now then return {'held', heldUntil} end";
const LUA_LOST = "if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end";
const CHECKED = "    if (!(await claim.hold(true))) return { status: 'lost' };\n";
const EDIT_HELD =
  "const askedMs = clock.now();\n        if (!(await isHeld())) return { status: 'lost' };\n";
const EDIT_PAUSED = "if (clock.now() - askedMs > SEND_TIMEOUT_MS) return { status: 'lost' };";
const WRITTEN =
  "  if (!(await recordEdition(context, edition, { draft, message }, edition.lease))) return 'idle';\n";
const FAILED_READ = `          if (!(await isHeld())) return { status: 'lost' };
        }
      } catch (error) {
`;
const NOT_READ: Plant = [
  CHANNEL,
  FAILED_READ,
  `${FAILED_READ}        return { status: 'none' };\n`,
];
const MARKED = '  if (before !== mark) await writeAnnouncing(store, guild, mark);\n';
const UNMARKED =
  '  if (!isNews) await noteAnnounced(store, guild, await unannounced(store, guild, interesting));\n';
const NOTED = '      await noteAnnounced(store, guild, named, messageOf(shown, target.channel));\n';
const ENDED = '      await releaseLease(store, lease);\n      log.info';
const PUBLISHED =
  '  const refusal = message === null ? null : await publishEdition(context, edition, message);\n';
const RECORDED = "  if (!(await endClaim(context, edition, over(run, slot)))) return 'idle';\n";

/** In which of the searches each is looked for. */
const faults: Partial<Record<Search, Record<string, Plant[]>>> = {
  'an edition is posted once': {
    'nobody asks who holds the claim': [
      [TAKE, LUA_HELD, ''],
      [HOLD, LUA_LOST, ''],
    ],
    'whoever asks renews a claim': [[HOLD, LUA_LOST, '']],
    'a claim can be taken while it is held': [[TAKE, LUA_HELD, '']],
    'a claim is not renewed': [[HOLD, "redis.call('HSET', lease, 'until', leaseEnd)", '']],
    'a claim ends before a pause does': [[RUN, 'CLAIM_MS = 90_000', 'CLAIM_MS = 1000']],
    'the channel is not read back': [[SEND, 'if (mayReadBack) {', 'if (false) {']],
    'what an earlier process sent stays as it is': [
      [
        SEND,
        'if (claim.isTried) return edit(needs, standing, claim, look);',
        'if (claim.isTried) return shownAs(look.message, undefined);',
      ],
    ],
    'what an earlier process sent is edited only where it was found': [
      [SEND, 'if (claim.isTried) return edit(needs, standing, claim, answer);', ''],
    ],
    'an edition is written before the look': [
      [
        SEND,
        "if ((await write({ isPlain: false, found: null })) === null) return { status: 'none' };",
        "const early = await write({ isPlain: false, found: null });\n  if (early === null) return { status: 'none' };",
      ],
      [
        SEND,
        '    const body = await write({ isPlain: false, found: null });',
        '    const body = early;',
      ],
    ],
    'what was tried is not read back': [
      [SEND, 'if (mayReadBack) {', 'if (mayReadBack && !claim.isTried) {'],
    ],
    'a read-back passes over the newest message': [
      [CHANNEL, 'const found = page.messages.find(', 'const found = page.messages.slice(1).find('],
    ],
    'an edition is recorded before it is sent': [
      [
        RUN,
        '    return await endEdition(',
        "    await endEdition(context, edition, { status: 'late' });\n    return await endEdition(",
      ],
    ],
    'each try has a nonce of its own': [
      [RUN, 'nonceOf(guild, name, slot.date)', 'nonceOf(guild, name, slot.date, Math.random())'],
    ],
    'an old look counts': [
      [SEND, 'if (clock.now() - lookedAtMs <= FRESH_MS || !mayReadBack)', 'if (true)'],
    ],
    'what failed counts as done': [
      [
        RUN,
        "await releaseLease(context.store, edition.lease, 'open')",
        "await releaseLease(context.store, edition.lease, 'done')",
      ],
    ],
    'the page of an edition is written after its claim has ended': [
      [RECORD, WRITTEN, ''],
      [
        RECORD,
        RECORDED,
        `${RECORDED}  await recordEdition(context, edition, { draft, message });\n`,
      ],
    ],
  },
  'an unread edition is posted at most once': {
    'what was tried is forgotten with what failed': [
      [
        RUN,
        "await releaseLease(context.store, edition.lease, 'open')",
        "await releaseLease(context.store, edition.lease, 'anew')",
      ],
    ],
    'a try is not noted': [[RUN, '{ tried: 1 }', '{}']],
    'a claim that is done can be taken again': [[RELEASE, "if as == 'done' then", 'if false then']],
  },
  'an edition is posted once by processes of different clocks': {
    'a read-back has no leeway for clocks': [
      [SEND, 'CLOCK_LEEWAY_MS = 5 * 60_000', 'CLOCK_LEEWAY_MS = 0'],
    ],
  },
  'an edition is posted once while a manager changes its settings': {
    'the record undoes what a manager changed meanwhile': [
      [RECORD, ', readDigest } from', ', readDigest, saveDigest } from'],
      [
        RECORD,
        '{ guild, name, lease }: ClaimedEdition',
        '{ guild, name, digest, lease }: ClaimedEdition',
      ],
      [
        RECORD,
        "  return status !== 'lost';\n",
        "  await saveDigest(store, guild, name, digest);\n  return status !== 'lost';\n",
      ],
    ],
  },
  'each of two editions is posted once': {
    'the editions of a day share a nonce': [
      [RUN, 'nonceOf(guild, name, slot.date)', 'nonceOf(guild, slot.date)'],
    ],
  },
  'an edition in a busy channel is posted once, and published to its followers': {
    'a read-back ends after its first page': [
      [CHANNEL, 'if (page.length < limits.pageSize) return', 'if (page.length > 0) return'],
    ],
    'an edition is published after it is recorded': [
      [RECORD, PUBLISHED, ''],
      [RECORD, RECORDED, `${RECORDED}${PUBLISHED}`],
    ],
    'what was published counts as refused': [
      [
        CHANNEL,
        "if (isApiError(error, 'ThisMessageWasAlreadyCrossposted')) return { status: 'published' };",
        '',
      ],
    ],
  },
  'an edition with a link that Discord refuses is posted once': {
    'a refused link stops the edition': [
      [SEND, "'reason' in answer && answer.reason === 'text'", "'reason' in answer && false"],
    ],
    'an edition without links has a nonce of its own': [
      [
        SEND,
        'answer = await channels.sendMessage(target, sentBody, nonce);\n  }',
        'answer = await channels.sendMessage(target, sentBody, `${nonce}p`);\n  }',
      ],
    ],
  },
  'an edition that was edited says what is recorded': {
    'an edit after a pause is not given up': [[CHANNEL, EDIT_PAUSED, '']],
    'an edit asks nobody who holds the claim': [
      [CHANNEL, EDIT_HELD, 'const askedMs = clock.now();\n'],
    ],
    'an edit asks neither the claim nor the clock': [
      [CHANNEL, EDIT_HELD, 'const askedMs = clock.now();\n'],
      [CHANNEL, EDIT_PAUSED, ''],
    ],
  },
  'an edition that two processes send says what is recorded': {
    'who lost the claim records what it drafted': [
      [
        RECORD,
        'recordEdition(context, edition, { draft, message }, edition.lease)',
        'recordEdition(context, edition, { draft, message })',
      ],
    ],
  },
  'an edition is posted once where nothing changes meanwhile': {
    'neither the lease nor the age of the look is asked before the send': [
      [SEND, CHECKED, ''],
      [SEND, 'if (clock.now() - lookedAtMs <= FRESH_MS || !mayReadBack)', 'if (true)'],
    ],
    'a read-back that failed counts as an empty channel': [NOT_READ],
  },
  'an article is announced once where nothing changes meanwhile': {
    'a read-back of announcements that failed counts as an empty channel': [NOT_READ],
  },
  'an article is announced once beside one whose link Discord refuses': {
    'a refused announcement is tried without what it tried before': [
      [ANNOUNCE, "shown.isUnsent ? 'anew' : 'open'", "'anew'"],
    ],
  },
  'an article is not announced after it was removed': {
    'an announcement is written before the look': [
      [ANNOUNCE, '? await readNews(context, guild, ids)', '? news'],
    ],
  },
  'an article that a lowered mark made interesting is not announced': {
    'the mark is noted before what it made interesting': [
      [ANNOUNCE, MARKED, ''],
      [ANNOUNCE, UNMARKED, `${MARKED}${UNMARKED}`],
    ],
    'what a lowered mark made interesting counts as news': [
      [ANNOUNCE, 'before !== null && mark >= before', 'before !== null'],
    ],
  },
  'an article is announced once': {
    'the mark is never noted': [[ANNOUNCE, MARKED, '']],
    'an announcement is recorded before it is sent': [
      [
        ANNOUNCE,
        '  const shown = await keepShown(context, standing, {',
        '  await noteAnnounced(store, guild, ids);\n  const shown = await keepShown(context, standing, {',
      ],
    ],
    'an announcement is recorded after its claim has ended': [
      [ANNOUNCE, `${NOTED}${ENDED}`, `${ENDED.replace('      log.info', NOTED)}      log.info`],
    ],
    'nobody asks who holds the claim of an announcement': [
      [TAKE, LUA_HELD, ''],
      [HOLD, LUA_LOST, ''],
    ],
    'the channel of announcements is not read back': [[SEND, 'if (mayReadBack) {', 'if (false) {']],
    'an announcement that failed is recorded': [
      [
        ANNOUNCE,
        "    await releaseLease(store, lease, 'open').catch(() => {});\n    throw error;",
        "    await noteAnnounced(store, guild, interesting);\n    await releaseLease(store, lease, 'open').catch(() => {});\n    throw error;",
      ],
    ],
  },
};

/** Faults that the search alone does not find, and why none comes of them. */
const covered: Record<string, string> = {
  'a claim can be taken while it is held': 'the token at each write stops who had it',
  'a claim is not renewed': 'the token at each write stops who had it',
  'a claim ends before a pause does': 'the token at each write stops who had it',
  'an edit asks nobody who holds the claim': 'no step is left between what is written and its edit',
  'an edit asks neither the claim nor the clock':
    'no step is left between what is written and its edit',
  'what an earlier process sent is edited only where it was found':
    'it must arrive in the tenth of a second between a look and a send',
};

/** How the search found each: the tests play these schedules first. */
const FOUND = 'test/digests/search/found.json';
type Found = Record<string, Finding & { what: Search }>;
const readFound = async () => JSON.parse(await readFile(FOUND, 'utf8')) as Found;
async function writeFound(found: Found): Promise<void> {
  await writeFile(FOUND, `${JSON.stringify(found, null, 2)}\n`);
  await promisify(execFile)('npx', ['biome', 'format', '--write', FOUND]);
}

/** Enough for most on a machine of its own; a busy one needs longer. */
const SECONDS = process.env['SEARCH_SECONDS'] ?? '180';
/** The most schedules for each. */
const MOST = process.env['SEARCH_MOST'] ?? '300';

const all = Object.entries(faults).flatMap(([what, plants]) =>
  Object.entries(plants).map(([fault, places]) => ({ what: what as Search, fault, places })),
);

test.each(all.map((one) => [one.fault, one] as const))(
  'the search finds that %s',
  async (fault, { what, places }) => {
    const copy = await mkdtemp(join(tmpdir(), 'frontpage-planted-'));
    try {
      for (const part of PARTS) {
        await cp(part, join(copy, part), { recursive: true, filter: isOurs });
      }
      await symlink(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
      for (const [file, from, to] of places) {
        const path = join(copy, file);
        const text = await readFile(path, 'utf8');
        expect(text).toContain(from);
        await writeFile(path, text.replace(from, to));
      }
      const finding = await search(copy, what);
      console.log(`${fault}: ${finding === null ? 'not found' : finding.played}`);
      const before = await readFound();
      const { [fault]: _, ...others } = before;
      const found = finding === null ? others : { ...before, [fault]: { what, ...finding } };
      await writeFound(found);
      expect(finding !== null || fault in covered).toBe(true);
    } finally {
      await rm(copy, { recursive: true });
    }
  },
);

const BEGIN = '<!-- written by test/drills/soak/planted-faults.soak.ts -->';
const END = '<!-- end -->';
const PAGE = 'test/digests/search/README.md';

test('the page of the search says what it found, and no fault that is planted no more', async () => {
  const isPlanted = ([fault]: [string, unknown]) => all.some((plant) => plant.fault === fault);
  const found = Object.fromEntries(Object.entries(await readFound()).filter(isPlanted));
  await writeFound(found);
  const rows = all.map(({ fault }) => {
    const { played, fates = [], wrong } = found[fault] ?? {};
    if (played === undefined) return `| ${fault} | not in ${MOST} | | ${covered[fault] ?? ''} |`;
    const happened = fates.map(([at, fate]) => `${fate} (step ${at})`).join(', then ');
    return `| ${fault} | ${played} | ${happened || 'nothing'} | ${wrong} |`;
  });
  const head = [
    '| planted | schedules until found | what happened | what was wrong |',
    '| --- | --- | --- | --- |',
  ];
  const page = await readFile(PAGE, 'utf8');
  const [before] = page.split(BEGIN);
  const [, after] = page.split(END);
  expect(after).toBeDefined();
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

/** What the search finds in a copy. */
async function search(copy: string, what: Search): Promise<Finding | null> {
  const path = 'test/drills/soak/search.soak.ts';
  const args = ['vitest', 'run', '--project', 'soak', path, '-t', `^${what}$`];
  const file = join(copy, 'found.json');
  const env = { ...process.env, SEARCH_SECONDS: SECONDS, SEARCH_MOST: MOST, SEARCH_FOUND: file };
  const run = promisify(execFile)('npx', args, { cwd: copy, env, maxBuffer: 1e8 });
  // It fails if it finds something.
  await run.catch(() => {});
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Finding) : null;
}
