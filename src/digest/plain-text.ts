import { cleanTitle, shortened } from '../discord/title.ts';

/**
 * A member's title for a message's own text, where Discord parses markdown, links and mentions:
 * shown letter for letter and nothing more. Discord drops a backslash before punctuation.
 */
export function plainText(title: string, length: number): string {
  return shortened(cleanTitle(title), length)
    .replace(/[\\*_~|`[\]<>]/g, '\\$&')
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/@(?=everyone|here)/g, '\\@');
}
