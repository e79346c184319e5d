import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
let links = 0;

/** Its bot defers what takes longer than a moment. */
let slow: Scene;
/** Its Discord waits no longer than the real one, which a busy machine may miss elsewhere. */
let strict: Scene;

beforeAll(async () => {
  scene = await startScene();
  strict = await startScene({ answerWithinMs: 3000 });
  slow = await startScene({ botAnswersWithinMs: 1400 });
});
afterAll(() => Promise.all([scene.stop(), strict.stop(), slow.stop()]));

function command(words: string, values = {}, at = scene) {
  return at.command(at.sandbox.admin, words, values);
}
const top = (at = scene) => command('top', {}, at);
const post = () => command('post', { link: `https://answer.example/${(links += 1)}` });
/** The messages in #general, those that only one member sees included. */
const messages = () => scene.sandbox.channels.general.messages.size;
const answers = (status?: number) => scene.sandbox.requests.count('POST', /callback/, status);

describe('an answer whose connection was cut', () => {
  // Withstands (Requests to Discord): The connection is cut before or after an answer arrives
  // → there is one answer
  test('an answer whose connection was cut before Discord had it is sent again', async () => {
    scene.sandbox.faults.add({ route: /callback/, cut: true, times: 3 });
    const { message } = await top();
    expect(message?.content).not.toContain('went wrong');
  });

  test('an answer whose connection was cut after Discord had it is left at that', async () => {
    scene.sandbox.faults.add({ route: /callback/, cut: true, afterTheWork: true, times: 1 });
    const before = messages();
    const { message } = await post();
    const id = message?.id ?? '';
    await scene.eventually(() => scene.article(id), Boolean, 'committed');
    await scene.eventually(
      () => scene.sandbox.channels.general.messages.get(id)?.reactions.size,
      Boolean,
      'ready for votes',
    );
    expect(messages()).toBe(before + 1);
  });

  // Withstands (Requests to Discord): Discord answers 503 to an answer
  // → an excuse arrives
  test('an answer whose connection was cut and that Discord failed to take is made up for by an excuse', async () => {
    // discord.js tries four times by itself.
    scene.sandbox.faults.add({ route: /callback/, status: 503, times: 4 });
    const { message } = await top();
    expect(message?.content).toContain('went wrong');
  });
});

// Withstands (Requests to Discord): discord.js cannot read the confirmation of an answer, such as of a message with null for its components
// → the member is told that the message is not confirmed
test('a member is told when the confirmation of an answer cannot be read', async () => {
  const { options } = scene.bot.client.rest;
  const makeRequest = options.makeRequest.bind(options);
  options.makeRequest = async (url, init) => {
    const response = await makeRequest(url, init);
    if (!/with_response=true/.test(url)) return response;
    const { resource, ...rest } = (await response.json()) as { resource: { message: object } };
    const message = { ...resource.message, components: null };
    return Response.json({ ...rest, resource: { ...resource, message } });
  };
  const all = scene.sandbox.channels.general.messages;
  const told = () =>
    [...all.values()].filter(({ content }) => content.includes('confirm the message')).length;
  const before = told();
  await post().finally(() => (options.makeRequest = makeRequest));
  await expect.poll(told).toBe(before + 1);
});

test('a private answer that comes late is private all the same, and so is the wait for it', async () => {
  const { sandbox, redis } = slow;
  const deferred = () => sandbox.requests.count('POST', /callback/);
  redis.pause();
  // Nothing is given up meanwhile, however late a busy machine hears of the wait.
  slow.bot.store.redis.options.commandTimeout = 30_000;
  const asked = top(slow).finally(() => redis.resume());
  await expect.poll(deferred).toBe(1);
  const [wait] = [...sandbox.channels.general.messages.values()].slice(-1);
  redis.resume();
  const { message, ephemeral } = await asked;
  expect(message?.id).toBe(wait?.id);
  expect(message?.content).not.toContain('went wrong');
  expect(wait?.onlyFor).toBe(sandbox.admin);
  expect(ephemeral).toBe(true);
});

test('an answer that hangs is sent again in time', async () => {
  strict.sandbox.faults.add({ route: /callback/, delayMs: 6000, times: 1 });
  const { kind, message } = await command('top', {}, strict);
  expect(kind).toBe('message');
  expect(message?.content).not.toContain('went wrong');
});

test.each([
  ['a command', 'answer', 'top', {}, 'went wrong'],
  ['a refusal', 'reason', 'post', { link: 'no link' }, 'link'],
])('%s whose first answer Discord refused still gets its %s', async (_a, _b, name, given, said) => {
  scene.sandbox.faults.add({ route: /callback/, status: 400, times: 1 });
  const { message } = await command(name, given);
  expect(message?.content).toContain(said);
});

describe('an interaction that Discord does not know any more (10062)', () => {
  const late = { route: /callback/, status: 404, code: 10062 };
  beforeEach(() => scene.sandbox.requests.reset());
  afterEach(() => scene.sandbox.faults.clear());

  // Withstands (Requests to Discord): An answer comes too late (10062)
  // → the link stays free
  test('an interaction that Discord does not know any more (10062) gets one answer, and no excuse for it', async () => {
    scene.sandbox.faults.add(late);
    void top().catch(() => {}); // It has no answer.
    await expect.poll(() => answers(404)).toBe(1);
    scene.sandbox.faults.clear();
    await top();
    await expect.poll(answers).toBe(2);
    expect(answers(404)).toBe(1);
  });

  test('an interaction that Discord does not know any more (10062) whose article was sent all the same is that article’s', async () => {
    scene.sandbox.faults.add({ route: /callback/, cut: true, afterTheWork: true, times: 1 });
    scene.sandbox.faults.add(late);
    const { message } = await post();
    const id = message?.id ?? '';
    await expect.poll(() => scene.article(id)).toMatchObject({ up: 1 });
  });

  test('an interaction that Discord does not know any more (10062) whose article was not sent leaves its link free', async () => {
    const link = 'https://answer.example/free';
    strict.sandbox.faults.add({ ...late, times: 1 });
    const { kind } = await command('post', { link }, strict);
    expect(kind).toBe('failed');
    const { message } = await command('post', { link }, strict);
    await expect.poll(() => strict.article(message?.id ?? '')).toMatchObject({ link });
  });
});

test('a private refusal of another process is not taken for the message of an article', async () => {
  const first = scene.bot;
  await scene.joinBot();
  const second = scene.bot;
  const { guildId, members, channels } = scene.sandbox;
  const [member = ''] = members;
  // The other process has heard of it already.
  (await first.rules.read(guildId)).optedOut.add(member);
  const { options } = second.client.rest;
  const makeRequest = options.makeRequest.bind(options);
  scene.sandbox.requests.reset();
  options.makeRequest = async (url, init) => {
    if (/callback/.test(url)) await scene.eventually(answers, (count) => count > 0, 'answered');
    return makeRequest(url, init);
  };
  const link = `https://answer.example/${(links += 1)}`;
  const { message, ephemeral } = await scene.sandbox
    .as(member)
    .command(channels.general.id, 'post', { link });
  expect(ephemeral).toBe(true);
  await expect.poll(() => answers(400)).toBe(1);
  await second.stop();
  scene.bot = first;
  expect(await scene.article(message?.id ?? '')).toBeNull();
  (await first.rules.reload(guildId)).optedOut.delete(member);
});

// Withstands (Requests to Discord): Another process answered first (40060)
// → nobody is told of a fault
test('an answer that another process gave already is no fault', async () => {
  const first = scene.bot;
  await scene.joinBot();
  const before = messages();
  scene.sandbox.requests.reset();
  await Promise.all([top(), top(), top()]);
  // Of both processes. A busy one sends an answer again.
  await expect.poll(answers).toBeGreaterThanOrEqual(6);
  await first.stop();
  await scene.bot.stop();
  expect(messages() - before).toBe(3);
  expect(answers() - answers(400)).toBe(3);
});
