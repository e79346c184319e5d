import { createHash } from 'node:crypto';
import type { APIEmbed } from 'discord.js';
import {
  articlePage,
  type ArticlePageNeeds,
  pageButtons,
  PAGE_SIZE,
} from '../articles/lists/article-page.ts';
import { articleItems } from '../articles/lists/article-item.ts';
import { itemContext } from '../articles/lists/item-context.ts';
import type { MemberNames } from '../discord/member-names.ts';
import type { GuildCommand, GuildComponent } from '../discord/commands/command.ts';
import { NONE } from '../discord/commands/checked-options.ts';
import { mayView, seesMoreThanLists } from '../discord/access/visibility.ts';
import {
  type ActionRow,
  button,
  card,
  choiceSelect,
  row,
} from '../discord/interactions/components.ts';
import { optionLabel } from '../articles/lists/option-label.ts';
import { limits } from '../discord/limits.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import { unvotedAmong } from '../ranking/ballots/of-member.ts';
import { containsWords, folded } from '../ranking/lists/fold.ts';
import { byScore, listArticles, walkNewest } from '../ranking/lists/ranked.ts';
import { askedOnce } from '../runtime/asked-once.ts';
import { DAY_MS } from '../runtime/clock.ts';
import { type Snowflake, snowflakeAt, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { cleanLine, code, escapeHtml, shortened, shownHost } from '../text/clean.ts';
import { timestamp } from '../text/mentions.ts';
import { isShownTo } from './muted.ts';
import { type Mute, readPersonal, writeSeen } from './stored-personal.ts';

type Asked = GuildCommand | GuildComponent;

/** Of who has never looked, a week is new; and no more than this many articles are looked through. */
const AT_FIRST_MS = 7 * DAY_MS;
const LOOKED_THROUGH = 2000;
/** The best of a day, beneath what is new. */
const BEST_OF_DAY = 3;

/** A view of what is new: since which article, and the group, or all that everybody here may view. */
export type NewView = { since: Snowflake | null; group: Snowflake | null; page: number };

/**
 * What came since the member last looked, best first, without what they voted on, posted or muted, with its end.
 * Looking moves the mark, unless the view says since when.
 */
export async function newForMe(asked: Asked, needs: ArticlePageNeeds, view: NewView) {
  const { guildId: guild, locale, user } = asked;
  const { store, clock } = needs;
  const { seen, muted } = await readPersonal(store, guild, user.id);
  const since = view.since ?? seen ?? snowflakeAt(clock.now() - AT_FIRST_MS);
  const { page, group } = view;
  // The first page mostly is the end: side by side, a look costs one round trip more than a list that everybody sees.
  const [{ found, newest }, atOnce] = await Promise.all([
    findNew(asked, needs, { ...view, since }, muted),
    page === 1 ? bestOfDay(asked, needs, group, muted) : null,
  ]);
  const from = (page - 1) * PAGE_SIZE;
  const isEnd = from + PAGE_SIZE >= found.length;
  const best = isEnd ? (atOnce ?? (await bestOfDay(asked, needs, group, muted))) : '';
  const when = timestamp(snowflakeTimeMs(since), 'R');
  const idOf = (what: string, target: number) =>
    ['me', 'new', what, since, group ?? NONE, target].join('|');
  const shown = articlePage(needs, asked, {
    title: translate(locale, 'board.new'),
    head: translate(locale, 'personal.new.head', { count: found.length, when }),
    tail: isEnd
      ? [translate(locale, 'personal.new.end', { when }), best].filter(Boolean).join('\n')
      : '',
    empty:
      found.length === 0 && group === null && seesMoreThanLists(asked.member)
        ? translate(locale, 'empty.closed')
        : '',
    page,
    mayLack: false,
    group,
    found: { articles: found.slice(from, from + PAGE_SIZE), total: found.length },
    idOf,
    selects:
      found.length === 0
        ? []
        : [row(button(idOf('keep', 1), translate(locale, 'personal.new.keep')))],
  });
  // One channel's news are not all.
  const isLook = view.since === null && group === null && newest !== null;
  const [answered] = await Promise.all([
    shown,
    isLook ? writeSeen(store, guild, user.id, newest) : null,
  ]);
  return answered;
}

/** The new articles that are shown, best first, and the newest of all. */
async function findNew(
  { guildId: guild, user, member }: Asked,
  { ranking, clock }: ArticlePageNeeds,
  { since, group }: { since: Snowflake; group: Snowflake | null },
  muted: readonly Mute[],
): Promise<{ found: Article[]; newest: Snowflake | null }> {
  const isShown = isShownTo(user.id, muted);
  const isVisible = askedOnce((home: Snowflake) => mayView(member, home));
  const found: Article[] = [];
  let newest: Snowflake | null = null;
  const sinceMs = Math.max(snowflakeTimeMs(since), clock.now() - AT_FIRST_MS);
  for await (const articles of walkNewest(
    ranking,
    { guild, group },
    sinceMs - 1000,
    LOOKED_THROUGH,
  )) {
    newest ??= articles[0]?.id ?? null;
    const later = articles.filter(({ id }) => BigInt(id) > BigInt(since)).filter(isShown);
    const unvoted = await unvotedAmong(ranking, guild, user.id, later, clock.now());
    found.push(...unvoted.filter(({ home }) => isVisible(home)));
  }
  return { found: found.sort(byScore), newest };
}

async function bestOfDay(
  asked: Asked,
  needs: ArticlePageNeeds,
  group: Snowflake | null,
  muted: readonly Mute[],
): Promise<string> {
  const { guildId: guild, locale, user, member } = asked;
  const { ranking, clock } = needs;
  const list = { guild, group, order: 'score', page: 1, pageSize: PAGE_SIZE } as const;
  const { articles } = await listArticles(ranking, list);
  const best = articles
    .filter(isShownTo(user.id, muted))
    .filter(({ home }) => mayView(member, home))
    .slice(0, BEST_OF_DAY);
  if (best.length === 0) return '';
  const context = await itemContext(needs, best, {
    guild,
    locale,
    ages: { at: clock.now() },
    group,
  });
  return [
    '',
    `**${translate(locale, 'personal.new.best')}**`,
    ...articleItems(best, context, { length: 1500 }),
  ].join('\n');
}

/** With as many, in whatever script, the id of a button has room for them. */
export const SAVED_WORDS_AT_MOST = 20;

/** From the id of a button of `savedPage`, which has them in letters of ASCII. */
export function wordsFrom(text: string): string {
  return cleanLine(Buffer.from(text, 'base64url').toString(), SAVED_WORDS_AT_MOST);
}

/** What the member saved, newest first, as far as they may view it now. */
export async function savedPage(
  asked: Asked,
  needs: ArticlePageNeeds,
  { page, words }: { page: number; words: string },
) {
  const { locale } = asked;
  const { found: all, gone, hidden } = await findSaved(asked, needs);
  const wanted = folded(words).split(' ').filter(Boolean);
  const found = all.filter(({ title }) => containsWords(title, wanted));
  const savedId = (what: string, target: number) =>
    ['me', 'saved', what, target, Buffer.from(words).toString('base64url')].join('|');
  const from = (page - 1) * PAGE_SIZE;
  const shown = found.slice(from, from + PAGE_SIZE);
  const options = shown.map((article) => ({ label: optionLabel(article), value: article.id }));
  const placeholder = translate(locale, 'personal.saved.drop');
  const unseen = gone.length + hidden.length;
  const acts = [
    ...(all.length > 0
      ? [button(savedId('file', 1), translate(locale, 'personal.saved.file'))]
      : []),
    ...(gone.length > 0
      ? [button(savedId('tidy', page), translate(locale, 'personal.saved.tidy'))]
      : []),
    ...(hidden.length > 0
      ? [button(savedId('hidden', page), translate(locale, 'personal.saved.hidden'))]
      : []),
  ];
  return articlePage(needs, asked, {
    title: [translate(locale, 'personal.saved.title'), words].filter(Boolean).join(' · '),
    tail: unseen > 0 ? translate(locale, 'personal.saved.gone', { count: unseen }) : '',
    empty: translate(locale, all.length > 0 ? 'search.empty' : 'personal.saved.empty'),
    page,
    mayLack: false,
    found: { articles: shown, total: found.length },
    idOf: savedId,
    selects: [
      ...(options.length > 0
        ? [choiceSelect({ custom_id: savedId('drop', page), placeholder }, options, null)]
        : []),
      ...(acts.length > 0 ? [row(...acts)] : []),
    ],
  });
}

/** The saved articles that the member may view now, and the others: deleted or removed, or hidden for now. */
export async function findSaved(
  { guildId: guild, user, member }: Asked,
  { ranking, store }: ArticlePageNeeds,
): Promise<{ found: Article[]; gone: Snowflake[]; hidden: Snowflake[] }> {
  const { saved } = await readPersonal(store, guild, user.id);
  const articles = await readArticles(ranking, guild, saved);
  const isVisible = askedOnce((home: Snowflake) => mayView(member, home));
  const there = articles.filter((one) => one !== null);
  return {
    found: there.filter(({ home }) => isVisible(home)),
    gone: saved.filter((_, i) => articles[i] === null),
    hidden: there.filter(({ home }) => !isVisible(home)).map(({ id }) => id),
  };
}

/** A file of bookmarks as browsers import it (the Netscape format). */
export function bookmarksFile(title: string, articles: readonly Article[]): string {
  const lines = articles.map(
    (one) =>
      `<DT><A HREF="${escapeHtml(one.link)}" ADD_DATE="${Math.floor(one.postedAtMs / 1000)}">${escapeHtml(one.title)}</A>`,
  );
  return `<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n<TITLE>${escapeHtml(title)}</TITLE>\n<H1>${escapeHtml(title)}</H1>\n<DL><p>\n${lines.join('\n')}\n</DL><p>\n`;
}

const mutedId = (what: string, target: number) => ['me', 'muted', what, target].join('|');

/** What the member muted, the newest first, a page for as much as a list to take it back has room for. */
export async function mutedPage(
  { guildId: guild, locale, user }: Asked,
  { store, names }: ArticlePageNeeds & { names: MemberNames },
  asked: number,
): Promise<{ content: string; embeds: APIEmbed[]; components: ActionRow[] }> {
  const { muted } = await readPersonal(store, guild, user.id);
  const last = Math.max(1, Math.ceil(muted.length / limits.selectOptions));
  // What was just taken back may have been the last of its page.
  const page = Math.min(asked, last);
  const from = (page - 1) * limits.selectOptions;
  const shown = muted.slice(from, from + limits.selectOptions);
  const posters = shown.flatMap(({ kind, value }) => (kind === 'poster' ? [value] : []));
  const known = posters.length > 0 ? await names.soon(guild, posters) : new Map<string, string>();
  const lines = shown.map((each) => `- ${mutedText(locale, each)}`);
  const about = translate(locale, 'personal.muted.about');
  const empty = translate(locale, 'personal.muted.empty');
  const options = shown.map((each) => ({
    label: shortened(
      `${translate(locale, `personal.mute.${each.kind}`)}: ${known.get(each.value) ?? each.value}`,
      limits.selectOptionLength,
    ),
    value: muteOption(each),
  }));
  const placeholder = translate(locale, 'personal.muted.lift');
  const pages = { page, pages: last };
  return {
    content: '',
    embeds: [
      {
        ...card(translate(locale, 'personal.muted.title'), [
          ...(muted.length > 0 ? lines : [empty]),
          '',
          `-# ${about}`,
        ]),
        ...(last > 1 ? { footer: { text: translate(locale, 'web.page', pages) } } : {}),
      },
    ],
    components: [
      ...(last > 1 ? [pageButtons(locale, { page, idOf: mutedId }, last)] : []),
      ...(options.length > 0
        ? [choiceSelect({ custom_id: mutedId('lift', page), placeholder }, options, null)]
        : []),
      row(button('me|muted|word', translate(locale, 'personal.mute.word.button'))),
    ],
  };
}

/** The value of its option. A host can be longer than one may be, and has a short name there then. */
export function muteOption({ kind, value }: Mute): string {
  const option = `${kind}:${value}`;
  if (option.length <= limits.selectOptionLength) return option;
  return `${kind}:#${createHash('sha256').update(value).digest('base64url').slice(0, 22)}`;
}

export function mutedText(locale: string, { kind, value }: Mute): string {
  const name = translate(locale, `personal.mute.${kind}`);
  return `${name}: ${kind === 'poster' ? `<@${value}>` : code(value, 60)}`;
}

/** Under an article: mutes its site or its poster for who chooses it; `commands/me.ts` answers. */
export function muteSelect(locale: string, { id, link }: Article): ActionRow {
  const host = shownHost(new URL(link).host);
  const options = [
    {
      label: shortened(
        translate(locale, 'personal.mute.this.site', { host }),
        limits.selectOptionLength,
      ),
      value: 'site',
    },
    { label: translate(locale, 'personal.mute.this.poster'), value: 'poster' },
  ];
  const placeholder = translate(locale, 'personal.mute.select');
  return choiceSelect({ custom_id: `me|mute|${id}`, placeholder }, options, null);
}
