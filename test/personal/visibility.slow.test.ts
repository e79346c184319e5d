import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  nat,
  oneof,
  record,
} from 'fast-check';
import type { Answer } from '../../discord-box/src/index.ts';
import { MINUTE_MS } from '../../src/runtime/clock.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let channels: string[];
let [poster, voter, role] = ['', '', ''];
let members: [string, string];

beforeAll(async () => {
  scene = await startScene();
  scene.follow();
  const { operator } = scene.sandbox;
  const [first = '', second = '', ...others] = scene.crowd(4);
  members = [first, second];
  [poster = '', voter = ''] = others;
  role = operator.addRole({ name: 'readers' });
  operator.giveRole({ member: second, role });
  channels = ['one', 'two', 'three'].map((name) => operator.createChannel({ name }).id);
  for (const channel of channels) {
    for (const who of ['bot', poster, voter]) {
      operator.setPermissions({ channel, who, allow: ['ViewChannel'] });
    }
  }
});
afterAll(() => scene.stop());

/** The stories that a list names, without the best that stand beneath it. */
function titlesIn({ message }: Answer): string[] {
  const [text = ''] = (message?.embeds ?? [])
    .map(({ description = '' }) => description)
    .join('\n')
    .split('**The best right now**');
  return [...new Set([...text.matchAll(/Story \d+ /g)].map(([title]) => title.trim()))].sort();
}

const acts = array(
  oneof(
    {
      weight: 3,
      arbitrary: record({ kind: constantFrom('post' as const), at: nat(2), isOwn: boolean() }),
    },
    {
      weight: 4,
      arbitrary: record({
        kind: constantFrom('deny' as const, 'allow' as const, 'leave' as const),
        at: nat(2),
        who: nat(3),
      }),
    },
    { weight: 1, arbitrary: record({ kind: constantFrom('vote' as const), at: nat(20) }) },
    { weight: 1, arbitrary: record({ kind: constantFrom('remove' as const), at: nat(20) }) },
  ),
  { minLength: 5, maxLength: 12 },
);

/** Whatever chance brings, something is hidden from somebody once. */
const HIDDEN_ONCE = [
  { kind: 'post' as const, at: 0, isOwn: false },
  { kind: 'deny' as const, at: 0, who: 0 },
];

type Story = {
  id: string;
  title: string;
  channel: string;
  by: string;
  isVoted: boolean;
  savedBy: string[];
};

/** What is allowed or denied in channels, as Discord weighs it: everybody, then roles, then the member. */
function openModel() {
  const overwrites = new Map<string, boolean>();
  const said = (channel: string, who: string) => overwrites.get(`${channel} ${who}`);
  const isListed = (channel: string) => said(channel, 'everyone') ?? true;
  return {
    set(channel: string, who: string, is: boolean | undefined) {
      if (is === undefined) overwrites.delete(`${channel} ${who}`);
      else overwrites.set(`${channel} ${who}`, is);
    },
    isListed,
    sees: (who: string, channel: string) =>
      said(channel, who) ??
      (who === members[1] ? said(channel, role) : undefined) ??
      isListed(channel),
  };
}

// Withstands (Attacks): A member's own list shows what was hidden from them since
// → each look asks anew what they may view
test('each list shows what a model of channels and roles lets its member view at the time of looking', async () => {
  const { operator } = scene.sandbox;
  const general = scene.sandbox.channels.general.id;
  const subjects = [...members, role, 'everyone'];
  let told = 0;
  let hidden = 0;
  await assert(
    asyncProperty(acts, async (given) => {
      const model = openModel();
      // Nobody looks so often in a minute.
      scene.clock.move(MINUTE_MS);
      for (const channel of channels) {
        for (const who of subjects) operator.setPermissions({ channel, who });
      }
      for (const who of members) await scene.sandbox.as(who).command(general, 'me new');
      const stories: Story[] = [];
      for (const act of given) {
        const channel = channels[act.at % channels.length]!;
        const at = act.at % Math.max(1, stories.length);
        switch (act.kind) {
          case 'post': {
            if (stories.length === 9) break;
            const title = `Story ${(told += 1)}`;
            const by = act.isOwn && model.sees(members[0], channel) ? members[0] : poster;
            const id = await scene.post(by, { title: `${title} of its channel`, channel });
            const savedBy = members.filter((who) => model.sees(who, channel));
            for (const who of savedBy) {
              await scene.sandbox.as(who).messageCommand(channel, id, 'Save for me');
            }
            stories.push({ id, title, channel, by, isVoted: false, savedBy });
            break;
          }
          case 'vote': {
            const story = stories[at];
            if (story === undefined) break;
            await scene.vote(voter, story.id);
            story.isVoted = true;
            break;
          }
          case 'remove': {
            const [gone] = stories.splice(at, 1);
            if (gone) await scene.moderate(scene.sandbox.admin, 'remove', gone.id);
            break;
          }
          default: {
            const who = subjects[act.who]!;
            const is = { deny: false, allow: true, leave: undefined }[act.kind];
            model.set(channel, who, is);
            operator.setPermissions({
              channel,
              who,
              ...(is === undefined ? {} : { [is ? 'allow' : 'deny']: ['ViewChannel'] }),
            });
          }
        }
      }
      await scene.settled();
      for (const who of members) {
        const titles = (...holds: ((story: Story) => boolean)[]) =>
          stories
            .filter((story) => holds.every((one) => one(story)))
            .map(({ title }) => title)
            .sort();
        const look = async (words: string, values = {}) => {
          const shown = titlesIn(await scene.sandbox.as(who).command(general, words, values));
          // What other runs saved and posted is there too.
          return shown.filter((title) => stories.some((story) => story.title === title));
        };
        const isListed = ({ channel }: Story) => model.isListed(channel);
        const isSeen = ({ channel }: Story) => model.sees(who, channel);
        const isOwn = ({ by }: Story) => by === who;
        const isOthers = (story: Story) => !isOwn(story);
        hidden += stories.length - titles(isSeen).length;
        // The stored lists follow a channel that becomes everybody's a moment later.
        await scene.eventually(
          () => look('top', { show: 'time' }),
          (shown) => shown.join() === titles(isListed).join(),
          `a list of ${titles(isListed).join()}`,
        );
        expect(await look('search', { words: 'story' })).toEqual(titles(isListed));
        expect(await look('top', { show: 'unjudged' })).toEqual(
          titles(isListed, isSeen, isOthers, ({ isVoted }) => !isVoted),
        );
        expect(await look('me saved')).toEqual(
          titles(isSeen, ({ savedBy }) => savedBy.includes(who)),
        );
        expect(await look('me articles')).toEqual(titles(isSeen, isOwn));
        expect(await look('me new')).toEqual(titles(isListed, isSeen, isOthers));
      }
    }),
    { numRuns: 4, examples: [[HIDDEN_ONCE]] },
  );
  expect(hidden).toBeGreaterThan(0);
}, 300_000);
