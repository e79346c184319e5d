import { describe, expect, test } from 'vitest';
import { directionOf, hasSkinTone, withIdsOf } from '../../src/discord/vote-emoji.ts';

const [up, down] = ['100000000000000001', '100000000000000002'];

const signs = (upSign: string, downSign = '👎') => ({
  up: upSign,
  down: downSign,
  isDownOffered: true,
});
const reaction = (id: string | null, name: string | null) => ({ emoji: { id, name } });

describe('the signs of a message whose text lost the id of a deleted emoji', () => {
  test.each([
    ['by its name', [reaction(up, 'yes')], signs(':yes:'), signs(`<:yes:${up}>`)],
    [
      'without its name, where only one is lost',
      [reaction(up, null)],
      signs(':yes:'),
      signs(`<:yes:${up}>`),
    ],
    [
      'both by their names',
      [reaction(down, 'no'), reaction(up, 'yes')],
      signs(':yes:', ':no:'),
      signs(`<:yes:${up}>`, `<:no:${down}>`),
    ],
    [
      'neither without names',
      [reaction(down, null), reaction(up, null)],
      signs(':yes:', ':no:'),
      signs(':yes:', ':no:'),
    ],
    [
      'neither where one without a name is left',
      [reaction(up, null)],
      signs(':yes:', ':no:'),
      signs(':yes:', ':no:'),
    ],
    [
      'not where two have its name',
      [reaction(down, 'yes'), reaction(up, 'yes')],
      signs(':yes:'),
      signs(':yes:'),
    ],
    ['not by an emoji of another name', [reaction(up, 'other')], signs(':yes:'), signs(':yes:')],
    ['not by a standard emoji', [reaction(null, 'yes')], signs(':yes:'), signs(':yes:')],
    ['none where there is no reaction', [], signs(':yes:'), signs(':yes:')],
    [
      'none where none is lost',
      [reaction(down, '👎')],
      signs(`<:yes:${up}>`),
      signs(`<:yes:${up}>`),
    ],
  ])('the signs of a message are found again %s', (_, reactions, lost, found) => {
    expect(withIdsOf(reactions, lost)).toEqual(found);
  });
});

test('a thumb in any skin tone is a vote under any signs, and the server’s own emoji under its own alone', () => {
  const own = { up: `<:yes:${up}>`, down: `<:no:${down}>`, isDownOffered: true };
  const votes = (reaction: string) => [directionOf(reaction), directionOf(reaction, own)];
  expect(['👍', '👍🏽', '👎🏿'].map(votes)).toEqual([
    ['up', 'up'],
    ['up', 'up'],
    ['down', 'down'],
  ]);
  expect([`vote:${up}`, `vote:${down}`, '❤️'].map(votes)).toEqual([
    [null, 'up'],
    [null, 'down'],
    [null, null],
  ]);
  const heart = { up: '❤️', down: '👎', isDownOffered: true };
  expect([directionOf('❤', heart), hasSkinTone('👍🏽'), hasSkinTone('❤️')]).toEqual([
    'up',
    true,
    false,
  ]);
});
