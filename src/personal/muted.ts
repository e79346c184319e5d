import { siteHost } from '../ranking/links/canonical.ts';
import { containsWords, folded } from '../ranking/lists/fold.ts';
import type { Article } from '../ranking/row.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { type Mute, readPersonal } from './stored-personal.ts';

/** What a member muted. */
export async function readMuted(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
): Promise<readonly Mute[]> {
  return (await readPersonal(store, guild, member)).muted;
}

/** Whether a member's own lists show an article. Their own articles always stand in them. */
export function isShownTo(
  member: string,
  muted: readonly Mute[],
): (article: Pick<Article, 'poster' | 'link' | 'title'>) => boolean {
  if (muted.length === 0) return () => true;
  return (article) => article.poster === member || !muted.some((mute) => binds(mute, article));
}

function binds(
  { kind, value }: Mute,
  { poster, link, title }: Pick<Article, 'poster' | 'link' | 'title'>,
) {
  switch (kind) {
    case 'poster':
      return poster === value;
    case 'site':
      return `.${siteHost(new URL(link))}`.endsWith(`.${value}`);
    case 'word':
      return containsWords(title, [folded(value)]);
    default:
      return kind satisfies never;
  }
}
