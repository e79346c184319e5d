import { limits } from '../../discord/limits.ts';
import type { Article } from '../../ranking/row.ts';
import { isBlank, isSpoiler, shortened, shownHost } from '../../text/clean.ts';

/** An article in a select, where Discord neither parses markdown nor hides a spoiler: that has its site. */
export function optionLabel({ title, link }: Pick<Article, 'title' | 'link'>): string {
  const isNamed = !isSpoiler(title) && !isBlank(title);
  const label = isNamed ? title : shownHost(new URL(link).host);
  return shortened(label, limits.selectOptionLength);
}
