import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;
let member: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  [member = ''] = sandbox.members;
});
afterAll(() => scene.stop());

describe('/help', () => {
  test('puts what members may do first, and names no part that the asker may not use', async () => {
    const parts = async (who: string) => {
      const { message } = await scene.sandbox.as(who).command(general, 'help');
      const text = message?.embeds.map(({ description }) => description).join('\n') ?? '';
      const lines = [...text.matchAll(/^(?:(\*\*.+\*\*)$|<\/([a-z]+))/gm)].map(
        ([, heading, name]) => (heading === undefined ? name : 'heading'),
      );
      // A command has a line for each of its subcommands.
      return lines.filter((name, i) => name !== lines[i - 1]);
    };
    const members = ['heading', 'post', 'top', 'search', 'me', 'stats', 'help'];
    expect(await parts(member)).toEqual(members);
    const moderators = [...members, 'heading', 'group', 'mod'];
    expect(await parts(scene.sandbox.moderator)).toEqual(moderators);
    expect(await parts(scene.sandbox.admin)).toEqual([
      ...moderators,
      'heading',
      'digest',
      'frontpage',
    ]);
  });
});
