import { isBelowPublicSuffix } from '../ranking/links/parse.ts';

const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

/**
 * Whether Discord accepts a title as the text of a masked link. Discord shows the link raw if the text
 * looks like an address, and in a message's content also if it has an emoji. Its parser also counts
 * escaped brackets.
 */
export function isMaskable(title: string, where: 'content' | 'embed'): boolean {
  if (where === 'content' && emoji.test(title)) return false;
  return !/[[\]]/.test(title) && !looksLikeAddress(title);
}

function looksLikeAddress(title: string): boolean {
  if (/:\/\/|\bwww\./i.test(title)) return true;
  const names = title
    .split(/[^\p{L}\p{N}.-]+/u)
    .flatMap((word) => word.split(/\.\.+/))
    .map((word) => word.replace(/^\.|\.$/g, ''));
  return names.some((name) => name.includes('.') && isBelowPublicSuffix(name));
}

/** Encodes brackets, which would end the masked link. The address keeps its meaning. */
export function maskedAddress(link: string): string {
  return link.replace(/[()\\|]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
