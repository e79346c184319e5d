import type { KnownPage } from '../known-page.ts';

/** Making games. */
export const GAME_DEV: KnownPage[] = [
  {
    link: 'https://gafferongames.com/post/fix_your_timestep/',
    title: 'Fix Your Timestep!',
    about:
      'Free the physics: how to step a simulation forward without depending on the frame rate.',
  },
  {
    link: 'https://gameprogrammingpatterns.com/contents.html',
    title: 'Game Programming Patterns',
    about: 'The patterns that make game code cleaner, easier to understand, and faster.',
  },
  {
    link: 'https://www.redblobgames.com/pathfinding/a-star/introduction.html',
    title: 'Introduction to the A* Algorithm',
    cover: 'network',
    about: 'Move the blob, drag the walls, and watch the search find its way.',
  },
  {
    link: 'https://iquilezles.org/articles/distfunctions/',
    title: 'Distance functions',
    about: 'Formulas for spheres, boxes, torii and all that can be made of them.',
  },
  {
    link: 'https://lizengland.com/blog/2014/04/the-door-problem/',
    title: 'The Door Problem',
    about:
      'Are there doors in your game? Can the player open them? What does a designer do all day?',
  },
  {
    link: 'https://www.redblobgames.com/x/1723-procedural-river-growing/',
    title: 'Procedural river growing',
    cover: 'hills',
    about: 'Generate the rivers first, and the valleys follow.',
  },
  {
    link: 'https://thebookofshaders.com/',
    title: 'The Book of Shaders',
    about: 'A gentle guide through the abstract and complex universe of fragment shaders.',
  },
  {
    link: 'https://www.youtube.com/watch?v=AJdEqssNZ-U',
    title: 'Juice it or lose it',
    about: 'A simple game of Breakout becomes a better one, without a new rule.',
  },
  {
    link: 'https://blog.littlepolygon.com/posts/cameras/',
    title: 'Third person cameras',
    about: 'The camera is the most important enemy in your game.',
  },
  {
    link: 'https://www.factorio.com/blog/post/fff-176',
    title: 'Friday Facts: belts optimisation',
    about: 'A belt does not need to move every item. It only needs to know the gaps between them.',
    comment: 'The best devlog there is.',
  },
  {
    link: 'https://ldjam.com/',
    title: 'Ludum Dare',
    about: 'Make a game from scratch in a weekend, with thousands of others.',
  },
  {
    link: 'https://www.redblobgames.com/maps/terrain-from-noise/',
    title: 'Making maps with noise functions',
    cover: 'hills',
    about: 'Elevation, moisture, and a few lines of code make an island.',
  },
  {
    link: 'https://lospec.com/palette-list',
    title: 'A palette for every pixel',
    about: 'Thousands of small palettes for pixel art, free to use.',
  },
  {
    link: 'https://www.redblobgames.com/grids/hexagons/',
    title: 'Hexagonal Grids',
    cover: 'hexagons',
    about:
      'Hexagons from scratch: coordinates, distances, rings, fields of view, all of it interactive.',
    comment: 'The best thing ever written about hex maps.',
    loved: true,
  },
];
