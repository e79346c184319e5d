import type { Snowflake } from '../../runtime/snowflake.ts';

/** The path of an edition's page, or of the list of all editions, without a name. */
export function editionPath(guild: Snowflake, name?: string, date?: string, lang?: string): string {
  const parts = [
    '',
    'g',
    guild,
    'digest',
    ...(name === undefined ? [] : [name, date ?? '']).filter(Boolean),
  ];
  const query = lang === undefined ? '' : `?lang=${lang}`;
  return `${parts.map(encodeURIComponent).join('/')}${query}`;
}
