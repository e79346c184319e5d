import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { closeArticle } from '../../src/ranking/articles/closing.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { recordLog } from '../fixtures/record-log.ts';
import { translate } from '../../src/text/catalogue.ts';
import { within } from '../fixtures/own-time.ts';

const said = recordLog();
let scene: Scene;
let article: string;
beforeAll(async () => {
  scene = await startScene({ log: said.log });
  scene.follow();
  article = await scene.post(scene.sandbox.admin, { title: 'Shown all the same' });
});
afterEach(async () => {
  await scene.redis.redis.config('SET', 'maxmemory', '0');
  await scene.redis.redis.call('REPLICAOF', 'NO', 'ONE');
});
afterAll(() => scene.stop());

/** The seconds go by faster than those of the machine. */
async function inSeconds<T>(ask: () => Promise<T>, holds: (value: T) => boolean, what: string) {
  const later = async () => {
    await scene.pass(1000);
    return ask();
  };
  await scene.eventually(later, holds, what);
}

describe('while Redis refuses writes, a list is read and a vote waits', () => {
  // Withstands (Redis, while the bot runs): Redis is full (-OOM) or a replica (-READONLY)
  // → lists are read, and votes count later
  test.each([
    ['being full (-OOM)', () => scene.redis.redis.config('SET', 'maxmemory', '1')],
    ['as a replica (-READONLY)', () => scene.redis.redis.call('REPLICAOF', '127.0.0.1', '1')],
  ])('a list is read and a vote waits while Redis refuses writes: %s', async (_, refuse) => {
    const { sandbox } = scene;
    const before = (await scene.tally(article)) ?? [0, 0];
    const voter = sandbox.members[before[0]] ?? '';
    await refuse();
    sandbox.as(voter).react(sandbox.channels.general.id, article, '👍');
    const top = sandbox.as(voter).command(sandbox.channels.general.id, 'top');
    const { message } = await within(2000, top);
    expect(JSON.stringify(message?.embeds)).toContain('Shown all the same');
    expect(await scene.tally(article)).toEqual(before);
    await scene.redis.redis.config('SET', 'maxmemory', '0');
    await scene.redis.redis.call('REPLICAOF', 'NO', 'ONE');
    const tally = () => scene.tally(article);
    await inSeconds(tally, (votes) => votes?.[0] === before[0] + 1, 'counted');
    expect(await tally()).toEqual([before[0] + 1, before[1]]);
  });
});

test('a closed article whose deletion Redis refuses is gone when Redis takes writes again', async () => {
  const { sandbox, redis, bot } = scene;
  const deleted = await scene.post(sandbox.admin);
  await closeArticle(bot.ranking, sandbox.guildId, deleted);
  const before = said.text().length;
  await redis.redis.acl('SETUSER', 'default', '-evalsha', '-eval');
  sandbox.as(sandbox.admin).delete(sandbox.channels.general.id, deleted);
  await expect.poll(() => said.text().slice(before)).toMatch(/Redis is away|could not be written/);
  expect(await scene.article(deleted)).not.toBeNull();
  await redis.redis.acl('SETUSER', 'default', '+evalsha', '+eval');
  await inSeconds(
    () => scene.article(deleted),
    (found) => found === null,
    'gone',
  );
});

test('what a member asks for while Redis refuses writes is to be tried again, and is no fault', async () => {
  await scene.redis.redis.config('SET', 'maxmemory', '1');
  const { admin } = scene.sandbox;
  const { message } = await scene.command(admin, 'mod block', { site: 'refused.example' });
  expect(message?.content).toBe(translate('en', 'outage'));
});

// Withstands (Requests to Discord): Discord answers 401 once
// → the next request has the token again
test('one answer of 401 costs one request, not all that follow', async () => {
  const { sandbox } = scene;
  // Of this request alone: a recount may read meanwhile.
  sandbox.faults.add({ status: 401, times: 1, method: 'GET', route: /users/ });
  const { rest } = scene.bot.client;
  await expect(rest.get('/users/@me')).rejects.toMatchObject({ status: 401 });
  expect(await rest.get('/users/@me')).toMatchObject({ id: scene.bot.self });
});
