import { z } from 'zod';

/** The end of the year 9999: Discord takes no later time, and a `Date` ends somewhat later too. */
export const LAST_MS = 253_402_300_799_999;

/** A point in time that is stored or restored, in milliseconds since the Unix epoch. */
export const zTimeMs = z.int().min(0).max(LAST_MS);
