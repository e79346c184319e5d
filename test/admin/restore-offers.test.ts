import { expect, test } from 'vitest';
import { openRestoreOffers } from '../../src/admin/restore-offers.ts';
import { UserError } from '../../src/discord/user-error.ts';

test('a server whose long file is restored delays no other server, and has no second file', async () => {
  const offers = openRestoreOffers();
  const ends: (() => void)[] = [];
  const long = offers.alone('1', () => new Promise<void>((resolve) => ends.push(resolve)));
  await expect(offers.alone('1', () => Promise.resolve())).rejects.toThrow(UserError);
  expect(await offers.alone('2', () => Promise.resolve('restored'))).toBe('restored');
  ends[0]?.();
  await long;
  expect(await offers.alone('1', () => Promise.resolve('again'))).toBe('again');
});

test('only a few files are held at once, and the others wait for their turn', async () => {
  const offers = openRestoreOffers();
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => ends.push(resolve));
  const all = ['1', '2', '3', '4', '5', '6'].map((guild) => offers.alone(guild, work));
  expect(ends).toHaveLength(4);
  for (let i = 0; i < all.length; i += 1) {
    await expect.poll(() => ends.length).toBeGreaterThan(i);
    ends[i]!();
  }
  await Promise.all(all);
});
