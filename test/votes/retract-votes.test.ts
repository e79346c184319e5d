import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArticleMessage } from '../../src/articles/messages/article-message.ts';
import { setScale } from '../../src/ranking/articles/mark.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;

beforeAll(async () => {
  scene = await startScene();
  const { operator, channels } = scene.sandbox;
  general = channels.general.id;
  operator.setPermissions({ channel: general, who: 'bot', allow: ['ManageMessages'] });
  await scene.settled();
  await setScale(scene.bot.ranking, scene.sandbox.guildId, { mark: 2 });
});
afterAll(() => scene.stop());

const isInteresting = (article: string) => readArticleMessage(scene.message(article))?.interesting;

/** What a member does, or has done to them, after which no vote of theirs counts. */
const ENDS: [what: string, end: (who: string) => Promise<unknown>][] = [
  [
    'is blocked',
    (who) => scene.command(scene.sandbox.moderator, 'mod block', { member: who, what: 'vote' }),
  ],
  [
    'opts out',
    async (who) => {
      const as = scene.sandbox.as(who);
      const { message } = await as.command(general, 'me data');
      const sure = await as.press(general, message?.id ?? '', 'me|out');
      await as.press(general, sure.message?.id ?? '', 'me|leave');
    },
  ],
];

test.each(ENDS)(
  'the reactions of who %s go at once, and the ★ that stood by them',
  async (_, end) => {
    const [who = '', stays = ''] = scene.crowd(2);
    const [up, down] = [await scene.post(stays), await scene.post(stays)];
    await scene.vote(who, up);
    await scene.vote(who, down, '👎');
    await scene.eventually(() => isInteresting(up), Boolean, 'interesting');
    await end(who);
    for (const [article, emoji] of [
      [up, '👍'],
      [down, '👎'],
    ] as const) {
      await scene.eventually(
        () => scene.whoShows(article, emoji),
        (shown) => !shown.includes(who),
        `without the ${emoji}`,
      );
    }
    await scene.eventually(
      () => isInteresting(up),
      (is) => is === false,
      'without its ★',
    );
    expect(await scene.tally(up)).toEqual([1, 0]);
    expect(await scene.tally(down)).toEqual([1, 0]);
  },
);
