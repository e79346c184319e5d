import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Snowflake, zSnowflake } from '../../ranking/snowflake.ts';
import { parseView, type View } from '../pages/view.ts';

export const FORMATS = ['atom', 'rss', 'json'] as const;
export type Format = (typeof FORMATS)[number];

/** The first page of a list. */
type FeedView = View & { page: 1 };

/** 128 bits in base64url. */
const SIGNATURE_LENGTH = 22;

/**
 * A feed's path is its key: it holds a signature of the view with the guild's secret. Without the
 * secret nobody can make a path for another view, and a new secret ends all old paths.
 */
export function feedPath(guild: Snowflake, view: View, secret: string, format: Format): string {
  const list = listName(view);
  const group = view.group ?? 'all';
  return `/feeds/${guild}/${group}/${list}/${sign(guild, view, secret)}.${format}`;
}

/** Null if the path is not that of a feed. `isSigned` checks its signature. */
export function parseFeedPath(given: {
  group: string;
  list: string;
  file: string;
}): { view: FeedView; signature: string; format: Format } | null {
  const [, signature = '', extension = ''] = /^([\w-]+)\.([a-z]+)$/.exec(given.file) ?? [];
  const format = FORMATS.find((known) => known === extension);
  const group = given.group === 'all' ? null : zSnowflake.safeParse(given.group).data;
  if (format === undefined || group === undefined) return null;
  const [order, period] = given.list.split('-');
  if ((order === 'votes') !== (period !== undefined)) return null;
  const view = parseView({ group, order, period, page: undefined });
  return view === null ? null : { view: { ...view, page: 1 }, signature, format };
}

export function isSigned(
  guild: Snowflake,
  view: View,
  secret: string | null,
  signature: string,
): boolean {
  if (secret === null) return false;
  const wanted = Buffer.from(sign(guild, view, secret));
  const given = Buffer.from(signature);
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

function listName({ order, period }: View): string {
  return order === 'votes' ? `votes-${period}` : order;
}

function sign(guild: Snowflake, view: View, secret: string): string {
  return createHmac('sha256', secret)
    .update([guild, view.group ?? 'all', listName(view)].join(' '))
    .digest('base64url')
    .slice(0, SIGNATURE_LENGTH);
}
