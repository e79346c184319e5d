import { z } from 'zod';

/** A locale that `Intl` accepts: any other text would make date formatting throw. */
export const zLocale = z.string().max(10).refine(isLocale);

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
