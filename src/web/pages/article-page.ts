import { html } from 'hono/html';
import { listedNow } from '../../articles/lists/article-facts.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Replies } from '../../ranking/articles/discussions.ts';
import { translate } from '../../text/catalogue.ts';
import { titleText } from '../../text/title-link.ts';
import { type ItemContext, leadItem, listItem } from './article-html.ts';
import { articlePath } from './article-path.ts';
import { pathOf } from './list-view.ts';
import { type Frame, framed, type Html, langOf } from './page-frame.ts';

/** One article, below its channel, and what was there before on its subject. */
export function articlePage(
  frame: Frame,
  {
    article,
    earlier,
    replies,
    ...items
  }: { article: Article; earlier: readonly Article[]; replies: Replies } & ItemContext,
): Html {
  const { guild, language, community } = frame;
  const { id, home } = article;
  const channel = community.groups.find((group) => group.id === home);
  const { description = '', picture } = items.abouts.get(id) ?? {};
  const ofCommunity = translate(language, 'web.description', { community: community.name });
  const title = titleText(article, language);
  const item = (one: Article) => ({ ...listedNow(one, { replies }), hasDay: true });
  return framed(frame, {
    title: `${title} · ${community.name}`,
    description: description || ofCommunity,
    picture,
    path: articlePath(guild, id),
    inLanguage: (lang) => articlePath(guild, id, lang),
    main: html`${
      channel === undefined
        ? html`<h2 class="unseen"><bdi>${title}</bdi></h2>`
        : html`<h2 class="of"><a href="${pathOf(guild, { group: home, order: 'score', page: 1 }, { lang: langOf(frame) })}"><bdi>#${channel.name}</bdi></a></h2>`
    }
<ul class="articles">${leadItem(frame, items, { ...item(article), here: home }, null, null)}</ul>
${
  earlier.length === 0
    ? ''
    : html`<h2 class="section">${translate(language, 'earlier.title')}</h2>
<ul class="articles">${earlier.map((one) => listItem(frame, items, item(one), null))}</ul>`
}`,
  });
}
