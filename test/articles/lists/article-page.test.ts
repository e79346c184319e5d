import { describe, expect, test } from 'vitest';
import { articlePage } from '../../../src/articles/lists/article-page.ts';
import { limits } from '../../../src/discord/limits.ts';
import { snowflakeAt } from '../../../src/runtime/snowflake.ts';
import type { GuildCommand } from '../../../src/discord/commands/command.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { translate } from '../../../src/text/catalogue.ts';
import type { Article } from '../../../src/ranking/articles/articles.ts';
import { NOON, POSTER, RUST, useRanking } from '../../ranking/test-ranking.ts';

const setup = useRanking();

type Pages = Parameters<typeof articlePage>[2];

/** The first page, unless said otherwise, of so many articles with this title. */
async function pageOf(title: string, given: Partial<Pages> = {}, total = 10) {
  const { page = 1 } = given;
  const articles = Array.from(
    { length: Math.min(10, total - (page - 1) * 10) },
    (_, at): Article => {
      const id = snowflakeAt(NOON - at * 1000);
      return {
        id,
        title,
        link: `https://news.example/${at}`,
        poster: POSTER,
        home: RUST,
        channel: RUST,
        groups: [RUST],
        postedAtMs: NOON,
        closesAtMs: NOON,
        up: 1,
        down: 0,
        score: 1,
        interesting: false,
        locked: false,
        closed: false,
        listed: true,
      };
    },
  );
  const { ranking } = setup;
  const needs = {
    ranking,
    store: { ...ranking, log: createLog('silent') },
    clock: { now: () => NOON },
  };
  const asked = { guildId: setup.newGuild(), locale: 'en' } as unknown as GuildCommand;
  return articlePage(needs, asked, {
    title: 'All',
    empty: 'None',
    page: 1,
    idOf: (turn, to) => `${turn}|${to}`,
    mayLack: false,
    ...given,
    found: { articles, total },
  });
}

describe('a page of articles', () => {
  test('a page of articles with long titles and notes, and lines above and below, fits into an embed and nearly fills it', async () => {
    const notes = Array.from({ length: 10 }, () => 'n'.repeat(60));
    const given = { head: 'h'.repeat(300), tail: 't'.repeat(300), notes };
    let longest = 0;
    for (let length = 10; length <= 100; length += 3) {
      const { embeds } = await pageOf('*'.repeat(length), given);
      longest = Math.max(longest, embeds[0]!.description!.length);
    }
    expect(longest).toBeLessThanOrEqual(limits.embedDescriptionLength);
    expect(longest).toBeGreaterThan(limits.embedDescriptionLength - 150);
  });

  test.each([
    [10, 1, null],
    [11, 1, [false, true]],
    [20, 2, [true, false]],
    [21, 2, [true, true]],
  ])(
    'a page of articles of %i leads from page %i to those before and after that are there',
    async (total, page, usable) => {
      const { components } = await pageOf('Short', { page }, total);
      const [row] = components as { components: { disabled?: boolean }[] }[];
      const found = row?.components.map(({ disabled }) => !disabled) ?? null;
      expect(found).toEqual(usable);
    },
  );

  test('a page of articles says whether some may be missing', async () => {
    const [lacking, whole] = [await pageOf('Short', { mayLack: true }), await pageOf('Short')];
    expect([lacking.content, whole.content]).toEqual([translate('en', 'rebuild.gappy'), '']);
  });
});
