/** What a block says to people. */

import { translate, type Value } from '../text/catalogue.ts';
import { code, decoded } from '../text/clean.ts';
import { timestamp } from '../text/mentions.ts';

export function untilText(untilMs: number | null): Value {
  return untilMs === null
    ? (locale) => translate(locale, 'block.forever')
    : (locale) => translate(locale, 'block.until', { until: timestamp(untilMs, 'f') });
}

/** A moderator's reason inside a text, as code, so that Discord parses nothing in it. */
export function reasonText(reason: string): Value {
  if (reason === '') return (locale) => translate(locale, 'mod.reason.none');
  return code(reason);
}

/** The origin of a block's subject, which is stored with its letters escaped. */
export function originName(subject: string): string {
  return decoded(subject.slice(subject.indexOf(':') + 1));
}
