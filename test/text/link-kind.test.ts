import { expect, test } from 'vitest';
import { linkKind, listedName } from '../../src/text/link-kind.ts';
import { titleLink } from '../../src/text/title-link.ts';

test.each([
  ['https://cdn.example.com/a/Photo.JPG', 'cdn.example.com/a/Photo.JPG', 'A picture'],
  ['https://example.com/clip.mp4', 'example.com/clip.mp4', 'A video'],
  ['https://arxiv.org/pdf/2401.01234', 'arxiv.org/pdf/2401.01234', 'PDF: 2401.01234'],
  ['https://example.com/paper.pdf', 'example.com/paper.pdf', 'PDF: paper'],
])('the link %s without a title is named by its kind', (link, title, name) => {
  expect(listedName({ title, link }, 'en')).toBe(name);
});

test.each([
  ['picture', ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'PNG']],
  ['video', ['mp4', 'webm', 'mov']],
  ['pdf', ['pdf']],
  [null, ['svg', 'pdfs', 'jpg.html', 'mp3']],
])('a link is a %s by the end of its address: %j', (kind, ends) => {
  const kinds = ends.map((end) => {
    const address = `example.com/file.${end}`;
    return linkKind({ title: address, link: `https://${address}` });
  });
  expect(new Set(kinds)).toEqual(new Set([kind]));
});

test('a title leads to its page, and a spoiler’s to its message, beside the host that it does not say', () => {
  const article = { id: '3', channel: '2', link: 'https://example.com/end' };
  const of = (title: string) => titleLink({ ...article, title }, { guild: '1', locale: 'en' });
  const page = { address: article.link, isSpoiler: false };
  expect(of('It was him')).toEqual({ ...page, text: 'It was him', host: 'example.com' });
  expect(of('||It was him||')).toEqual({
    text: 'Spoiler',
    address: 'https://discord.com/channels/1/2/3',
    host: 'example.com',
    isSpoiler: true,
  });
  // Stored before it was nothing that can be seen.
  expect(of('\u2800')).toMatchObject({ ...page, text: 'example.com/end' });
  expect(of('example.com/end')).toEqual({ ...page, text: 'example.com/end', host: null });
});

test('a link with a title, a page and a spoiler are named as they were', () => {
  const link = 'https://example.com/photo.jpg';
  expect(listedName({ title: 'My cat', link }, 'en')).toBe('My cat');
  expect(linkKind({ title: 'example.com/story', link: 'https://example.com/story' })).toBeNull();
  expect(listedName({ title: '||example.com/photo.jpg||', link }, 'en')).toBe('Spoiler');
});
