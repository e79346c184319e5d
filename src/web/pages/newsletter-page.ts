import { html } from 'hono/html';
import { type Newsletter, writeNewsletter } from '../../editions/newsletter.ts';
import { type Key, translate } from '../../text/catalogue.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { headStart, type Html, linkList } from './page-frame.ts';

/** `look`: as a mail program shows it; the others: to be copied. */
export const DRAFT_TABS = ['look', 'html', 'markdown', 'text'] as const;
type Tab = (typeof DRAFT_TABS)[number];

const TAB_TEXTS = {
  look: 'web.draft.look',
  html: 'web.draft.html',
  markdown: 'web.draft.markdown',
  text: 'web.draft.text',
} as const satisfies Record<Tab, Key>;

type At = { guild: Snowflake; secret: string; lang: string | undefined };

/** The page of a newsletter's draft, or with `letter` the letter alone. */
export function newsletterPath({ guild, secret, lang }: At, part: Tab | 'letter' = 'look'): string {
  const query = lang === undefined ? '' : `?lang=${lang}`;
  return `/g/${guild}/newsletter/${secret}${part === 'look' ? '' : `/${part}`}${query}`;
}

/** A draft to look at and to copy, which no program that finds pages may list. */
export function newsletterPage(
  at: At & { language: string; styleAddress: string },
  tab: Tab,
  letter: Newsletter,
): Html {
  const { language, styleAddress } = at;
  const title = translate(language, 'web.draft');
  const tabs = DRAFT_TABS.map((each) => ({
    href: newsletterPath(at, each),
    text: translate(language, TAB_TEXTS[each]),
    isHere: each === tab,
  }));
  return html`${headStart(language, styleAddress, `${title} · ${letter.community}`)}
<meta name="robots" content="noindex, nofollow">
</head>
<body>
<header class="masthead">
<div class="name">
<h1><bdi>${letter.community}</bdi></h1>
<p class="about">${translate(language, 'web.draft.about')}</p>
</div>
</header>
${linkList('choices orders', title, tabs)}
<main>
<h2 class="${tab === 'look' ? 'unseen' : 'of'}"><bdi>${letter.title}</bdi></h2>
${tab === 'look' ? frameOf(at, letter) : copyOf(tab, letter, tabs.find(({ isHere }) => isHere)!.text)}
</main>
</body>
</html>
`;
}

/** What is opened in the letter opens beside it. */
function frameOf(at: At, { title }: Newsletter): Html {
  return html`<iframe class="letter" title="${title}" src="${newsletterPath(at, 'letter')}" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`;
}

function copyOf(tab: Exclude<Tab, 'look'>, letter: Newsletter, label: string): Html {
  // A line feed at the beginning of a text area is no part of it.
  return html`<textarea class="letter" aria-label="${label}" spellcheck="false" readonly>
${writeNewsletter(letter)[tab]}</textarea>`;
}

/** The letter as it is sent, but that its links open beside the page that shows it. */
export function letterDocument(letter: Newsletter): string {
  return writeNewsletter(letter).html.replace('<head>', '<head>\n<base target="_blank">');
}
