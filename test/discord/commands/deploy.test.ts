import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { recordLog } from '../../fixtures/record-log.ts';
import { loadCommands } from '../../../src/discord/commands/command.ts';
import {
  deployCommands,
  keepDeploying,
  openDeployedCommands,
} from '../../../src/discord/commands/deploy.ts';
import { inviteLink } from '../../../src/discord/access/permissions.ts';
import { sharedKeys } from '../../../src/redis/store-keys.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

const folder = join(import.meta.dirname, '../../../commands');

function deployments(): number {
  return scene.sandbox.requests.count('PUT', /commands/);
}

const nameOfCommand = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

describe('the commands', () => {
  test('the commands are deployed once, and not again by a restart', async () => {
    expect(deployments()).toBe(1);
    await scene.restartBot();
    expect(deployments()).toBe(1);
  });

  test('the commands are offered in servers alone, but for those that answer in direct messages', async () => {
    const commands = await loadCommands(folder);
    const offered = [...scene.sandbox.world.commands.values()].map(({ form }) => {
      const { name, contexts, integration_types: types } = form as unknown as Record<string, any>;
      return { name, contexts, types };
    });
    const wanted = [...commands.values()].map(({ data: { name }, direct }) => ({
      name,
      contexts: direct ? [0, 1] : [0],
      types: [0],
    }));
    const byName = (all: typeof offered) =>
      all.toSorted((a, b) => String(a.name).localeCompare(String(b.name)));
    expect(byName(offered)).toEqual(byName(wanted));
    expect(wanted.some(({ contexts }) => contexts.length === 2)).toBe(true);
  });

  test('the commands are deployed again when somebody else removed one', async () => {
    const { commands } = scene.sandbox.world;
    const [first = ''] = commands.keys();
    commands.delete(first);
    await scene.restartBot();
    expect(deployments()).toBe(2);
  });

  test('the commands are deployed by the process that has the first shard', async () => {
    const { bot } = scene;
    const commands = await loadCommands(folder);
    await bot.store.redis.del(sharedKeys(bot.store).deployed);
    const before = deployments();
    const ws = { shards: new Map([[1, bot.client.ws.shards.first()]]) };
    const client = Object.assign(Object.create(bot.client), { ws }) as typeof bot.client;
    await deployCommands({ ...bot, client }, commands);
    expect(deployments()).toBe(before);
    await deployCommands(bot, commands);
    expect(deployments()).toBe(before + 1);
  });

  // Withstands (Requests to Discord): Discord refuses one command of this version
  // → the others are deployed
  test('the commands are deployed but for one that Discord refuses, and an old one is taken away', async () => {
    const { bot } = scene;
    const { world, faults } = scene.sandbox;
    const all = [...(await loadCommands(folder))];
    const [[, bad] = [], [oldName] = [''], ...others] = all;
    await deployCommands(bot, new Map(all));
    const before = new Map([...world.commands.values()].map((one) => [one.form.name, one]));
    const refusal = { route: /commands$/, status: 400, code: 50_035, times: 1 };
    for (const method of ['PUT', 'POST']) faults.add({ method, ...refusal });
    await deployCommands(bot, new Map([['bad', bad!], ...others]));
    const deployed = [...world.commands.values()].map(({ form }) => form.name);
    // The refused one is there as it was before.
    const names = others.map(([, { data }]) => data.name);
    expect(deployed.sort()).toEqual([bad!.data.name, ...names].sort());
    expect(before.has(oldName) && !deployed.includes(oldName)).toBe(true);
    // The next start tries all again.
    faults.clear();
    await deployCommands(bot, new Map(all));
    expect(world.commands.size).toBe(all.length);
  });

  test('the commands are deployed a moment later where Discord could not, and the start goes on meanwhile', async () => {
    const { bot } = scene;
    const { faults } = scene.sandbox;
    const commands = await loadCommands(folder);
    const { log, text } = recordLog();
    const refuse = (method: string, status: number, times?: number) =>
      faults.add({ method, route: /commands$/, status, code: 0, ...(times && { times }) });
    const deploy = async (stopping = new AbortController().signal) => {
      await bot.store.redis.del(sharedKeys(bot.store).deployed);
      const held: Promise<unknown>[] = [];
      const before = deployments();
      await keepDeploying({ ...bot, log, stopping, hold: (work) => held.push(work) }, commands);
      const first = deployments() - before;
      await Promise.all(held);
      return [first, deployments() - before];
    };
    refuse('PUT', 401, 1);
    expect(await deploy()).toEqual([1, 2]);
    expect(text()).toContain('It is tried again in 1 s.');
    // Nor does one command stay away for a fault of a moment, where they are deployed one by one.
    refuse('POST', 401, 1);
    faults.add({ method: 'PUT', route: /commands$/, status: 400, code: 50_035, times: 1 });
    expect(await deploy()).toEqual([1, 2]);
    expect(scene.sandbox.world.commands.size).toBe(commands.size);
    expect(text()).not.toContain('but for those that Discord refuses');
    // One that stops does not try again.
    refuse('PUT', 401, 1);
    expect(await deploy(AbortSignal.abort())).toEqual([1, 1]);
    // What is refused for good would be refused again.
    faults.add({ method: 'PUT', route: /commands$/, status: 400, code: 50_035, times: 1 });
    faults.add({ method: 'POST', route: /commands$/, status: 400, code: 50_035 });
    expect(await deploy()).toEqual([1, 1]);
    faults.clear();
    expect(text()).toContain('Discord refuses the commands of this version.');
    expect(text()).not.toContain('but for those that Discord refuses');
  });

  test('the ids of the commands are read once in five minutes, and again after a failure', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { faults, requests } = scene.sandbox;
    const { client, store } = scene.bot;
    const deployed = openDeployedCommands(client, store.applicationId);
    const reads = () => requests.count('GET', /commands/);
    const before = reads();
    faults.add({ method: 'GET', route: /commands/, status: 400, times: 1 });
    await expect(deployed()).rejects.toThrow('A fault was asked for');
    for (const [afterMs, count] of [
      [0, 2],
      [299_000, 2],
      [2000, 3],
    ] as const) {
      vi.advanceTimersByTime(afterMs);
      expect((await deployed()).length).toBeGreaterThan(10);
      expect(reads() - before).toBe(count);
    }
  });

  test('the commands have names and descriptions that Discord accepts, in every language', async () => {
    const commands = await loadCommands(folder);
    const check = (named: { type?: number | undefined }, isOption = false): void => {
      const { name, name_localizations, description, description_localizations, options } =
        named as Record<string, any>;
      for (const each of [name, ...Object.values(name_localizations as object)]) {
        // Commands on messages and members are called as menus are.
        const isMenu = !isOption && (named.type === 2 || named.type === 3);
        expect(each).toMatch(isMenu ? /^\S.{0,30}\S$/ : nameOfCommand);
        expect(each).toBe(isMenu ? each : String(each).toLowerCase());
      }
      for (const each of [
        description ?? 'A menu has none.',
        ...Object.values(description_localizations ?? {}),
      ]) {
        expect(String(each).length).toBeGreaterThan(0);
        expect(String(each).length).toBeLessThanOrEqual(100);
      }
      for (const option of options ?? []) check(option, true);
    };
    for (const { data } of commands.values()) check(data);
  });
});

test('the invite link asks for what is needed and for Manage Messages, and no more', () => {
  const url = new URL(inviteLink('123'));
  expect(url.searchParams.get('client_id')).toBe('123');
  expect(url.searchParams.get('scope')).toBe('bot applications.commands');
  expect(BigInt(url.searchParams.get('permissions') ?? '')).toBe(
    (1n << 13n) |
      (1n << 20n) |
      (1n << 10n) |
      (1n << 11n) |
      (1n << 38n) |
      (1n << 14n) |
      (1n << 15n) |
      (1n << 16n) |
      (1n << 6n),
  );
});
