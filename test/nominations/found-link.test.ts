import { type APIMessage, MessageType } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { linkIn } from '../../src/nominations/found-link.ts';

const LINK = 'https://feed.example/a';

/** What Discord says of a bot's message, or of a member's. */
function message(given: Partial<Record<keyof APIMessage, unknown>>, bot = true): APIMessage {
  const author = { id: '1', username: 'feed', bot };
  const said = { type: MessageType.Default, content: '', embeds: [], components: [] };
  return { id: '2', author, ...said, ...given } as unknown as APIMessage;
}

const found = (given: Parameters<typeof message>[0], bot?: boolean) => {
  const link = linkIn(message(given, bot));
  return link && { href: link.link.href, given: link.given, found: link.found };
};

const leading = (url: string) => ({ type: 2, style: 5, label: 'Open', url });
/** So many components around one. */
const within = (component: object, deep: number): object =>
  deep === 0 ? component : { type: 17, components: [within(component, deep - 1)] };

describe('the link of a message is found', () => {
  test.each<[where: string, given: Parameters<typeof message>[0]]>([
    ['in what it says', { content: `New: ${LINK}` }],
    ['in a reply', { type: MessageType.Reply, content: LINK }],
    ['in the answer to a command', { type: MessageType.ChatInputCommand, content: LINK }],
    ['in the answer to a menu', { type: MessageType.ContextMenuCommand, content: LINK }],
    ['where an embed’s title leads', { embeds: [{ title: 'A', url: LINK }] }],
    ['in an embed’s description', { embeds: [{ title: 'A', description: `See ${LINK}` }] }],
    ['in a field of an embed', { embeds: [{ fields: [{ name: 'Link', value: LINK }] }] }],
    ['in a text of a component', { components: [{ type: 10, content: LINK }] }],
    ['behind a button', { components: [{ type: 1, components: [leading(LINK)] }] }],
    ['behind a button in a row of a container', { components: [within(leading(LINK), 2)] }],
    [
      'in what it forwards',
      { message_snapshots: [{ message: { content: LINK, embeds: [] } }], embeds: [] },
    ],
    [
      'behind a link to Discord',
      { content: `https://discord.com/channels/1/2/3 ${LINK}`, embeds: [] },
    ],
  ])('%s', (_, given) => {
    expect(found(given)?.href).toBe(LINK);
  });

  test.each<[where: string, given: Parameters<typeof message>[0]]>([
    ['in a notice of Discord’s', { type: MessageType.ChannelPinnedMessage, content: LINK }],
    ['in code', { content: `\`${LINK}\`` }],
    ['in components that are deeper than Discord’s', { components: [within(leading(LINK), 9)] }],
    ['in components of another form', { components: [{ content: 1, url: LINK }] }],
  ])('but none %s', (_, given) => {
    expect(found(given)).toBeNull();
    expect(found({ content: LINK, components: given.components })?.href).toBe(LINK);
  });
});

test('what it says counts before its embeds, and these before its components', () => {
  const embeds = [{ description: 'https://feed.example/b' }];
  const components = [{ type: 10, content: 'https://feed.example/c' }];
  expect(found({ content: LINK, embeds, components })?.href).toBe(LINK);
  expect(found({ embeds, components })?.href).toBe('https://feed.example/b');
});

/** By nobody’s words. */
function titled(given: Parameters<typeof message>[0], bot?: boolean): string {
  const { given: by, found: title } = found(given, bot)!;
  expect(by).toBe('');
  return title;
}

describe('the title', () => {
  const embeds = [{ title: 'By the page', url: LINK }];
  const words = { content: `[These words](${LINK})` };

  test('is a member’s words, and what the preview says apart from them', () => {
    expect(found({ ...words, embeds }, false)).toMatchObject({
      given: 'These words',
      found: 'By the page',
    });
  });

  test('is by a bot or a webhook nobody’s words: the title that leads to the link, else the words, else the one preview', () => {
    const elsewhere = [{ title: 'Daily news' }];
    expect(titled({ ...words, embeds })).toBe('By the page');
    expect(titled({ ...words, embeds, webhook_id: '3' }, false)).toBe('By the page');
    expect(titled({ ...words, embeds: elsewhere })).toBe('These words');
    expect(titled({ content: LINK, embeds: elsewhere })).toBe('Daily news');
    // It may be of either.
    expect(titled({ content: `${LINK} and https://feed.example/b`, embeds: elsewhere })).toBe('');
  });
});
