import type { Clock } from '../../runtime/clock.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { fault, type Log } from '../../runtime/log.ts';
import type { Client } from 'discord.js';
import { type Blocks, readBlocks } from '../../community/blocks.ts';
import { promotedBy, standingBy } from '../../community/may-stand.ts';
import { rankingIn } from '../../articles/ranking-in.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { readMark } from '../../ranking/articles/mark.ts';
import { type Preview, readPreviews } from '../../ranking/articles/previews.ts';
import { readVoters } from '../../ranking/ballots/voters.ts';
import { type Listed, listedNow } from '../../articles/lists/article-facts.ts';
import {
  bySection,
  editionsSince,
  type EditionContent,
  isByHand,
  type NamedEdition,
  sectionNames,
  type Shown,
} from '../../editions/stored-editions.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import {
  bestOpenFirst,
  type Candidates,
  candidatesSinceMs,
  chooseArticles,
  firstPosts,
  isBacked,
  readCandidates,
  type ShownBefore,
  shownBefore,
  stillRising,
  WEEK_LENGTH,
} from './candidates.ts';
import {
  type Body,
  type Edition,
  SECTION_LENGTH,
  type Ways,
  writeEditionMessage,
} from './edition-message.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Store } from '../../redis/store.ts';
import { hostOf } from '../../articles/linked-title.ts';
import { itemContext } from '../../articles/lists/item-context.ts';
import { translate } from '../../text/catalogue.ts';
import { linkKind } from '../../text/link-kind.ts';

/** An edition as it would be sent now. */
export type Draft = {
  /** Null if there is nothing to post. */
  body: Body | null;
  /** What the body shows, for the edition's page. */
  shown: EditionContent | null;
};

/** Where titles lead: to the pages, or, where Discord refuses a link, to the articles' messages. */
export type Links = 'pages' | 'messages';

export interface DraftContext {
  /** Where the articles are. */
  ranking: Ranking;
  /** Its cache says who may view the digest's channel. Without it, the ranking's own rule says what may be shown. */
  client?: Client;
  /** Where the members who opted out are. */
  store: Store;
  /** Discord's time, by which voting is open. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
  /** The commands as Discord has them, for the mention of one. */
  deployedCommands: () => Promise<{ id: Snowflake; name: string }[]>;
  /** Makes the tallies of articles equal to Discord's reactions, as far as possible now. */
  recount?: ((guild: Snowflake, articles: string[]) => Promise<unknown>) | undefined;
  /** The address of an edition's page on the web; null where it has none. */
  editionAddress?:
    | ((edition: {
        guild: Snowflake;
        channel: Snowflake;
        name: string;
        date: string;
      }) => Promise<string | null>)
    | undefined;
}

/** The longest time that a recount may take; a lease is three times longer. */
const RECOUNT_MS = 30_000;
/** To be still rising, an article must gain a tenth of the mark, and at least this many net votes. */
const LEAST_GAIN = 2;
/** Fewer messages are no discussion that a digest points to. */
const LEAST_REPLIES = 3;

/** Drafts an edition with the articles that it may name now. */
export async function writeDraft(
  given: DraftContext,
  edition: Edition,
  links: Links = 'pages',
): Promise<Draft> {
  const { guild, name, date, digest, period } = edition;
  const { client } = given;
  const context =
    client === undefined
      ? given
      : { ...given, ranking: rankingIn({ ...given, client }, guild, digest.channel) };
  const { ranking, store, log, recount } = context;
  const earlier = await editionsSince(store, guild, name, candidatesSinceMs(period));
  // Another process may have recorded this one.
  const others = earlier.filter((one) => one.date !== date);
  const before = shownBefore(others.map((one) => one.edition));
  const blocks = await readBlocks(store, guild);
  const accept = promotedBy(blocks, context.clock.now());
  const read = () => readCandidates(ranking, guild, digest, { period, before, accept });
  let found = await read();
  if (recount !== undefined && found.articles.length > 0) {
    // The articles that can be chosen once all votes are known.
    const likely = chooseArticles(found.articles, { ...digest, count: 2 * digest.count });
    const recounted = recount(
      guild,
      likely.map(({ id }) => id),
    ).catch((error: unknown) => {
      // Older tallies are better than a late digest or none.
      log.warn({ ...fault(error), guild }, 'The tallies of a digest could not be recounted.');
    });
    await Promise.race([recounted, pause(RECOUNT_MS, undefined, { ref: false })]);
    found = await read();
  }
  // All parts of the edition draw from these.
  found.articles = found.articles.filter(isBacked);
  const chosen = bestOpenFirst(chooseArticles(found.articles, digest));
  if (chosen.length === 0 && !digest.postEmpty) return { body: null, shown: null };
  // The quiet sentence stands alone.
  if (chosen.length === 0) found = { ...found, articles: [], listed: [], week: [] };
  if (!showsWeek(edition, others)) found.week = [];
  return writeBody(context, edition, { chosen, found, before, links, blocks });
}

/** Whether no edition of the schedule came since the week ended, so that its best were not shown yet. */
function showsWeek({ weekEndedMs = null }: Edition, others: readonly NamedEdition[]): boolean {
  if (weekEndedMs === null) return false;
  return others.every(({ date, edition }) => {
    return isByHand(date) || edition.articles.length === 0 || edition.postedAtMs < weekEndedMs;
  });
}

/** Discord found it when the link was posted: words of it may be blocked since. */
function withoutBlocked(blocks: Blocks, now: number, preview: Preview): Preview {
  const { description, ...rest } = preview;
  const mayStand = description === undefined || standingBy(blocks, now).text(description);
  return mayStand ? preview : rest;
}

type Choice = {
  /** For the list. */
  chosen: Article[];
  /** What the list and its sections can show. */
  found: Candidates;
  before: ShownBefore;
  links: Links;
  /** The guild's, read once. */
  blocks: Blocks;
};

async function writeBody(
  context: DraftContext,
  edition: Edition,
  { chosen, found, before, links, blocks }: Choice,
): Promise<{ body: Body; shown: EditionContent }> {
  const { ranking, clock } = context;
  const { guild, locale } = edition;
  const mark = await readMark(ranking, guild);
  // The best of the week say nothing new where the list has them all.
  const week = found.week.every((one) => chosen.includes(one)) ? [] : found.week;
  const rising = stillRising(
    found.listed.filter((one) => !week.includes(one)),
    before,
    Math.max(LEAST_GAIN, Math.ceil(mark / 10)),
  );
  // An article is in one section, and once, however long it is in voting.
  const left = found.articles.filter(
    (one) => !chosen.includes(one) && !week.includes(one) && !before.named.has(one.id),
  );
  const named = [...chosen, ...left, ...rising.map(({ article }) => article), ...week];
  const isPlain = links === 'messages';
  const items = await itemContext(context, named, { guild, locale, ages: 'none', isPlain });
  const firsts = await firstPosts(ranking, guild, left);
  const talkedOf = (article: Article) => items.replies.get(article.id) ?? 0;
  const shownOf = (article: Article): Listed => listedNow(article, items);
  const inSection = (articles: readonly Article[], most = SECTION_LENGTH) =>
    articles.slice(0, most).map(shownOf);
  const sections = {
    rising: rising.slice(0, SECTION_LENGTH).map(({ article, gained }) => ({
      ...shownOf(article),
      gained,
    })),
    firstPosts: inSection(firsts.filter((article) => !items.unnamed.has(article.poster))),
    discussed: inSection(
      left
        .filter((article) => !firsts.includes(article) && talkedOf(article) >= LEAST_REPLIES)
        .toSorted((a, b) => talkedOf(b) - talkedOf(a)),
    ),
    week: inSection(week, WEEK_LENGTH),
  };
  const said = [
    ...chosen,
    ...sectionNames.flatMap((section) => sections[section].map(({ article }) => article)),
  ];
  const best = chosen.slice(0, 1).map(({ id }) => id);
  const [stored = {}] = isPlain ? [] : await readPreviews(ranking, guild, best);
  const preview = withoutBlocked(blocks, clock.now(), stored);
  const isLarge = await isOfMost(ranking, guild, chosen, mark);
  const { body, listed } = writeEditionMessage({
    ...edition,
    articles: chosen.map(shownOf),
    preview,
    pictures: isPlain ? new Map() : await picturesOf(ranking, guild, chosen.slice(1)),
    isLarge,
    sections,
    items: { ...items, group: sameOf(said, ({ home }) => home), host: sameOf(said, hostOf) },
    day: found.day,
    ways: await readWays(context, edition),
  });
  const shown = {
    articles: toStore(listed),
    day: found.day,
    isLarge,
    ...bySection((section) => toStore(sections[section])),
  };
  return { body, shown };
}

function toStore(shown: readonly Listed[]): Shown[] {
  return shown.map(({ article, ...facts }) => ({ id: article.id, ...facts }));
}

/** What is the same of all articles, and is said once below them; null: nothing, or there is one alone. */
function sameOf<T>(articles: readonly Article[], of: (article: Article) => T): T | null {
  const [one, ...others] = new Set(articles.map(of));
  return articles.length > 1 && others.length === 0 ? (one ?? null) : null;
}

/** Of an article of a private channel, nothing may show before a member opens it. */
async function picturesOf(
  ranking: Ranking,
  guild: Snowflake,
  articles: readonly Article[],
): Promise<Map<Snowflake, string>> {
  const ids = articles
    .filter((article) => article.listed && linkKind(article) === 'picture')
    .map(({ id }) => id);
  const previews = await readPreviews(ranking, guild, ids);
  return new Map(
    ids.flatMap((id, at) => {
      const picture = previews[at]?.picture;
      return picture === undefined ? [] : [[id, picture] as const];
    }),
  );
}

/** Whether the best is interesting, or half of that and the choice of most who voted for anything in the list. */
async function isOfMost(
  ranking: Ranking,
  guild: Snowflake,
  chosen: readonly Article[],
  mark: number,
): Promise<boolean> {
  const [best] = chosen;
  if (best === undefined || best.interesting) return best !== undefined;
  if (best.up < mark / 2) return false;
  const voters = new Set<Snowflake>();
  for (const { id } of chosen) {
    for (const member of (await readVoters(ranking, guild, id)).keys()) voters.add(member);
  }
  return best.up - 1 > voters.size / 2;
}

/** How readers take part, and see more. Without Discord's answer, a command is named without a link. */
async function readWays(
  { deployedCommands, editionAddress, log }: DraftContext,
  { guild, name, date, locale, digest }: Edition,
): Promise<Ways> {
  const commands = await deployedCommands().catch((error: unknown) => {
    log.warn({ ...fault(error), guild }, 'A digest could not read the commands.');
    return [];
  });
  const mention = (of: 'post' | 'top'): string => {
    const command = commands.find((one) => one.name === of);
    const shown = translate(locale, `command.${of}.name`);
    return command === undefined ? `/${shown}` : `</${of}:${command.id}>`;
  };
  const page = (await editionAddress?.({ guild, channel: digest.channel, name, date })) ?? null;
  return { post: mention('post'), list: mention('top'), page };
}
