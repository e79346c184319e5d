import type { Snowflake } from '../../runtime/snowflake.ts';

/** The path of an article's own page, which stays as long as everyone may see the article. */
export function articlePath(guild: Snowflake, article: Snowflake, lang?: string): string {
  return `/g/${guild}/article/${article}${lang === undefined ? '' : `?lang=${lang}`}`;
}
