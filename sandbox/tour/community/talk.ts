/** What members say in between: channel and text, oldest first. */
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

/** What is said in the threads under articles, in turn. */
export const REPLIES = [
  'The part about the escapement is wonderful.',
  'Read it twice. Worth it both times.',
  '收藏了，周末慢慢看。',
  'Anyone tried this in practice?',
  'We did, last year. It held up.',
  '+1, the drawings alone are worth it',
  '终于有人把这个讲明白了',
] as const;
