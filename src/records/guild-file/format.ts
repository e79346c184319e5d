import { z } from 'zod';
import { MAX_LINK_LENGTH } from '../../ranking/links/parse.ts';
import { MAX_GROUPS } from '../../ranking/rules.ts';
import { zSnowflake } from '../../ranking/snowflake.ts';
import { zBlock, zSubject } from '../blocks.ts';
import { zAuditEntry } from '../audit-log.ts';
import { zDigest, zDigestName, zRun } from '../digests/digest.ts';
import { isSettingName, parseSetting } from '../settings.ts';

/**
 * A guild's file: lines of JSON, in UTF-8, plain or compressed with gzip. `docs/export.md` says what
 * each line means. The first says what the file is, the last what it should have been. Between them
 * the kinds stand in the order of `KINDS`, within a kind what it is about in ascending order, so that
 * a doubled line is noticed without remembering the others.
 */
export const FORMAT = 'frontpage-guild';
export const VERSION = 1;

/** The longest line of an export is a tenth of it. */
export const LONGEST_LINE = 256 * 1024;

/** So many members' votes stand in a line. */
export const VOTES_IN_LINE = 500;

function oneLine(longest: number) {
  return z
    .string()
    .max(longest)
    .refine((text) => !/[\n\r]/.test(text), { error: 'more than one line' });
}

const zMs = z.int().min(0).max(8.64e15);
const zCount = z.int().min(0).max(0xffff_ffff);

/** As WHATWG writes it, and never with a name or a password in it. */
const zLink = oneLine(MAX_LINK_LENGTH).refine(isWebLink, { error: 'no web address' });

export const zHeader = z.strictObject({
  format: z.literal(FORMAT),
  version: z.int(),
  guild: zSnowflake,
  application: zSnowflake,
  madeAt: z.iso.datetime(),
});
export type Header = z.infer<typeof zHeader>;

const zSetting = z
  .strictObject({ kind: z.literal('setting'), name: z.string().max(50), value: z.unknown() })
  .superRefine(({ name, value }, context) => {
    if (!isSettingName(name)) context.addIssue({ code: 'custom', message: 'unknown setting' });
    else if (parseSetting(name, value).status !== 'ok') {
      context.addIssue({ code: 'custom', message: `${name} cannot be this` });
    }
  });

const zWeb = z.strictObject({
  kind: z.literal('web'),
  open: z.boolean(),
  names: z.boolean(),
  secret: z
    .string()
    .regex(/^[\w-]{43}$/)
    .nullable(),
});

const zName = z.string().refine((name) => zDigestName.safeParse(name).data === name, {
  error: 'no name of a digest',
});

const zArticle = z.strictObject({
  kind: z.literal('article'),
  id: zSnowflake,
  title: oneLine(1000).min(1),
  link: zLink,
  comment: z.string().min(1).max(5000).exactOptional(),
  poster: zSnowflake,
  /** All groups, the home group first. */
  groups: z.array(zSnowflake).min(1).max(MAX_GROUPS),
  /** The thread of the home group that its message is in. */
  thread: zSnowflake.exactOptional(),
  up: zCount.min(1),
  down: zCount,
  state: z.enum(['open', 'locked', 'closed']),
  listed: z.boolean(),
  /**
   * Under which name its link is known again: the guild's, its channel's or its own, see
   * `linkNames`; `none`: the link may be posted again.
   */
  known: z.enum(['guild', 'channel', 'own', 'none']),
  /** A moderator or the poster removed it then. */
  removedAtMs: zMs.exactOptional(),
  /** Word of it was given when it became interesting. */
  announced: z.literal(true).exactOptional(),
});
export type ArticleLine = z.infer<typeof zArticle>;

const zDirection = z.enum(['up', 'down']);
/** `both`: the opposite reaction is shown as well, and is the older. */
const zVote = z.union([
  z.tuple([zSnowflake, zDirection]),
  z.tuple([zSnowflake, zDirection, z.literal('both')]),
]);

const zVotes = z.strictObject({
  kind: z.literal('votes'),
  article: zSnowflake,
  votes: z.array(zVote).min(1).max(VOTES_IN_LINE),
});
export type VotesLine = z.infer<typeof zVotes>;

/** In the order in which they stand in a file. */
export const KINDS = [
  'setting',
  'web',
  'block',
  'opted-out',
  'erased',
  'erasing',
  'deed',
  'digest',
  'imported',
  'article',
] as const;
export type Kind = (typeof KINDS)[number];

export const zLine = z.discriminatedUnion('kind', [
  zSetting,
  zWeb,
  z.strictObject({ kind: z.literal('block'), subject: zSubject.max(250), ...zBlock.shape }),
  z.strictObject({ kind: z.literal('opted-out'), member: zSnowflake }),
  z.strictObject({ kind: z.literal('erased'), member: zSnowflake, atMs: zMs }),
  z.strictObject({ kind: z.literal('erasing'), article: zSnowflake, channel: zSnowflake }),
  z.strictObject({ kind: z.literal('deed'), deed: zAuditEntry }),
  z.strictObject({
    kind: z.literal('digest'),
    name: zName,
    /** null: it was deleted, and is not to be posted twice on a date when it is made anew. */
    digest: zDigest.nullable(),
    run: zRun,
  }),
  z.strictObject({
    kind: z.literal('imported'),
    article: zSnowflake,
    run: z
      .string()
      .min(1)
      .max(100)
      .regex(/^[\w-]+$/),
  }),
  zArticle,
  zVotes,
]);
export type Line = z.infer<typeof zLine>;
export type LineOf<K extends Line['kind']> = Extract<Line, { kind: K }>;

export type Counts = Record<Kind, number>;
export const noCounts = (): Counts => Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Counts;

/** `sha256` is that of all lines before this one, with their line feeds. */
export const zTrailer = z.strictObject({
  kind: z.literal('end'),
  counts: z.record(z.enum(KINDS), zCount),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** What a line is about; within a kind in ascending order. */
export function subjectOf(line: Exclude<Line, VotesLine>): string {
  switch (line.kind) {
    case 'setting':
    case 'digest':
      return line.name;
    case 'web':
      return '';
    case 'block':
      return line.subject;
    case 'opted-out':
    case 'erased':
      return inOrder(line.member);
    case 'erasing':
    case 'imported':
      return inOrder(line.article);
    case 'deed':
      return `${String(line.deed.atMs).padStart(16, '0')} ${JSON.stringify(line.deed)}`;
    case 'article':
      return inOrder(line.id);
  }
}

/** Snowflakes compare as numbers do. */
export const inOrder = (id: string): string => id.padStart(20, '0');

function isWebLink(link: string): boolean {
  if (!URL.canParse(link)) return false;
  const { href, protocol, username, password } = new URL(link);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && href === link && username + password === '';
}
