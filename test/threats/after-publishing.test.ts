import { DISCORD_PICTURES } from '../../src/web/picture-origins.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { optionLabel } from '../../src/articles/lists/option-label.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { communityOf } from '../../src/discord/access/visibility.ts';
import { writeEdition } from '../../src/editions/stored-editions.ts';
import { createLog } from '../../src/runtime/log.ts';
import { pageRoutes } from '../../src/web/page-routes.ts';
import { storeDraft } from '../../src/web/newsletter-draft.ts';
import { writeWebSettings } from '../../src/web/web-settings.ts';
import { everyAddress, routesOf } from '../web/every-address.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let pages: ReturnType<typeof pageRoutes>;
beforeAll(async () => {
  scene = await startScene({ follows: true });
  const { bot } = scene;
  pages = pageRoutes({
    ranking: bot.ranking,
    lists: bot.lists,
    store: bot.store,
    clock: scene.clock,
    community: (guild) => communityOf(bot.client, guild),
    isAway: () => false,
    log: createLog('silent'),
    address: 'https://front.example',
    pictures: DISCORD_PICTURES,
    icon: async () => null,
    zone: async () => 'UTC',
    names: {
      known: (_, members) => new Map(members.map((id) => [id, `name of ${id}`])),
      isPending: () => false,
      version: () => 0,
    },
  });
  const web = { open: true, names: true };
  await writeWebSettings(bot.store, scene.sandbox.guildId, web);
});
afterAll(() => scene.stop());

const NAME = 'daily';
const DATE = '2027-03-09';

/** Whose channel and poster are looked at by themselves, and the articles. */
const alone: { channel: string; member: string; articles: string[] } = {
  channel: '',
  member: '',
  articles: [],
};
const read = async (path: string) => (await pages.request(path)).text();

async function addresses(date: string): Promise<Record<string, string[]>> {
  const guild = scene.sandbox.guildId;
  const edition = { name: NAME, date };
  const secret = await storeDraft(scene.bot.store, guild, { ...edition, intro: '', order: '' });
  return everyAddress({
    guild,
    channels: [alone.channel],
    articles: alone.articles,
    members: [alone.member],
    site: 'removed.example',
    words: 'story',
    date: new Date(scene.clock.now()).toISOString().slice(0, 10),
    edition,
    secret,
  });
}

/** Whether all that was published stands there: on other pages and in other feeds stands a part of it, or its number. */
function isOfAll(where: string): boolean {
  return (
    !where.startsWith('/') ||
    /^\/(?:g|feeds)\/guild(?:\?order=time)?(?:[?&]format=json)?$/.test(where) ||
    /^\/g\/guild\/(?:day|month|year|digest\/daily)\//.test(where) ||
    /\/search\?q=story/.test(where) ||
    /^\/feeds\/guild\/digest(?:\?|$)/.test(where)
  );
}

/** Everything that anyone can read of what was published, by where it stands. */
async function published(date = DATE): Promise<Record<string, string>> {
  const { guildId, admin, channels, world } = scene.sandbox;
  const general = channels.general.id;
  const shown: Record<string, string> = {};
  for (const path of Object.values(await addresses(date)).flat()) {
    shown[path.replace(guildId, 'guild')] = await read(path);
  }
  await scene.bot.board.put(guildId, general, admin);
  const messages = [...world.channels.get(general)!.messages.values()];
  shown['board'] = JSON.stringify(
    messages
      .filter(({ components }) => JSON.stringify(components).includes('top|open|'))
      .map(({ embeds }) => embeds),
  );
  const actor = scene.sandbox.as(admin);
  const panel = await openPanel(actor, general, 'newsletter');
  const pick = 'frontpage|newsletter|pick';
  const form = await actor.choose(general, panel.message!.id, pick, [`${NAME}|${date}`]);
  shown['newsletter form'] = JSON.stringify(form.modal);
  const made = await actor.submit(form.interactionId, { intro: '', order: '' });
  for (const { filename, data } of world.channels.get(general)!.messages.get(made.message!.id)!
    .attachments) {
    shown[filename] = Buffer.from(data).toString();
  }
  return shown;
}

test('what was published shows nothing that was removed, hidden or erased since, and no name that is unwanted', async () => {
  const { sandbox } = scene;
  const { admin, guildId, operator } = sandbox;
  const [, eraser = '', leaver = '', shy = ''] = sandbox.members;
  const rooms = Object.fromEntries(
    ['Private', 'Restricted', 'Spoiling', 'Gone', 'Hidden'].map((title) => {
      const { id } = operator.createChannel({ name: title.toLowerCase() });
      operator.setPermissions({ channel: id, who: 'bot', allow: ['ViewChannel'] });
      return [title, id];
    }),
  ) as Record<'Private' | 'Restricted' | 'Spoiling' | 'Gone' | 'Hidden', string>;
  const { Hidden, ...shownRooms } = rooms;
  operator.setPermissions({ channel: Hidden, who: 'everyone', deny: ['ViewChannel'] });
  await scene.settled();
  const ids: Record<string, string> = {};
  const post = async (title: string, member: string, channel = sandbox.channels.general.id) => {
    const values = { link: `https://${title.toLowerCase()}.example/`, title: `${title} story` };
    const comment = `${title} comment`;
    const { message } = await sandbox.as(member).command(channel, 'post', { ...values, comment });
    ids[title] = message!.id;
    await scene.eventually(
      () => scene.article(message!.id),
      (found) => found !== null,
      title,
    );
  };
  for (const title of ['Staying', 'Removed', 'Deleted', 'Moved', 'Slander']) {
    await post(title, admin);
  }
  await post('Erased', eraser);
  await post('Nameless', leaver);
  await post('Shy', shy);
  for (const [title, channel] of Object.entries(shownRooms)) await post(title, admin, channel);

  const shownThen = Object.values(ids).map((id) => ({ id, net: 1, replies: 0 }));
  await writeEdition(
    scene.bot.store,
    guildId,
    { name: NAME, date: DATE },
    {
      articles: shownThen,
      rising: Object.values(ids),
      firstPosts: Object.values(ids),
      discussed: Object.values(ids),
      postedAtMs: scene.clock.now(),
      fromMs: 0,
      channel: sandbox.channels.general.id,
      message: null,
      isPublic: true,
    },
  );
  Object.assign(alone, { channel: rooms.Private, member: shy, articles: Object.values(ids) });
  // An address that is added to the web is looked at too.
  expect(Object.keys(await addresses(DATE)).toSorted()).toEqual(routesOf(pages).toSorted());
  const before = await published();
  const silent: string[] = [];
  for (const [where, text] of Object.entries(before)) {
    const lacking = Object.keys(ids).filter((title) => !text.includes(`${title} story`));
    if (lacking.length === Object.keys(ids).length) silent.push(where);
    if (!isOfAll(where)) continue;
    // The board shows ten.
    const most = where === 'board' ? Object.keys(ids).length - 10 : 0;
    expect({ where, lacking: lacking.slice(most) }).toEqual({ where, lacking: [] });
  }
  // Nothing is ★ here, and the draft's page has the letter in a frame.
  const others = silent.filter(
    (where) => !/order=interesting|\/newsletter\/[\w-]{22}(?:\/look)?$/.test(where),
  );
  expect(others).toEqual(['/', '/g/guild/channels']);
  expect(before['/g/guild/channels']).toContain('#private');
  expect(before['/g/guild']).toContain(`name of ${shy}`);
  expect(before['/g/guild']).toContain('Shy comment');
  expect(before['board']).toContain(`<@${leaver}>`);

  await scene.moderate(admin, 'remove', ids['Removed']!);
  await scene.moderate(admin, 'move', ids['Moved']!, Hidden);
  await scene.moderate(admin, 'retitle', ids['Slander']!, 'Neutral story');
  const { general } = sandbox.channels;
  operator.deleteMessages({ channel: general.id, messages: [ids['Deleted']!] });
  operator.setPermissions({ channel: rooms.Private, who: 'everyone', deny: ['ViewChannel'] });
  operator.restrictChannel({ channel: rooms.Restricted, ageRestricted: true });
  operator.restrictChannel({ channel: rooms.Spoiling, spoiler: true });
  operator.deleteChannel({ channel: rooms.Gone });
  const press = async (member: string, ...buttons: string[]) => {
    const actor = sandbox.as(member);
    let { message } = await actor.command(general.id, 'me data');
    for (const button of buttons) {
      ({ message } = await actor.press(general.id, message!.id, `me|${button}`));
    }
  };
  await press(eraser, 'erase', 'really');
  await press(leaver, 'out', 'leave');
  await press(shy, 'unname');
  await scene.settled();
  await scene.bot.ranking.changes.flush();

  const hidden = Object.keys(ids).filter((one) => !/^(?:Staying|Nameless|Shy|Slander)$/.test(one));
  const wrong = async (): Promise<string[]> => {
    const faults: string[] = [];
    for (const [where, text] of Object.entries(await published())) {
      const forbidden = [
        ...hidden.map((title) => new RegExp(`${title} (?:story|comment)|${title}\\.example`, 'i')),
        /Slander story/,
        // What its poster said stands beside the name alone.
        /Nameless comment/,
        new RegExp(`name of ${leaver}|<@${leaver}>`),
        ...(where.startsWith('/') ? [/Shy comment/, new RegExp(`name of ${shy}`)] : []),
        ...(where.startsWith('/') ? [/#(?:private|restricted|spoiling|gone)\b/] : []),
      ];
      const found = forbidden.filter((one) => one.test(text)).map((one) => `${where} shows ${one}`);
      const lost = ['Staying', 'Nameless', 'Shy', 'Neutral']
        .filter((title) => isOfAll(where) || where.endsWith(`/article/${ids[title]}`))
        .filter((title) => !text.includes(`${title} story`))
        .map((title) => `${where} lacks ${title}`);
      faults.push(...found, ...lost);
    }
    return faults;
  };
  await expect.poll(wrong).toEqual([]);

  // The member can be named again, as can one who comes back.
  await press(shy, 'name');
  await press(leaver, 'in');
  const page = () => read(`/g/${guildId}`);
  await expect.poll(page).toMatch(new RegExp(`name of ${shy}`));
  await expect.poll(page).toMatch(new RegExp(`name of ${leaver}`));
});

test('a member who wants no name on the web has none, and keeps it so when the bot starts again', async () => {
  const { sandbox } = scene;
  const [, , , , quiet = ''] = sandbox.members;
  const general = sandbox.channels.general.id;
  await scene.post(quiet, { title: 'Quiet story' });
  const actor = sandbox.as(quiet);
  const path = `/g/${sandbox.guildId}?order=time`;
  const read = async () => {
    await scene.bot.ranking.changes.flush();
    return (await pages.request(path)).text();
  };
  await expect.poll(read).toContain(`name of ${quiet}`);
  const { message } = await actor.command(general, 'me data');
  const first = await actor.press(general, message!.id, 'me|unname');
  expect(JSON.stringify(first.message?.components)).toContain('me|name');
  // Another window still shows the page as it was.
  const other = await actor.command(general, 'me data');
  expect(JSON.stringify(other.message?.components)).not.toContain('me|unname');
  await expect.poll(read).not.toContain(`name of ${quiet}`);
  await scene.restartBot();
  const again = await actor.command(general, 'me data');
  expect(JSON.stringify(again.message?.components)).toContain('me|name');
  await actor.press(general, again.message!.id, 'me|name');
});

/** What a reader sees of a text: no tags, and no addresses behind a link. */
function visibleOf(text: string): string {
  return text
    .replaceAll('<wbr>', '')
    .replace(/<!\[CDATA\[|\]\]>/g, ' ')
    .replace(/\]\(<?[^)\s]*>?\)/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/"(?:url|id|external_url|link|href)":"[^"]*"/g, ' ')
    .replace(/\\[nu"][0-9a-f]{0,4}/g, ' ')
    .replaceAll('\\', '');
}

// Withstands (Attacks): A title that is the name of another site, or without a sign that can be seen
// → every list, message, page, feed and newsletter shows the link’s own host with it
test('a title that names another site has the host of its link beside it wherever it stands, and a blank one shows its link', async () => {
  const { sandbox } = scene;
  const { admin, guildId, channels } = sandbox;
  const general = channels.general.id;
  const post = async (link: string, title: string) => {
    const { message } = await sandbox.as(admin).command(general, 'post', { link, title });
    await scene.eventually(
      () => scene.article(message!.id),
      (found) => found !== null,
      link,
    );
    return message!.id;
  };
  const blank = `\ufffe\u{1fffe}\u{378}\u2800`;
  const ids = [
    await post('https://elsewhere.example/login', 'paypal.com'),
    await post('https://blank.example/page', blank),
  ];
  // As it was stored by an earlier version.
  const text = `https://blank.example/page\n\ufffe`;
  await scene.bot.ranking.redis.hset(guildKeys(scene.bot.ranking, guildId).texts, ids[1]!, text);
  for (const id of ids) {
    sandbox.as(sandbox.members[3]!).react(general, id, '👍');
    await scene.eventually(
      () => scene.article(id),
      (found) => found?.up === 2,
      'voted for',
    );
  }
  const articles = ids.map((id) => ({ id, net: 1, replies: 0 }));
  await writeEdition(
    scene.bot.store,
    guildId,
    { name: NAME, date: '2027-03-11' },
    {
      articles,
      rising: ids,
      firstPosts: [],
      discussed: [],
      postedAtMs: scene.clock.now(),
      fromMs: 0,
      channel: general,
      message: null,
      isPublic: true,
    },
  );
  scene.bot.ranking.changes.note(guildId);
  await scene.bot.ranking.changes.flush();
  const shown = await published('2027-03-11');
  const say = async (name: string, words: string, values = {}) => {
    const answer = await scene.command(admin, words, values);
    shown[name] = JSON.stringify([answer.message?.content, answer.message?.embeds]);
  };
  await say('top', 'top', { show: 'time' });
  await say('search', 'search', { words: 'paypal' });
  // One that has listed nothing yet.
  const other = { name: 'other' };
  await scene.command(admin, 'digest set', { ...other, time: '18:00', timezone: 'UTC' });
  await say('digest', 'digest preview', other);
  await say('me', 'me articles');
  // Where one is chosen from a list, Discord refuses a label of nothing.
  const [link, title] = text.split('\n') as [string, string];
  expect(optionLabel({ link, title })).toBe('blank.example');
  shown['message'] = sandbox
    .as(admin)
    .messages(general)
    .map(({ content }) => content)
    .join('\n');
  for (const [where, all] of Object.entries(shown)) {
    if (!isOfAll(where) || where.includes('/search?')) continue;
    const seen = visibleOf(all);
    const named = [...seen.matchAll(/paypal\.com/g)].map(({ index }) =>
      seen.slice(Math.max(0, index - 300), index + 250),
    );
    // In the form for the newsletter's order, titles lead nowhere.
    const bare =
      where === 'newsletter form'
        ? []
        : named.filter((after) => !after.includes('elsewhere.example'));
    expect({ where, found: named.length > 0, bare }).toEqual({ where, found: true, bare: [] });
    // The message is the record, and what was recorded is not written anew.
    if (where === 'search' || where === 'message') continue;
    expect([where, seen.includes('blank.example/page')]).toEqual([where, true]);
    expect([where, /[\ufffe\u0378]/u.test(all)]).toEqual([where, false]);
  }
});
