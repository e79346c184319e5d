import { expect, test } from 'vitest';
import {
  type Likes,
  mayBeLikedBy,
  openLikes,
  orderOf,
  seenLikes,
} from '../../src/nominations/likes.ts';

const by = (member: string, emoji = '👍', burst = false) => ({
  message: '1',
  member,
  variant: { emoji, burst },
});
const known = (likes: Likes) => {
  const liked = likes.of('g', '1')!;
  return { seen: seenLikes(liked), unseen: liked.unseen, order: orderOf(liked) };
};

test('a message that nobody can have liked unheard is known by its likes, each variant of a member’s once', () => {
  const likes = openLikes();
  for (const one of [by('b'), by('a'), by('a', '👍🏽'), by('a', '👍', true), by('b')]) {
    likes.add('g', one, true);
  }
  expect(known(likes)).toEqual({ seen: 4, unseen: 0, order: 'b a' });
  likes.remove('g', by('a', '👍🏽'));
  likes.remove('g', by('a'));
  expect(known(likes)).toEqual({ seen: 2, unseen: 0, order: 'b a' });
  likes.remove('g', by('a', '👍', true));
  expect(known(likes)).toEqual({ seen: 1, unseen: 0, order: 'b' });
  likes.forget('g', '1');
  expect(likes.of('g', '1')).toBeUndefined();
});

test('what was liked unheard may be liked by any number, and is by the number that Discord shows', () => {
  const likes = openLikes();
  const liked = likes.add('g', by('a'), false);
  expect(mayBeLikedBy(liked, 50)).toBe(true);
  expect(orderOf(liked)).toBe('');
  // Of likes that nobody counted, one that is taken back makes none known, nor does one that was not seen.
  likes.remove('g', by('b'));
  likes.remove('g', by('a', '👍🏽'));
  expect(known(likes)).toEqual({ seen: 1, unseen: null, order: '' });
  likes.count('g', '1', 3);
  expect(known(likes)).toEqual({ seen: 1, unseen: 2, order: '' });
  expect([3, 4].map((number) => mayBeLikedBy(liked, number))).toEqual([true, false]);
  // One of the unheard likes is taken back, and of a heard one there is none fewer of these.
  likes.remove('g', by('b'));
  expect(known(likes)).toEqual({ seen: 1, unseen: 1, order: '' });
  likes.remove('g', by('a'));
  expect(known(likes)).toEqual({ seen: 0, unseen: 1, order: '' });
});

test('when an emoji is cleared, its likes are gone, and of the unheard ones it is not known how many', () => {
  const likes = openLikes();
  for (const one of [by('a'), by('a', '👍🏽'), by('b')]) likes.add('g', one, true);
  likes.clear('g', '1', '👍');
  expect(known(likes)).toEqual({ seen: 1, unseen: 0, order: 'a' });
  likes.count('g', '1', 3);
  likes.clear('g', '1', '👍🏽');
  expect(known(likes)).toEqual({ seen: 0, unseen: null, order: '' });
});

test('no number of likes, messages or servers fills the memory, and the latest are kept', () => {
  const likes = openLikes();
  for (let n = 0; n < 200; n += 1) likes.add('g', by(`${n}`), true);
  expect(likes.of('g', '1')?.members.size).toBe(100);
  for (let n = 2; n < 1202; n += 1) likes.count('g', `${n}`, 1);
  expect([1, 201, 202, 1201].map((n) => likes.of('g', `${n}`) !== undefined)).toEqual([
    false,
    false,
    true,
    true,
  ]);
  for (let n = 0; n < 5000; n += 1) likes.count(`${n}`, '1', 1);
  expect(likes.of('g', '1201')).toBeUndefined();
  expect(likes.of('4999', '1')).toBeDefined();
});
