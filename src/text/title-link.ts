import { isBlank, isSpoiler, titleOfLink } from './clean.ts';
import { hostBeside } from './facts.ts';
import { listedName } from './link-kind.ts';
import { messageLink } from './mentions.ts';

/** The title of an article with what it leads to, as a surface writes it. */
export type TitleLink = {
  /** Never blank. */
  text: string;
  /** Where it leads: to the link, or for a spoiler to its message, where Discord hides what it is. */
  address: string;
  /** Stands beside the title, so that the title cannot pass for another site; null: the title shows it. */
  host: string | null;
  isSpoiler: boolean;
};

/** A title as it is listed. What was stored before this was blank may be so now. */
export function titleText(
  { title, link }: { title: string; link: string },
  locale: string | null,
): string {
  return isBlank(title) ? titleOfLink(link) : listedName({ title, link }, locale);
}

/** Every surface that shows a title as a link takes text, address and host from here. */
export function titleLink(
  article: { id: string; channel: string; title: string; link: string },
  { guild, locale }: { guild: string; locale: string | null },
): TitleLink {
  const { title, link } = article;
  const isHidden = isSpoiler(title);
  const text = titleText(article, locale);
  return {
    text,
    address: isHidden ? messageLink(guild, article) : link,
    host: hostBeside({ title: isHidden ? '' : text, link }),
    isSpoiler: isHidden,
  };
}
