import type { KnownPage } from '../known-page.ts';

/** Anything goes. */
export const GENERAL: KnownPage[] = [
  {
    link: 'https://ciechanow.ski/mechanical-watch/',
    title: 'Mechanical Watch',
    cover: 'rings',
    about:
      'How the tiny gears of a mechanical watch keep time, one interactive model after another.',
    comment: 'I have not looked at my wrist the same way since.',
    loved: true,
  },
  {
    link: 'https://danluu.com/input-lag/',
    title: 'Computer latency: 1977–2017',
    cover: 'bars',
    about:
      'From a key press to a character on the screen: the Apple IIe beats nearly all that came later.',
  },
  {
    link: 'https://sqlite.org/whentouse.html',
    title: 'Appropriate Uses For SQLite',
    about: 'SQLite does not compete with client/server databases. SQLite competes with fopen().',
  },
  {
    link: 'https://jvns.ca/blog/good-questions/',
    title: 'How to ask good questions',
    about: 'Asking good questions is a skill of its own, and one that can be practised.',
  },
  {
    link: 'https://redis.io/docs/latest/develop/data-types/sorted-sets/',
    title: 'Redis sorted sets',
    cover: 'bars',
    about:
      'A collection of unique strings, ordered by a score: leaderboards, rate limiters, front pages.',
  },
  {
    link: 'https://www.joelonsoftware.com/2000/04/06/things-you-should-never-do-part-i/',
    title: 'Things You Should Never Do, Part I',
    about: 'They did it by making the single worst mistake that any software company can make.',
  },
  {
    link: 'https://norvig.com/21-days.html',
    title: 'Teach Yourself Programming in Ten Years',
    about: 'Why is everyone in such a rush?',
  },
  {
    link: 'https://www.gwern.net/Spaced-repetition',
    title: 'Spaced Repetition for Efficient Learning',
    about:
      'The literature on a century-old effect, and how to use it for what you want to remember.',
  },
  {
    link: 'https://ncase.me/trust/',
    title: 'The Evolution of Trust',
    about: 'An interactive guide to the game theory of why and how we trust each other.',
  },
  {
    link: 'https://waitbutwhy.com/2015/01/artificial-intelligence-revolution-1.html',
    title: 'The Road to Superintelligence',
    about: 'What does it feel like to stand here?',
  },
  {
    link: 'https://www.paulgraham.com/makersschedule.html',
    title: "Maker's Schedule, Manager's Schedule",
    about:
      'One reason programmers dislike meetings so much is that they are on a different schedule.',
  },
  {
    link: 'https://blog.codinghorror.com/the-best-code-is-no-code-at-all/',
    title: 'The Best Code is No Code At All',
    about: 'Every new line of code you willingly bring into the world has to be read by someone.',
    comment: 'Should hang over every desk.',
  },
  {
    link: 'https://xkcd.com/1205/',
    title: 'Is It Worth the Time?',
    about:
      'How long can you work on making a routine task more efficient before you spend more than you save?',
  },
  {
    link: 'https://www.quantamagazine.org/the-simple-math-behind-the-mighty-roots-of-unity-20210923/',
    title: 'The Simple Math Behind the Mighty Roots of Unity',
    about:
      'Solutions to the simplest polynomial equations hold many of the structures of mathematics.',
  },
  {
    link: 'https://ciechanow.ski/gps/',
    title: 'GPS',
    cover: 'rings',
    about: 'How satellites tell you where you are, from a tape measure to relativity.',
    loved: true,
  },
];
