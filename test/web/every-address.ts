import type { Hono } from 'hono';
import { DRAFT_TABS } from '../../src/web/pages/newsletter-page.ts';
import { ARCHIVE_KINDS } from '../../src/web/pages/archive.ts';
import { WEB_ORDERS } from '../../src/ranking/lists/orders.ts';

/** What the addresses of a guild are about. */
export type About = {
  guild: string;
  channels: readonly string[];
  articles: readonly string[];
  members: readonly string[];
  site: string;
  words: string;
  /** A date of the archive, such as 2027-03-10, whose week begins on its Monday. */
  date: string;
  edition: { name: string; date: string };
  /** Of a newsletter's draft; null: there is none. */
  secret: string | null;
};

const bothFormats = (path: string): string[] => [
  path,
  `${path}${path.includes('?') ? '&' : '?'}format=json`,
];

/** Every address that can show something of a guild, by the route that answers it. */
export function everyAddress(of: About): Record<string, string[]> {
  const { guild, channels, articles, members, site, words, edition, secret } = of;
  const [page, feed] = [`/g/${guild}`, `/feeds/${guild}`];
  const lists = [
    ...WEB_ORDERS.map((order) => `?order=${order}`),
    ...channels.map((id) => `/${id}`),
  ];
  const search = `search?q=${encodeURIComponent(words)}`;
  return {
    '/': ['/'],
    // A picture, which is the guild's own.
    '/g/:guild/icon/:file': [],
    '/g/:guild/digest': [`${page}/digest`],
    '/g/:guild/digest/:name/:date': [`${page}/digest/${edition.name}/${edition.date}`],
    '/g/:guild/channels': [`${page}/channels`],
    '/g/:guild/search': [`${page}/${search}`],
    '/g/:guild/site/:site': [`${page}/site/${site}`],
    '/g/:guild/by/:member': members.map((member) => `${page}/by/${member}`),
    '/g/:guild/article/:article': articles.map((article) => `${page}/article/${article}`),
    '/g/:guild/newsletter/:secret/:part?':
      secret === null
        ? []
        : ['', ...DRAFT_TABS, 'letter'].map((part) =>
            `${page}/newsletter/${secret}/${part}`.replace(/\/$/, ''),
          ),
    '/g/:guild/:kind/:period': ARCHIVE_KINDS.map(
      (kind) => `${page}/${kind}/${periodOf(kind, of.date)}`,
    ),
    '/g/:guild/:group?': ['', ...lists].map((list) => page + list),
    '/feeds/:guild/digest/:name?': [
      ...bothFormats(`${feed}/digest`),
      ...bothFormats(`${feed}/digest/${edition.name}`),
    ],
    '/feeds/:guild/search': bothFormats(`${feed}/${search}`),
    '/feeds/:guild/site/:site': bothFormats(`${feed}/site/${site}`),
    '/feeds/:guild/by/:member': members.flatMap((member) => bothFormats(`${feed}/by/${member}`)),
    '/feeds/:guild/:group?': ['', '/front', ...lists].flatMap((list) => bothFormats(feed + list)),
  };
}

function periodOf(kind: (typeof ARCHIVE_KINDS)[number], date: string): string {
  if (kind === 'year') return date.slice(0, 4);
  if (kind === 'month') return date.slice(0, 7);
  if (kind === 'day') return date;
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}

/** The routes that the server answers with something of a guild. */
export function routesOf(pages: Hono): string[] {
  const paths = pages.routes.filter(({ method }) => method === 'GET').map(({ path }) => path);
  return [...new Set(paths)].filter(
    (path) => path !== '*' && !/^\/(?:\*|style-.*\.css)$/.test(path),
  );
}
