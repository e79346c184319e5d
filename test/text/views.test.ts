import { afterAll, beforeAll, expect, test } from 'vitest';
import { languages } from '../../src/text/catalogue.ts';
import { faultsOf } from '../hostile/faults.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

/**
 * Every command whose answer is a view, drawn once in each language. The sandbox refuses what Discord
 * would refuse, such as a label that is too long, and the bot then answers that something went wrong.
 */
let scene: Scene;
let article = '';
beforeAll(async () => {
  scene = await startScene();
  article = await scene.post(scene.sandbox.admin, { title: 'A title' });
  const [member = ''] = scene.sandbox.members;
  await scene.vote(member, article);
});
afterAll(() => scene.stop());

const commands: [name: string, options?: Record<string, string>][] = [
  ['help'],
  ['me articles'],
  ['me data'],
  ['top'],
  ['search', { words: 'title' }],
  ['stats server'],
  ['stats members'],
  ['digest list'],
  ['frontpage panel'],
  ['frontpage setup'],
  ['frontpage settings', { setting: 'mark' }],
  ['frontpage settings'],
  ['frontpage doctor'],
  ['mod blocks'],
  ['mod log'],
];

test.each([...languages.keys()])('every view is drawn whole in %s', async (locale) => {
  const { admin, channels } = scene.sandbox;
  const member = scene.sandbox.as(admin);
  member.speak(locale);
  for (const [name, options] of commands) {
    const answer = await member.command(channels.general.id, name, options ?? {});
    expect([name, answer.kind, faultsOf(answer.message)]).toEqual([name, 'message', []]);
  }
});
