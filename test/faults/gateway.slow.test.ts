import { GatewayDispatchEvents } from 'discord.js';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { type Run, useInstalledBot } from '../fixtures/installed-bot.ts';

const bot = useInstalledBot({ heartbeatMs: 2000, answerWithinMs: 3000 });
let run: Run;
beforeAll(async () => {
  run = await bot.startApp();
});
// A stopped process would not end.
afterEach(() => void run.child.kill('SIGCONT'));

/** Sends what no Discord would, past the check of what the sandbox says. */
function send(payload: unknown): void {
  for (const { socket } of bot.sandbox.gateway.sessions.values()) {
    socket?.send(typeof payload === 'string' ? payload : JSON.stringify(payload));
  }
}

// Withstands (The gateway): The process stands still for many heartbeats
// → all votes are counted
test('a bot that stood still for many heartbeats counts all votes, and posts no old link', async () => {
  const { sandbox, command, top } = bot;
  const { general } = sandbox.channels;
  const { id } = await command('post', { link: 'https://news.example/still', title: 'Still' });
  const [first = '', second = ''] = sandbox.members;
  const link = 'https://news.example/late';
  run.child.kill('SIGSTOP');
  const stoppedMs = performance.now();
  sandbox.as(first).react(general.id, id, '👍');
  const late = command('post', { link, title: 'Late' });
  const isOnline = () => {
    const { sessions } = sandbox.gateway;
    return [...sessions.values()].some(({ socket }) => socket?.isOpen() === true);
  };
  await expect.poll(isOnline).toBe(false);
  sandbox.as(second).react(general.id, id, '👍');
  expect((await late).id).toBe('');
  await expect.poll(() => performance.now() - stoppedMs).toBeGreaterThan(12_000);
  const before = general.messages.size;
  run.child.kill('SIGCONT');
  await expect.poll(run.said).toContain('An answer did not arrive');
  await expect.poll(isOnline).toBe(true);
  await expect.poll(top).toContain('▲ 3');
  expect(general.messages.size).toBeGreaterThan(before);
  expect([...general.messages.values()].filter(({ content }) => content.includes(link))).toEqual(
    [],
  );
  expect((await command('post', { link, title: 'Late' })).said).toContain(link);
}, 120_000);

// Withstands (The gateway): A handler throws
// → later events are handled
test('a payload that makes a handler throw is logged, and later events are handled', async () => {
  const { sandbox, command, top } = bot;
  const { general } = sandbox.channels;
  const { id } = await command('post', { link: 'https://news.example/odd', title: 'Odd' });
  const ids = { id: 'odd', guild_id: sandbox.guildId, channel_id: general.id, message_id: id };
  const shapes = [null, 7, 'text', [null], {}, ids, { ...ids, type: 2, data: null, emoji: null }];
  const sequence = () => Math.max(...[...sandbox.gateway.sessions.values()].map((s) => s.sequence));
  // Not a second beginning of the session, nor what is true of the real article.
  const { Ready: _ready, MessageReactionRemoveAll: _clear, ...others } = GatewayDispatchEvents;
  for (const t of Object.values(others)) {
    for (const d of shapes) send({ op: 0, s: sequence(), t, d });
  }
  for (const odd of ['no JSON', '{}', { op: 99 }, { op: 0, s: sequence() }, { op: 0, t: 'NEW' }]) {
    send(odd);
  }
  sandbox.as(sandbox.members[0] ?? '').react(general.id, id, '👍');
  await expect.poll(top).toContain('▲ 2');
  // The process's output may come after its answer.
  await expect.poll(run.said).toMatch(/An exception was not caught|A rejection was not handled/);
  expect(run.child.exitCode).toBeNull();
}, 120_000);
