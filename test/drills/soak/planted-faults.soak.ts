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

const TAKEN = 'src/digests/posting/send-what-is-taken.ts';
const HELD_BACK = 'src/articles/held-back/held-back.ts';
const RUN = 'src/digests/posting/run-digest.ts';
const SEND = 'src/digests/posting/send-once.ts';
const CHANNEL = 'src/digests/posting/posting-context.ts';
const ANNOUNCE = 'src/digests/announcements.ts';
const TAKE = 'src/redis/lua/take-lease.lua';
const HOLD = 'src/redis/lua/hold-lease.lua';
const RELEASE = 'src/redis/lua/release-lease.lua';
const LUA_HELD = "if holder and heldUntil > now then return {'held', heldUntil} end";
const LUA_LOST = "if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end";
const CHECKED =
  "    if (!(await keepLease(store, lease, clock.now(), { tried: 1 }))) return { status: 'lost' };\n";
const SENT = 'return { draft, sent, isRedrafted };';
const EDIT_HELD =
  "const askedMs = clock.now();\n        if (!(await holds())) return { status: 'lost' };\n";
const EDIT_PAUSED = "if (clock.now() - askedMs > SEND_TIMEOUT_MS) return { status: 'lost' };";
const CORRECTED = "notes.has('replaced') || (notes.has('tried') && whole.isRedrafted)";
const WRITTEN = "    if (!(await recordEdition(context, recorded, lease))) return 'idle';\n";
const FAILED_READ = `          if (!(await holds())) return { status: 'lost' };
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
const NOTED = '      await noteAnnounced(store, guild, told);\n';
const ENDED = '      await releaseLease(store, lease);\n      log.info';
const PUBLISHED =
  '    if (sent.message !== null) await publishEdition(context, edition, draft, sent.message);\n';
const RECORDED = "  if (!(await record(context, edition, posted))) return 'idle';\n";

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
    'a draft is not stored before it is sent': [
      [RUN, 'return keepLease(store, lease, now, note)', 'return keepLease(store, lease, now)'],
    ],
    'a draft is stored after it is sent': [
      [RUN, 'return keepLease(store, lease, now, note)', 'return keepLease(store, lease, now)'],
      [
        RUN,
        SENT,
        `await keepLease(context.store, edition.lease, context.clock.now(), { draft: JSON.stringify(draft), drafted: context.clock.now() });\n    ${SENT}`,
      ],
    ],
    'the channel is not read back': [[SEND, 'if (mayReadBack) {', 'if (false) {']],
    'what was tried is not read back': [
      [SEND, 'if (mayReadBack) {', 'if (mayReadBack && !tried) {'],
    ],
    'a read-back passes over the newest message': [
      [CHANNEL, 'const found = page.messages.find(', 'const found = page.messages.slice(1).find('],
    ],
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
    'the nonce follows the draft': [
      [
        RUN,
        'nonceOf(guild, name, slot.date)',
        "nonceOf(guild, name, slot.date, draft.texts ?? '')",
      ],
    ],
    'a new draft in place of one that was tried is not noted': [
      [RUN, "edition.notes.has('tried') ? { replaced: 1 } : {}", '{}'],
    ],
    'what an earlier draft said stays in the channel': [
      [
        RUN,
        'const said = await sayInstead(context, edition, whole);',
        "const said = 'said' as string;",
      ],
    ],
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
    'what failed is drafted anew': [
      [
        RUN,
        "await releaseLease(context.store, claim.lease, 'open')",
        "await releaseLease(context.store, claim.lease, 'anew')",
      ],
    ],
    'only what was replaced once more is corrected': [[RUN, CORRECTED, "notes.has('replaced')"]],
    'what was replaced and tried again is not corrected': [
      [RUN, CORRECTED, "notes.has('tried') && whole.isRedrafted"],
    ],
    'a correction of a lost claim goes on to the record': [
      [RUN, "if (said === 'lost') return 'lost';", ''],
    ],
    'the page of an edition is written after its claim has ended': [
      [RUN, WRITTEN, ''],
      [
        RUN,
        RECORDED,
        `${RECORDED}  if (draft.body !== null) await recordEdition(context, { ...edition, date: slot.date, window: { fromMs: periodOf(digest, run, slot.atMs).fromMs, untilMs: slot.atMs }, draft, message: sent.message });\n`,
      ],
    ],
    'an edition is sent without asking whether it is still so': [
      [RUN, 'isDraftCurrent(context, guild, digest, draft),', 'true,'],
    ],
    'the record undoes what a manager changed meanwhile': [
      [RUN, 'forgetRunOfDeleted, readDigest,', 'forgetRunOfDeleted, readDigest, saveDigest,'],
      [
        RUN,
        "  if (status === 'lost') return false;\n",
        "  if (status === 'lost') return false;\n  await saveDigest(store, guild, name, digest);\n",
      ],
    ],
  },
  'an unread edition is posted at most once': {
    'a try is not noted': [[SEND, '{ tried: 1 }', '{}']],
    'a claim that is done can be taken again': [
      [RELEASE, "if left == 'done' then", 'if false then'],
    ],
  },
  'an edition is posted once by processes of different clocks': {
    'a read-back has no leeway for clocks': [
      [SEND, 'CLOCK_LEEWAY_MS = 5 * 60_000', 'CLOCK_LEEWAY_MS = 0'],
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
      [RUN, PUBLISHED, ''],
      [RUN, RECORDED, `${RECORDED}${PUBLISHED}`],
    ],
    'what was published counts as refused': [
      [
        CHANNEL,
        "if (isApiError(error, 'ThisMessageWasAlreadyCrossposted')) return { status: 'published' };",
        '',
      ],
    ],
  },
  'an edition is posted once without the article that Discord refuses': {
    'what is added to an edition is not noted': [
      [
        RUN,
        'noteChange: (part) => noteDraft(context, edition, part)',
        'noteChange: async () => true',
      ],
      [RUN, 'await noteDraft(context, edition, taken.draft, { part: 0 })', 'true'],
    ],
    'each part of an edition is a message of its own': [
      [TAKEN, 'if (message === null) {', 'if (true) {'],
    ],
    'an edition that was posted in parts goes on changing': [[RUN, '{ part: 0 }', '{}']],
    'a correction that Discord refuses counts as said': [
      [
        RUN,
        "if (said !== 'said') return { ...whole, draft: { ...whole.draft, shown: null } };",
        '',
      ],
    ],
    'managers are told of a refused article again and again': [
      [HELD_BACK, 'if (news.length === 0) return;', ''],
      [HELD_BACK, 'const links = news', 'const links = articles'],
      [HELD_BACK, 'return known?.texts !== textsOf(article)', 'return known !== undefined || true'],
    ],
    'a refused article is not remembered': [
      [HELD_BACK, 'await store.redis.hset(key, ...held);', ''],
    ],
  },
  'an edition that was posted in parts says what is recorded': {
    'an edit after a pause is not given up': [[CHANNEL, EDIT_PAUSED, '']],
    'an edit asks nobody who holds the claim': [
      [CHANNEL, EDIT_HELD, 'const askedMs = clock.now();\n'],
    ],
    'an edit asks neither the claim nor the clock': [
      [CHANNEL, EDIT_HELD, 'const askedMs = clock.now();\n'],
      [CHANNEL, EDIT_PAUSED, ''],
    ],
    'a refused article stops the edition': [
      [RUN, "outcome.status === 'refused' && outcome.isText === true", 'false'],
    ],
    'a part of an edition is not noted before it is sent': [[RUN, '{ part: 1 }', '{}']],
    'a part of an edition that was found is left as it is': [
      [RUN, "return notes.get('part') === '1' ? whole : null;", 'return null;'],
    ],
    'a part of an edition is drafted, but not noted': [
      [
        RUN,
        'const isHeld = await noteDraft(context, edition, part, { part: 1 });',
        'const isHeld = await keepLease(context.store, edition.lease, context.clock.now(), { part: 1 });',
      ],
    ],
    'an added part is noted without asking who holds the claim': [
      [TAKEN, "if (!(await noteChange(next))) return 'ended';", 'await noteChange(next);'],
      [CHANNEL, EDIT_HELD, 'const askedMs = clock.now();\n'],
    ],
  },
  'an edition that two processes send says what is recorded': {
    'who lost the claim records what it drafted': [
      [RUN, 'sent.isUnnoted === true ? undefined : edition.lease', 'undefined'],
    ],
  },
  'an edition is posted once where nothing changes meanwhile': {
    'a read-back that failed counts as an empty channel': [NOT_READ],
  },
  'an article is announced once where nothing changes meanwhile': {
    'a read-back of announcements that failed counts as an empty channel': [NOT_READ],
  },
  'an article is announced once beside one that Discord refuses': {
    'a refused article is announced with the others again': [
      [ANNOUNCE, "if (outcome.status === 'heldBack') atOnce = 1;", ''],
    ],
    'a refused announcement stops the others': [
      [ANNOUNCE, 'if (!sent.isText) return sent;', 'return sent;'],
    ],
    'a refused announcement is recorded with all its articles': [
      [ANNOUNCE, 'if (sent.isText && ids.length === 1) {', 'if (sent.isText) {'],
    ],
  },
  'an article is not announced after it was removed': {
    'a plan is sent although an article of it was removed': [
      [ANNOUNCE, 'named.length < planned.ids.length', 'false'],
      [ANNOUNCE, 'planned.texts === (await textsOf(context, guild, named))', 'true'],
    ],
    'what was just planned is not asked about again': [
      [
        ANNOUNCE,
        '{ planned, lease, tried: false, isCurrent }',
        '{ planned, lease, tried: false, isCurrent: async () => true }',
      ],
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
        '  const sent = await sendOnce(context, {',
        '  await noteAnnounced(store, guild, ids);\n  const sent = await sendOnce(context, {',
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
    'each plan has a nonce of its own': [
      [
        ANNOUNCE,
        "nonce: stored?.nonce ?? nonceOf(guild, 'interesting', ...ids)",
        "nonce: nonceOf(guild, 'interesting', ...ids, Math.random())",
      ],
    ],
    'what a plan replaces is forgotten': [
      [ANNOUNCE, 'stored === null ? [] : [...stored.replaced, ...stored.ids]', '[]'],
    ],
    'a plan is sent although its title is another': [
      [ANNOUNCE, 'planned.texts === (await textsOf(context, guild, named))', 'true'],
    ],
    'an announcement that failed is recorded': [
      [
        ANNOUNCE,
        '    mayReadBack: state.mayReadBack,\n  });',
        '    mayReadBack: state.mayReadBack,\n  }).catch(async (error: unknown) => {\n    await noteAnnounced(store, guild, ids);\n    throw error;\n  });',
      ],
    ],
    'the plan of an announcement is not stored': [
      [
        ANNOUNCE,
        'await keepLease(store, lease, clock.now(), note)',
        'await keepLease(store, lease, clock.now())',
      ],
    ],
    'the plan of a sent announcement is kept': [
      [
        ANNOUNCE,
        '      await releaseLease(store, lease);\n      log.info',
        "      await releaseLease(store, lease, 'open');\n      log.info",
      ],
    ],
    'a plan in place of another has a nonce of its own': [
      [ANNOUNCE, 'nonce: stored?.nonce ?? nonceOf(', 'nonce: nonceOf('],
    ],
    'a plan in place of another is looked for since then': [
      [ANNOUNCE, 'stored?.plannedAtMs ?? context.clock.now()', 'context.clock.now()'],
    ],
    'what stands in the channel in place of a plan is not told from it': [
      [ANNOUNCE, 'seen.length > 0 ? seen : ids', 'ids'],
    ],
    'an announcement is looked for since the try, not since its plan': [
      [ANNOUNCE, 'sinceMs: plannedAtMs', 'sinceMs: context.clock.now()'],
    ],
  },
};

/** Faults that the search alone does not find, and why none comes of them. */
const covered: Record<string, string> = {};

/** How the search found each: the tests play these schedules first. */
const FOUND = 'test/digests/search/found.json';
type Found = Record<string, Finding & { what: Search }>;
const readFound = async () => JSON.parse(await readFile(FOUND, 'utf8')) as Found;

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
      await writeFile(FOUND, `${JSON.stringify(found, null, 2)}\n`);
      await promisify(execFile)('npx', ['biome', 'format', '--write', FOUND]);
      expect(finding !== null || fault in covered).toBe(true);
    } finally {
      await rm(copy, { recursive: true });
    }
  },
);

const BEGIN = '<!-- written by test/drills/soak/planted-faults.soak.ts -->';
const END = '<!-- end -->';
const PAGE = 'test/digests/search/README.md';

test('the page of the search says what it found', async () => {
  const found = await readFound();
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
