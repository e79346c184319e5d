import type { en } from './en.ts';

/** The texts of the tour in one language. */
export type TourWords = Record<keyof typeof en, string>;
