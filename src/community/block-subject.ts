/** What can be blocked: its kinds, how each is stored, and how a site is typed. */

import { parse as parseHost } from 'tldts';
import { z } from 'zod';
import { siteHost } from '../ranking/links/canonical.ts';
import { oneSpelling } from '../ranking/links/percent.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { parseUrl } from '../runtime/url.ts';
import { storedWords } from './blocked-words.ts';

export type BlockSubject =
  | { kind: 'member'; member: Snowflake }
  /** A host in punycode, with the path's beginning: `github.com/someone`. */
  | { kind: 'site'; site: string }
  /** A word or phrase that may not stand in an article, as `storedWords` returns it. */
  | { kind: 'words'; words: string };
export type SubjectKind = BlockSubject['kind'];
export type SubjectOf<K extends SubjectKind> = Extract<BlockSubject, { kind: K }>;

/** As it is typed. Escaped, a Chinese character has nine. */
export const MAX_SITE_LENGTH = 250;

/** A subject as Redis and a guild's file have it. */
export function subjectKey(subject: BlockSubject): string {
  switch (subject.kind) {
    case 'member':
      return `member:${subject.member}`;
    case 'site':
      return `origin:${subject.site}`;
    case 'words':
      return `words:${subject.words}`;
    default:
      return subject satisfies never;
  }
}

const zSubjects: { [K in SubjectKind]: z.ZodType<SubjectOf<K>, string> } = {
  member: z
    .string()
    .regex(/^member:[1-9]\d{0,19}$/)
    .transform((key) => memberSubject(key.slice('member:'.length))),
  // A host has no colon, and a path may have some: `origin:wiki.example/user:somebody`.
  site: z
    .string()
    .max(9 * MAX_SITE_LENGTH)
    .regex(/^origin:[^\s:/]+(\/\S+)?$/)
    .transform((key) => ({ kind: 'site', site: key.slice('origin:'.length) })),
  words: z
    .string()
    .startsWith('words:')
    .transform((key) => key.slice('words:'.length))
    // A file can have any text there.
    .refine((words) => storedWords(words) === words)
    .transform((words) => ({ kind: 'words', words })),
};

/** The inverse of `subjectKey`. */
export const zSubject = z.union(Object.values(zSubjects));

export function memberSubject(member: Snowflake): SubjectOf<'member'> {
  return { kind: 'member', member };
}

/**
 * A domain, or the beginning of an address, as somebody would type it: `example.com`,
 * `https://www.github.com/someone/`; null where that is none. Hosts are in punycode. A site with
 * several hosts has one subject, since its links are compared under one host: `x.com` for `twitter.com`.
 */
export function siteSubject(text: string): SubjectOf<'site'> | null {
  const typed = text.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const url = typed === '' || /\s/.test(typed) ? null : parseUrl(`https://${typed}`);
  if (url === null) return null;
  const host = siteHost(url);
  if (url.username || url.password || !/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(host)) return null;
  const site = [host, ...pathOfSite(host, url.pathname)].join('/');
  const subject = { kind: 'site', site } as const;
  return zSubject.safeParse(subjectKey(subject)).success ? subject : null;
}

/** Words or a phrase as somebody would type it; null where too little is left to be looked for. */
export function wordsSubject(text: string): SubjectOf<'words'> | null {
  const words = storedWords(text);
  if (words === null) return null;
  const subject = { kind: 'words', words } as const;
  return zSubject.safeParse(subjectKey(subject)).success ? subject : null;
}

export function hostOf({ site }: SubjectOf<'site'>): string {
  return site.split('/', 1)[0]!;
}

/**
 * Whether a site is an ending under which anybody can have one: `co.uk`, `github.io`. With a path, an
 * ending that one host serves is one of its sites: `s3.amazonaws.com/someone`.
 */
export function isSharedEnding({ site }: SubjectOf<'site'>): boolean {
  const [host = '', path] = site.split('/');
  const options = { allowPrivateDomains: path === undefined, validateHostname: false };
  const bare = host.replace(/^www\./, '');
  return parseHost(bare, options).publicSuffix === bare;
}

/**
 * The segments of a path by which sites are compared, in lower case: accounts and repositories ignore case.
 * Needless escapes are decoded within a segment: sites serve `/%40somebody` as `/@somebody`. Reddit has two
 * paths of one account.
 */
export function pathOfSite(host: string, path: string): string[] {
  const plain = oneSpelling(path)
    .replace(/%(?:2[146-9A-C]|3[ABD]|40)/g, decodeURIComponent)
    .replace(/(?:%[89A-F][0-9A-F])+/g, lowerCase)
    .toLowerCase();
  const all = plain.split('/').filter(Boolean);
  if (host === 'reddit.com' && all[0] === 'user') all[0] = 'u';
  return all.slice(0, 8);
}

/** Letters beyond ASCII, which stay escaped: some of them cannot be seen. */
function lowerCase(escapes: string): string {
  const letters = Buffer.from(escapes.replaceAll('%', ''), 'hex').toString();
  return encodeURIComponent(letters.toLowerCase());
}
