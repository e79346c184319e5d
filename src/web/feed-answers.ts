import type { Context } from 'hono';
import { articlesOfEdition } from '../editions/edition-articles.ts';
import {
  aboutView,
  type Answering,
  articlesOf,
  FIRST,
  foundIn,
  itemsOf,
  namesOf,
  onOnePage,
  openGuild,
  placeOf,
  send,
  viewOf,
  visibleEditions,
} from './page-answers.ts';
import { dayOf, writeEditionFeed, writeFeed } from './pages/feed.ts';
import { viewText } from './pages/guild-page.ts';
import { pathOf, placePath, WEB_PAGE_SIZE } from './pages/list-view.ts';
import { reachedFirstTen } from '../ranking/lists/first-ten.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { shownEditions, shownOf, standingOf } from './shown.ts';
import { translate } from '../text/catalogue.ts';

/** A week of a daily digest: the list of editions has the others. */
const DAYS_IN_FEED = 7;
/** Where several digests post on a day. */
const EDITIONS_IN_FEED = 20;

/** The feeds of a guild, which are open as long as its page is, unless a manager closed them. */
async function feedsOf(on: Answering, context: Context) {
  const asked = await openGuild(on, context);
  if (asked === null || !asked.settings.feeds) return null;
  const { guild, community, settings } = asked;
  const format = context.req.query('format') === 'json' ? ('json' as const) : ('atom' as const);
  const kind = format === 'json' ? 'feed+json' : 'atom+xml';
  const document = async <D>(
    about: string,
    read: () => Promise<D | null>,
    write: (data: D) => Promise<string>,
  ) => {
    const made = await on.cache.document(guild, { about, variant: format, read, write });
    if (made === null) return null;
    return send(context, made, { 'content-type': `application/${kind}; charset=utf-8` });
  };
  return { guild, community, settings, format, document };
}

/** A list's feed; with `front`, of what reached the first ten. */
export async function feedAnswer(on: Answering, context: Context): Promise<Response | null> {
  const { address } = on.parts;
  const asked = await feedsOf(on, context);
  const isFront = context.req.param('group') === FRONT;
  const found = asked && (isFront ? FIRST : viewOf(context, asked.community));
  if (!asked || !found) return null;
  const { guild, community, format } = asked;
  const { locale } = community;
  const view = { ...found, page: 1 };
  return asked.document(
    `feed ${isFront ? FRONT : aboutView(view)}`,
    async () => {
      const { articles } = isFront ? await frontOf(on, guild) : await articlesOf(on, guild, view);
      return { articles, ...(await itemsOf(on, asked, articles)) };
    },
    (data) => {
      const title = isFront ? translate(locale, 'web.front') : viewText(locale, view, community);
      const self = isFront ? `/feeds/${guild}/${FRONT}` : pathOf(guild, view, 'feeds');
      return writeFeed({
        guild,
        community,
        title,
        empty: translate(locale, 'web.empty', { view: title }),
        path: pathOf(guild, view),
        ...data,
        address,
        self: `${address}${self}`,
        format,
      });
    },
  );
}

const FRONT = 'front';
/** What is cached of a list: what stands below it fell long ago. */
const LOOKED_AT = 200;

async function frontOf(on: Answering, guild: Snowflake) {
  const { ranking, lists } = on.parts;
  const list = { guild, order: 'score', page: 1, pageSize: LOOKED_AT } as const;
  const { articles } = await lists.page(list);
  const best = shownOf(articles, await standingOf(on, guild));
  return { articles: await reachedFirstTen(ranking, guild, { best, most: WEB_PAGE_SIZE }) };
}

/** The feed of a site, a member or a search. */
export async function placeFeedAnswer(on: Answering, context: Context): Promise<Response | null> {
  const { address } = on.parts;
  const asked = await feedsOf(on, context);
  const place = placeOf(context);
  if (asked === null || place === null || ('words' in place && place.words === '')) return null;
  const { guild, community, format } = asked;
  return asked.document(
    placePath(guild, place, undefined, 'feeds'),
    () => foundIn(on, asked, place),
    (data) => {
      const self = `${address}${placePath(guild, place, undefined, 'feeds')}`;
      const words = 'words' in place ? place.words : '';
      return writeFeed({
        guild,
        community,
        ...data,
        empty: translate(community.locale, 'web.empty.search', { words }),
        path: placePath(guild, place),
        address,
        self,
        format,
      });
    },
  );
}

export async function editionFeedAnswer(on: Answering, context: Context): Promise<Response | null> {
  const { address } = on.parts;
  const { name } = context.req.param() as { name?: string };
  const asked = await feedsOf(on, context);
  if (asked === null) return null;
  const { guild, community, format } = asked;
  return asked.document(
    `feed of editions ${name ?? ''}`,
    async () => {
      const most = EDITIONS_IN_FEED + 1;
      const newest = await visibleEditions(on.parts, { guild, community, name, most });
      const { editions } = onOnePage(newest, EDITIONS_IN_FEED);
      const days = [...new Set(editions.map(dayOf))].slice(0, DAYS_IN_FEED);
      const found = editions.filter((each) => days.includes(dayOf(each)));
      // A digest of which nobody may see an edition is like none.
      if (name !== undefined && found.length === 0) return null;
      const of = found.map(({ edition }) => edition);
      const standing = await standingOf(on, guild);
      const shown = await shownEditions(on.parts.ranking, guild, of, standing);
      const names = await namesOf(on, asked, shown.flatMap(articlesOfEdition));
      return { names, editions: found.map((named, at) => ({ named, shown: shown[at]! })) };
    },
    (data) => {
      const of = name === undefined ? '' : `/${encodeURIComponent(name)}`;
      const self = `${address}/feeds/${guild}/digest${of}`;
      return writeEditionFeed({ guild, community, name, ...data, address, self, format });
    },
  );
}
