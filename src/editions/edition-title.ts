import { languageOf, translate } from '../text/catalogue.ts';

/** The digest's name and the day, and the hour of an edition outside the schedule. */
export function editionTitle(
  locale: string,
  { name, date }: { name: string; date: string },
): string {
  const hour = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;
  const day = new Intl.DateTimeFormat(languageOf(locale), {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    ...(date.includes('T') ? hour : {}),
    timeZone: 'UTC',
  });
  return `${translate(locale, 'digest.show.title', { name })} · ${day.format(Date.parse(date))}`;
}
