import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readArticleMessage } from '../../../src/articles/messages/message.ts';
import { type Life, startLife } from '../../recount/life.ts';

let life: Life;
let general: string;

beforeAll(async () => {
  life = await startLife();
  // The start reads recent messages itself, and would find the article of the first test.
  await life.settled();
  general = life.sandbox.channels.general.id;
});
afterAll(() => life.stop());

const sendPost = (link: string) =>
  life.sandbox.as(life.sandbox.admin).command(general, 'post', { link });
/** The message of a link, in the record. */
const sent = (link: string) =>
  life.sandbox.until(
    () =>
      [...life.sandbox.channels.general.messages.values()].find(
        ({ content }) => readArticleMessage({ content })?.link === link,
      ),
    'the message',
  );
/** Discord does what it is asked and does not say so. */
function silence() {
  const ends = [
    life.sandbox.faults.add({ route: /callback/, status: 503, afterTheWork: true }),
    life.sandbox.faults.add({ route: /webhooks/, status: 503 }),
  ];
  return () => ends.forEach((end) => end());
}

describe('an article whose sending was not confirmed', () => {
  test('is found within seconds, with the votes that it has', async () => {
    const link = 'https://limbo.example/found';
    const speak = silence();
    void sendPost(link).catch(() => {});
    const { id } = await sent(link);
    life.react(life.sandbox.members[0] ?? '', id, '👍');
    await life.eventually(
      () => life.bot.app.pendingPosts.underWay(general),
      (pending) => pending === null,
      'given up',
    );
    speak();

    await life.eventually(
      () => life.article(id),
      (article) => article?.up === 2,
      'taken in',
      20_000,
    );
    await expect.poll(() => life.message(id).reactions.size).toBe(2);
  });

  test('shows the votes that it has when it is posted again', async () => {
    const link = 'https://limbo.example/again';
    const speak = silence();
    void sendPost(link).catch(() => {});
    const { id } = await sent(link);
    life.react(life.sandbox.members[0] ?? '', id, '👍');
    life.react(life.sandbox.members[1] ?? '', id, '👍');
    await life.restartBot();
    speak();
    life.clock.move(61_000);
    expect(await life.article(id)).toBeNull();
    const { message } = await sendPost(link);
    expect(message?.content).toContain(id);
    expect(await life.article(id)).toMatchObject({ up: 3 });
  });
});

test('reactions that could not be put under an article are put there later', async () => {
  const end = life.sandbox.faults.add({ method: 'PUT', route: /reactions/, status: 500 });
  const { message } = await sendPost('https://limbo.example/bare');
  const id = message?.id ?? '';
  await life.eventually(() => life.article(id), Boolean, 'posted');
  expect(life.message(id).reactions.size).toBe(0);
  await life.eventually(
    () => life.sandbox.requests.count('PUT', /reactions/, 500),
    (count) => count >= 12,
    'given up',
  );
  end();
  await life.eventually(
    () => life.message(id).reactions.size,
    (count) => count === 2,
    'with both reactions',
    20_000,
  );
});
