import { translate } from './catalogue.ts';
import { isSpoiler } from './clean.ts';

/** The title for a list, a page or a choice, where nothing hides a spoiler: a word instead. */
export function listedTitle(title: string, locale: string | null): string {
  return isSpoiler(title) ? translate(locale, 'list.spoiler') : title;
}
