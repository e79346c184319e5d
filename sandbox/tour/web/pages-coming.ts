import type { KnownPage } from '../known-page.ts';
import type { Language } from '../languages/languages.ts';
import { LOCAL_PAGES } from './pages-coming-local.ts';

/**
 * What members post while time is moved: a page a line, with its address, title and what it says of
 * itself. Many vote for a page with a `*`.
 */
const PAGES = {
  general: `
https://www.nand2tetris.org/ | From Nand to Tetris | Build a modern computer from first principles, one chip at a time.
https://www.lesswrong.com/posts/reitXJgJXFzKpdKyd/beware-trivial-inconveniences | Beware Trivial Inconveniences | A small hurdle stops more people than a wall that they can see.
https://www.wikihow.com/Tie-a-Tie | How to Tie a Tie | Four knots, step by step, and which collar wants which.
* https://www.kalzumeus.com/2010/06/17/falsehoods-programmers-believe-about-names/ | Falsehoods Programmers Believe About Names | Forty things about people's names that are not true.
https://www.openculture.com/freeonlinecourses | 1,700 Free Online Courses | Lectures from the world's universities, gathered on one page.
https://longform.asmartbear.com/slc/ | Your customers hate MVPs | Make it simple, lovable and complete instead.
https://www.butterick.com/practicaltypography/ | Practical Typography | How to make what you write look as if somebody cared.
https://standardebooks.org/ | Standard Ebooks | Free and liberated ebooks, carefully produced for the true book lover.
https://earth.nullschool.net/ | A global map of wind, weather and ocean | The planet as a computer forecasts it, updated every three hours.
* https://neal.fun/deep-sea/ | The Deep Sea | Scroll down, and see who lives there.
https://rachelbythebay.com/w/2020/11/26/magic/ | My list of magic numbers | Round numbers that mean something is broken, and what it is.
https://apenwarr.ca/log/20171213 | An epic treatise on scheduling, bug tracking and triage | Why estimates fail, and what can be planned anyway.
https://acko.net/blog/how-to-fold-a-julia-fractal/ | How to Fold a Julia Fractal | A tale of numbers that like to turn.
https://www.folklore.org/Saving_Lives.html | Saving Lives | Five million users, ten seconds of booting: how many lifetimes is that?
https://100r.co/site/off_the_grid.html | Off the grid | A studio on a sailing boat: power, connection, and working with less of both.
https://solar.lowtechmagazine.com/2018/09/how-to-build-a-low-tech-website/ | How to Build a Low-tech Website | This page runs on a solar panel, and goes off-line when it is cloudy.
https://www.historyofinformation.com/ | History of Information | Five thousand entries from cave paintings to the web.
https://brr.fyi/posts/engineering-for-slow-internet | Engineering for Slow Internet | How web applications feel from Antarctica, and what would help.
* https://www.atlasobscura.com/places/svalbard-seed-bank | Svalbard Global Seed Vault | A million kinds of seeds, kept cold in a mountain for the day that we need them.
https://computer.rip/ | computers are bad | A newsletter on the history of telephones, alarms and other machines.
https://www.nytimes.com/interactive/2014/12/21/upshot/dialect-map.html | How Y'all, Youse and You Guys Talk | What the way you speak says about where you are from.
https://simonwillison.net/2022/Nov/6/what-to-blog-about/ | What to blog about | Things that you learned, and things that you made. Nobody else has to care.
https://blog.cloudflare.com/randomness-101-lavarand-in-production/ | Randomness 101: LavaRand in production | A wall of lava lamps, a camera, and why a computer needs them.
https://practical.engineering/blog/2021/9/24/what-really-happened-at-the-oroville-dam-spillway | What really happened at the Oroville Dam spillway? | A hole in the concrete, and 180 000 people on the road.
https://www.dreamsongs.com/WIB.html | The Rise of Worse is Better | Simplicity, correctness, consistency, completeness: which one do you give up?
https://www.hillelwayne.com/post/are-we-really-engineers/ | Are We Really Engineers? | I asked seventeen people who had been both.
https://www.joelonsoftware.com/2008/01/22/five-whys/ | Five whys | A switch, a cable, and the question that one should ask once more.
* https://www.damninteresting.com/the-curse-of-konzo/ | The Curse of Konzo | A village, a drought, and a plant that has to be soaked for three days.
https://www.kottke.org/ | kottke.org | Home of fine hypertext products since 1998.
https://www.tofugu.com/japanese/how-to-learn-japanese/ | Learn Japanese: a ridiculously detailed guide | From hiragana to reading the news.
https://gwern.net/doc/design/index | Design, an annotated reading list | Typography, web and print, with what each one is good for.
https://www.themarginalian.org/2012/07/06/ray-bradbury-lists/ | Ray Bradbury on lists of nouns | Write down the words that you cannot forget, and look what they want.
https://www.dougengelbart.org/content/view/209/448/ | The mother of all demos | 1968: a mouse, hypertext, windows, video, and a shared document.
https://aphyr.com/posts/342-typing-the-technical-interview | Typing the technical interview | She has been asked to solve the n queens. She will, in the types.
https://www.animatedknots.com/ | Animated Knots | Two hundred of them, each tied slowly before your eyes.
https://ourworldindata.org/smallpox | Smallpox | The one human disease that we have driven out of the world, and how.
https://www.cs.virginia.edu/~robins/YouAndYourResearch.html | You and Your Research | Why do so few scientists make significant contributions, and so many are forgotten?
https://blog.jgc.org/2012/05/apollo-guidance-computer-in-words.html | The Apollo guidance computer in words | 72 kilobytes of woven rope, and a restart that saved the landing.
https://dynomight.net/air/ | Better air is the easiest way not to die | What a fan and a filter do, by the numbers.
* https://sive.rs/hellyeah | Hell yeah or no | When you say no to most things, you leave room to throw yourself into one.
https://danwang.co/how-technology-grows/ | How Technology Grows | Process knowledge: what is not in the blueprint and leaves with the people.
https://www.computerhistory.org/timeline/ | Timeline of Computer History | From the first bug to the phone in your pocket, year by year.
https://99percentinvisible.org/episode/structural-integrity/ | Structural Integrity | A skyscraper, a student’s question, and a secret repair at night.
https://idlewords.com/talks/website_obesity.htm | The Website Obesity Crisis | An article about web bloat that weighs eighteen megabytes.`,
  gameDev: `
* https://www.redblobgames.com/articles/curved-paths/ | Curved Paths | Roads that bend: from straight segments and arcs to something that a driver would believe.
https://kenney.nl/assets | Kenney’s assets | Sixty thousand sprites and sounds that you may use for anything.
https://gafferongames.com/post/snapshot_interpolation/ | Snapshot Interpolation | Nine hundred cubes over the network, sixty times a second, and it still looks smooth.
https://www.gabrielgambetta.com/client-server-game-architecture.html | Fast-Paced Multiplayer | Prediction, reconciliation and lag compensation, with a demo to break.
https://lostgarden.com/2021/12/12/value-chains/ | Value chains | Why players want what your game gives, link by link.
https://ericlippert.com/2011/12/12/shadowcasting-in-c-part-one/ | Shadowcasting, part one | What can the hero see? One octant at a time.
* https://www.squidi.net/three/entry.php?id=1 | Three hundred mechanics | A man set out to write three hundred ideas for games.
https://www.boristhebrave.com/2020/04/13/wave-function-collapse-explained/ | Wave Function Collapse Explained | A constraint solver that draws maps like yours.
https://www.redblobgames.com/maps/mapgen2/ | Polygon Map Generator | An island with rivers, biomes and coasts, from a slider or two.
https://www.roguebasin.com/index.php/Articles | Articles for roguelike developers | Field of view, dungeons, hunger, and thirty years of arguing about them.
https://tonsky.me/blog/pixel-perfect/ | How to look sharp at any size | Icons, grids, and half a pixel that ruins the day.
https://acegikmo.com/bezier/ | The Beauty of Bézier Curves | Four points, some patience, and every smooth thing on your screen.
https://maddythorson.medium.com/celeste-forgiveness-31e4a40399f1 | Celeste & Forgiveness | Ten small ways in which the mountain is on your side.
https://www.scratchapixel.com/lessons/3d-basic-rendering/introduction-to-ray-tracing/how-does-it-work.html | How does ray tracing work? | Follow the light backwards, from the eye into the scene.
https://raytracing.github.io/books/RayTracingInOneWeekend.html | Ray Tracing in One Weekend | Three spheres, one checkered floor, and you wrote all of it.
* https://tcrf.net/The_Cutting_Room_Floor | The Cutting Room Floor | What was left on the disc and never meant to be seen.
https://learnopengl.com/Getting-started/Hello-Triangle | Hello Triangle | The longest short program that you will ever write.
https://www.lexaloffle.com/pico-8.php | PICO-8 | A fantasy console: small enough to finish what you started.
https://docs.godotengine.org/en/stable/getting_started/step_by_step/index.html | Godot, step by step | Nodes, scenes, and a first sprite that moves.
https://www.construct.net/en/blogs/ashleys-blog-2/why-games-need-delta-time-909 | Why games need delta time | One line, and everybody's machine runs the same game.
https://fabiensanglard.net/doom_fire_psx/ | How the fire of DOOM was done | A palette of 37 colours and one random number a pixel.
https://fabiensanglard.net/fastinvsqrt/ | The fast inverse square root | 0x5f3759df, and what the comment beside it said.
* https://ncase.me/polygons/ | Parable of the Polygons | A playable post on the shape of society.
https://www.designer-notes.com/game-developer-column-17-water-finds-a-crack/ | Water finds a crack | Given the opportunity, players will optimise the fun out of a game.
https://heredragonsabound.blogspot.com/2017/02/making-lots-of-coast.html | Making lots of coast | A fantasy map, a pen, and a wobbly line that is just right.
https://www.alanzucconi.com/2015/07/01/vertex-and-fragment-shaders-in-unity3d/ | A gentle introduction to shaders | From a white box to water, in five parts.
https://catlikecoding.com/unity/tutorials/ | Catlike Coding | Tutorials on hexes, curves and noise that never skip a step.
https://www.youtube.com/watch?v=JjDsP5n2kSM | How to program independent games | Write the simple loop. Then ship the game.
https://www.dwarffortresswiki.org/index.php/DF2014:Cat | Why the cats were drunk | Spilled beer, clean paws, and a very thorough simulation.
https://www.inkle.com/ink/ | ink, a scripting language for stories | Branching fiction that a writer can read.
https://easings.net/ | Easing functions | Thirty curves from here to there, and how each one feels.
https://opengameart.org/ | OpenGameArt | Sprites, sounds and music that you may use.
https://www.bbcelite.com/ | Elite on the BBC Micro, explained | Eight galaxies in 22 kilobytes, every line of it documented.
* https://0fps.net/2012/06/30/meshing-in-a-minecraft-game/ | Meshing in a block world | Stupid, culled or greedy: how many triangles is a hill?
https://www.toptal.com/game/video-game-physics-part-i-an-introduction-to-rigid-body-dynamics | Rigid bodies for beginners | Forces, torques, and why the box falls over.
https://box2d.org/posts/2024/02/solver2d/ | Solver2D | Eight ways to stack boxes, compared with care.
https://github.com/nothings/stb | stb, single-file libraries | Images, fonts and sound: a file each, and nothing to link.
https://www.shadertoy.com/view/Ms2SD1 | Seascape | An ocean in two hundred lines.
https://dopresskit.com/ | presskit() | One page for the press, in an hour instead of a week.
https://www.speedrun.com/ | speedrun.com | Thirty thousand games, each as fast as somebody could.
https://playtank.io/ | Playtank | Systemic design: rules that meet, and stories that nobody wrote.
https://howtomarketagame.com/benchmarks/ | The benchmarks | How many wishlists are good, with numbers for once.
https://thatgamecompany.com/journey/ | How strangers became companions | No names, no words, one button that sings.
https://www.gamasutra.com/view/feature/132500/the_pacman_dossier.php | The Pac-Man Dossier | Four ghosts, four personalities, and one overflow on level 256.`,
  rust: `
https://doc.rust-lang.org/nomicon/ | The Rustonomicon | The dark arts of unsafe code, and how to come back from them.
* https://fasterthanli.me/articles/pin-and-suffering | Pin and suffering | A small future, a large compiler error, and an afternoon.
https://www.ralfj.de/blog/2019/07/14/uninit.html | What the hardware does is not what your program does | Uninitialised memory is not just bytes that nobody wrote.
https://smallcultfollowing.com/babysteps/blog/2018/04/27/an-alias-based-formulation-of-the-borrow-checker/ | An alias-based borrow checker | Where a reference came from, instead of how long it lives.
https://github.com/BurntSushi/ripgrep/blob/master/GUIDE.md | ripgrep: the guide | Searching for beginners, and for those who think that they are not.
https://blog.burntsushi.net/rust-error-handling/ | Error Handling in Rust | From unwrap to something that you would ship.
* https://blog.burntsushi.net/transducers/ | Index 1,600,000,000 keys with automata | Finite state machines, and a trick from 1997.
https://without.boats/blog/why-async-rust/ | Why async Rust? | How the language came to its futures, told by somebody who was there.
https://matklad.github.io/2020/09/20/why-not-rust.html | Why Not Rust? | An honest list by a person who loves it.
https://github.com/rust-unofficial/patterns | Rust Design Patterns | Idioms, patterns, and things that only look like good ideas.
https://serde.rs/derive.html | Using derive | One line, and a type learns to read and write itself.
https://docs.rs/rayon/latest/rayon/ | Rayon | Change iter to par_iter, and the fans start.
https://blog.rust-lang.org/2018/12/06/Rust-1.31-and-rust-2018.html | Rust 2018 is here | Non-lexical lifetimes, and the borrow checker understands at last.
https://thesquareplanet.com/blog/students-guide-to-raft/ | Students’ Guide to Raft | Where everybody gets stuck, and how to get out.
* https://manishearth.github.io/blog/2015/05/17/the-problem-with-shared-mutability/ | The Problem With Single-threaded Shared Mutability | You do not need threads to invalidate an iterator.
https://nickb.dev/blog/default-musl-allocator-considered-harmful-to-performance/ | A slow allocator in a small binary | Seven times slower, and one line that mends it.
https://raphlinus.github.io/rust/gui/2022/05/07/ui-architecture.html | Xilem: an architecture for UI | What a reactive tree looks like without garbage.
https://blog.m-ou.se/super-let/ | A super let | Temporaries, how long they live, and an idea to keep them.
https://marabos.nl/atomics/ | Rust Atomics and Locks | Low-level concurrency in practice, free to read.
https://cliffle.com/blog/rust-typestate/ | The Typestate Pattern in Rust | Make the wrong order of calls a type error.
https://blog.yoshuawuyts.com/state-machines/ | State machines | Futures, enums, and the transitions that nobody drew.
https://words.filippo.io/rustgo/ | rustgo: calling Rust from Go | Without cgo, and with a little assembly.
* https://jvns.ca/blog/2016/01/18/calling-c-from-rust/ | Calling C from Rust | How hard can it be? A letter from the middle of it.
https://github.com/rust-lang/rust/blob/master/RELEASES.md | Release notes | All of them, since the beginning, on one page.
https://blog.adamchalmers.com/pin-unpin/ | Pin, Unpin, and why Rust needs them | A timer in a future, and a value that must not move.
https://llogiq.github.io/2017/06/01/perf-pitfalls.html | Rust performance pitfalls | Debug builds, println, and other reasons why it is slow.
https://rust-lang.github.io/async-book/ | Asynchronous Programming in Rust | The book, unfinished and useful.
https://github.com/pretzelhammer/rust-blog/blob/master/posts/common-rust-lifetime-misconceptions.md | Common Rust Lifetime Misconceptions | Ten of them, and each was mine.
https://tokio.rs/blog/2019-10-scheduler | Making the scheduler ten times faster | Queues, steals, and one atomic less.
https://ryhl.io/blog/actors-with-tokio/ | Actors with Tokio | A task, a channel, a handle. That is all.
https://kobzol.github.io/rust/rustc/2023/07/30/optimizing-rust-ci-2023.html | How the compiler's own builds got faster | Two hours that became one, a percent at a time.
https://www.youtube.com/watch?v=79PSagCD_AY | The History of Rust | A language that changed its mind in public.
* https://zackoverflow.dev/writing/unsafe-rust-vs-zig | When unsafe is harder | A garbage collector, written twice.
https://crates.io/crates/anyhow | anyhow | One error type for an application that has better things to do.
https://github.com/rust-lang/miri | Miri | An interpreter that finds the undefined behaviour before it finds you.
https://embassy.dev/book/ | Embassy | Async on a chip with eight kilobytes.
https://rust-hosted-langs.github.io/book/ | Writing Interpreters in Rust | A guide to memory, from the allocator up.
https://os.phil-opp.com/testing/ | Testing a kernel | Unit tests where there is no standard output yet.
https://www.brandons.me/blog/polymorphism-in-rust | Polymorphism in Rust | Enums, generics, trait objects: which one, and when.
https://github.com/tokio-rs/loom | Loom | Every order of two threads, tried one after another.
https://lucumr.pocoo.org/2024/3/26/rust-cdo/ | On Tech Debt: My Rust Library is now a CDO | What a small crate drags along, and who pays for it.
https://arxiv.org/abs/2206.05503 | Flux: liquid types for Rust | A vector that knows how long it is.
https://github.com/rust-lang/rfcs/blob/master/text/0243-trait-based-exception-handling.md | The question mark, as it was proposed | 2014, three hundred comments, one character.`,
  ai: `
https://www.fast.ai/posts/2023-09-04-learning-jumps/ | Can models learn from one example? | A jump in a loss curve that should not be there.
* https://rodneybrooks.com/a-better-lesson/ | A Better Lesson | An answer to a famous page, by somebody who builds robots.
https://writings.stephenwolfram.com/2023/02/what-is-chatgpt-doing-and-why-does-it-work/ | What is it doing, and why does it work? | One word after another, in a hundred pictures.
https://lilianweng.github.io/posts/2023-06-23-agent/ | Agents powered by language models | Planning, memory, tools: a map with references.
https://peterbloem.nl/blog/transformers | Transformers from scratch | Self-attention in ten lines, and then the rest.
https://www.deeplearningbook.org/ | Deep Learning, the book | Eight hundred pages, free, and still worth it.
https://colah.github.io/posts/2015-08-Understanding-LSTMs/ | Understanding LSTM Networks | Gates, drawn so that you remember them.
* https://colah.github.io/posts/2014-03-NN-Manifolds-Topology/ | Neural networks, manifolds and topology | Stretch, fold and squash until the classes come apart.
https://distill.pub/2016/misread-tsne/ | How to use t-SNE effectively | Beautiful clusters that are not there.
https://setosa.io/ev/markov-chains/ | Markov chains, explained visually | A dot that hops, and its future in a matrix.
https://www.inference.vc/causal-inference-2-illustrating-interventions-in-a-toy-example/ | Seeing is not doing | Three programs with the same data, and what happens if you intervene.
https://karpathy.medium.com/software-2-0-a64152b37c35 | Software 2.0 | Programs that nobody wrote.
https://jalammar.github.io/illustrated-word2vec/ | The Illustrated Word2vec | King minus man plus woman, at a walking pace.
https://openai.com/index/emergent-tool-use/ | Hide and seek | Seekers, hiders, boxes, ramps, and a trick that nobody expected.
https://www.nature.com/articles/nature16961 | Mastering the game of Go | Policy and value networks, and move 37 still to come.
* https://quickdraw.withgoogle.com/data | Fifteen million drawings | How the world draws a cat in twenty seconds.
https://explained.ai/matrix-calculus/ | The matrix calculus that you need | All of it on one page, nothing more.
https://www.jeremyjordan.me/variational-autoencoders/ | Variational autoencoders | A cloud instead of a point.
https://thegradient.pub/nlps-clever-hans-moment-has-arrived/ | The clever Hans moment | A model that answered right for the wrong reason.
https://bair.berkeley.edu/blog/2021/10/25/coms_mbo/ | Designs from data | Better than the best in the set, without another experiment.
https://pair.withgoogle.com/explorables/grokking/ | Do models memorise or generalise? | First by heart, and then suddenly not.
https://poloclub.github.io/cnn-explainer/ | A convolution you can click | Ten layers, one coffee cup.
https://poloclub.github.io/transformer-explainer/ | A transformer you can click | A small model, running in your tab, all its numbers open.
* https://r2d3.us/visual-intro-to-machine-learning-part-1/ | A visual introduction to machine learning | Is this house in New York or in San Francisco? Scroll.
https://mlu-explain.github.io/random-forest/ | Random forest, explained | A crowd of trees that are each a little wrong.
https://d2l.ai/chapter_attention-mechanisms-and-transformers/ | Attention, with code that runs | Queries, keys and values, in a notebook.
https://github.com/ggml-org/llama.cpp/discussions/205 | A model on a laptop | Four bits a weight, and it answers.
https://huggingface.co/blog/rlhf | Learning from human feedback, illustrated | Three steps, four models, many opinions.
https://eugeneyan.com/writing/llm-patterns/ | Patterns for building with language models | Seven of them, with what each costs.
https://hamel.dev/blog/posts/evals/ | Your product needs evals | Look at the data. Then look at it again.
https://arxiv.org/abs/2301.05217 | Progress measures for grokking | A small transformer learns to add on a clock.
https://distill.pub/2018/building-blocks/ | The Building Blocks of Interpretability | What a network sees, and how it puts it together.
https://blog.research.google/2017/08/transformer-novel-neural-network.html | A novel architecture for language understanding | The post that came with the paper.
* https://www.quantamagazine.org/how-computationally-complex-is-a-single-neuron-20210902/ | How complex is a single neuron? | It takes a network of five to eight layers to copy one.
https://spinningup.openai.com/en/latest/ | Spinning Up in deep RL | From a first agent to a paper that you can read.
https://www.cs.toronto.edu/~hinton/absps/naturebp.pdf | Learning representations by back-propagating errors | Four pages from 1986.
https://plato.stanford.edu/entries/chinese-room/ | The Chinese room argument | A man, a slot in a door, and forty years of replies.
https://www.technologyreview.com/2018/08/17/140983/evolutionary-algorithm-outperforms-deep-learning-machines-at-video-games/ | Evolution plays video games | Random mutations, and a good score.
https://aima.cs.berkeley.edu/ | A modern approach | The textbook of fifteen hundred universities.
https://course.spacy.io/ | Advanced language processing | A course in your browser, from tokens to a pipeline.
https://cs231n.github.io/convolutional-networks/ | Convolutional networks | The lecture notes that taught a generation.
https://www.paperswithcode.com/sota | The state of the art, in tables | Who is first in what this week, with code.
https://lena-voita.github.io/nlp_course.html | A course for you | Word by word, drawing by drawing.`,
};

export type Coming = { channel: keyof typeof PAGES; page: KnownPage };

/** One channel after another. */
function listed(pages: Record<keyof typeof PAGES, string>): Coming[] {
  return Object.entries(pages)
    .flatMap(([channel, lines]) =>
      lines
        .trim()
        .split('\n')
        .map((line, at) => ({ at, channel: channel as keyof typeof PAGES, page: pageOf(line) })),
    )
    .sort((a, b) => a.at - b.at)
    .map(({ channel, page }) => ({ channel, page }));
}

const isLoved = ({ page }: Coming) => page.loved === true;

/** Those that many vote for are evenly among the others. */
function lovedAmong(all: readonly Coming[]): Coming[] {
  return spread(
    all.filter(isLoved),
    all.filter((one) => !isLoved(one)),
  );
}

/** Of communities of all languages. */
const COMMON = lovedAmong(listed(PAGES));
/** About a week's posts. */
const WEEK = 38;

/**
 * What members post while time is moved: enough for a month, each week with as many that many vote for. In the
 * first week, a third of it is in the language of the community.
 */
export function comingIn(language: Language): Coming[] {
  if (language === 'en-US') return COMMON;
  const own = lovedAmong(listed(LOCAL_PAGES[language]));
  const common = WEEK - own.length;
  return [...spread(own, COMMON.slice(0, common)), ...COMMON.slice(common)];
}

/** Of communities of any language. */
export const ALL_COMING: readonly Coming[] = [
  ...COMMON,
  ...Object.values(LOCAL_PAGES).flatMap(listed),
];

/** Both in their order, the few evenly among the many. */
function spread(few: readonly Coming[], many: readonly Coming[]): Coming[] {
  const placed = (all: readonly Coming[]) =>
    all.map((coming, at) => ({ coming, turn: (at + 0.5) / all.length }));
  return [...placed(few), ...placed(many)]
    .sort((a, b) => a.turn - b.turn)
    .map(({ coming }) => coming);
}

/** Whether an article is of such a page, so that nobody at the page of the sandbox posted it. */
export function isComing(content: string): boolean {
  return ALL_COMING.some(({ page }) => content.includes(page.link));
}

function pageOf(line: string): KnownPage {
  const [address = '', title = '', about = ''] = line.split(' | ');
  const loved = address.startsWith('* ');
  return { link: new URL(address.replace('* ', '')).href, title, about, loved };
}
