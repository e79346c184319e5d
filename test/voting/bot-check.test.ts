import { afterAll, beforeAll, expect, test } from 'vitest';
import { addReaction, removeMember } from '../../sandbox/discord/index.ts';
import { patience, type Scene, startScene } from '../scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

test('a bot of whom an event says nothing does not count, and a member does', async () => {
  const { world, guild, admin, channels, operator } = scene.sandbox;
  const link = 'https://news.example/strangers';
  const answer = await scene.sandbox.as(admin).command(channels.general.id, 'post', { link });
  const id = answer.message?.id ?? '';
  const channel = world.channels.get(channels.general.id)!;
  const message = channel.messages.get(id)!;
  await expect.poll(() => message.reactions.size, patience).toBe(2);
  // Of whom is no member any more, the gateway names no member.
  const [bot, human] = [true, false].map((isBot) => {
    const person = operator.addPerson({ username: isBot ? 'counter' : 'leaver', bot: isBot });
    removeMember(world, guild, person);
    return person;
  });
  const react = (person: string, name: string) =>
    addReaction(world, channel, message, person, { id: null, name }, false);
  const tally = async () => {
    const article = await scene.article(id);
    return [article?.up, article?.down];
  };
  react(bot!, '👍');
  react(human!, '👍');
  await expect.poll(tally, patience).toEqual([2, 0]);
  // Known by now, it is not asked about again.
  scene.sandbox.requests.reset();
  react(bot!, '👎');
  const voter = scene.sandbox.members[1]!;
  react(voter, '👎');
  await expect.poll(tally, patience).toEqual([2, 1]);
  expect(scene.sandbox.requests.count('GET', /users/)).toBe(0);
});
