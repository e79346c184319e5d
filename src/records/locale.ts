import { z } from 'zod';

/** What a date can be written in: some text that is no locale at all would fail wherever it is used. */
export const zLocale = z.string().max(10).refine(isLocale);

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
