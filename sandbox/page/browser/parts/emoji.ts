import { parse } from '@twemoji/parser';
import { html, type TemplateResult } from 'lit';

/** Where the page has Discord's own picture of an emoji; undefined for any other text. */
export function emojiAddress(emoji: string): string | undefined {
  return parse(emoji, { buildUrl: (code) => `/emoji/${code}.svg` })[0]?.url;
}

/** A server's own emoji, of which the page has no picture: a tile with the first letter of its name. */
export function ownEmojiAddress(name: string): string {
  const letter = /\w/.exec(name)?.[0]?.toUpperCase() ?? '?';
  const tile = '<rect width="36" height="36" rx="9" fill="#e8a13a"/>';
  const text = `<text x="18" y="27" font-family="sans-serif" font-size="25" font-weight="700" text-anchor="middle" fill="#222">${letter}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36">${tile}${text}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** A text with its emoji as pictures, since few fonts have them all. */
export function withEmoji(text: string): (TemplateResult | string)[] {
  const pieces: (TemplateResult | string)[] = [];
  let from = 0;
  for (const { text: emoji, url, indices } of parse(text, {
    buildUrl: (code) => `/emoji/${code}.svg`,
  })) {
    if (indices[0] > from) pieces.push(text.slice(from, indices[0]));
    pieces.push(html`<img class="emoji" src=${url} alt=${emoji} draggable="false" />`);
    from = indices[1];
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

/** For an attribute, which holds no pictures. */
export function withoutEmoji(text: string): string {
  return withEmoji(text)
    .filter((piece) => typeof piece === 'string')
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
