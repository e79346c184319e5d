import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { readEditionArticles } from '../editions/edition-articles.ts';
import { listEditions } from '../editions/stored-editions.ts';
import { readReplies } from '../ranking/articles/discussions.ts';
import { zSnowflake } from '../runtime/snowflake.ts';
import { type Answering, articlesOf, isVisible, send, viewOf } from './page-answers.ts';
import { writeEditionFeed, writeFeed } from './pages/feed.ts';
import { pathOf } from './pages/list-view.ts';

const EDITIONS_IN_FEED = 20;

/** A guild's feeds, whether or not its page is open: the secret in the path is the key to them. */
async function feedGuildOf({ parts, cache }: Answering, context: Context) {
  const guild = context.req.param('guild') ?? '';
  const community = zSnowflake.safeParse(guild).success ? parts.community(guild) : null;
  if (community === null) return null;
  const secret = context.req.param('secret') ?? '';
  const settings = await cache.settings(guild);
  if (!isSame(settings.secret, secret)) return null;
  const format = context.req.query('format') === 'json' ? ('json' as const) : ('atom' as const);
  const kind = format === 'json' ? 'feed+json' : 'atom+xml';
  const document = async (key: string, make: () => Promise<string>) => {
    const made = await cache.document(guild, `feed ${format} ${key}`, make);
    return send(context, made, { 'content-type': `application/${kind}; charset=utf-8` });
  };
  return { guild, community, secret, isOpen: settings.open, format, document };
}

export async function feedAnswer(on: Answering, context: Context): Promise<Response | null> {
  const { ranking, address } = on.parts;
  const asked = await feedGuildOf(on, context);
  const found = asked && viewOf(context, asked.community);
  if (!asked || !found) return null;
  const { guild, community, secret, format } = asked;
  const view = { ...found, page: 1 };
  return asked.document([view.group, view.order].join(' '), async () => {
    const shown = await articlesOf(on.parts, guild, view);
    const replies = await readReplies(ranking, guild, shown.articles);
    const self = `${address}${pathOf(guild, view, { secret })}`;
    return writeFeed({ guild, community, view, ...shown, replies, address, self, format });
  });
}

export async function editionFeedAnswer(on: Answering, context: Context): Promise<Response | null> {
  const { ranking, store, address } = on.parts;
  const { name } = context.req.param() as { name?: string };
  const asked = await feedGuildOf(on, context);
  if (asked === null) return null;
  const { guild, community, secret, isOpen, format } = asked;
  const newest = await listEditions(store, guild, name === undefined ? {} : { only: name });
  if (name !== undefined && newest.length === 0) return null;
  return asked.document(`editions ${isOpen} ${name ?? ''}`, async () => {
    const found = newest
      .filter(({ edition }) => isVisible(community, edition))
      .slice(0, EDITIONS_IN_FEED);
    const shown = await Promise.all(
      found.map(async (named) => ({
        named,
        ...(await readEditionArticles(ranking, guild, named.edition)),
      })),
    );
    const of = name === undefined ? '' : `/${encodeURIComponent(name)}`;
    const self = `${address}/feeds/${guild}/${secret}/digest${of}`;
    const content = { guild, community, isOpen, name, editions: shown, address, self, format };
    return writeEditionFeed(content);
  });
}

function isSame(secret: string | null, asked: string): boolean {
  if (secret === null) return false;
  const [wanted, found] = [Buffer.from(secret), Buffer.from(asked)];
  return wanted.length === found.length && timingSafeEqual(wanted, found);
}
