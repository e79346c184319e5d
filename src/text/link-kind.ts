import { translate } from './catalogue.ts';
import { isSpoiler, titleOfLink } from './clean.ts';

/** The kinds of files that have a word, by how their addresses end. */
const KINDS = {
  picture: /\.(?:png|jpe?g|gif|webp|avif)$/i,
  video: /\.(?:mp4|webm|mov)$/i,
  pdf: /\.pdf$|\/pdf\/[^/]+$/i,
} as const;
export type LinkKind = keyof typeof KINDS;

type Named = { title: string; link: string };

/** What a link leads to whose title is its own address, which says little to a reader; null: no file that has a word. */
export function linkKind({ title, link }: Named): LinkKind | null {
  if (title !== titleOfLink(link)) return null;
  const { pathname } = new URL(link);
  const kinds = Object.keys(KINDS) as LinkKind[];
  return kinds.find((kind) => KINDS[kind].test(pathname)) ?? null;
}

/**
 * An article's title for a list, a page or a choice: where nothing hides a spoiler, a word instead, and instead of
 * the address of a file its kind.
 */
export function listedName(article: Named, locale: string | null): string {
  if (isSpoiler(article.title)) return translate(locale, 'list.spoiler');
  const kind = linkKind(article);
  switch (kind) {
    case null:
      return article.title;
    case 'picture':
    case 'video':
      return translate(locale, `kind.${kind}`);
    case 'pdf': {
      const file = article.title.slice(article.title.lastIndexOf('/') + 1);
      return translate(locale, 'kind.pdf', { name: file.replace(/\.pdf$/i, '') });
    }
    default:
      return kind satisfies never;
  }
}
