import { z } from 'zod';
import { MAX_LINK_LENGTH } from '../../ranking/links/parse.ts';
import { MAX_GROUPS, zSpan } from '../../ranking/rules.ts';
import { zSignsText } from '../../ranking/vote-signs.ts';
import { zSnowflake } from '../../runtime/snowflake.ts';
import { zBoardChoice } from '../../board/stored-board.ts';
import { zEdition, zEditionDate } from '../../editions/stored-editions.ts';
import { zSubject } from '../../community/block-subject.ts';
import { zBlock } from '../../community/blocks.ts';
import { zDigest, zDigestName, zRun } from '../../digests/digest-settings.ts';
import { isSettingName, parseSetting } from '../../community/settings.ts';
import { zTimeMs } from '../../runtime/clock.ts';
import { parseUrl } from '../../runtime/url.ts';
import { zWebSettings } from '../../web/web-settings.ts';

/**
 * A guild's file: lines of JSON, in UTF-8, plain or compressed with gzip. The first line is the header;
 * the last line has the checksum of all lines before it.
 * A backup is the files of all guilds, one after the other.
 */
export const FORMAT = 'frontpage-guild';
/** Raise it with a line that earlier programs refuse. Files of all versions up to this one are read. */
export const VERSION = 2;

/** The voters that an article's line holds. If it has more, a recount brings them back. */
export const VOTERS_AT_MOST = 30_000;
/**
 * That many voters, each of whom shows both reactions. A line is read at once: one of 6 MB kept all
 * guilds waiting for 0.6 s.
 */
export const LONGEST_LINE = 1.5 * 1024 * 1024;
/**
 * The longest line without its ids. Each wrong element of a list is a fault of its own, and thousands of
 * them cost seconds.
 */
export const LONGEST_WITHOUT_IDS = 65_536;

function oneLine(longest: number) {
  return z
    .string()
    .max(longest)
    .refine((text) => !/[\n\r]/.test(text), { error: 'more than one line' });
}

/** A row in Redis has at most nine digits for it. */
const zVotes = z.int().min(0).max(999_999_999);

/** As WHATWG writes it, and never with a name or a password in it. */
const zLink = oneLine(MAX_LINK_LENGTH).refine(isWebLink, { error: 'no web address' });

export const zHeader = z.strictObject({
  format: z.literal(FORMAT),
  version: z.int().min(1),
  guild: zSnowflake,
  application: zSnowflake,
  madeAt: z.iso.datetime(),
});
export type Header = z.infer<typeof zHeader>;

const zSetting = z
  .strictObject({ kind: z.literal('setting'), name: z.string().max(50), value: z.unknown() })
  .superRefine(({ name, value }, context) => {
    if (!isSettingName(name)) context.addIssue({ code: 'custom', message: 'unknown setting' });
    else if (parseSetting(name, value) === undefined) {
      context.addIssue({ code: 'custom', message: `${name} cannot be this` });
    }
  });

const zMark = z.strictObject({
  kind: z.literal('mark'),
  mark: z.int().min(1).max(1_000_000),
  spanDays: zSpan.exactOptional(),
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
  /** What members vote with; absent: 👍 and 👎. */
  signs: zSignsText.exactOptional(),
  poster: zSnowflake,
  /** All groups, the home group first. */
  groups: z.array(zSnowflake).min(1).max(MAX_GROUPS),
  /** The home group, or a thread of it. */
  channel: zSnowflake,
  up: zVotes.min(1),
  down: zVotes,
  /** Of a closed article: it was interesting then. */
  interesting: z.boolean(),
  locked: z.boolean(),
  closed: z.boolean(),
  listed: z.boolean(),
  /** A moderator or the poster removed it then. */
  removedAtMs: zTimeMs.exactOptional(),
  /** Its poster did, not a moderator. */
  own: z.literal(true).exactOptional(),
  /** Of an article that is not closed; the poster's vote is not among them. */
  voters: z
    .strictObject({
      up: z.array(zSnowflake).max(VOTERS_AT_MOST),
      down: z.array(zSnowflake).max(VOTERS_AT_MOST),
      /** These of them show the opposite reaction as well, and it is the older one. */
      both: z.array(zSnowflake).max(VOTERS_AT_MOST).exactOptional(),
    })
    .exactOptional(),
  /** What became of it besides: its best place, the editions that it led, what its thread was told. */
  outcome: z
    .strictObject({
      best: z.int().min(1).max(1000).nullable(),
      led: z.array(z.strictObject({ name: zName, date: zEditionDate })).max(1000),
      firstSinceMs: zTimeMs.nullable(),
      told: z.string().regex(/^[a-z]{0,9}$/i),
      isLedOn: z.boolean(),
    })
    .exactOptional(),
});
export type ArticleLine = z.infer<typeof zArticle>;

export const zLine = z.discriminatedUnion('kind', [
  zSetting,
  zMark,
  // Files of before have a secret of the feeds' addresses, which is passed over.
  z.object({ kind: z.literal('web'), ...zWebSettings.shape }),
  z.strictObject({ kind: z.literal('board'), ...zBoardChoice.shape }),
  z.strictObject({ kind: z.literal('block'), subject: zSubject, ...zBlock.shape }),
  z.strictObject({ kind: z.literal('opted-out'), member: zSnowflake }),
  z.strictObject({ kind: z.literal('unnamed'), member: zSnowflake }),
  z.strictObject({ kind: z.literal('erased'), member: zSnowflake, atMs: zTimeMs }),
  z.strictObject({
    kind: z.literal('digest'),
    name: zName,
    digest: zDigest,
    run: zRun,
  }),
  z.strictObject({
    kind: z.literal('edition'),
    name: zName,
    date: zEditionDate,
    ...zEdition.shape,
  }),
  z.strictObject({ kind: z.literal('imported'), article: zSnowflake }),
  zArticle,
]);
export type Line = z.infer<typeof zLine>;
/** A line before it is read, as JSON has it. */
export type WrittenLine = z.input<typeof zLine>;
export type Kind = Line['kind'];
export type LineOf<K extends Kind> = Extract<Line, { kind: K }>;

/** The kinds of which a guild can have very many. Their lines are restored many at once. */
export const MANY: ReadonlySet<Kind> = new Set([
  'opted-out',
  'unnamed',
  'erased',
  'edition',
  'imported',
  'article',
]);
/**
 * The lines of a kind in one guild's file. No guild has as many, and each line costs, however few bytes it takes
 * packed: of messages that were imported, 400 000 fit into a megabyte.
 */
export function linesAtMost(kind: Kind): number {
  if (kind === 'article') return 1_000_000;
  if (kind === 'imported') return IMPORTED_AT_MOST;
  // The others are restored one by one: mostly blocks.
  return MANY.has(kind) ? 100_000 : 10_000;
}

/** An export writes no more, and a restore fills a guild's records up to here. */
export const IMPORTED_AT_MOST = 250_000;

/** In the order in which an export writes them. */
export const KINDS: readonly Kind[] = zLine.options.map(({ shape }) => shape.kind.value);

/** The sum of the guild's lines before it, with their line feeds. */
export const zEnd = z.strictObject({
  kind: z.literal('end'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

function isWebLink(link: string): boolean {
  const url = parseUrl(link);
  if (url === null) return false;
  const { href, protocol, username, password } = url;
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && href === link && username + password === '';
}
