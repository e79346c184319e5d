import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Community, startCommunity } from '../community.ts';

/**
 * Clients of others, by the file here that adapts them; `as`: under which name they are installed;
 * `beside`: what else they need.
 */
const CLIENTS: { name: string; file: string; as: string; of: string; beside?: string[] }[] = [
  {
    name: 'discord.js 14.28',
    file: 'discord-js',
    as: 'discord-js-today',
    of: 'discord.js@14.28.1',
  },
  { name: 'discord.js 14.16', file: 'discord-js', as: 'discord-js-2024', of: 'discord.js@14.16.3' },
  { name: 'oceanic.js 1.15', file: 'oceanic', as: 'oceanic.js', of: 'oceanic.js@1.15.0' },
  {
    name: 'dysnomia 0.2',
    file: 'dysnomia',
    as: '@projectdysnomia/dysnomia',
    of: '@projectdysnomia/dysnomia@0.2.4',
  },
  { name: 'eris 0.18', file: 'eris', as: 'eris', of: 'eris@0.18.0' },
  {
    name: 'discordeno 21',
    file: 'discordeno',
    as: '@discordeno/bot',
    of: '@discordeno/bot@21.0.0',
  },
  {
    name: '@discordjs/core 2.6',
    file: 'discordjs-core',
    as: '@discordjs/core',
    of: '@discordjs/core@2.6.0',
    beside: ['@discordjs/ws@2.0.4', '@discordjs/rest@2.6.0'],
  },
  { name: 'seyfert 5.1', file: 'seyfert', as: 'seyfert', of: 'seyfert@5.1.0' },
  {
    name: 'detritus 0.16',
    file: 'detritus',
    as: 'detritus-client',
    of: 'detritus-client@0.16.3',
  },
];

type Asked = {
  kind: 'command' | 'completion' | 'button' | 'select' | 'form';
  name: string;
  values: string[];
  reply(content: string, components?: object[]): Promise<unknown>;
  defer(): Promise<unknown>;
  edit(content: string): Promise<unknown>;
  choose(choices: object[]): Promise<unknown>;
  form(form: object): Promise<unknown>;
};
type Bot = {
  deploy(commands: object[]): Promise<unknown>;
  send(channel: string, content: string, file?: string): Promise<string>;
  react(channel: string, message: string, emoji: string): Promise<unknown>;
  unreact(channel: string, message: string, emoji: string): Promise<unknown>;
  heard(emoji: string): boolean;
  history(channel: string, query: object): Promise<string[]>;
  thread(channel: string, message: string, name: string): Promise<string>;
  deny(channel: string, role: string): Promise<unknown>;
  bulkDelete(channel: string, messages: string[]): Promise<unknown>;
  close(): unknown;
};
type Adapter = {
  open(
    library: unknown,
    discord: { api: string; token: string; folder: string },
    answer: (asked: Asked) => unknown,
  ): Promise<Bot>;
};

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const readme = fileURLToPath(new URL('../../README.md', import.meta.url));
let folder: string;
/** What each client does, for the README's table. */
const table = new Map<string, Map<string, string>>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'box-clients-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const packages = CLIENTS.flatMap(({ as, of, beside = [] }) => [
    of.startsWith(`${as}@`) ? of : `${as}@npm:${of}`,
    ...beside,
  ]);
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--omit=optional'];
  await run('npm', ['install', ...quiet, ...packages], { cwd: folder });
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

const COMMANDS = [
  { name: 'echo', description: 'Answers' },
  { name: 'slow', description: 'Answers later' },
  {
    name: 'find',
    description: 'Completes',
    options: [{ type: 3, name: 'what', description: 'What', required: true, autocomplete: true }],
  },
  { name: 'menu', description: 'Shows a button and a select' },
];
const MENU = [
  { type: 1, components: [{ type: 2, style: 1, label: 'Write', custom_id: 'write' }] },
  {
    type: 1,
    components: [{ type: 3, custom_id: 'pick', options: [{ label: 'Tea', value: 'tea' }] }],
  },
];
const FORM = {
  custom_id: 'form',
  title: 'A form',
  components: [{ type: 1, components: [{ type: 4, custom_id: 'text', label: 'Text', style: 1 }] }],
};

async function answer(asked: Asked): Promise<unknown> {
  const { kind, name, values } = asked;
  if (kind === 'completion') return asked.choose([{ name: 'Tea', value: 'tea' }]);
  if (kind === 'button') return asked.form(FORM);
  if (kind !== 'command') return asked.reply(`${kind} ${values.join()}`);
  if (name === 'slow') return asked.defer().then(() => asked.edit('at last'));
  return asked.reply(`/${name}`, name === 'menu' ? MENU : []);
}

/** The steps, each with what it needs to be true. */
const STEPS: [string, (bot: Bot, discord: Community) => Promise<void>][] = [
  [
    'deploys',
    async (bot, discord) => {
      await bot.deploy(COMMANDS);
      expect([...discord.world.commands.values()].map(({ form }) => form.name)).toEqual(
        COMMANDS.map(({ name }) => name),
      );
    },
  ],
  [
    'answers',
    async (_, discord) => {
      const { general } = discord.channels;
      const { message } = await discord.as(discord.admin).command(general.id, 'echo');
      expect(message?.content).toBe('/echo');
    },
  ],
  [
    'defers and edits',
    async (_, discord) => {
      const { general } = discord.channels;
      const { message } = await discord.as(discord.admin).command(general.id, 'slow');
      expect(message?.content).toBe('at last');
    },
  ],
  [
    'completes',
    async (_, discord) => {
      const { general } = discord.channels;
      const found = await discord.as(discord.admin).complete(general.id, 'find', 'what');
      expect(found).toMatchObject([{ name: 'Tea', value: 'tea' }]);
    },
  ],
  [
    'button and form',
    async (_, discord) => {
      const { id } = discord.channels.general;
      const ada = discord.as(discord.admin);
      const menu = (await ada.command(id, 'menu')).message?.id ?? '';
      const { kind, interactionId } = await ada.press(id, menu, 'write');
      expect(kind).toBe('modal');
      const { message } = await ada.submit(interactionId, { text: 'hello' });
      expect(message?.content).toBe('form hello');
    },
  ],
  [
    'select',
    async (_, discord) => {
      const { id } = discord.channels.general;
      const ada = discord.as(discord.admin);
      const menu = (await ada.command(id, 'menu')).message?.id ?? '';
      const { message } = await ada.choose(id, menu, 'pick', ['tea']);
      expect(message?.content).toBe('select tea');
    },
  ],
  [
    'reactions',
    async (bot, discord) => {
      const { rust } = discord.channels;
      const message = await bot.send(rust.id, 'vote');
      await bot.react(rust.id, message, '👍');
      discord.as(discord.admin).react(rust.id, message, '👍');
      await expect.poll(() => bot.heard('👍')).toBe(true);
      await bot.unreact(rust.id, message, '👍');
      expect([...(rust.messages.get(message)?.reactions.get('👍')?.normal ?? [])]).toEqual([
        discord.admin,
      ]);
    },
  ],
  [
    'files',
    async (bot, discord) => {
      const { rust } = discord.channels;
      const message = await bot.send(rust.id, 'a file', 'its text');
      const [file] = rust.messages.get(message)?.attachments ?? [];
      expect(new TextDecoder().decode(file?.data)).toBe('its text');
    },
  ],
  [
    'history',
    async (bot, discord) => {
      const { id } = discord.channels.ai;
      const [a = '', b = '', c = ''] = [1, 2, 3].map(
        (n) => discord.as(discord.admin).send(id, `number ${n}`).id,
      );
      expect(await bot.history(id, { before: c, limit: 10 })).toEqual([b, a]);
      expect(await bot.history(id, { after: a, limit: 10 })).toEqual([c, b]);
      expect(await bot.history(id, { around: b, limit: 3 })).toEqual([c, b, a]);
    },
  ],
  [
    'threads',
    async (bot, discord) => {
      const { rust } = discord.channels;
      const message = await bot.send(rust.id, 'a subject');
      expect(await bot.thread(rust.id, message, 'talk')).toBe(message);
      expect(discord.world.channels.get(message)?.name).toBe('talk');
    },
  ],
  [
    'overwrites',
    async (bot, discord) => {
      const { gameDev } = discord.channels;
      await bot.deny(gameDev.id, discord.guildId);
      expect(gameDev.overwrites.get(discord.guildId)?.deny).toBe(64n);
    },
  ],
  [
    'bulk delete',
    async (bot, discord) => {
      const { ai } = discord.channels;
      const ids = [1, 2].map(() => discord.as(discord.admin).send(ai.id, 'away').id);
      await bot.bulkDelete(ai.id, ids);
      expect(ids.some((id) => ai.messages.has(id))).toBe(false);
    },
  ],
];

describe.each(CLIENTS)('$name', ({ name, file, as }) => {
  let discord: Community;
  let bot: Bot;
  const results = new Map<string, string>();
  table.set(name, results);

  beforeAll(async () => {
    discord = await startCommunity({ botPermissions: 8n, rateLimits: false });
    const require = createRequire(join(folder, 'package.json'));
    const library: unknown = await import(pathToFileURL(require.resolve(as)).href);
    const adapter = (await import(join(here, `${file}.mjs`))) as Adapter;
    const common = (library as { default?: object }).default;
    const { apiBase: api, token } = discord;
    bot = await adapter.open({ ...common, ...(library as object) }, { api, token, folder }, answer);
  });
  afterAll(async () => {
    await (bot as Bot | undefined)?.close();
    await discord.stop();
  });

  test.each(STEPS)('a client of another library does what bots do: %s', async (step, play) => {
    await expect(play(bot, discord)).resolves.toBeUndefined();
    results.set(step, '✓');
  });
});

test('the README’s table says what was seen', async () => {
  const steps = STEPS.map(([step]) => step);
  const lines = [
    `| | ${[...table.keys()].join(' | ')} |`,
    `| --- |${' --- |'.repeat(table.size)}`,
    ...steps.map(
      (step) => `| ${step} | ${[...table.values()].map((of) => of.get(step) ?? '').join(' | ')} |`,
    ),
  ];
  expect(readFileSync(readme, 'utf8')).toContain(lines.join('\n'));
});
