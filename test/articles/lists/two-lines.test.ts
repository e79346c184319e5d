import { describe, expect, test } from 'vitest';
import { LANGUAGES, wordsOf } from '../../../sandbox/tour/languages/languages.ts';
import { COMING } from '../../../sandbox/tour/web/pages-coming.ts';
import { POSTED } from '../../../sandbox/tour/web/pages.ts';
import { articleItems, type ItemContext } from '../../../src/articles/lists/article-item.ts';
import type { Article } from '../../../src/ranking/articles/articles.ts';
import { DAY_MS, HOUR_MS } from '../../../src/runtime/clock.ts';
import { phoneLines } from '../../fixtures/phone-lines.ts';

/**
 * A month of the sandbox: its pages and posters, with votes, comments and ages as they are there. Each list is
 * laid out as on a phone. `TEST_LOG_LINES=1` prints the items that take more than two lines.
 */
const now = Date.UTC(2026, 10, 21, 12);
const CHANNELS = ['general', 'rust', 'ai', 'gameDev'] as const;
const AGES_MS = [2, 8, 16, 22, 30, 50, 190, 300].map((hours) => hours * HOUR_MS);

type Shown = { articles: Article[]; replies: Map<string, number>; nameOf: (id: string) => string };

function monthOf(language: (typeof LANGUAGES)[number]): Shown {
  const words = wordsOf(language);
  const names = new Map<string, string>([
    ...words.people.map(([, name], at) => [`1${at}`, name] as const),
    ...CHANNELS.map((channel, at) => [`2${at}`, words.channels[channel][0]] as const),
  ]);
  const pages = [
    ...CHANNELS.flatMap((channel) => POSTED[channel]),
    ...words.pages,
    ...COMING.map(({ page }) => page),
  ];
  const replies = new Map<string, number>();
  const articles = pages.map(({ title, link }, at): Article => {
    const id = `3${at}`;
    // As in the sandbox, a third is talked about; numbers without a common factor mix with each other.
    if (at % 3 === 0) replies.set(id, 1 + (at % 11));
    const postedAtMs = now - AGES_MS[at % AGES_MS.length]!;
    return {
      id,
      title,
      link: new URL(link).href,
      poster: `1${at % words.people.length}`,
      channel: `2${at % CHANNELS.length}`,
      home: `2${at % CHANNELS.length}`,
      groups: [`2${at % CHANNELS.length}`],
      postedAtMs,
      closesAtMs: postedAtMs + 7 * DAY_MS,
      up: 2 + ((at * 7) % 29),
      down: at % 3,
      score: 0,
      interesting: at % 17 === 0,
      locked: false,
      closed: false,
      listed: true,
    };
  });
  return { articles, replies, nameOf: (id) => names.get(id) ?? '' };
}

/** The share of the items that a phone shows in two lines. */
function shareOf(language: (typeof LANGUAGES)[number], ages: ItemContext['ages']): number {
  const { articles, replies, nameOf } = monthOf(language);
  expect(articles.length).toBeGreaterThan(100);
  const context: ItemContext = {
    guild: '9',
    locale: language,
    ages,
    replies,
    unnamed: new Set(),
    channelName: nameOf,
  };
  let two = 0;
  for (let from = 0; from < articles.length; from += 10) {
    for (const item of articleItems(articles.slice(from, from + 10), context, {
      rank: (from % 30) + 1,
    })) {
      const lines = phoneLines(item, ({ id }) => nameOf(id)).reduce((sum, one) => sum + one, 0);
      if (lines <= 2) two += 1;
      else if (process.env['TEST_LOG_LINES'] === '1') {
        console.info(`${lines}: ${item.replace(/\(http\S*/g, '')}`);
      }
    }
  }
  return two / articles.length;
}

describe('on a phone, nine of ten articles of the sandbox’s month take two lines', () => {
  test.each(LANGUAGES)('in a list in %s', (language) => {
    const share = shareOf(language, { at: now });
    if (process.env['TEST_LOG_LINES'] === '1') console.info(`${language}: ${share.toFixed(3)}`);
    expect(share).toBeGreaterThanOrEqual(0.9);
  });

  test.each(LANGUAGES)('in a digest in %s', (language) => {
    expect(shareOf(language, 'none')).toBeGreaterThanOrEqual(0.9);
  });
});
