import { AI } from './pages-ai.ts';
import { GAME_DEV } from './pages-game-dev.ts';
import { GENERAL } from './pages-general.ts';
import type { KnownPage } from '../known-page.ts';
import { RUST } from './pages-rust.ts';

/** What the community has posted, by the channel, oldest first. */
export const POSTED = {
  general: GENERAL,
  rust: RUST,
  ai: AI,
  gameDev: GAME_DEV,
  lateNight: [
    {
      link: 'https://apod.nasa.gov/apod/astropix.html',
      title: 'Astronomy Picture of the Day',
      about: 'Each day another picture of our universe, with a few words by an astronomer.',
    },
    {
      link: 'https://www.windy.com/',
      title: 'The wind, right now',
      about: 'All the weather of the world on one map that moves.',
    },
  ],
} satisfies Record<string, KnownPage[]>;

/** What a feed pours into a channel. */
export const POURED: KnownPage[] = [
  {
    link: 'https://this-week-in-rust.org/blog/2026/11/25/this-week-in-rust-627/',
    title: 'This Week in Rust 627',
    about: 'News, crates and calls for participation.',
  },
  {
    link: 'https://blog.rust-lang.org/inside-rust/',
    title: 'Inside Rust',
    about: 'How the language is made: reports of its teams.',
  },
  {
    link: 'https://without.boats/blog/',
    title: 'Without boats, dreams dry up',
    about: 'Long thoughts on async, ownership and the design of languages.',
  },
];

/** Pages that nobody has posted yet: the tour offers the first. */
export const UNPOSTED: KnownPage[] = [
  {
    link: 'https://ciechanow.ski/bicycle/',
    title: 'Bicycle',
    cover: 'rings',
    about:
      'Why a bicycle stays up, how it steers, and what its gears are for: one mechanical model after another.',
  },
  {
    link: 'https://ciechanow.ski/sound/',
    title: 'Sound',
    about: 'Invisible, and everywhere: what travels through the air when something makes a noise.',
  },
  {
    link: 'https://www.redblobgames.com/articles/visibility/',
    title: '2d Visibility',
    about: 'What can be seen from here? Light, shadows and fields of view on a flat map.',
  },
];
