import type { Web, WebPage } from '../../../discord-box/src/model/web.ts';
import { cover } from './cover.ts';
import type { KnownPage } from '../known-page.ts';
import { ALL_COMING } from './pages-coming.ts';
import { LANGUAGES, wordsOf } from '../languages/languages.ts';
import { POSTED, UNPOSTED } from './pages.ts';

const COVER = 'cover.svg';

const pages = [
  ...Object.values(POSTED).flat(),
  ...UNPOSTED,
  ...ALL_COMING.map(({ page }) => page),
  ...LANGUAGES.flatMap((language) => wordsOf(language).pages),
] as KnownPage[];
const known = new Map(pages.map((page) => [new URL(page.link).href, shown(page)]));
const covers = new Map(pages.map((page) => [coverOf(page), page.cover]));

/** The small web of the tour: the pages that its community talks about. */
export const TOUR_WEB: Web = {
  page: (link) => known.get(new URL(link).href),
  picture: (address) =>
    covers.has(address)
      ? { contentType: 'image/svg+xml', data: cover(address, covers.get(address)) }
      : undefined,
};

function coverOf({ link }: KnownPage): string {
  const { href } = new URL(link);
  return `${href
    .replace(/^http:/, 'https:')
    .replace(/[?#].*$/, '')
    .replace(/\/?$/, '/')}${COVER}`;
}

function shown(page: KnownPage): WebPage {
  const { link, title, about, loved = false } = page;
  return {
    title,
    description: about,
    site: new URL(link).host.replace(/^www\./, ''),
    picture: coverOf(page),
    // Pages with little to say show their picture large.
    large: loved || about.length < 60,
  };
}
