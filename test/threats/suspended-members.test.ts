import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { changeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;
let member: string;
let article: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  member = sandbox.moderator;
  const permissions = ['ManageGuild', 'ManageMessages'] as const;
  sandbox.operator.giveRole({ member, permissions });
  as().speak('en-US');
  article = await scene.post(member, { title: 'Mine' });
});
afterAll(() => scene.stop());
afterEach(() => change({ timedOutUntilMs: null, pending: false, isQuarantined: false }));

function change(to: Parameters<typeof changeMember>[3]): void {
  const { world, guild } = scene.sandbox;
  changeMember(world, guild, guild.members.get(member)!, to);
}

const as = () => scene.sandbox.as(member);
const command = (words: string, values = {}) => as().command(general, words, values);
const text = ({ message }: { message?: { content: string } }) => message?.content ?? '';

/** Each begins before and ends after the member may only read. */
const ACTS: [string, () => Promise<() => Promise<{ message?: { content: string } }>>][] = [
  ['post', async () => () => command('post', { link: 'https://suspended.example/' })],
  ['retitle', async () => () => command('me retitle', { article, title: 'Other' })],
  ['remove', async () => () => command('me remove', { article })],
  [
    'list elsewhere',
    async () => () => command('group add', { article, channel: scene.sandbox.channels.rust.id }),
  ],
  ['block', async () => () => command('mod block', { site: 'spam.example' })],
  ['set a digest', async () => () => command('digest set', { time: '9:00', timezone: 'UTC' })],
  ['open the panel', async () => () => command('frontpage panel')],
  ['moderate', async () => () => as().messageCommand(general, article, 'Moderate')],
  [
    'remove what is theirs by an older button',
    async () => {
      const { message } = await command('me articles');
      const press = { userId: member, sourceId: message!.id };
      return () => forgeComponent(scene.sandbox, press, `me|own|remove|${article}`);
    },
  ],
  [
    'press an older button',
    async () => {
      const { message } = await as().messageCommand(general, article, 'Moderate');
      return () => as().press(general, message!.id, `moderate|lock|${article}`);
    },
  ],
  [
    'send an older form',
    async () => {
      const { message } = await as().messageCommand(general, article, 'Moderate');
      const form = await as().press(general, message!.id, `moderate|retitle|${article}`);
      return () => as().submit(form.interactionId, { text: 'Other' });
    },
  ],
];

async function expectRefused(
  begin: (typeof ACTS)[number][1],
  state: Parameters<typeof change>[0],
  refusal: string,
): Promise<void> {
  const end = await begin();
  change(state);
  expect(text(await end())).toContain(refusal);
  const { title = '', locked } = (await scene.article(article)) ?? {};
  expect([title, locked]).toEqual(['Mine', false]);
}

describe('a member who has not accepted the rules', () => {
  // Withstands (Attacks): A member who is timed out or not screened acts by a command or an older form
  // → every act is refused, by one rule
  test.each(ACTS)(
    'a member who has not accepted the rules is refused to %s',
    async (_act, begin) => {
      await expectRefused(begin, { pending: true }, 'Accept this server’s rules first');
    },
  );

  test.each(['top', 'search', 'help', 'stats server', 'me articles', 'me data'])(
    'a member who has not accepted the rules may still read %s',
    async (words) => {
      change({ pending: true });
      const answer = await command(words, words === 'search' ? { words: 'Mine' } : {});
      expect(text(answer)).not.toContain('Accept this server’s rules first');
    },
  );
});

/** Discord shows no commands to a member who is timed out, but what was open before still works. */
test.each(ACTS.slice(-2))('a member who is timed out is refused to %s', async (_act, begin) => {
  await expectRefused(begin, { timedOutUntilMs: scene.clock.now() + 60_000 }, 'timed out until');
});

test.each([
  ['name', ...ACTS.at(-2)!],
  ['tag', ...ACTS.at(-1)!],
] as const)('a member whose %s AutoMod blocks is refused to %s', async (of, _act, begin) => {
  await expectRefused(begin, { isQuarantined: of }, 'AutoMod has blocked your name');
});

test('a timeout that has ended forbids nothing', async () => {
  change({ timedOutUntilMs: scene.clock.now() - 1 });
  expect(text(await command('frontpage panel'))).toBe('');
});

test('an administrator is neither timed out nor blocked for a name', async () => {
  scene.sandbox.operator.giveRole({ member, permissions: ['Administrator'] });
  change({ timedOutUntilMs: scene.clock.now() + 60_000, isQuarantined: 'name' });
  expect(text(await command('frontpage panel'))).toBe('');
});
