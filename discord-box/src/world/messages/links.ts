import { allParts, parseMarkdown } from '../markdown/parse.ts';

/** Discord shows no more previews than this in one message. */
const MAX_PREVIEWS = 5;

/** The links in a text that get a preview: not those in `<…>`, and not those in code. */
export function previewedLinks(content: string): string[] {
  const links = [...allParts(parseMarkdown(content))].flatMap((part) =>
    part.type === 'link' && !part.isSuppressed && part.url.startsWith('http') ? part.url : [],
  );
  return [...new Set(links)].slice(0, MAX_PREVIEWS);
}
