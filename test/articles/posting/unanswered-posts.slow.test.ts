import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readArticleMessage } from '../../../src/articles/messages/article-message.ts';
import { readRefusal } from '../../../src/discord/requests/refused-channels.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
let general: string;

beforeAll(async () => {
  scene = await startScene({ follows: true });
  // The start reads recent messages itself, and would find the article of the first test.
  await scene.settled();
  general = scene.sandbox.channels.general.id;
});
afterAll(() => scene.stop());

const sendPost = (link: string) =>
  scene.sandbox.as(scene.sandbox.admin).command(general, 'post', { link });
/** The message of a link, in the record. */
const sent = (link: string) =>
  scene.sandbox.until(
    () =>
      [...scene.sandbox.channels.general.messages.values()].find(
        ({ content }) => readArticleMessage({ content })?.link === link,
      ),
    'the message',
  );
/** Discord does what it is asked and does not say so. */
function silence() {
  const ends = [
    scene.sandbox.faults.add({ route: /callback/, status: 503, afterTheWork: true }),
    scene.sandbox.faults.add({ route: /webhooks/, status: 503 }),
  ];
  return () => ends.forEach((end) => end());
}

describe('an article whose sending was not confirmed', () => {
  // Withstands (Requests to Discord): The sending of an article is not confirmed
  // → it is found with its votes
  test('an article whose sending was not confirmed is found within seconds, with the votes that it has', async () => {
    const link = 'https://limbo.example/found';
    const speak = silence();
    void sendPost(link).catch(() => {});
    const { id } = await sent(link);
    scene.react(scene.sandbox.members[0] ?? '', id, '👍');
    await scene.eventually(
      () => scene.bot.pendingPosts.underWay(general),
      (pending) => pending === null,
      'given up',
    );
    speak();

    await scene.eventually(
      () => scene.article(id),
      (article) => article?.up === 2,
      'taken in',
    );
    await expect.poll(() => scene.isOwn(id, '👍')).toBe(true);
  });

  test('an article whose sending was not confirmed shows the votes that it has when it is posted again', async () => {
    const link = 'https://limbo.example/again';
    const speak = silence();
    void sendPost(link).catch(() => {});
    const { id } = await sent(link);
    scene.react(scene.sandbox.members[0] ?? '', id, '👍');
    scene.react(scene.sandbox.members[1] ?? '', id, '👍');
    await scene.restartBot();
    speak();
    scene.clock.move(61_000);
    expect(await scene.article(id)).toBeNull();
    const { message } = await sendPost(link);
    expect(message?.content).toContain(id);
    expect(await scene.article(id)).toMatchObject({ up: 3 });
  });
});

// Withstands (Requests to Discord): Reactions are refused under an article
// → they are put there later
test.each([
  [500, 12],
  [403, 1],
])('reactions refused with %i under an article are put there later', async (status, times) => {
  // A permission is missing in the whole channel.
  const code = status === 403 ? { code: 50013 } : {};
  const end = scene.sandbox.faults.add({ method: 'PUT', route: /reactions/, status, ...code });
  const { message } = await sendPost(`https://limbo.example/bare/${status}`);
  const id = message?.id ?? '';
  await scene.eventually(() => scene.article(id), Boolean, 'posted');
  expect(scene.message(id).reactions.size).toBe(0);
  await scene.eventually(
    () => scene.sandbox.requests.count('PUT', /reactions/, status),
    (count) => count >= times,
    'given up',
  );
  end();
  const { guildId } = scene.sandbox;
  const kept = () => readRefusal(scene.bot.store, guildId, `react ${general}`);
  await scene.eventually(kept, (refusal) => status !== 403 || refusal !== null, 'remembered');
  // A refused channel rests for a minute.
  scene.clock.move(61_000);
  await scene.eventually(
    () => scene.message(id).reactions.size,
    (count) => count === 2,
    'with both reactions',
  );
});
