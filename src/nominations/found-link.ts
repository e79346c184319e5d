import { type APIMessage, MessageType } from 'discord.js';
import { z } from 'zod';
import { readablePayload } from '../articles/posting/forwarded.ts';
import { type PreviewEmbed, previewTitle } from '../articles/messages/preview.ts';
import { findLink, findLinks, type FoundLink } from '../ranking/links/find-links.ts';
import { titleOfWords } from '../text/clean.ts';

/** A link that somebody wrote. `given`: the words of a member; `found`: a title by Discord's preview, or a bot's. */
export type MessageLink = {
  link: FoundLink;
  given: string;
  found: string;
  embeds: readonly PreviewEmbed[];
  /** The message has no other link. */
  isAlone: boolean;
};

/** The types that members and bots write. The others are Discord's own notices. */
const WRITTEN_TYPES: readonly MessageType[] = [
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
];

/** The link of anybody's message; null: it has none that can be posted. A feed's can stand in an embed alone. */
export function linkIn(message: APIMessage): MessageLink | null {
  if (!WRITTEN_TYPES.includes(message.type)) return null;
  const { content, embeds } = readablePayload(message);
  const titles = [content, ...embeds.map(({ url }) => url ?? '')].join('\n');
  const texts = embeds.flatMap(({ description, fields = [] }) => [
    description ?? '',
    ...fields.map(({ value }) => value),
  ]);
  const places = [titles, texts.join('\n'), textsOf(message.components).join('\n')];
  for (const text of places) {
    const link = findLink(text);
    if (link.status !== 'accepted') continue;
    const isAlone = findLinks(text).length === 1;
    const words = titleOfWords(link.words);
    const preview = previewTitle(embeds, link.canonical, isAlone);
    const own = previewTitle(embeds, link.canonical);
    const isBot = message.author.bot === true || message.webhook_id !== undefined;
    // A feed's words can be the same for each link, and so can the title of an embed that leads nowhere.
    const named = isBot
      ? { given: '', found: own || words || preview }
      : { given: words, found: preview };
    return { link, ...named, embeds, isAlone };
  }
  return null;
}

/** A text, or a button that leads somewhere; other components hold these. */
const zComponent = z.looseObject({
  content: z.string().optional(),
  url: z.string().optional(),
  get components() {
    return z.array(zComponent).optional();
  },
});

/** Deep enough for a container with rows and sections. */
const DEEPEST = 4;

/** What the components of a message say, and where its buttons lead. */
function textsOf(components: unknown, depth = 0): string[] {
  const found = z.array(zComponent).safeParse(components ?? []);
  if (!found.success || depth > DEEPEST) return [];
  return found.data.flatMap(({ content = '', url = '', components: inner }) => [
    content,
    url,
    ...textsOf(inner, depth + 1),
  ]);
}
