import { PermissionFlagsBits as P } from 'discord.js';
import { afterAll, beforeAll, test } from 'vitest';
import { setOverwrite } from '../../discord-box/src/world/channels/change-channel.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { type OwnEmoji, expectVotesOfModel, works } from './own-signs-model.ts';

let scene: Scene;
let own: OwnEmoji;

beforeAll(async () => {
  scene = await startScene();
  const { world, channels, operator } = scene.sandbox;
  const me = world.application.botId;
  setOverwrite(world, channels.general, me, { kind: 'member', allow: P.ManageMessages, deny: 0n });
  const made = (name: string) => `<:${name}:${operator.addEmoji({ name })}>`;
  own = { yes: made('yes'), no: made('no') };
  // A member's first article has no down sign of the bot.
  await scene.post(scene.sandbox.admin);
});
afterAll(() => scene.stop());

test.each([1, 2, 3, 4])(
  'whatever members show, switch and take back under articles of any signs, and whatever is recounted, restored and rebuilt meanwhile, their votes are those of a model (seed %i)',
  (seed) => expectVotesOfModel(scene, own, { seed, steps: 50, works }),
);
