import { parseUrl } from '../forms/url.ts';

/** Discord shows no more previews than this in one message. */
const MAX_PREVIEWS = 5;

/** The links in a text that get a preview: not those in `<…>`, and not those in code. */
export function previewedLinks(content: string): string[] {
  const text = content
    .replace(/```[\s\S]*?```|`[^`]*`/g, ' ')
    .replace(/<https?:\/\/[^\s>]*>/g, ' ');
  const links = [...text.matchAll(/https?:\/\/[^\s<>"]+/g)].map(([link]) => withoutTail(link));
  return [...new Set(links.filter((link) => parseUrl(link) !== null))].slice(0, MAX_PREVIEWS);
}

/** Without the punctuation that ends a sentence, and without a bracket that was opened before. */
function withoutTail(link: string): string {
  let cut = link;
  for (;;) {
    const opened = cut.split('(').length - cut.split(')').length;
    const shorter =
      opened < 0 ? cut.slice(0, cut.lastIndexOf(')')) : cut.replace(/[.,:;'\]*_|]$/, '');
    if (shorter === cut) return cut;
    cut = shorter;
  }
}
