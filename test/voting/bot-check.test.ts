import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeMember } from '../../sandbox/discord/index.ts';
import { readVoter } from '../../src/ranking/ballots/voters.ts';
import { patience, type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

test('a bot of whom an event says nothing does not count, and a member does', async () => {
  const { world, guild, admin, operator, requests } = scene.sandbox;
  const id = await scene.post(admin);
  // The gateway's event of a reaction names no member for somebody who has left.
  const [bot, human] = [true, false].map((isBot) => {
    const person = operator.addPerson({ username: isBot ? 'counter' : 'leaver', bot: isBot });
    removeMember(world, guild, person);
    return person;
  });
  scene.react(bot!, id, '👍');
  scene.react(human!, id, '👍');
  // They are asked about in turn: with the second question the bot's vote has been taken back.
  await expect.poll(() => requests.count('GET', /users/), patience).toBe(2);
  await expect.poll(() => scene.tally(id), patience).toEqual([2, 0]);
  // Known by now, it is not asked about again.
  requests.reset();
  scene.react(bot!, id, '👎');
  const voter = scene.sandbox.members[1]!;
  await scene.vote(voter, id, '👎');
  expect(await scene.tally(id)).toEqual([2, 1]);
  expect(await readVoter(scene.bot.app.ranking, guild.id, id, bot!)).toBeNull();
  expect(requests.count('GET', /users/)).toBe(0);
});
