import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Answer } from '../../discord-box/src/index.ts';
import { addMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { deleteArticle, readArticle } from '../../src/ranking/articles/articles.ts';
import { putArticle } from '../../src/ranking/ballots/put-article.ts';
import type { Voter } from '../../src/ranking/ballots/voters.ts';
import { snowflakeAt } from '../../src/runtime/snowflake.ts';
import { noteReport } from '../../src/community/stored-reports.ts';
import { erasedAmong } from '../../src/community/erasures.ts';
import { isOptedOut, setOptedOut } from '../../src/community/opted-out.ts';
import { noteGuilds } from '../../src/community/known-guilds.ts';
import { STANDARD } from '../../src/community/settings.ts';
import { openMemberLimits, VOTES_AT_MOST } from '../../src/community/member-limits.ts';
import { saveArticle } from '../../src/personal/stored-personal.ts';
import { onMetric } from '../../src/runtime/metrics.ts';
import { sharedKeys, storeKeys } from '../../src/redis/store-keys.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;
let member: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  const isEnglish = (id: string) => sandbox.world.users.get(id)?.locale === 'en-US';
  member = sandbox.members.find(isEnglish) ?? '';
});
afterAll(() => scene.stop());
beforeEach(() => {
  scene.bot.memberLimits = openMemberLimits();
});

/** Presses a button that an earlier message had. */
function forge(as: ReturnType<Scene['sandbox']['as']>, customId: string): Promise<Answer> {
  const { admin } = scene.sandbox;
  const { id: sourceId } = as.send(general, 'Hello');
  return forgeComponent(scene.sandbox, { userId: admin, sourceId }, customId);
}

/** How many of so many answers refuse for a limit. */
async function refused(times: number, ask: () => Promise<string>): Promise<number> {
  const answers: string[] = [];
  for (let i = 0; i < times; i += 1) answers.push(await ask());
  return answers.filter((said) => /often in a short time|at most/.test(said)).length;
}

// Withstands (Attacks): A member floods
// → limits hold
test('a member posts, searches and exports so often by default, and no more', async () => {
  const as = scene.sandbox.as(member);
  const said = async (words: string, given: Record<string, string>) =>
    (await as.command(general, words, given)).message?.content ?? '';
  expect(STANDARD['posts-per-hour']).toBe(60);
  expect(await refused(32, () => said('search', { words: 'nothing' }))).toBe(2);
  const page = await as.command(general, 'me data');
  const press = async () => {
    const { message } = await as.press(general, page.message?.id ?? '', 'me|export');
    return message?.content ?? '';
  };
  expect(await refused(7, press)).toBe(2);
});

// Withstands (Attacks): Members of one server ask for costly lists, or post the same link again and again
// → both are limited, for a member and a server
test('lists that go through many articles are limited for a member, and for a guild', async () => {
  const { sandbox, bot } = scene;
  const said = async (words: string, given = {}) =>
    (await sandbox.as(member).command(general, words, given)).message?.content ?? '';
  expect(await refused(14, () => said('me articles'))).toBe(0);
  expect(await refused(14, () => said('me remove', { article: 'No such title' }))).toBe(0);
  expect(await refused(4, () => said('top', { show: 'unjudged' }))).toBe(2);
  expect(await refused(1, () => said('stats server'))).toBe(1);
  expect(await refused(1, () => said('me remove', { article: 'No such title' }))).toBe(1);
  expect(await refused(2, () => said('top'))).toBe(0);
  const { memberLimits } = bot;
  while (memberLimits.count('walks', sandbox.guildId, sandbox.guildId) === 0);
  const other = sandbox.as(sandbox.admin);
  const { message } = await other.command(general, 'me articles');
  expect(message?.content).toContain('often in a short time');
});

test.each<[string, (as: ReturnType<Scene['sandbox']['as']>) => Promise<Answer>]>([
  ['the list of most votes', (as) => as.command(general, 'top', { show: 'votes' })],
  ['what is new', (as) => as.command(general, 'me new')],
  ['a page of what is new', (as) => forge(as, 'me|new|next|-|-|1')],
  ['what is new, by the board', (as) => forge(as, 'top|open|score|-|1|ever|unvoted')],
  ['what of a block is still here', (as) => forge(as, 'mod|sweep|origin:x.example')],
])('%s counts among the lists that go through many articles', async (_, ask) => {
  const { admin, guildId } = scene.sandbox;
  const said = async () => (await ask(scene.sandbox.as(admin))).message?.content ?? '';
  expect(await said()).not.toContain('often in a short time');
  while (scene.bot.memberLimits.count('walk', guildId, admin) === 0);
  expect(await said()).toContain('often in a short time');
});

test('what moderators list of reports and of a poster’s links is limited as well', async () => {
  const { sandbox, bot } = scene;
  const as = sandbox.as(sandbox.admin);
  const source = { userId: sandbox.admin, sourceId: as.send(general, 'Here.').id };
  const asks = [
    () => as.command(general, 'mod reports'),
    () => forgeComponent(sandbox, source, 'mod|report', ['1']),
    () => as.userCommand(general, member, 'Moderate links of…'),
    () => forgeComponent(sandbox, source, `moderate|links|${member}`),
  ];
  const limited = async () => {
    const said: boolean[] = [];
    for (const ask of asks)
      said.push((await ask()).message?.content.includes('often in a short time') === true);
    return said;
  };
  expect(await limited()).toEqual([false, false, false, false]);
  while (bot.memberLimits.count('walk', sandbox.guildId, sandbox.admin) === 0);
  expect(await limited()).toEqual([true, true, true, true]);
});

test('choices are offered while a member types, and none beyond the limits of the member and the server', async () => {
  const { sandbox, bot } = scene;
  const article = await scene.post(member, { link: 'https://offered.example/' });
  const offered = async () => {
    const typed = { article: '' };
    const choices = await sandbox.as(member).complete(general, 'me remove', 'article', typed);
    return choices.length;
  };
  const { memberLimits } = bot;
  for (let i = 0; i < 239; i += 1) memberLimits.count('complete', sandbox.guildId, member);
  expect(await offered()).toBeGreaterThan(0);
  expect(await offered()).toBe(0);
  bot.memberLimits = openMemberLimits();
  expect(await offered()).toBeGreaterThan(0);
  const ofGuild = bot.memberLimits;
  while (ofGuild.count('completes', sandbox.guildId, sandbox.guildId) === 0);
  expect(await offered()).toBe(0);
  await deleteArticle(bot.ranking, sandbox.guildId, article);
});

test('a link that is refused or known already counts as a try, and tries are limited', async () => {
  const { sandbox, bot } = scene;
  const link = 'https://known.example/';
  await scene.post(sandbox.admin, { link });
  for (let i = 0; i < 298; i += 1) bot.memberLimits.count('try', sandbox.guildId, member);
  const again = async () =>
    (await sandbox.as(member).command(general, 'post', { link })).message?.content ?? '';
  expect(await refused(4, again)).toBe(2);
});

test('a vote beyond the limit of a minute does not count, in this guild alone', () => {
  const limits = openMemberLimits();
  const isBeyond = (guild: string, voter: string) => limits.count('vote', guild, voter) > 0;
  const votes = Array.from({ length: VOTES_AT_MOST + 3 }, () => isBeyond('1', '2'));
  expect(votes.filter(Boolean)).toHaveLength(3);
  expect(isBeyond('3', '2')).toBe(false);
  expect(isBeyond('1', '4')).toBe(false);
});

// Withstands (Attacks): A direct message writes into other servers
// → only the member’s are touched
test('opting out by direct message touches only the servers that the member is in', async () => {
  const { sandbox, bot } = scene;
  const other = sandbox.operator.createGuild({ name: 'Elsewhere', owner: sandbox.admin });
  await expect.poll(() => bot.client.guilds.cache.has(other.guild)).toBe(true);
  await setOptedOut(bot.store, other.guild, '1', true);
  const as = sandbox.as(member);
  const direct = as.directMessages().id;
  const page = await as.command(direct, 'me data');
  const press = (what: string) => as.press(direct, page.message?.id ?? '', `me|${what}`);
  await press('out');
  expect(await isOptedOut(bot.store, sandbox.guildId, member)).toBe(false);
  await press('leave');
  expect(await isOptedOut(bot.store, sandbox.guildId, member)).toBe(true);
  expect(await isOptedOut(bot.store, other.guild, member)).toBe(false);
  await press('in');
  expect(await isOptedOut(bot.store, sandbox.guildId, member)).toBe(false);
});

test.each([
  [404, 10_004],
  [403, 50_001],
])(
  'opting out by direct message reaches the servers of another process where the member is, and one that is left (%i, code %i) stops none',
  async (status, code) => {
    const { sandbox, bot } = scene;
    const { cache } = bot.client.guilds;
    const [mine, strange] = ['Mine elsewhere', 'Of others'].map(
      (name) => sandbox.operator.createGuild({ name, owner: sandbox.admin }).guild,
    ) as [string, string];
    addMember(sandbox.world, sandbox.world.guilds.get(mine)!, member);
    const both = [mine, strange] as const;
    await expect.poll(() => both.every((guild) => cache.has(guild))).toBe(true);
    const held = both.map((guild) => [guild, cache.get(guild)!] as const);
    for (const guild of both) cache.delete(guild);
    const left = '1000000000000000000';
    await noteGuilds(bot.store, [left, mine, strange]);
    const path = new RegExp(`/guilds/${left}/members/`);
    const known = sandbox.faults.add({ method: 'GET', path, status, code });
    const as = sandbox.as(member);
    const direct = as.directMessages().id;
    const page = await as.command(direct, 'me data');
    const outcomes: string[] = [];
    const end = onMetric('interaction', ({ kind, outcome }) => {
      if (kind === 'component') outcomes.push(outcome);
    });
    for (const what of ['out', 'leave'])
      await as.press(direct, page.message?.id ?? '', `me|${what}`);
    const isOut = (guild: string) => isOptedOut(bot.store, guild, member);
    expect(await Promise.all([left, mine, strange].map(isOut))).toEqual([false, true, false]);
    await expect.poll(() => outcomes).toEqual(['answered', 'answered']);
    end();
    known();
    await as.press(direct, page.message?.id ?? '', 'me|in');
    for (const [guild, before] of held) cache.set(guild, before);
    for (const guild of both) sandbox.operator.kickBot({ guild });
    await bot.store.redis.del(sharedKeys(bot.store).guilds);
  },
);

// Withstands (Attacks): A member opts out everywhere while one of their servers is in an outage, or its data is damaged
// → they are out of the others, told that something failed, and out of it by the next try
test.each<[string, (guild: string) => Promise<() => unknown>]>([
  [
    'is in an outage',
    async (guild) => {
      const { operator, faults } = scene.sandbox;
      const isOut = () => scene.bot.client.guilds.cache.get(guild)?.available === false;
      operator.setOutage({ guild, outage: true });
      await expect.poll(isOut).toBe(true);
      const route = /guilds\/:guild\/members\//;
      const end = faults.add({ method: 'GET', route, status: 404, code: 10004 });
      return async () => {
        end();
        operator.setOutage({ guild, outage: false });
        await expect.poll(isOut).toBe(false);
      };
    },
  ],
  [
    'cannot be read',
    async (guild) => {
      const { redis } = scene.bot.store;
      const { optedOut } = storeKeys(scene.bot.store, guild);
      await redis.set(optedOut, 'damaged');
      return () => redis.del(optedOut);
    },
  ],
])(
  'who opts out everywhere while one server %s is told so, and out of it by another try',
  async (_, hinder) => {
    const { sandbox, bot } = scene;
    const [quiet = ''] = scene.crowd(1);
    const { guild } = sandbox.operator.createGuild({ name: 'Hindered', owner: sandbox.admin });
    addMember(sandbox.world, sandbox.world.guilds.get(guild)!, quiet);
    await expect.poll(() => bot.client.guilds.cache.has(guild)).toBe(true);
    const end = await hinder(guild);
    const as = sandbox.as(quiet);
    const { id: direct, messages } = as.directMessages();
    const page = await as.command(direct, 'me data');
    const press = (what: string) => as.press(direct, page.message?.id ?? '', `me|${what}`);
    const excuses = () =>
      [...messages.values()].filter(({ content }) => content.includes('went wrong')).length;
    const before = excuses();
    await press('out');
    await press('leave');
    expect(await isOptedOut(bot.store, sandbox.guildId, quiet)).toBe(true);
    await expect.poll(() => excuses() - before).toBe(1);
    await end();
    expect(await isOptedOut(bot.store, guild, quiet)).toBe(false);
    await press('out');
    await press('leave');
    expect(await isOptedOut(bot.store, guild, quiet)).toBe(true);
    expect(excuses() - before).toBe(1);
    await press('in');
    sandbox.operator.kickBot({ guild });
  },
);

test('who erases everywhere while one server is in an outage has what is known to be theirs erased there too', async () => {
  const { sandbox, bot } = scene;
  const { operator, faults } = sandbox;
  const [quiet = ''] = scene.crowd(1);
  const made = operator.createGuild({ name: 'Out', owner: sandbox.admin });
  const { guild, general: home } = made;
  const of = () => bot.client.guilds.cache.get(guild);
  await expect.poll(() => of()?.available).toBe(true);
  const id = snowflakeAt(scene.clock.now());
  const link = 'https://out.example/';
  const article = { guild, id, channel: home, home, groups: [], poster: quiet, title: 'Out', link };
  await putArticle(bot.ranking, { ...article, listed: true });
  operator.setOutage({ guild, outage: true });
  await expect.poll(() => of()?.available).toBe(false);
  const path = new RegExp(`/guilds/${guild}/members/`);
  const end = faults.add({ method: 'GET', path, status: 404, code: 10_004 });
  const as = sandbox.as(quiet);
  const { id: direct } = as.directMessages();
  const page = await as.command(direct, 'me data');
  await as.press(direct, page.message?.id ?? '', 'me|erase');
  await as.press(direct, page.message?.id ?? '', 'me|really');
  expect(await readArticle(bot.ranking, guild, id)).toBeNull();
  expect([...(await erasedAmong(bot.store, guild, [quiet], 0))]).toHaveLength(1);
  end();
  operator.setOutage({ guild, outage: false });
  await expect.poll(() => of()?.available).toBe(true);
  operator.kickBot({ guild });
});

test('erasing by direct message leaves a record only where the member is or has left something', async () => {
  const { sandbox, bot } = scene;
  const create = (name: string) => sandbox.operator.createGuild({ name, owner: sandbox.admin });
  const [stranger, left, reported, voted, kept] = [
    create('Of strangers'),
    create('Left'),
    create('Left after a report'),
    create('Left after a vote'),
    create('Left after an article was saved'),
  ];
  const { guilds } = bot.client;
  const all = [stranger, left, reported, voted, kept];
  const areKnown = () => all.every(({ guild }) => guilds.cache.has(guild));
  await expect.poll(areKnown).toBe(true);
  const put = (
    { guild, general: home }: typeof left,
    poster: string,
    voters: [string, Voter][] = [],
  ) =>
    putArticle(bot.ranking, {
      guild,
      id: snowflakeAt(scene.clock.now()),
      channel: home,
      home,
      groups: [],
      poster,
      title: 'Of somebody who has left',
      link: 'https://left.example/',
      listed: true,
      voters: new Map(voters),
      locked: false,
    });
  await put(left, member);
  await put(voted, sandbox.admin, [[member, { vote: 'up', older: false }]]);
  await saveArticle(bot.store, kept.guild, member, kept.guild);
  const report = { article: left.guild, member, reason: 'spam' } as const;
  await noteReport(bot.store, reported.guild, report, scene.clock.now());
  const as = sandbox.as(member);
  const direct = as.directMessages().id;
  const page = await as.command(direct, 'me data');
  const press = async (what: string) => {
    const { message } = await as.press(direct, page.message?.id ?? '', `me|${what}`);
    return message?.content ?? '';
  };
  await press('erase');
  expect(await press('really')).toContain('1 article and 1 vote');
  const isNoted = async (guild: string) =>
    (await erasedAmong(bot.store, guild, [member], 0)).size === 1;
  expect(await isNoted(sandbox.guildId)).toBe(true);
  for (const { guild } of [left, reported, voted, kept]) expect(await isNoted(guild)).toBe(true);
  expect(await isNoted(stranger.guild)).toBe(false);
});

test('a member erases five times an hour at most', async () => {
  const as = scene.sandbox.as(member);
  const press = async () => {
    const page = await as.command(general, 'me data');
    await as.press(general, page.message?.id ?? '', 'me|erase');
    const { message } = await as.press(general, page.message?.id ?? '', 'me|really');
    return message?.content ?? '';
  };
  expect(await refused(7, press)).toBe(2);
});

test.each([
  ['hides the own name on the web page', 'unname', 'name'],
  ['opts out and in', 'leave', 'in'],
])('a member %s ten times an hour at most', async (_, one, other) => {
  // The two have one limit.
  const [quick = ''] = scene.crowd(1);
  const as = scene.sandbox.as(quick);
  const page = await as.command(general, 'me data');
  let what = one;
  let isAsked = false;
  const press = async () => {
    // Opting out is asked about once.
    if (what === 'leave' && !isAsked) await as.press(general, page.message?.id ?? '', 'me|out');
    isAsked = what === 'leave';
    const { message } = await as.press(general, page.message?.id ?? '', `me|${what}`);
    const said = message?.content ?? '';
    if (said.includes('often in a short time')) return said;
    what = what === one ? other : one;
    return '';
  };
  expect(await refused(12, press)).toBe(2);
});

test('a member uses any command ten times a second at most, a minute long', async () => {
  const as = scene.sandbox.as(member);
  const said = async () => (await as.command(general, 'help')).message?.content ?? '';
  const { guildId } = scene.sandbox;
  for (let n = 0; n < 598; n += 1) scene.bot.memberLimits.count('use', guildId, member);
  expect(await refused(5, said)).toBe(3);
});

test('opting out asks many servers without a REST request, and after the first ones slowly, each of them', async () => {
  const { sandbox, bot } = scene;
  const made = Array.from({ length: 26 }, (_, n) =>
    sandbox.operator.createGuild({ name: `Elsewhere ${n}`, owner: sandbox.admin }),
  );
  const { guilds } = bot.client;
  await expect.poll(() => made.every((one) => guilds.cache.has(one.guild))).toBe(true);
  const as = sandbox.as(member);
  const direct = as.directMessages().id;
  const page = await as.command(direct, 'me data');
  const late = [...guilds.cache.keys()][25] ?? '';
  addMember(sandbox.world, sandbox.world.guilds.get(late)!, member);
  sandbox.requests.reset();
  await as.press(direct, page.message?.id ?? '', 'me|out');
  const { message } = await as.press(direct, page.message?.id ?? '', 'me|leave');
  expect(message?.content).toContain(`${guilds.cache.size - 25} more servers to go`);
  const isOut = (guild: string) => isOptedOut(bot.store, guild, member);
  await expect.poll(() => isOut(sandbox.guildId)).toBe(true);
  for (const one of made) expect(await isOut(one.guild)).toBe(false);
  await expect.poll(() => isOut(late)).toBe(true);
  const asked = sandbox.requests.recent.filter(({ route }) => route.includes('/members/'));
  expect(asked).toEqual([]);
});
