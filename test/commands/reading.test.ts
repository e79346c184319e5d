import { InteractionType } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, OptionValues } from '../../discord-box/src/index.ts';
import { answerTo } from '../../discord-box/src/act/answer.ts';
import { openInteraction } from '../../discord-box/src/world/interactions/open-interaction.ts';
import { parseDay } from '../../src/discord/commands/checked-options.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { changeGroup } from '../../src/ranking/articles/groups.ts';
import { setChannelScales } from '../../src/ranking/lists/channel-scales.ts';
import { TEXTBOOK } from '../../src/ranking/rules.ts';
import { snowflakeTimeMs } from '../../src/runtime/snowflake.ts';
import { translate } from '../../src/text/catalogue.ts';
import { closeArticle } from '../../src/ranking/articles/closing.ts';
import { setScale } from '../../src/ranking/articles/mark.ts';
import { readPosition } from '../../src/ranking/lists/ranked.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { ORDERS } from '../../src/ranking/lists/orders.ts';
import { chooseInTop } from '../fixtures/choose-in-top.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { listedTitles } from '../fixtures/listed-titles.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

const hour = 3_600_000;
const day = 24 * hour;

let scene: Scene;
let general: string;
let moderators: string;
let rust: string;
let ada: string;
let lin: string;
let grace: string;
const ids: Record<string, string> = {};

beforeAll(async () => {
  scene = await startScene();
  const { sandbox, bot } = scene;
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  moderators = sandbox.channels.moderators.id;
  [ada, lin] = [sandbox.admin, sandbox.moderator];
  grace = sandbox.members[0] ?? '';
  const now = scene.clock.now();
  await add('Redis 8 is out', now - hour, general, ada, 'https://blog.redis.example/8');
  await add(
    'Ｒｅｄｉｓ streams 入门',
    now - 2 * hour,
    rust,
    grace,
    'https://zhuanlan.zhihu.com/p/1',
  );
  await add('Old and good', now - 3 * day, general, ada, 'https://old.example/');
  await add('Closed long ago', now - 20 * day, general, grace, 'https://old.example/2');
  await add('Secret plan', now - hour, moderators, lin, 'https://secret.example/', false);
  for (const voter of sandbox.members.slice(1, 6)) await vote('Old and good', voter);
  await vote('Redis 8 is out', sandbox.members[1] ?? '');
  await closeArticle(bot.ranking, sandbox.guildId, ids['Closed long ago'] ?? '');
});
afterAll(() => scene.stop());

async function add(
  title: string,
  atMs: number,
  home: string,
  poster: string,
  link: string,
  listed = true,
) {
  ids[title] = await scene.rank({ title, atMs, home, poster, link, listed });
}
function vote(title: string, member: string, direction: 'up' | 'down' = 'up') {
  const ballot = { guild: scene.sandbox.guildId, article: ids[title] ?? '', member };
  const { ranking } = scene.bot;
  return setVote(ranking, { ...ballot, vote: direction }, scene.clock.now());
}
function button({ message }: Answer, turn: string): string {
  const customIds = JSON.stringify(message?.components).match(/"custom_id":"[^"]+"/g) ?? [];
  const found = customIds.find((text) => text.includes(`|${turn}|`));
  return found?.slice('"custom_id":"'.length, -1) ?? '';
}

const hasAges = ({ message }: Answer) =>
  / · \d+\w ago · /.test(message?.embeds[0]?.description ?? '');

const offered = ({ message }: Answer) =>
  [...JSON.stringify(message?.components).matchAll(/"value":"([a-z-]+,[a-z]+|more)"/g)].map(
    ([, value]) => value,
  );

describe('/top', () => {
  test('/top by votes goes for what was posted in the period', async () => {
    const ever = await scene.command(grace, 'top', { show: 'votes' });
    expect(listedTitles(ever)[0]).toBe('1. Old and good');
    expect(listedTitles(ever)).toHaveLength(4);
    expect(ever.message?.embeds[0]?.title).toBe('Front page · most votes · all time');
    const today = await scene.command(grace, 'top', { show: 'votes', period: 'day' });
    expect(listedTitles(today)).toEqual(['1. Redis 8 is out', '2. Ｒｅｄｉｓ streams 入门']);
    const week = await scene.command(grace, 'top', { period: 'week' });
    expect(listedTitles(week)[0]).toBe('1. Old and good');
    expect(listedTitles(week)).toHaveLength(3);
    // All of a day are of one day; a list that has no period says the ages, whatever the period was.
    const id = today.message?.id ?? '';
    const choice = [general, id, button(today, 'order')] as const;
    const newest = await scene.sandbox.as(grace).choose(...choice, ['time,all']);
    expect([today, week, newest].map(hasAges)).toEqual([false, true, true]);
  });

  test('/top has the front page, fair between channels, without what is hidden', async () => {
    const front = await chooseInTop(scene.sandbox, lin, 'front,all');
    expect(listedTitles(front)).toContain('1. Redis 8 is out');
    expect(listedTitles(front).join()).not.toContain('Secret');
  });

  test('/top shows only mine, or only interesting ones, in every order', async () => {
    const mine = await scene.command(grace, 'top', { show: 'mine' });
    expect(listedTitles(mine)).toEqual(['1. Ｒｅｄｉｓ streams 入门', '2. Closed long ago']);
    expect(mine.message?.embeds[0]?.title).toBe('Front page · newest first · mine');
    const { bot, sandbox } = scene;
    const none = await chooseInTop(scene.sandbox, grace, 'votes,interesting');
    expect(none.message?.embeds[0]?.description).toContain('Nothing like that here');
    await setScale(bot.ranking, sandbox.guildId, { mark: 6 });
    const interesting = await chooseInTop(scene.sandbox, ada, 'time-asc,interesting');
    expect(listedTitles(interesting)).toEqual(['1. Old and good']);
    await setScale(bot.ranking, sandbox.guildId, { mark: 200 });
  });

  test('/top offers what most ask for and the rest behind one more choice, and changes period and group with selects', async () => {
    const first = await scene.command(ada, 'top');
    const id = first.message?.id ?? '';
    const choose = (from: Answer, what: string, values: string[]) =>
      scene.sandbox.as(ada).choose(general, id, button(from, what), values);
    const usual = ['score,all', 'time,all', 'votes,all', 'time-asc,unjudged', 'time,mine'];
    expect(offered(first)).toEqual([...usual, 'more']);
    // Nothing else changes, and nothing of what there was is missing.
    const more = await choose(first, 'order', ['more']);
    expect(more.message?.embeds[0]?.title).toBe('Front page · best first');
    expect(offered(more)).toEqual([
      ...ORDERS.map((order) => `${order},all`),
      ...['all', 'unjudged', 'interesting', 'mine', 'unvoted'].map((show) => `score,${show}`),
    ]);
    const voted = await choose(more, 'order', ['votes,all']);
    const week = await choose(voted, 'period', ['week']);
    expect(week.message?.embeds[0]?.title).toBe('Front page · most votes · past week');
    const mine = await choose(week, 'order', ['time,mine']);
    expect(offered(mine)).toEqual([...usual, 'more']);
    expect(mine.message?.embeds[0]?.title).toBe('Front page · newest first · mine');
    // Every order of every choice of articles is there.
    const own = await choose(await choose(mine, 'order', ['more']), 'order', ['time-asc,mine']);
    expect(own.message?.embeds[0]?.title).toBe('Front page · oldest first · mine');
    const oldest = await choose(own, 'show', ['time-asc,all']);
    expect(oldest.message?.embeds[0]?.title).toBe('Front page · oldest first');
    const there = await choose(oldest, 'group', [moderators]);
    expect(there.message?.embeds[0]?.title).toBe('#moderators · oldest first');
    expect(listedTitles(there)).toEqual(['1. Secret plan']);
    const back = await choose(there, 'group', ['-']);
    expect(back.message?.embeds[0]?.title).toBe('Front page · oldest first');
  });

  test('/top shows the best open articles that the asker has neither posted nor voted on', async () => {
    const left = () => chooseInTop(scene.sandbox, grace, 'score,unvoted');
    expect(listedTitles(await left())).toEqual(['1. Redis 8 is out', '2. Old and good']);
    await vote('Redis 8 is out', grace, 'down');
    expect(listedTitles(await left())).toEqual(['1. Old and good']);
    await vote('Old and good', grace, 'down');
    const done = await left();
    expect(done.message?.embeds[0]?.description).toContain('all caught up');
    expect(done.ephemeral).toBe(true);
  });

  test('/top shows a hidden channel’s only in that group, to who may view it', async () => {
    const there = await chooseInTop(scene.sandbox, ada, 'score,unvoted', { channel: moderators });
    expect(listedTitles(there)).toEqual(['1. Secret plan']);
    expect(
      listedTitles(await chooseInTop(scene.sandbox, ada, 'score,unvoted')).join(),
    ).not.toContain('Secret');
  });
});

describe('/search', () => {
  test.each<[OptionValues, string[]]>([
    [{ words: 'redis' }, ['Redis 8 is out', 'Ｒｅｄｉｓ streams 入门']],
    [{ words: 'OUT redis' }, ['Redis 8 is out']],
    [{ words: '入门' }, ['Ｒｅｄｉｓ streams 入门']],
    [{ site: 'redis.example' }, ['Redis 8 is out']],
    [{ site: 'https://www.zhihu.com/' }, ['Ｒｅｄｉｓ streams 入门']],
    [{ site: 'edis.example' }, []],
    [{ words: 'long', site: 'old.example' }, ['Closed long ago']],
    [{ words: 'secret' }, []],
  ])('/search for %j finds %j', async (values, found) => {
    const answer = await scene.command(ada, 'search', values);
    expect(listedTitles(answer)).toEqual(found.map((title, i) => `${i + 1}. ${title}`));
    expect(answer.ephemeral).toBe(true);
  });

  test('/search for a poster or a channel finds what is theirs', async () => {
    expect(listedTitles(await scene.command(ada, 'search', { poster: grace }))).toHaveLength(2);
    expect(listedTitles(await scene.command(ada, 'search', { channel: rust }))).toHaveLength(1);
    expect(listedTitles(await scene.command(ada, 'search', { channel: moderators }))).toEqual([
      '1. Secret plan',
    ]);
  });

  test('/search says all that was asked for above what it found', async () => {
    const asked = { words: 'redis', poster: grace, channel: rust };
    const found = await scene.command(ada, 'search', asked);
    expect(found.message?.embeds[0]?.title).toBe('Results: redis · Grace Okafor · #rust');
    const address = await scene.command(ada, 'search', { site: 'https://Www.新闻.example/x' });
    expect(address.message?.embeds[0]?.title).toBe('Results: 新闻.example');
  });

  test('/search names the host once where the title is the address itself', async () => {
    const now = scene.clock.now();
    await add('bare.example/8', now - 29 * day, general, lin, 'https://bare.example/8');
    const found = await scene.command(grace, 'search', { words: 'bare.example' });
    const [first] = (found.message?.embeds[0]?.description ?? '').split('\n');
    expect(first).toBe('**1.** bare.example/8 · [visit](https://bare.example/8)');
  });

  test('/search says how far it went only where there are articles beyond', async () => {
    const nothing = { words: 'no such words' };
    const empty = async () =>
      (await scene.command(ada, 'search', nothing)).message?.embeds[0]?.description;
    expect(await empty()).toBe('Nothing found. Try other words or fewer conditions.');
    const { ranking } = scene.bot;
    const { time } = guildKeys(ranking, scene.sandbox.guildId);
    const older = Array.from({ length: 10_000 }, (_, i) => [i + 1, `${i + 1}`]).flat();
    await ranking.redis.zadd(time, ...older);
    ranking.changes.note(scene.sandbox.guildId);
    await ranking.changes.flush();
    expect(await empty()).toContain('newest 10,000 articles');
    await ranking.redis.zremrangebyscore(time, 1, 10_000);
  });

  test('/search lists first what has each word as a whole word, and then the newest', async () => {
    const now = scene.clock.now();
    await add('Whom to Trust', now - hour, general, lin, 'https://words.example/trust');
    await add('Rust is out', now - 9 * day, general, lin, 'https://words.example/rust');
    const found = await scene.command(grace, 'search', { words: 'rust' });
    expect(listedTitles(found)).toEqual(['1. Rust is out', '2. Whom to Trust']);
    for (const title of ['Whom to Trust', 'Rust is out'])
      await deleteArticle(scene.bot.ranking, scene.sandbox.guildId, ids[title]!);
  });

  test('/search says nothing of pages where one holds everything', async () => {
    const found = await scene.command(ada, 'search', { channel: rust });
    expect(found.message?.embeds[0]?.footer).toBeUndefined();
  });

  test('/search without a condition says what it needs', async () => {
    expect((await scene.command(ada, 'search')).message?.content).toContain(
      'Enter something to search for',
    );
  });

  test('/search turns pages, for the asker alone', async () => {
    for (let i = 0; i < 11; i += 1) {
      const atMs = scene.clock.now() - 30 * day - i * hour;
      await add(`More ${i}`, atMs, general, lin, `https://m.example/${i}`);
    }
    const first = await scene.command(grace, 'search', { words: 'more' });
    expect(listedTitles(first)).toHaveLength(10);
    const id = first.message?.id ?? '';
    const second = await scene.sandbox.as(grace).press(general, id, button(first, 'next'));
    expect(listedTitles(second)).toEqual(['11. More 10']);
    const { searches } = scene.bot;
    const [, , interaction = ''] = button(second, 'previous').split('|');
    searches.set(interaction, { member: ada, query: { words: 'more' }, title: '' });
    const stolen = await scene.sandbox.as(grace).press(general, id, button(second, 'previous'));
    expect(stolen.message?.content).toContain('This search has expired');
    searches.clear();
    const gone = await scene.sandbox.as(grace).press(general, id, button(second, 'previous'));
    expect(gone.message?.content).toContain('This search has expired');
  });

  test('/search turns no page in a channel that the asker may no longer view', async () => {
    const { sandbox } = scene;
    const { id: channel } = sandbox.channels.ai;
    for (let i = 0; i < 11; i += 1) {
      const atMs = scene.clock.now() - 30 * day - i * hour;
      await add(`Inner ${i}`, atMs, channel, lin, `https://inner.example/${i}`);
    }
    const first = await scene.command(grace, 'search', { words: 'inner', channel });
    const turn = () =>
      sandbox.as(grace).press(general, first.message?.id ?? '', button(first, 'next'));
    sandbox.operator.setPermissions({ channel, who: 'everyone', deny: ['ViewChannel'] });
    const mayView = () => {
      const of = scene.bot.client.guilds.cache.get(sandbox.guildId)!;
      return of.channels.cache.get(channel)?.permissionsFor(of.roles.everyone).has('ViewChannel');
    };
    await expect.poll(mayView).toBe(false);
    const refused = await turn();
    expect(refused).toMatchObject({ kind: 'message', message: { embeds: [] } });
    expect(refused.message?.content).toContain(`missing permissions in <#${channel}>`);
    sandbox.operator.setPermissions({ channel, who: 'everyone' });
    await expect.poll(mayView).toBe(true);
    expect(listedTitles(await turn())).toEqual(['11. Inner 10']);
  });
});

/** Used on a message, as Discord tells it; the message itself may be gone. */
async function why(who: string, article: string): Promise<Answer> {
  const { world, channels } = scene.sandbox;
  const name = 'Why this rank?';
  const opened = openInteraction(world, {
    type: InteractionType.ApplicationCommand,
    userId: who,
    channel: channels.general,
    name,
    data: { id: '1', name, type: 3, target_id: article, resolved: {} },
  });
  return answerTo(world, opened);
}

function grouped(value: number): string {
  return value.toLocaleString('en');
}

async function unfolded(article: string, who = grace): Promise<Answer> {
  const answer = await why(who, article);
  const id = answer.message?.id ?? '';
  return scene.sandbox.as(who).press(general, id, `why-this-rank|${article}`);
}

const saidWhy = async (id: string) => (await why(grace, id)).message?.embeds[0]?.description ?? '';

describe('*Why this rank?*', () => {
  test('*Why this rank?* says in words where the article stands, what is missing, and how long it lasts', async () => {
    const answer = await why(grace, ids['Ｒｅｄｉｓ streams 入门'] ?? '');
    expect(answer.ephemeral).toBe(true);
    const [embed] = answer.message?.embeds ?? [];
    expect(embed?.fields ?? []).toEqual([]);
    const [words, ...below] = embed?.description?.split('\n') ?? [];
    expect(words).toMatch(
      /^Place \d+ of \d+\. .+, and it passes “.+”\. (Without more votes, a new link passes it <t:\d+:R>|New links already stand above it)\.$/,
    );
    expect(below.join('\n')).toMatch(/^[\w.]+\n-# ▲ \d+ · <@\d+> · <#\d+> · .* · \[vote\]\(.*\)$/);
  });

  test('the votes that *Why this rank?* names, and not one fewer, lift the article to the next place', async () => {
    const { ranking } = scene.bot;
    const guild = scene.sandbox.guildId;
    const id = ids['Ｒｅｄｉｓ streams 入门'] ?? '';
    const said = async () => (await why(grace, id)).message?.embeds[0]?.description ?? '';
    const [, rank = '', votes = 'One'] =
      /^Place (\d+) of \d+\. (?:(\d+) more votes|One more vote)/.exec(await said()) ?? [];
    const wanted = votes === 'One' ? 1 : Number(votes);
    const voters = scene.crowd(wanted);
    const place = async () =>
      (await readPosition(ranking, { guild, order: 'score' }, id))?.position ?? 0;
    for (const voter of voters.slice(0, -1))
      await setVote(ranking, { guild, article: id, member: voter, vote: 'up' }, scene.clock.now());
    expect(await place()).toBe(Number(rank));
    await setVote(
      ranking,
      { guild, article: id, member: voters.at(-1)!, vote: 'up' },
      scene.clock.now(),
    );
    expect(await place()).toBeLessThan(Number(rank));
  });

  test('*Why this rank?* names no spoiler that stands above, and is over with the voting', async () => {
    const below = await scene.post(ada, { title: 'Stands below' });
    await scene.post(ada, { title: '||The butler||' });
    expect(await saidWhy(below)).toContain('and it passes “Spoiler”.');
    expect(await saidWhy(below)).not.toContain('butler');
    expect(await saidWhy(ids['Closed long ago'] ?? '')).toContain('Voting is over.');
  });

  test('*Why this rank?* tells a member whose votes do not count, and nobody else, that they do not', async () => {
    const { bot, sandbox } = scene;
    const { guildId: guild } = sandbox;
    const setOut = async (isOut: boolean) => {
      await setOptedOut(bot.store, guild, grace, isOut);
      await bot.rules.refresh(guild, { member: grace });
    };
    const id = ids['Old and good']!;
    const saidTo = async (who: string) => (await why(who, id)).message?.embeds[0]?.description;
    await setOut(true);
    expect(await saidTo(grace)).toMatch(/^⚠️ Your votes don’t count here: you opted out.*\nPlace /);
    expect(await saidTo(ada)).toMatch(/^Place /);
    await setOut(false);
    expect(await saidTo(grace)).toMatch(/^Place /);
  });

  test('*Why this rank?* says until when an article stands above a new link, by the weight of votes where it is listed', async () => {
    const { ranking } = scene.bot;
    const { guildId: guild, channels } = scene.sandbox;
    const { id: home } = channels.lateNight;
    const now = scene.clock.now();
    const title = 'Liked after dark';
    await add(title, now - 100_000, home, ada, 'https://dark.example/', false);
    const id = ids[title]!;
    const passed = (seconds: number) =>
      `a new link passes it <t:${Math.floor(snowflakeTimeMs(id) / 1000) + seconds}:R>`;
    expect(await saidWhy(id)).toContain('New links already stand above it.');
    await vote(title, lin);
    expect(await saidWhy(id)).toContain(passed(432));
    const scale = { mark: 10, spanDays: 1, isLimited: true } as const;
    await setChannelScales(ranking, guild, new Map([[home, scale]]));
    expect(await saidWhy(id)).toContain(passed(8640));
    await setChannelScales(ranking, guild, new Map());
    // Voting is over with its time, also where nobody has closed it yet.
    await add('Just over', now - 7 * day - hour, home, ada, 'https://over.example/', false);
    expect(await saidWhy(ids['Just over']!)).toContain('Voting is over.');
    // A new link's votes do not lift it over what is more than two spans newer.
    await add('Long before', now - 5 * day, home, ada, 'https://before.example/', false);
    expect(await saidWhy(ids['Long before']!)).toContain('More votes lift it no further.');
  });

  test.each([
    ['newer', [1, 0], 'One more vote, and it passes'],
    ['older', [0, 1], '2 more votes, and it passes'],
  ] as const)(
    '*Why this rank?* says how many votes the %s of two links lacks that came in the same second',
    async (_, [own, of], text) => {
      const atMs = Math.floor(scene.clock.now() / 1000) * 1000 - 2 * day;
      const { id: home } = scene.sandbox.channels.ai;
      const titles = ['Same second 1', 'Same second 2'];
      for (const [at, title] of titles.entries())
        await add(title, atMs + at, home, ada, `https://same.example/${of}/${at}`, false);
      await vote(titles[of]!, lin);
      expect(await saidWhy(ids[titles[own]!]!)).toContain(`${text} “${titles[of]}”.`);
      for (const title of titles)
        await deleteArticle(scene.bot.ranking, scene.sandbox.guildId, ids[title]!);
    },
  );

  test('*Why this rank?* counts no more votes in its formula than lift an article, and says so where there is a limit', async () => {
    const { ranking } = scene.bot;
    const { guildId: guild } = scene.sandbox;
    const title = 'Liked by very many';
    await add(title, scene.clock.now() - hour, general, ada, 'https://liked.example/');
    for (const voter of scene.crowd(5)) {
      const ballot = { guild, article: ids[title]!, member: voter, vote: 'up' } as const;
      await setVote(ranking, ballot, scene.clock.now());
    }
    const formula = async () =>
      (await unfolded(ids[title]!)).message?.embeds[0]?.fields?.[1]?.value;
    const limit = translate('en', 'why.limit');
    expect(await formula()).toContain('worth 43 minutes');
    expect(await formula()).toContain(' + 432 × 6 = ');
    expect(await formula()).toContain(limit);
    await setScale(ranking, guild, { mark: 2 });
    expect(await formula()).toContain(' + 43,200 × 4 = ');
    expect(await formula()).toContain('worth 2 days');
    await setScale(ranking, guild, { mark: 20 });
    expect(await formula()).toContain('worth 7 hours');
    // Votes against are counted before the limit.
    for (const member of scene.crowd(3)) {
      const ballot = { guild, article: ids[title]!, member, vote: 'down' } as const;
      await setVote(ranking, ballot, scene.clock.now());
    }
    await setScale(ranking, guild, { mark: 2 });
    expect(await formula()).toContain(' + 43,200 × (6 − 3) = ');
    await setScale(ranking, guild, TEXTBOOK);
    expect(await formula()).not.toContain(limit);
    await setScale(ranking, guild, { mark: 200 });
    // The button of an article that is gone since.
    const shown = await why(grace, ids[title]!);
    await deleteArticle(ranking, guild, ids[title]!);
    const gone = await scene.sandbox
      .as(grace)
      .press(general, shown.message?.id ?? '', `why-this-rank|${ids[title]}`);
    expect(gone.message?.content).toBe(translate('en', 'article.unknown'));
  });

  test('*Why this rank?* folds out how the score is made', async () => {
    const id = ids['Ｒｅｄｉｓ streams 入门'] ?? '';
    const unfoldedNow = async () => {
      const [embed] = (await unfolded(id)).message?.embeds ?? [];
      const fields = embed?.fields?.map(({ name, value }) => [name, value]) ?? [];
      return { embed, fields: Object.fromEntries(fields), article: (await scene.article(id))! };
    };
    const { embed, fields, article } = await unfoldedNow();
    const { up, down, postedAtMs } = article;
    const seconds = Math.floor(postedAtMs / 1000);
    // Nothing is said of votes against where there are none.
    expect(down).toBe(0);
    expect(fields['Score']).toContain(
      `${grouped(seconds)} + 432 × ${up} = ${grouped(seconds + 432 * up)}`,
    );
    const [member = ''] = scene.crowd(1);
    const vote = { guild: scene.sandbox.guildId, article: id, member, vote: 'down' } as const;
    await setVote(scene.bot.ranking, vote, scene.clock.now());
    expect((await unfoldedNow()).fields['Score']).toContain(
      `${grouped(seconds)} + 432 × (${up} − 1) = ${grouped(seconds + 432 * (up - 1))}`,
    );
    expect(fields['Ranks']).toMatch(/Best first: \d+ of \d+/);
    expect(fields['Ranks']).toContain(`<#${article.home}>: `);
    expect(embed?.url).toBe(article.link);
  });

  test('*Why this rank?* names a channel in which an article also stands to those alone who may view it', async () => {
    const { ranking } = scene.bot;
    const article = ids['Redis 8 is out']!;
    const also = { guild: scene.sandbox.guildId, article, group: moderators };
    await changeGroup(ranking, also, 'add');
    const ranksFor = async (who: string) =>
      (await unfolded(article, who)).message?.embeds[0]?.fields?.[0]?.value;
    expect(await ranksFor(lin)).toContain(`<#${moderators}>`);
    expect(await ranksFor(grace)).not.toContain(moderators);
    expect(await ranksFor(grace)).toContain(`<#${general}>: `);
    await changeGroup(ranking, also, 'remove');
    // One that not everyone sees stands in its channel's list alone.
    const hidden = (await unfolded(ids['Secret plan']!, ada)).message?.embeds[0]?.fields?.[0];
    expect(hidden?.value).toBe(`<#${moderators}>: 1 of 1`);
  });

  test.each(['1', '9'.repeat(19)])(
    '*Why this rank?* does not know the article %j',
    async (article) => {
      const answer = await why(grace, article);
      expect(answer.message?.content).toContain('isn’t an article');
    },
  );

  test('*Why this rank?* does not know an article that the asker may not see', async () => {
    const secret = ids['Secret plan'] ?? '';
    const answer = await why(grace, secret);
    expect(answer.message?.content).toContain('isn’t an article');
    expect((await why(lin, secret)).message?.embeds[0]?.title).toBe('Secret plan');
    // Its button, as from a message of before the channel was closed.
    const source = await why(grace, ids['Redis 8 is out'] ?? '');
    const press = { userId: grace, sourceId: source.message?.id ?? '' };
    const folded = await forgeComponent(scene.sandbox, press, `why-this-rank|${secret}`);
    expect(JSON.stringify(folded.message)).not.toContain('Secret plan');
  });
});

describe('/stats server', () => {
  test('/stats server names hosts in their own letters where these cannot mislead', async () => {
    await add('中文', scene.clock.now() - hour, rust, grace, 'https://xn--fiq228c.example/');
    await add('Раypal', scene.clock.now() - hour, rust, grace, 'https://xn--ypal-43d9g.example/');
    const { message } = await scene.command(grace, 'stats server', { channel: rust });
    expect(message?.embeds[0]?.description).toContain('`中文.example` 1');
    expect(message?.embeds[0]?.description).toContain('`xn--ypal-43d9g.example` 1');
  });
});

describe('a day', () => {
  const now = Date.UTC(2026, 2, 10, 12);
  test.each([
    ['2026-03-01', Date.UTC(2026, 2, 1)],
    ['2026/3/1', Date.UTC(2026, 2, 1)],
    ['2026-03', Date.UTC(2026, 2, 1)],
    ['2026年3月1日', Date.UTC(2026, 2, 1)],
    ['2026', Date.UTC(2026, 0, 1)],
    ['7d', now - 7 * day],
    ['2W', now - 14 * day],
    [' 3m ', now - 90 * day],
    ['1y', now - 365 * day],
  ])('a day typed as %s is understood', (text, fromMs) => {
    expect(parseDay(text, now)).toBe(fromMs);
  });
  test.each(['', 'soon', '2026-02-31', '2026-13-01', '7', '1h', '-1d'])(
    'a day typed as %j is none',
    (text) => expect(parseDay(text, now)).toBeNull(),
  );
});
