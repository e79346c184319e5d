import type { Context } from 'hono';
import { z } from 'zod';
import { editionPath } from './pages/edition-path.ts';
import { DRAFT_TABS, letterDocument, newsletterPage } from './pages/newsletter-page.ts';
import { languageFor } from './page-language.ts';
import { newsletterOf, readDraft, zSecret } from './newsletter-draft.ts';
import { type Answering, isVisible, openGuild, send } from './page-answers.ts';

const zPart = z.enum([...DRAFT_TABS, 'letter']).default('look');

/** A letter has inline styles, and stands in a frame of its page. Both belong to one person. */
const PAGE_POLICY = `default-src 'none'; style-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
const LETTER_POLICY = `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;

/** The draft of a newsletter, for who has its address, as long as the guild's page is open. */
export async function newsletterAnswer(on: Answering, context: Context): Promise<Response | null> {
  const asked = await openGuild(on, context);
  const { secret = '', part: wanted } = context.req.param() as { secret?: string; part?: string };
  const part = zPart.safeParse(wanted);
  if (asked === null || !part.success || !zSecret.safeParse(secret).success) return null;
  const { guild, community, settings } = asked;
  const { parts, cache, styleAddress } = on;
  const language = languageFor(context, community.locale);
  const lang = context.req.query('lang') === language ? language : undefined;
  // Asked each time: of the draft before, the page is read by nobody as soon as another takes its place.
  const draft = await readDraft(parts.store, guild, secret);
  if (draft === null) return null;
  const { name, date } = draft;
  const made = await cache.document(guild, {
    about: `newsletter ${secret}`,
    variant: `${part.data} ${lang ?? ''} ${language}`,
    read: async () => {
      const found = await newsletterOf(parts, draft, {
        guild,
        community: community.name,
        locale: community.locale,
        settings,
        namesOf: (members) => parts.names.known(guild, members),
        pageOf: (edition) =>
          isVisible(community, edition)
            ? `${parts.address}${editionPath(guild, name, date)}`
            : null,
      });
      return found?.letter ?? null;
    },
    write: (letter) => {
      if (part.data === 'letter') return letterDocument(letter);
      const at = { guild, secret, lang, language, styleAddress };
      return Promise.resolve(newsletterPage(at, part.data, letter)).then(String);
    },
  });
  if (made === null) return null;
  return send(context, made, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': part.data === 'letter' ? LETTER_POLICY : PAGE_POLICY,
    'cache-control': 'private, no-store',
    'x-robots-tag': 'noindex, nofollow',
    vary: 'accept-language',
  });
}
