import { cleanLine, shortened } from './clean.ts';

/** In stored characters. When a comment is shown, each can have a backslash before it. */
export const MAX_COMMENT_LENGTH = 1000;
const LINES_AT_MOST = 10;

/** A poster's comment as a few lines of visible text; empty if no visible text is left. */
export function cleanComment(text: string): string {
  const lines = text
    .slice(0, 8 * MAX_COMMENT_LENGTH)
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => cleanLine(line, MAX_COMMENT_LENGTH))
    .filter((line) => line !== '');
  return shortened(lines.slice(0, LINES_AT_MOST).join('\n'), MAX_COMMENT_LENGTH);
}

/** Escapes a poster's words, so that a message shows no Markdown, links or mentions of theirs. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\*_~|`[\]()<>@]/g, '\\$&')
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/^([^\S\n]*)([#+>-])/gm, '$1\\$2')
    .replace(/^([^\S\n]*\d+)([.)])/gm, '$1\\$2');
}

/** The inverse of `escapeMarkdown`: Discord returns a message as it was sent. */
export function unescapeMarkdown(text: string): string {
  return text.replace(/\\([\\*_~|`[\]()<>@:#+>.-])/g, '$1');
}
