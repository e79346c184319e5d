import type { en } from './en.ts';

/** The texts of the page in one language. */
export type Words = Record<keyof typeof en, string>;
