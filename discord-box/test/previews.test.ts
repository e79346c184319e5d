import { type Client, MessageFlags } from 'discord.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addUser } from '../src/world/users.ts';
import { type Discord, startDiscord, type WebPage } from '../src/index.ts';
import { previewedLinks } from '../src/world/messages/links.ts';
import { connectClient, recordEvents } from './client.ts';

const link = 'https://pages.example/a';
const other = 'https://pages.example/b';
const picture = 'https://pages.example/a.svg';
const pages: Record<string, WebPage> = {
  [link]: { title: 'A page', description: 'What it says', site: 'Pages', picture },
  [other]: { title: 'Another', large: true },
};

let discord: Discord;
let client: Client<true>;
let events: ReturnType<typeof recordEvents>;
let general: string;
let owner: string;

beforeEach(async () => {
  discord = await startDiscord({
    privileged: { messageContent: true },
    web: {
      page: (address) => pages[address],
      picture: (address) =>
        address === picture ? { contentType: 'image/svg+xml', data: '<svg/>' } : undefined,
    },
  });
  owner = addUser(discord.world, { username: 'ada' }).id;
  general = discord.operator.createGuild({ name: 'Harbour', owner }).general;
  client = await connectClient(discord);
  events = recordEvents(client);
});
afterEach(async () => {
  await client.destroy();
  await discord.stop();
});

type Sent = { id: string; embeds: Record<string, unknown>[] };

async function channel() {
  const found = await client.channels.fetch(general);
  if (found?.isSendable() !== true) throw new Error('There is no such channel.');
  return found;
}
const titlesOf = ({ embeds }: Sent) => embeds.map(({ title }) => title);
const shown = (id: string): Sent =>
  discord
    .as(owner)
    .messages(general)
    .find((message) => message.id === id) as unknown as Sent;
const previews = async (id: string, titles: string[]): Promise<Sent> => {
  const holds = (): Sent | undefined =>
    titlesOf(shown(id)).join() === titles.join() ? shown(id) : undefined;
  return discord.until(holds, `the previews ${titles.join()}`);
};

/** A later message has its preview, so an earlier one without has none. */
async function expectNone(id: string): Promise<void> {
  const last = discord.as(owner).send(general, link);
  await previews(last.id, ['A page']);
  expect(shown(id).embeds).toEqual([]);
}

test('a preview of a link comes some time after the message, as an update that is no edit', async () => {
  const sent = await (await channel()).send(`Look at [this](${link}).`);
  // discord.js puts later embeds into the message that it returned.
  expect(await events.first('MESSAGE_CREATE')).toMatchObject({ id: sent.id, embeds: [] });
  const update = await events.first('MESSAGE_UPDATE');
  expect(update).toMatchObject({ id: sent.id, edited_timestamp: null });
  expect((update as Sent).embeds).toEqual([
    {
      type: 'link',
      url: link,
      title: 'A page',
      description: 'What it says',
      provider: { name: 'Pages' },
      thumbnail: {
        url: picture,
        proxy_url: `${discord.address}/external/${encodeURIComponent(picture)}`,
      },
    },
  ]);
});

const pictureAt = (address: string) =>
  fetch(`${discord.address}/external/${encodeURIComponent(address)}`);

test('a picture comes from Discord, and only one that the web has', async () => {
  const found = await pictureAt(picture);
  expect([found.status, await found.text()]).toEqual([200, '<svg/>']);
  expect((await pictureAt('https://elsewhere.example/b.svg')).status).toBe(404);
});

test('an edit keeps the previews of the links that it keeps, and adds those of new links', async () => {
  const sent = await (await channel()).send(link);
  await previews(sent.id, ['A page']);
  await sent.edit(`Now with more words: ${link}`);
  await sent.edit(other);
  await previews(sent.id, ['Another']);
  const updates = (await events.count('MESSAGE_UPDATE', 4)) as Sent[];
  expect(updates.map(titlesOf)).toEqual([['A page'], ['A page'], [], ['Another']]);
});

describe('there is no preview', () => {
  test('there is no preview of a link in angle brackets, of one in code, and of one that leads to no page', async () => {
    const content = `<${link}> [masked](<${link}>) \`${link}\` https://pages.example/none`;
    await expectNone((await (await channel()).send(content)).id);
  });

  test('there is no preview under a message whose embeds are suppressed', async () => {
    const flags = MessageFlags.SuppressEmbeds as const;
    await expectNone((await (await channel()).send({ content: link, flags })).id);
  });

  test('there is no preview of a link of an author who lacks Embed Links', async () => {
    discord.operator.setPermissions({ channel: general, who: 'bot', deny: ['EmbedLinks'] });
    await expectNone((await (await channel()).send(link)).id);
  });
});

test('suppressing the embeds hides a preview, and allowing them shows it again', async () => {
  const sent = await (await channel()).send(link);
  await previews(sent.id, ['A page']);
  await sent.suppressEmbeds(true);
  expect(shown(sent.id).embeds).toEqual([]);
  await sent.suppressEmbeds(false);
  await previews(sent.id, ['A page']);
});

test.each([
  ['(see https://a.example/x).', ['https://a.example/x']],
  ['[A](https://a.example/Foo_(bar)) and b', ['https://a.example/Foo_(bar)']],
  [
    'https://a.example/1 https://a.example/1 https://a.example/2!',
    ['https://a.example/1', 'https://a.example/2!'],
  ],
  ['**[A](https://a.example/)** · a.example', ['https://a.example/']],
  ['> quoted https://a.example/,', ['https://a.example/']],
  ['no link at all', []],
])('the links of the text %j are found as Discord finds them', (text, links) => {
  expect(previewedLinks(text)).toEqual(links);
});
