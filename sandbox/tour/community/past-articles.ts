/** Pages that stay where they are, for a community to have talked about: channel, address, title. */
export const ARTICLES = [
  ['general', 'https://ciechanow.ski/mechanical-watch/', 'Mechanical Watch'],
  ['rust', 'https://doc.rust-lang.org/book/', 'The Rust Programming Language'],
  ['ai', 'https://arxiv.org/abs/1706.03762', 'Attention Is All You Need'],
  ['gameDev', 'https://gafferongames.com/post/fix_your_timestep/', 'Fix Your Timestep!'],
  ['general', 'https://danluu.com/input-lag/', 'Computer latency: 1977–2017'],
  ['ai', 'https://zh.d2l.ai/', '《动手学深度学习》'],
  ['rust', 'https://cheats.rs/', 'Rust Language Cheat Sheet'],
  ['gameDev', 'https://www.redblobgames.com/grids/hexagons/', 'Hexagonal Grids'],
  ['general', 'https://sqlite.org/whentouse.html', 'Appropriate Uses For SQLite'],
  ['ai', 'https://jalammar.github.io/illustrated-transformer/', 'The Illustrated Transformer'],
  ['lateNight', 'https://apod.nasa.gov/apod/astropix.html', 'Astronomy Picture of the Day'],
  [
    'rust',
    'https://rust-unofficial.github.io/too-many-lists/',
    'Learning Rust With Entirely Too Many Linked Lists',
  ],
  ['gameDev', 'https://gameprogrammingpatterns.com/contents.html', 'Game Programming Patterns'],
  ['general', 'https://jvns.ca/blog/good-questions/', 'How to ask good questions'],
  ['ai', 'http://www.incompleteideas.net/IncIdeas/BitterLesson.html', 'The Bitter Lesson'],
  ['rust', 'https://tokio.rs/tokio/tutorial', 'Tokio tutorial'],
  ['general', 'https://www.ruanyifeng.com/blog/', '阮一峰的网络日志'],
  [
    'gameDev',
    'https://www.redblobgames.com/pathfinding/a-star/introduction.html',
    'Introduction to the A* Algorithm',
  ],
  ['ai', 'https://distill.pub/2017/momentum/', 'Why Momentum Really Works'],
  ['general', 'https://redis.io/docs/latest/develop/data-types/sorted-sets/', 'Redis sorted sets'],
  ['rust', 'https://www.lurklurk.org/effective-rust/', 'Effective Rust'],
  ['gameDev', 'https://iquilezles.org/articles/distfunctions/', 'Distance functions'],
  ['general', 'https://ciechanow.ski/gps/', 'GPS'],
] as const;

/** What members say in between: channel and text. */
export const TALK = [
  ['general', 'Morning! Anything good overnight?'],
  ['rust', 'Has anyone moved to the new edition yet? `cargo fix` did **almost** everything here.'],
  ['ai', '这篇的图画得真清楚，推荐给刚入门的同学 👀'],
  ['gameDev', 'Jam starts on Friday. Theme ideas go into the thread.'],
  ['general', 'TIL a quartz watch ticks 32 768 times a second.\n> and a mechanical one 8'],
  ['rust', '```rust\nlet best = articles.iter().max_by_key(|a| a.score);\n```\ngood enough?'],
  ['general', '大家周末愉快 🎉'],
  ['gameDev', 'The hexagon page is *still* the best thing on the internet.'],
] as const;
