import { type APIMessage, MessageType } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { readMessageLink } from '../../../src/history/import/import-message.ts';
import { cleanTitle } from '../../../src/text/clean.ts';
import { parseUrl } from '../../../src/runtime/url.ts';
import { hostileLinks, hostileTitles } from '../../threats/hostile-texts.ts';

function message(content: string, more: object = {}): APIMessage {
  const author = { id: '2', username: 'grace' };
  return { id: '1', content, type: MessageType.Default, author, embeds: [], ...more } as never;
}
function titleOf(content: string, embeds: object[] = []): string {
  const found = readMessageLink(message(content, { embeds }));
  return found.status === 'found' ? found.title : found.status;
}
const link = 'https://news.example/a-story';

describe('the title of a link that somebody wrote', () => {
  test.each([
    ['what Discord unfurled', `look ${link}`, [{ url: link, title: 'Previews' }], 'Previews'],
    [
      'what Discord unfurled of this link and not of another',
      `${link} and https://other.example/`,
      [{ url: 'https://other.example/', title: 'Other' }],
      'news.example/a-story',
    ],
    [
      'what Discord unfurled of the only link, though its page has another address',
      link,
      [{ url: 'https://moved.example/x', title: 'Moved' }],
      'Moved',
    ],
    [
      'what its writer put over it',
      `[A good title](${link})`,
      [{ url: link, title: 'P' }],
      'A good title',
    ],
    [
      'what Discord unfurled where the words only point',
      `[here](${link})`,
      [{ url: link, title: 'Previews' }],
      'Previews',
    ],
    [
      'what Discord unfurled where the words are an address',
      `[news.example/a-story](${link})`,
      [{ url: link, title: 'Previews' }],
      'Previews',
    ],
    ['host and path without a preview', `A story: ${link}`, [], 'news.example/a-story'],
  ])('the title of a link that somebody wrote is %s', (_, content, embeds, title) => {
    expect(titleOf(content, embeds)).toBe(title);
  });

  test.each(Object.entries(hostileTitles))(
    'the title of a link that somebody wrote is one clean line, whatever it tries: %s',
    (_, text) => {
      const title = titleOf(link, [{ url: link, title: text }]);
      expect(cleanTitle(title)).toBe(title);
      expect(title).not.toMatch(/[\n\r]/);
      expect(title.length).toBeGreaterThan(0);
      expect(title.length).toBeLessThanOrEqual(256);
    },
  );
});

describe('a message', () => {
  test.each(Object.entries(hostileLinks))(
    'a message with a link that tries something does no harm: %s',
    (_, written) => {
      const found = readMessageLink(message(`see ${written}`));
      if (found.status !== 'found') throw new Error('It has a link.');
      expect(found.link.href).not.toMatch(/\s/);
      expect(parseUrl(found.link.href)).not.toBeNull();
    },
  );

  test.each([
    ['by a bot', { author: { id: '3', bot: true } }, 'bot'],
    ['of a webhook', { webhook_id: '4' }, 'bot'],
    ['that Discord wrote', { type: MessageType.ChannelPinnedMessage }, 'linkless'],
    ['with nothing', { content: '' }, 'linkless'],
    ['with a link to Discord', { content: 'https://discord.com/channels/1/2/3' }, 'linkless'],
    ['with an address', { content: 'http://10.0.0.1/' }, 'refused'],
  ])('a message %s has no link', (_, more, status) => {
    expect(readMessageLink(message(link, more)).status).toBe(status);
  });

  test('a message that was forwarded has the link of what it forwards', () => {
    const embeds = [{ url: link, title: 'Forwarded' }];
    const forwarded = message('', { message_snapshots: [{ message: { content: link, embeds } }] });
    expect(readMessageLink(forwarded)).toMatchObject({ title: 'Forwarded', link: { href: link } });
  });

  test('a message keeps what its writer marked', () => {
    expect(readMessageLink(message(`\`${link}\``)).status).toBe('linkless');
    const embeds = [{ url: link, title: 'Snape', description: 'He did it', image: { url: link } }];
    const spoiler = readMessageLink(message(`||${link}||`, { embeds }));
    expect(spoiler).toMatchObject({ title: '||Snape||' });
    // Neither its picture nor its description is shown to who has not asked.
    expect(spoiler).toHaveProperty('preview', {});
  });

  test('a message that is an answer counts, and the first link that can be posted', () => {
    const said = message(`http://localhost/ and ${link}`, { type: MessageType.Reply });
    expect(readMessageLink(said)).toMatchObject({ status: 'found', link: { href: link } });
  });
});
