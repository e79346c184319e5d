import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import type { Answerable } from '../../../src/discord/commands/command.ts';
import {
  answer,
  openBudget,
  showProgress,
  updateMessage,
} from '../../../src/discord/interactions/answer.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { translate } from '../../../src/text/catalogue.ts';
import { openPanel } from '../../fixtures/open-panel.ts';
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

  test('an answer whose connection was cut after Discord had it, and then each time, is followed by an excuse', async () => {
    scene.sandbox.faults.add({ route: /callback/, cut: true, afterTheWork: true, times: 4 });
    const before = messages();
    const { message } = await top();
    await expect.poll(messages).toBe(before + 2);
    const [given, excuse] = [...scene.sandbox.channels.general.messages.values()].slice(-2);
    expect(given?.id).toBe(message?.id);
    expect([excuse?.onlyFor, excuse?.content]).toEqual([
      scene.sandbox.admin,
      expect.stringContaining('went wrong'),
    ]);
  });

  test('an answer whose connection was cut each time is sent four times, and no more', async () => {
    let sent = 0;
    const reply = async () => {
      sent += 1;
      const cut = Object.assign(new Error('It was cut.'), { code: 'UND_ERR_SOCKET' });
      throw sent > 9 ? new Error('Without end.') : cut;
    };
    const interaction = { reply, isMessageComponent: () => false, isModalSubmit: () => false };
    const answered = answer(interaction as unknown as Answerable, 'Hello.');
    await expect(answered).rejects.toThrow('It was cut.');
    expect(sent).toBe(4);
  });

  test('an answer whose connection was cut each time, and that changes its message, changes it the next time', async () => {
    const done: string[] = [];
    const update = async () => {
      done.push('update');
      if (done.length <= 4) throw Object.assign(new Error('It was cut.'), { code: 'EPIPE' });
    };
    const editReply = async () => void done.push('edit');
    const interaction = { update, editReply, isMessageComponent: () => true };
    const press = interaction as unknown as Parameters<typeof updateMessage>[0];
    await expect(updateMessage(press, { content: 'One' })).rejects.toThrow('It was cut.');
    await updateMessage(press, { content: 'Two' });
    await updateMessage(press, { content: 'Three' });
    expect(done).toEqual([...Array(5).fill('update'), 'edit']);
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

const deferred = () => slow.sandbox.requests.count('POST', /callback/);
const all = () => [...slow.sandbox.channels.general.messages.values()];

/** Redis stands still until the bot has asked Discord to wait. */
async function late<T>(ask: () => Promise<T>): Promise<T> {
  const { redis, sandbox } = slow;
  await expect.poll(() => sandbox.requests.isIdle()).toBe(true);
  const before = deferred();
  redis.pause();
  // Nothing is given up meanwhile, however late a busy machine hears of the wait.
  slow.bot.store.redis.options.commandTimeout = 30_000;
  const asked = ask().finally(() => redis.resume());
  await expect.poll(deferred).toBe(before + 1);
  redis.resume();
  return asked;
}

describe('a bot that is late', () => {
  test('a private answer that comes late is private all the same, and so is the wait for it', async () => {
    const waits: (string | null | undefined)[] = [];
    const { message, ephemeral } = await late(async () => {
      const asked = top(slow);
      await expect.poll(deferred).toBe(1);
      waits.push(all().at(-1)?.id, all().at(-1)?.onlyFor);
      return asked;
    });
    expect(waits).toEqual([message?.id, slow.sandbox.admin]);
    expect(message?.content).not.toContain('went wrong');
    expect(ephemeral).toBe(true);
  });

  test('an article that is posted late stands for all, and the line that says so goes', async () => {
    const before = all().length;
    const link = 'https://late.example/1';
    const { message } = await late(() => command('post', { link }, slow));
    const posted = () => all().find(({ content }) => content.includes(link));
    await expect.poll(posted).toBeDefined();
    const { id = '', onlyFor } = posted() ?? {};
    expect([onlyFor, message?.id === id]).toEqual([null, false]);
    await slow.eventually(() => slow.article(id), Boolean, 'committed');
    await expect.poll(() => all().length).toBe(before + 1);
  });

  test('a form that a message’s menu opened and that is late posts its link all the same', async () => {
    const { sandbox } = slow;
    const { general } = sandbox.channels;
    const as = sandbox.as(sandbox.admin);
    const link = 'https://late.example/menu';
    const said = as.send(general.id, link);
    const form = await as.messageCommand(general.id, said.id, 'Post this link');
    const before = all().length;
    await late(() => as.submit(form.interactionId, { title: 'Late' }));
    await slow.eventually(
      async () => {
        const posted = all().find(({ content }) => content.includes('Late'));
        return (await slow.article(posted?.id ?? ''))?.link;
      },
      (of) => of === link,
      'posted',
    );
    // The line that stood for it meanwhile goes.
    await expect.poll(() => all().length).toBe(before + 1);
  });

  test('a button whose message changes late changes it all the same, and posts no other', async () => {
    const { sandbox } = slow;
    const as = sandbox.as(sandbox.admin);
    const { general } = sandbox.channels;
    const { message } = await openPanel(as, general.id, 'settings|posts');
    const shown = () => JSON.stringify(all().find(({ id }) => id === message?.id));
    const [before, count] = [shown(), all().length];
    const [, screen = ''] = /"custom_id":"(frontpage\|settings\|[^"]*)"/.exec(before) ?? [];
    const [, value = ''] = /"value":"([^"]*)"/.exec(before) ?? [];
    const { kind } = await late(() => as.choose(general.id, message?.id ?? '', screen, [value]));
    expect(kind).toBe('deferred');
    await expect.poll(shown).not.toBe(before);
    expect(all().length).toBe(count);
  });

  test('a member whose form comes too late to open is told to try again', async () => {
    const { sandbox } = slow;
    const as = sandbox.as(sandbox.admin);
    const { id: channel } = sandbox.channels.general;
    const article = await slow.post(sandbox.admin);
    const { message } = await as.messageCommand(channel, article, 'Moderate');
    const [before, at] = [all().length, message?.id ?? ''];
    await late(() => as.press(channel, at, `moderate|retitle|${article}`));
    await expect.poll(() => all().length).toBe(before + 1);
    const told = all().at(-1);
    expect([told?.content, told?.onlyFor]).toEqual([translate('en', 'late'), sandbox.admin]);
  });
});

test('what was answered in time is not put off when the time is over, and what was not is', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const [isMessageComponent, isModalSubmit] = [() => false, () => false];
  const isPutOff = async (isAnswered: boolean) => {
    let count = 0;
    const deferReply = async () => void (count += 1);
    const one = { isMessageComponent, isModalSubmit, deferReply, reply: async () => ({}) };
    const interaction = one as unknown as Answerable;
    const close = openBudget(interaction, { log: createLog('silent'), answerWithinMs: 3000 });
    if (isAnswered) await answer(interaction, 'It begins.');
    await vi.advanceTimersByTimeAsync(3000);
    close();
    return count;
  };
  expect([await isPutOff(true), await isPutOff(false)]).toEqual([0, 1]);
});

test('progress is shown every five seconds at most, and nothing after Discord takes no edit', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const shown: string[] = [];
  const editReply = async ({ content }: { content: string }) => void shown.push(content);
  const progress = showProgress({ editReply } as unknown as Answerable);
  for (let second = 1; second <= 12; second += 1) {
    vi.advanceTimersByTime(1000);
    progress.show(() => ({ content: `${second}` }));
  }
  expect(shown).toEqual(['5', '10']);
  expect(await progress.end({ content: 'done' })).toBe(true);
  vi.advanceTimersByTime(14 * 60_000);
  expect(await progress.end({ content: 'too late' })).toBe(false);
  expect(shown).toEqual(['5', '10', 'done']);
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
