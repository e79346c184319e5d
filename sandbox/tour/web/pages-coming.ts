import type { KnownPage } from './known-page.ts';

const TITLES = {
  general:
    'Lighthouse, Desire path, Antikythera mechanism, Kintsugi, Tuned mass damper, Longitude rewards, Sundial, Semaphore line, Dead reckoning, Blueprint, Sextant, Knot theory, Slide rule, Kaleidoscope, Tidal bore, Astrolabe, Orrery, Difference engine, Camera obscura, Origami, Vernier scale, Pantograph, Zeppelin, Hourglass, Lodestone, Water clock, Rosetta Stone, Printing press, Braille, Morse code, Pneumatic tube, Nilometer, Gutenberg Bible, Cyanotype, Phonautograph, Metronome, Marine chronometer, Periplus, Bathyscaphe, Theremin, Tangram, Jacquard machine, Wind tower',
  gameDev:
    "Perlin noise, Boids, Quadtree, Marching squares, Verlet integration, Voronoi diagram, Pathfinding, Navigation mesh, Cellular automaton, Level of detail, Ray marching, Dithering, Parallax scrolling, Rubber banding, Sprite, Octree, Inverse kinematics, Game loop, Skybox, Texture atlas, Mipmap, Raycasting, Particle system, Fog of war, Hitbox, Procedural generation, Ragdoll physics, Ambient occlusion, Normal mapping, Cel shading, Finite-state machine, Behavior tree, Bresenham's line algorithm, Bézier curve, Isometric projection, Sound chip, Tile-based video game, Save point, Quick time event, Lag, Wave function collapse, Scrolling shooter, Speedrunning",
  rust: 'Borrow checker, Memory safety, Tagged union, Pattern matching, Region-based memory management, Coroutine, Algebraic data type, Zero-overhead principle, Type inference, Smart pointer, Trait, Work stealing, Bloom filter, Fuzzing, Arena allocation, Trie, Skip list, Hash table, Reference counting, Monad, Radix sort, Consistent hashing, Ownership type, Linear type system, Escape analysis, Garbage collection, Semantic versioning, Rope, B-tree, Finger tree, Lock-free algorithm, Software transactional memory, Copy-on-write, Loop unrolling, Branch predictor, Endianness, Undefined behavior, Abstract syntax tree, Static single-assignment form, Register allocation, Futex, Memory barrier, Ring buffer',
  ai: "Perceptron, Gradient descent, Word embedding, Chinese room, Beam search, Kalman filter, Expert system, Monte Carlo tree search, Bayesian network, Backpropagation, Turing test, Random forest, Attention, Simulated annealing, ELIZA, Decision tree, Genetic algorithm, Markov chain, Support vector machine, Autoencoder, Winograd schema, Feature learning, Naive Bayes classifier, Boltzmann machine, Hopfield network, Expectation–maximization algorithm, Reinforcement learning, Q-learning, Transfer learning, Dropout, Overfitting, Curse of dimensionality, Principal component analysis, Nearest neighbor search, Zipf's law, Edit distance, Minimax, Deep Blue, Moravec's paradox, Frame problem, Knowledge graph, Fuzzy logic, Hidden Markov model",
};

type Coming = { channel: keyof typeof TITLES; page: KnownPage };

/** What members post while time is moved, one channel after another: enough for a month. */
export const COMING: Coming[] = Object.entries(TITLES)
  .flatMap(([channel, titles]) =>
    titles.split(', ').map((title, at) => ({ at, channel: channel as keyof typeof TITLES, title })),
  )
  .sort((a, b) => a.at - b.at)
  .map(({ channel, title }) => ({ channel, page: pageOf(title) }));

/** Whether an article is of such a page, so that nobody at the page of the sandbox posted it. */
export function isComing(content: string): boolean {
  return COMING.some(({ page }) => content.includes(page.link));
}

function pageOf(title: string): KnownPage {
  const link = `https://en.wikipedia.org/wiki/${encodeURIComponent(title.replaceAll(' ', '_'))}`;
  return { link, title, about: `${title}, as the encyclopedia tells it, with its sources.` };
}
