import { expect, test } from 'vitest';
import { linkKind, listedName } from '../../src/text/link-kind.ts';

test.each([
  ['https://cdn.example.com/a/Photo.JPG', 'cdn.example.com/a/Photo.JPG', 'A picture'],
  ['https://example.com/clip.mp4', 'example.com/clip.mp4', 'A video'],
  ['https://arxiv.org/pdf/2401.01234', 'arxiv.org/pdf/2401.01234', 'PDF: 2401.01234'],
  ['https://example.com/paper.pdf', 'example.com/paper.pdf', 'PDF: paper'],
])('the link %s without a title is named by its kind', (link, title, name) => {
  expect(listedName({ title, link }, 'en')).toBe(name);
});

test('a link with a title, a page and a spoiler are named as they were', () => {
  const link = 'https://example.com/photo.jpg';
  expect(listedName({ title: 'My cat', link }, 'en')).toBe('My cat');
  expect(linkKind({ title: 'example.com/story', link: 'https://example.com/story' })).toBeNull();
  expect(listedName({ title: '||example.com/photo.jpg||', link }, 'en')).toBe('Spoiler');
});
