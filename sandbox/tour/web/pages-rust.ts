import type { KnownPage } from '../known-page.ts';

/** The language and its crates. */
export const RUST: KnownPage[] = [
  {
    link: 'https://doc.rust-lang.org/book/',
    title: 'The Rust Programming Language',
    about: 'The book: an introduction to Rust for everyone who has programmed before.',
  },
  {
    link: 'https://cheats.rs/',
    title: 'Rust Language Cheat Sheet',
    cover: 'bars',
    about: 'All of Rust on one long page, with memory layouts drawn to scale.',
  },
  {
    link: 'https://rust-unofficial.github.io/too-many-lists/',
    title: 'Learning Rust With Entirely Too Many Linked Lists',
    about: 'Six linked lists, each wrong in another way, and all that they teach about ownership.',
    comment: 'Funny, and the best explanation of Pin that I know.',
  },
  {
    link: 'https://tokio.rs/tokio/tutorial',
    title: 'Tokio tutorial',
    about: 'An asynchronous runtime for Rust: build a small Redis, step by step.',
  },
  {
    link: 'https://www.lurklurk.org/effective-rust/',
    title: 'Effective Rust',
    about: '35 specific ways to improve your Rust code.',
  },
  {
    link: 'https://fasterthanli.me/articles/a-half-hour-to-learn-rust',
    title: 'A half-hour to learn Rust',
    about: 'In order to increase fluency in a programming language, one has to read a lot of it.',
  },
  {
    link: 'https://matklad.github.io/2021/02/06/ARCHITECTURE.md.html',
    title: 'The architecture file',
    about:
      'The biggest difference between an occasional contributor and a core developer is knowing where things are.',
  },
  {
    link: 'https://os.phil-opp.com/',
    title: 'Writing an OS in Rust',
    about: 'A small operating system, from a freestanding binary to cooperative multitasking.',
    loved: true,
  },
  {
    link: 'https://nnethercote.github.io/perf-book/',
    title: 'The Rust Performance Book',
    about: 'Techniques that make Rust programs faster, most of them short.',
  },
  {
    link: 'https://without.boats/blog/pin/',
    title: 'Pin',
    about: 'Where it came from, what it is for, and why it is so hard to explain.',
  },
  {
    link: 'https://github.com/rust-lang/rustlings',
    title: 'Rustlings',
    about: 'Small exercises to get you used to reading and writing Rust code.',
  },
  {
    link: 'https://rust-analyzer.github.io/blog/2020/07/20/three-architectures-for-responsive-ide.html',
    title: 'Three Architectures for a Responsive IDE',
    about: 'Map reduce, headers, and queries: how editors keep up with typing.',
  },
  {
    link: 'https://blog.rust-lang.org/2015/05/15/Rust-1.0.html',
    title: 'Announcing Rust 1.0',
    about: 'Today we are very proud to announce the 1.0 release of Rust.',
  },
  {
    link: 'https://jack.wrenn.fyi/blog/semver-snares-transmutability/',
    title: 'SemVer Snares: Transmutability',
    about: 'What a change of layout breaks although no signature changed.',
  },
];
