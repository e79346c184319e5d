import { join } from 'node:path';
import { ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRole } from '../../discord-box/src/world/guilds/change-guild.ts';
import type { Answer } from '../../discord-box/src/index.ts';
import { loadCommands } from '../../src/discord/commands/command.ts';
import { readBlocks } from '../../src/community/blocks.ts';
import { readDigests } from '../../src/digests/stored-digests.ts';
import { readSettings, STANDARD } from '../../src/community/settings.ts';
import { readWebSettings } from '../../src/web/web-settings.ts';
import { type Article, readArticle } from '../../src/ranking/articles/articles.ts';
import {
  customIdsIn,
  forgery,
  hasComponents,
  mutationsOf,
  type Option,
  type Verb,
  verbsOf,
  wordsOf,
  wrongValues,
} from './invalid-interactions.ts';
import { faultsOf, faultsOfChoices } from './message-faults.ts';
import { sample } from '../fixtures/sample.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { within } from '../fixtures/own-time.ts';

/** Every command, subcommand, component and form as Discord's client would never send it. */
const commands = await loadCommands(join(import.meta.dirname, '../../commands'));
const verbs = verbsOf(commands).map((verb) => [wordsOf(verb), verb] as const);
const slash = verbs.filter(([, { type }]) => type === 1);

let scene: Scene;
let forge: ReturnType<typeof forgery>;
let general: string;
let admin: string;
let member: string;
let sourceId: string;
/** One of the admin's. */
let article: string;
/** Another server with the bot, of which the admin is a member too. */
let other: { guild: string; channel: string; user: string; role: string; article: string };

beforeAll(async () => {
  // With all that a host can switch on.
  scene = await startScene({
    webAddress: 'https://front.example',
    privileged: { messageContent: true, guildMembers: false, presences: false },
  });
  forge = forgery(scene);
  // Nobody uses a bot as often as this test does.
  const { memberLimits } = scene.bot;
  const count = memberLimits.count.bind(memberLimits);
  memberLimits.count = (what, ...more) => (what === 'use' ? 0 : count(what, ...more));
  const { sandbox } = scene;
  const { world, operator } = sandbox;
  general = sandbox.channels.general.id;
  ({ admin } = sandbox);
  [member = ''] = sandbox.members.filter((id) => world.users.get(id)?.locale.startsWith('en'));
  sourceId = sandbox.as(admin).send(general, 'Hello').id;
  const made = operator.createGuild({ name: 'Elsewhere', owner: admin });
  const role = addRole(world, world.guilds.get(made.guild)!, { name: 'there', permissions: 0n });
  const user = operator.addPerson({ username: 'stranger', guild: made.guild });
  other = { guild: made.guild, channel: made.general, user, role: role.id, article: '' };
  await scene.eventually(
    () => scene.bot.client.guilds.cache.has(made.guild),
    Boolean,
    'known there',
  );
  other.article = await scene.post(admin, {
    channel: made.general,
    link: 'https://elsewhere.example/secret',
    title: 'Secret',
  });
  article = await scene.post(admin);
  for (let i = 0; i < 12; i += 1)
    await scene.post(member, { link: `https://news.example/${i}`, title: 'Secret' });
});
afterAll(() => scene.stop());

/** In words and in time: a refusal or an answer, and never a fault. */
async function expectAnswered(asked: () => Promise<Answer>): Promise<Answer> {
  return expectWell(await within(5000, asked()));
}
function expectWell(answer: Answer): Answer {
  expect(answer.kind).not.toBe('failed');
  expect(answer.kind === 'message' ? faultsOf(answer.message) : []).toEqual([]);
  return answer;
}

const atOnce = 8;
async function expectAllAnswered(asked: readonly (() => Promise<Answer>)[]): Promise<void> {
  for (let i = 0; i < asked.length; i += atOnce) {
    await Promise.all(asked.slice(i, i + atOnce).map(expectAnswered));
  }
}

/** Something for each option that is not what is tried. */
function plausible({ name, type }: Option): { name: string; type: number; value: unknown } {
  const values: Record<number, unknown> = {
    [Type.String]: name === 'setting' ? 'repost-days' : 'x',
    [Type.Integer]: 1,
    [Type.Number]: 1,
    [Type.Boolean]: true,
    [Type.Channel]: general,
    [Type.User]: member,
    [Type.Mentionable]: member,
    [Type.Role]: scene.sandbox.guildId,
  };
  return { name, type, value: values[type] ?? '1' };
}
const required = ({ options }: Verb, but: Option) =>
  options.filter((one) => one.required === true && one.name !== but.name).map(plausible);

const completed = ['', 'A'.repeat(1_000_000), '\ud800', '__proto__', '[', '\u0000'];

function tryEverything(who: () => string): void {
  test.each(verbs)('%s without its options is answered', async (_, verb) => {
    await expectAnswered(() => forge.command(who(), verb, []));
    const own = commands.get(verb.name.toLowerCase().replaceAll(' ', '-'));
    if (verb.subcommand === null) return;
    const wrong = [
      [{ name: '__proto__', type: Type.Subcommand, options: [] }],
      [],
      [{ name: 'constructor', type: Type.Subcommand, options: [] }],
      [{ name: verb.subcommand, type: Type.SubcommandGroup, options: [] }],
      [{ name: verb.subcommand, type: Type.String, value: 'x' }],
    ];
    for (const options of sample(wrong, 2)) {
      const answer = await expectAnswered(() =>
        forge.raw(who(), own?.data.name ?? '', { options }),
      );
      expect(answer.ephemeral).toBe(true);
    }
  });

  test.each(slash)('%s with one wrong option at a time is answered', async (_, verb) => {
    for (const option of verb.options) {
      for (const [, value, type = option.type] of sample(wrongValues(option, other), 2)) {
        const options = [...required(verb, option), { name: option.name, type, value }];
        const answer = await expectAnswered(() => forge.command(who(), verb, options));
        expect(JSON.stringify(answer.message)).not.toContain('elsewhere.example');
      }
    }
  });

  test.each(slash.filter(([, { options }]) => options.some((one) => one.autocomplete)))(
    '%s completes anything, with what Discord takes',
    async (_, verb) => {
      for (const option of verb.options.filter((one) => one.autocomplete)) {
        for (const typed of sample(completed, 3)) {
          const given = required(verb, option);
          const asked = forge.completion(who(), verb, option, typed, given);
          const { choices, state } = await within(5000, asked);
          expect(state).toBe('answered');
          expect(faultsOfChoices(choices)).toEqual([]);
        }
      }
    },
  );
}

/** Those that Discord shows to moderators or administrators alone, unless a server says otherwise. */
const restricted = slash.filter(
  ([, { name }]) =>
    (commands.get(name.toLowerCase()) as Restricted)?.data.default_member_permissions,
);
type Restricted = { data: { default_member_permissions?: string | null } } | undefined;

describe('from a member', () => {
  tryEverything(() => member);

  test.each(restricted)('%s is refused to a member and tells nothing', async (_, verb) => {
    const options = verb.options
      .filter((one) => one.required === true)
      .map((one) => (one.name === 'article' ? { ...one, value: article } : plausible(one)));
    const answer = await expectAnswered(() => forge.command(member, verb, options));
    expect(answer).toMatchObject({ kind: 'message', ephemeral: true });
    expect(answer.message?.content).toMatch(
      /^(You need (the Manage|these permissions in <#\d+>)|That article is already there)/,
    );
    expect([answer.message?.embeds, answer.message?.attachments]).toEqual([[], []]);
  });

  test('no forged interaction changes anything on the server', async () => {
    const { store } = scene.bot;
    const { guildId } = scene.sandbox;
    expect(await readSettings(store, guildId)).toEqual(STANDARD);
    expect((await readBlocks(store, guildId)).size).toBe(0);
    expect(await readDigests(store, guildId)).toEqual([]);
    expect(await readWebSettings(store, guildId)).toMatchObject({ open: false });
  });
});

describe('from an admin', () => {
  tryEverything(() => admin);
});

describe('in direct messages', () => {
  test.each(verbs)('in direct messages %s is answered', async (_, verb) => {
    const answer = await expectAnswered(() => {
      const direct = scene.sandbox.as(member).directMessages();
      return forgery(scene, direct).command(member, verb, []);
    });
    expect(answer.kind).toBe('message');
  });
});

describe('an article of another server', () => {
  const naming = slash.filter(([, { options }]) => options.some(({ name }) => name === 'article'));

  test('an article of another server is tried with all commands that take one', () => {
    expect(naming).toHaveLength(4);
  });

  test.each(naming)(
    'an article of another server is unknown to %s, for who is admin in both',
    async (_, verb) => {
      const before = await readArticle(scene.bot.ranking, other.guild, other.article);
      const article = { name: 'article', type: Type.String, value: other.article };
      const others = required(verb, { name: 'article', type: Type.String });
      const answer = await expectAnswered(() => forge.command(admin, verb, [article, ...others]));
      expect(answer.message?.content).toMatch(/no such|in a server only/);
      const after: Article | null = await readArticle(
        scene.bot.ranking,
        other.guild,
        other.article,
      );
      expect(after).toEqual(before);
    },
  );
});

/** Custom ids as the bot itself made them, by what was shown with them. */
async function harvest(who: string): Promise<{ components: Set<string>; forms: Set<string> }> {
  const components = new Set<string>();
  const forms = new Set<string>();
  const queue: string[] = [];
  const take = ({ message, modal }: Answer): void => {
    const [formId] = customIdsIn(modal);
    if (modal && formId) forms.add(String(modal['custom_id']));
    for (const id of customIdsIn(message?.components)) {
      if (components.has(id)) continue;
      components.add(id);
      queue.push(id);
    }
  };
  const as = scene.sandbox.as(who);
  // So many that their list has pages.
  for (let n = 0; n < 9; n += 1) {
    await as.command(general, 'mod block', { site: `blocked-${n}.example` });
  }
  const linked = as.send(general, 'See https://news.example/harvest');
  for (const [words, verb] of slash) {
    const given = verb.options.filter((one) => one.required === true).map(plausible);
    take(await forge.command(who, verb, given));
    if (words === '/search') take(await as.command(general, 'search', { site: 'news.example' }));
  }
  // It asks before it posts a public digest where not everyone may view.
  const { operator } = scene.sandbox;
  const { id: hidden } = operator.createChannel({ name: 'hidden' });
  operator.restrictChannel({ channel: hidden, ageRestricted: true });
  await scene.settled();
  const digest = { time: '09:00', timezone: 'UTC', channel: hidden };
  take(await as.command(general, 'digest set', digest));
  take(await as.messageCommand(general, linked.id, 'Post this link'));
  const posting = await as.command(general, 'post', { link: 'https://news.example/moderated' });
  const article = posting.message?.id ?? '';
  await scene.eventually(() => scene.article(article), Boolean, 'committed');
  take(await as.messageCommand(general, article, 'Moderate'));
  take(await as.messageCommand(general, article, 'Why this rank?'));
  const others = await scene.post(member, { title: 'Reported' });
  take(await as.messageCommand(general, others, 'Report to the moderators'));
  const exported = (await openPanel(as, general, 'export')).message?.attachments[0]?.url ?? '';
  const data = new Uint8Array(await (await fetch(exported)).arrayBuffer());
  take(await as.command(general, 'frontpage restore', { file: { filename: 'a.ndjson', data } }));
  const values = [[], [general], ...Object.keys(STANDARD).map((name) => [name])];
  for (let id = queue.shift(); id !== undefined && components.size < 300; id = queue.shift()) {
    for (const chosen of /\|(pick|name)/.test(id) ? values : [undefined]) {
      take(await forge.component(who, id, sourceId, chosen));
    }
  }
  return { components, forms };
}

function owners(ids: ReadonlySet<string>): Set<string> {
  return new Set([...ids].map((id) => id.split('|')[0] ?? ''));
}
/** What stands in a custom id in place of a part of it. */
function parts(): string[] {
  return ['', '__proto__', '-1', other.channel, '\ud800'];
}

// Withstands (Attacks): An interaction is forged
// → all of it is checked again
describe('components and forms', () => {
  let made: Awaited<ReturnType<typeof harvest>>;
  beforeAll(async () => {
    made = await harvest(admin);
  });

  test('components and forms of every command that has some are tried', () => {
    const having = [...commands].filter(([, one]) => hasComponents(one)).map(([name]) => name);
    expect(owners(made.components)).toEqual(new Set(having));
    const forming = [...commands].filter(([, one]) => 'form' in one).map(([name]) => name);
    expect(owners(made.forms)).toEqual(new Set(forming));
  });

  test.each(['a member', 'an admin'])(
    'components and forms made by hand are answered, whatever is in them, to %s',
    async (asker) => {
      const who = asker === 'an admin' ? admin : member;
      const ids = [...made.components].flatMap((id) => [id, ...mutationsOf(id, parts())]);
      const all = [...new Set([...ids, 'nothing', 'constructor|x', '|||'])]
        // Whoever presses it erases all of their own.
        .filter((id) => !id.startsWith('me|really'))
        .map((id) => () => forge.component(who, id, sourceId));
      const chosen = [[], ['__proto__'], [other.channel], Array<string>(30).fill(general)];
      const choosing = [...made.components].flatMap((id) =>
        chosen.map((values) => () => forge.component(who, id, sourceId, values)),
      );
      await expectAllAnswered(sample([...all, ...choosing], 100));
    },
    120_000,
  );

  test.each(['a member', 'an admin'])(
    'forms with missing, strange and huge fields are answered to %s',
    async (asker) => {
      const who = asker === 'an admin' ? admin : member;
      const ids = [...made.forms].flatMap((id) => [id, ...mutationsOf(id, parts())]);
      const huge = [...made.forms].map((id) => [id, 'A'.repeat(1_000_000)] as const);
      const strange = ids.flatMap((id) => ['\ud800', ''].map((value) => [id, value] as const));
      const filled = [...huge, ...strange].map(
        ([id, value]) =>
          () =>
            forge.form(who, id, { value, link: value, title: value, comment: value }),
      );
      const empty = ids.map((id) => () => forge.form(who, id, {}));
      await expectAllAnswered(sample([...empty, ...filled], 60));
    },
    120_000,
  );

  test('components of an admin’s private answers tell a member nothing and change nothing', async () => {
    const { store } = scene.bot;
    const before = await readSettings(store, scene.sandbox.guildId);
    const ids = [...made.components].filter((id) => id.startsWith('frontpage|'));
    expect(ids.length).toBeGreaterThan(10);
    for (const id of ids) {
      const answer = await expectAnswered(() => forge.component(member, id, sourceId, [general]));
      expect(answer).toMatchObject({ kind: 'message', ephemeral: true });
      expect(answer.message?.embeds).toEqual([]);
      expect(answer.message?.content).toContain('You need the Manage Server permission');
    }
    expect(await readSettings(store, scene.sandbox.guildId)).toEqual(before);
  });

  test('components of another’s private search and file are not for the presser', async () => {
    const search = [...made.components].filter((id) => id.startsWith('search|'));
    expect(search).not.toEqual([]);
    for (const id of search) {
      const answer = await expectAnswered(() => forge.component(member, id, sourceId));
      expect(answer.message?.content).toContain('This search has expired');
    }
    // The member has used up the exports of an hour.
    const { moderator } = scene.sandbox;
    const answer = await expectAnswered(() => forge.component(moderator, 'me|export', sourceId));
    const response = await fetch(answer.message?.attachments[0]?.url ?? '');
    expect(await response.json()).toMatchObject({ member: moderator });
  });
});
