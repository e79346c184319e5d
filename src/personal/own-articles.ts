import { articlesOf } from '../ranking/lists/of-poster.ts';
import { articlePage, type ArticlePageNeeds, PAGE_SIZE } from '../articles/lists/article-page.ts';
import type { GuildCommand, GuildComponent } from '../discord/commands/command.ts';
import { listsFor, mayView } from '../discord/access/visibility.ts';
import { button, choiceSelect, row, textInput } from '../discord/interactions/components.ts';
import { optionLabel } from '../articles/lists/option-label.ts';
import { TextInputStyle } from 'discord.js';
import { editionTitle } from '../editions/edition-title.ts';
import { readEdition } from '../editions/stored-editions.ts';
import type { Article } from '../ranking/articles/articles.ts';
import { readPosition } from '../ranking/lists/ranked.ts';
import { type Outcome, readOutcomes } from '../ranking/outcomes.ts';
import { askedOnce } from '../runtime/asked-once.ts';
import { DAY_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { MAX_COMMENT_LENGTH, MAX_TITLE_LENGTH, plainText } from '../text/clean.ts';
import { messageLink, timestamp } from '../text/mentions.ts';

type Asked = GuildCommand | GuildComponent;

const MONTH_MS = 30 * DAY_MS;

/**
 * What became of a member's own articles, the newest first, with a sum above them and a select to change one. They
 * are theirs, so no line names them.
 */
export async function ownArticlesPage(
  asked: Asked,
  needs: ArticlePageNeeds & {
    mayLackArticles(guild: Snowflake, isEmpty: boolean): Promise<boolean>;
  },
  page: number,
) {
  const { guildId: guild, locale } = asked;
  const own = await findOwn(asked, needs);
  const from = (page - 1) * PAGE_SIZE;
  const shown = own.slice(from, from + PAGE_SIZE);
  const outcomes = await readOutcomes(
    needs.ranking,
    guild,
    shown.map(({ id }) => id),
  );
  const lines = await Promise.all(
    shown.map((article, at) => becameLine(asked, needs, article, outcomes[at]!)),
  );
  const placeholder = translate(locale, 'me.articles.edit');
  const options = shown.map((article) => ({ label: optionLabel(article), value: article.id }));
  return articlePage(needs, asked, {
    title: translate(locale, 'me.articles.title'),
    head: own.length === 0 ? '' : await sumText(asked, needs, own),
    empty: translate(locale, 'me.articles.empty'),
    page,
    mayLack: await needs.mayLackArticles(guild, own.length === 0),
    found: { articles: shown, total: own.length },
    idOf: (turn, target) => ['me', turn, target].join('|'),
    notes: lines,
    namesNobody: true,
    selects:
      shown.length === 0
        ? []
        : [choiceSelect({ custom_id: 'me|own|pick', placeholder }, options, null)],
  });
}

/** Wherever the member may still view them: places and counts say what happens in a channel. */
async function findOwn(
  { guildId, user, member }: Asked,
  { ranking }: ArticlePageNeeds,
): Promise<Article[]> {
  const own = await articlesOf(ranking, guildId, user.id, listsFor(member));
  const isVisible = askedOnce((home: Snowflake) => mayView(member, home));
  return own.filter(({ home }) => isVisible(home));
}

/** "9 links this month, 2 ★, one led a digest". */
async function sumText(
  { guildId, locale }: Asked,
  { ranking, clock }: ArticlePageNeeds,
  own: readonly Article[],
): Promise<string> {
  const ofMonth = own.filter(({ postedAtMs }) => postedAtMs > clock.now() - MONTH_MS);
  const outcomes = await readOutcomes(
    ranking,
    guildId,
    ofMonth.map(({ id }) => id),
  );
  const text = translate(locale, 'me.articles.sum', {
    count: ofMonth.length,
    stars: ofMonth.filter(({ interesting }) => interesting).length,
    led: outcomes.filter(({ led }) => led.length > 0).length,
  });
  return `**${text}**\n`;
}

/** Its place now and its best, the editions that it led, and until when its voting is open. */
async function becameLine(
  { guildId: guild, locale }: Asked,
  { ranking, store, clock }: ArticlePageNeeds,
  article: Article,
  { best, led }: Outcome,
): Promise<string> {
  const group = article.listed ? null : article.home;
  const [place, ...editions] = await Promise.all([
    readPosition(ranking, { guild, group, order: 'score' }, article.id),
    ...led.map((one) => readEdition(store, guild, one)),
  ]);
  const ledTexts = editions.flatMap((edition, at) =>
    edition?.message
      ? [
          translate(locale, 'told.led', {
            name: editionTitle(locale, { ...led[at]!, edition }),
            link: messageLink(guild, { channel: edition.channel, id: edition.message }),
          }),
        ]
      : [],
  );
  const closes = timestamp(article.closesAtMs, 'R');
  return [
    ...(place === null
      ? []
      : [translate(locale, 'me.place', { place: `#${place.position}`, of: place.of })]),
    ...(best === null ? [] : [translate(locale, 'told.best', { place: `#${best}` })]),
    ...ledTexts,
    article.closed || clock.now() >= article.closesAtMs
      ? translate(locale, 'article.closed')
      : translate(locale, 'article.closes', { closes }),
  ].join(' · ');
}

/** What its poster can do with an article. */
export function ownArticleView(locale: string, { id, title }: Article) {
  const labels = {
    retitle: translate(locale, 'moderate.retitle'),
    comment: translate(locale, 'me.edit.comment'),
    remove: translate(locale, 'moderate.remove'),
  };
  return {
    content: translate(locale, 'moderate.what', { title: plainText(title, 200) }),
    embeds: [],
    components: [
      row(
        button(`me|own|retitle|${id}`, labels.retitle),
        button(`me|own|comment|${id}`, labels.comment),
        button(`me|own|remove|${id}`, labels.remove, 'danger'),
      ),
    ],
  };
}

/** The form for a new title or comment. */
export function ownArticleForm(
  locale: string,
  what: 'retitle' | 'comment',
  { id, title, comment = '' }: Article,
) {
  const isTitle = what === 'retitle';
  const input = isTitle
    ? { value: title, max_length: MAX_TITLE_LENGTH, required: true }
    : {
        value: comment,
        max_length: MAX_COMMENT_LENGTH,
        required: false,
        style: TextInputStyle.Paragraph,
      };
  return {
    custom_id: `me|own|${what}|${id}`,
    title: translate(locale, isTitle ? 'moderate.retitle' : 'me.edit.comment'),
    components: [
      textInput(translate(locale, isTitle ? 'moderate.title' : 'me.edit.label'), {
        custom_id: 'text',
        ...input,
      }),
    ],
  };
}
