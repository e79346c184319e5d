/** What a block says to people. */

import type { BlockSubject } from './block-subject.ts';
import { type Block, type BlockScope, scopeOf } from './blocks.ts';
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

/** A member as a mention; a site as code, with its letters, which are stored escaped; words as code. */
export function subjectText(subject: BlockSubject): string {
  switch (subject.kind) {
    case 'member':
      return `<@${subject.member}>`;
    case 'site':
      return code(decoded(subject.site));
    case 'words':
      return code(subject.words);
    default:
      return subject satisfies never;
  }
}

const SUBJECTS_LENGTH = 1000;

/** Several subjects, as many as a message has room for. */
export function subjectsText(subjects: readonly BlockSubject[]): string {
  const texts = subjects.map(subjectText);
  let shown = texts.length;
  while (shown > 1 && texts.slice(0, shown).join(', ').length > SUBJECTS_LENGTH) shown -= 1;
  const more = shown < texts.length ? ` +${texts.length - shown}` : '';
  return texts.slice(0, shown).join(', ') + more;
}

/** The values of a text about a block, or about several that were made as one. */
export function blockValues(locale: string | null, block: Block, ...more: readonly Block[]) {
  const scope = whatIsBlocked(block);
  return {
    subject: subjectsText([block, ...more].map(({ subject }) => subject)),
    until: untilText(block.untilMs),
    scope,
    what: translate(locale, `mod.what.${scope}`),
  };
}

function whatIsBlocked({ subject, posting, voting }: Block): BlockScope | 'links' | 'words' {
  switch (subject.kind) {
    case 'member':
      return scopeOf({ posting, voting });
    case 'site':
      return 'links';
    case 'words':
      return 'words';
    default:
      return subject satisfies never;
  }
}
