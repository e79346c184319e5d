import { startSandbox } from '../sandbox/tour/sandbox.ts';
import { addReaction, createMessage } from '../sandbox/discord/index.ts';
import { startClock } from '../src/clock.ts';

/**
 * A sandbox in its own process, so that creating events does not slow down the bot. It reports its
 * address and the messages to vote on; when it receives a number, it creates that many reactions.
 */
const MESSAGES = 50;
const MEMBERS = 4000;
/** Events that are written at once, before the sockets may send. */
const BURST = 200;

const sandbox = await startSandbox({ clock: startClock(), rateLimits: false });
const { world, operator, guildId, token, apiBase } = sandbox;
const channel = world.channels.get(sandbox.channels.general.id)!;
const { botId } = world.application;
const messages = Array.from({ length: MESSAGES }, () =>
  createMessage(world, channel, { authorId: botId }),
);
const members = Array.from({ length: MEMBERS }, (_, n) =>
  operator.addPerson({ username: `voter-${n}`, bornMs: Date.UTC(2020, 0, 1) }),
);
let next = 0;

process.on('message', (count: number) => {
  let left = count;
  const burst = (): void => {
    for (let n = Math.min(left, BURST); n > 0; n--, left--, next++) {
      const message = messages[next % MESSAGES]!;
      const member = members[Math.floor(next / MESSAGES) % MEMBERS]!;
      addReaction(world, channel, message, member, { id: null, name: '👍' }, false);
    }
    if (left > 0) setImmediate(burst);
  };
  burst();
});
process.on('disconnect', () => process.exit());
process.send!({
  token,
  apiBase,
  guild: guildId,
  channel: channel.id,
  messages: messages.map(({ id }) => id),
});
