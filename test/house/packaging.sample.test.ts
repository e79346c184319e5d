import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { startCommunity } from '../../discord-box/test/community.ts';
import { exitCodes } from '../../src/runtime/cannot-start.ts';
import { zEnvironment } from '../../src/config.ts';
import { build, commit, version } from '../../src/runtime/version.ts';
import { openMetrics } from '../../src/monitoring/prometheus.ts';
import { freePort } from '../fixtures/cluster.ts';
import { startTestRedis } from '../fixtures/private-redis.ts';
import { isWhole } from '../fixtures/sample.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanUp.splice(0).toReversed()) await clean();
});

const read = (path: string) => readFileSync(path, 'utf8');

type Instruction = { name: string; value: string };

/** The stages of a Dockerfile, each its instructions with continued lines joined. */
function stagesOf(dockerfile: string): Instruction[][] {
  const lines = dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter(Boolean);
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, name = '', value = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, value });
  }
  return stages;
}

/** What the image's build writes into its file `commit`, from what `.dockerignore` lets through of `.git`. */
function madeCommit(): string {
  const run = stagesOf(read('Dockerfile'))[0]?.find(({ value }) => value.endsWith('> commit'));
  const [program = ''] = run?.value.replace(/^node /, '').split(' ') ?? [];
  return execFileSync(process.execPath, [program], { encoding: 'utf8' });
}

/** What `npm ci --omit=dev` installs, without asking a registry. */
function copyPackages(to: string): void {
  type Lock = { packages: Record<string, { dev?: boolean }> };
  const { packages } = JSON.parse(read('package-lock.json')) as Lock;
  const wanted = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/;
  for (const [path, { dev }] of Object.entries(packages)) {
    const [, name] = wanted.exec(path) ?? [];
    // Of optional packages this machine has its own alone.
    if (!name || dev || !existsSync(path)) continue;
    cpSync(path, join(to, name), { recursive: true });
  }
}

/** The command of an instruction, run by this Node. */
function nodeCommand(value: string): [string, string[]] {
  const [program, ...words] = execForm(value);
  expect(program).toBe('node');
  return [process.execPath, words];
}

const execForm = (value: string) => JSON.parse(/\[.*\]$/.exec(value)?.[0] ?? '[]') as string[];

describe('the image', () => {
  const stages = stagesOf(read('Dockerfile'));
  const last = stages.at(-1) ?? [];
  const valueOf = (name: string) => last.find((it) => it.name === name)?.value ?? '';

  test('the image is of a Node version that the checks run on, and installs no development packages', () => {
    const [, version] = /^ARG NODE=(\d+)$/m.exec(read('Dockerfile')) ?? [];
    const workflow = parse(read('.github/workflows/checks.yml')) as Workflow;
    expect(workflow.jobs.test.strategy.matrix.node).toContain(Number(version));
    const runs = stages.flat().filter(({ name }) => name === 'RUN');
    expect(runs[0]?.value).toBe('npm ci --omit=dev --ignore-scripts');
  });

  test('the image does not run as root', () => {
    expect(valueOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  test.runIf(isWhole)(
    'the image starts from what it holds, is found well, and ends by itself on SIGTERM',
    async () => {
      const [redis, sandbox] = await Promise.all([
        startTestRedis(),
        startCommunity({ rateLimits: false }),
      ]);
      cleanUp.push(
        () => sandbox.stop(),
        () => redis.stop(),
      );
      const folder = mkdtempSync(join(tmpdir(), 'frontpage-image-'));
      cleanUp.push(() => rmSync(folder, { recursive: true }));
      for (const { name, value } of last) {
        if (name !== 'COPY') continue;
        const [from = '', to = ''] = value.split(' ').slice(-2);
        if (from === '/app/commit') writeFileSync(join(folder, to), madeCommit());
        else if (value.startsWith('--from=packages')) copyPackages(join(folder, to));
        else cpSync(from, join(folder, to === './' ? from : to), { recursive: true });
      }
      const environment = {
        PATH: process.env['PATH'] ?? '',
        ...Object.fromEntries(
          valueOf('ENV')
            .split(' ')
            .map((pair) => pair.split('=')),
        ),
        WEB_PORT: String(await freePort()),
        REDIS_URL: redis.url,
        DISCORD_TOKEN: sandbox.token,
        DISCORD_API_BASE: sandbox.apiBase,
      };
      const child: ChildProcess = spawn(...nodeCommand(valueOf('CMD')), {
        cwd: folder,
        env: environment,
      });
      cleanUp.push(() => child.kill('SIGKILL'));
      let output = '';
      child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await expect.poll(() => output, { timeout: 100_000 }).toContain('Frontpage is on');
      expect(output).toContain(`Frontpage ${build} starts`);
      const [command, words] = nodeCommand(valueOf('HEALTHCHECK'));
      const check = async (port: string) => {
        const probe = spawn(command, words, {
          cwd: folder,
          env: { ...environment, WEB_PORT: port },
        });
        return (await once(probe, 'exit'))[0] as number;
      };
      expect(await check(environment.WEB_PORT)).toBe(0);
      expect(await check('1')).toBe(1);
      // With `WEB_PORT=` a host has nothing served.
      expect(await check('')).toBe(0);
      // Not `exit`, after which some of the output may still come.
      const exit = once(child, 'close');
      const toldMs = performance.now();
      child.kill('SIGTERM');
      expect((await exit)[0]).toBe(0);
      const { services } = parse(read('compose.yaml')) as { services: Record<string, Service> };
      const graceMs = Number.parseInt(String(services['bot']!['stop_grace_period'])) * 1000;
      expect(performance.now() - toldMs).toBeLessThan(graceMs);
      expect(output).toContain('Frontpage is off');
    },
  );
});

type Service = Record<string, unknown> & { command?: string; volumes?: string[] };

describe('compose.yaml', () => {
  const { services } = parse(read('compose.yaml')) as { services: Record<string, Service> };

  test('compose.yaml publishes no port', () => {
    for (const service of Object.values(services)) expect(service).not.toHaveProperty('ports');
  });

  test('compose.yaml gives no service a right that it does not need', () => {
    for (const service of Object.values(services)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect(service).not.toHaveProperty('cap_add');
    }
  });

  test('compose.yaml starts nothing as root: the image of the bot has its own user, that of Valkey is told', () => {
    expect(services['valkey']).toMatchObject({ user: '999:999' });
    expect(services['bot']).not.toHaveProperty('user');
  });

  test('compose.yaml keeps votes in a volume, appended and never evicted', () => {
    const { command, volumes } = services['valkey']!;
    expect(command).toContain('--appendonly yes --appendfsync ${APPENDFSYNC:-everysec}');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(volumes).toEqual(['votes:/data']);
  });
});

test.each(['packaging/compose.env.example', 'packaging/frontpage.env.example'])(
  '%s sets nothing that is not read',
  (path) => {
    const names = [...read(path).matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(names).toContain('DISCORD_TOKEN');
    expect(Object.keys(zEnvironment.shape)).toEqual(expect.arrayContaining(names));
  },
);

describe('the systemd unit', () => {
  const path = 'packaging/frontpage.service';

  test('the systemd unit starts what is there, without rights, and tells the bot alone to end', () => {
    const unit = read(path);
    const [, words = ''] =
      /^ExecStart=\/usr\/bin\/node --max-semi-space-size=4 --heap-growing-percent=20 (\S+)$/m.exec(
        unit,
      ) ?? [];
    expect(existsSync(words)).toBe(true);
    for (const line of [
      'Type=notify',
      'NotifyAccess=all',
      'KillMode=mixed',
      'DynamicUser=yes',
      'NoNewPrivileges=yes',
    ]) {
      expect(unit.split('\n')).toContain(line);
    }
    const { config, permission } = exitCodes;
    expect(unit).toContain(`\nRestartPreventExitStatus=${permission} ${config}\n`);
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
    expect(Number(seconds)).toBeGreaterThan(10);
  });

  test.runIf(existsSync('/usr/bin/systemd-analyze'))(
    'the systemd unit is one that systemd understands',
    () => {
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], {
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
    },
  );
});

test('the egg has the fields that Pterodactyl’s importer reads, and starts this version', () => {
  const text = z.string().min(1);
  const egg = z
    .object({
      meta: z.object({ version: z.literal('PTDL_v2') }),
      name: text,
      author: z.email(),
      docker_images: z.record(text, text),
      startup: text,
      // The panel keeps these three as texts of JSON.
      config: z.object({ files: text, startup: text, logs: text, stop: z.literal('^C') }),
      scripts: z.object({
        installation: z.object({ script: text, container: text, entrypoint: text }),
      }),
      variables: z.array(
        z.object({
          name: text,
          description: text,
          env_variable: z.string().regex(/^\w{1,255}$/),
          default_value: z.string(),
          user_viewable: z.boolean(),
          user_editable: z.boolean(),
          rules: text,
          field_type: z.literal('text'),
        }),
      ),
    })
    .parse(JSON.parse(read('packaging/egg-frontpage.json')));
  expect(JSON.parse(egg.config.startup)).toEqual({ done: 'Frontpage is on' });
  expect(egg.startup).toBe(
    /^ExecStart=\/usr\/bin\/(.*)$/m.exec(read('packaging/frontpage.service'))?.[1],
  );
  const [token, redis, installed] = egg.variables;
  expect([token?.env_variable, redis?.env_variable]).toEqual(['DISCORD_TOKEN', 'REDIS_URL']);
  expect(installed).toMatchObject({ env_variable: 'VERSION', default_value: `v${version}` });
});

type Workflow = {
  jobs: {
    test: { strategy: { matrix: { node: number[] } }; steps: { run?: string }[] };
  };
};

test('the workflow runs all checks on Node 20, 22, 24 and 26', () => {
  const { jobs } = parse(read('.github/workflows/checks.yml')) as Workflow;
  expect(jobs.test.strategy.matrix.node).toEqual([20, 22, 24, 26]);
  const runs = jobs.test.steps.flatMap(({ run }) => run ?? []);
  expect(runs).toEqual(['npm ci', 'npm run test:all']);
});

const levels = {
  guilds: () => 1,
  isOnDiscord: () => true,
  tickAgeSeconds: () => 0,
  clockOffSeconds: () => 0,
  backupAgeSeconds: () => 0,
  diskFreeBytes: () => 0,
  redisMemory: () => Promise.resolve(0),
};

describe.each(['packaging/grafana-dashboard.json', 'packaging/alerts.yml'])('%s', (path) => {
  const text = read(path);

  test('the alerts and the dashboard ask for figures that there are, by labels that they have', async () => {
    const figures = openMetrics(levels);
    cleanUp.push(() => figures.stop());
    const known = new Map<string, string[]>();
    for (const { name } of await figures.registry.getMetricsAsJSON()) {
      const { labelNames = [] } = figures.registry.getSingleMetric(name) as unknown as {
        labelNames?: string[];
      };
      for (const suffix of ['', '_bucket', '_sum', '_count']) known.set(name + suffix, labelNames);
    }
    const asked = [
      ...text.matchAll(/\b((?:frontpage|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g),
    ];
    expect(asked.length).toBeGreaterThan(10);
    for (const [, name = '', labels = ''] of asked) {
      expect([...known.keys()]).toContain(name);
      const named = [...labels.matchAll(/(\w+)\s*(?:=~|!=|=)/g)].map(([, label]) => label);
      expect(['job', 'instance', ...(known.get(name) ?? [])]).toEqual(
        expect.arrayContaining(named),
      );
    }
  });

  test('a dashboard or a file of alerts can be parsed', () => {
    const parsed: unknown = path.endsWith('.json') ? JSON.parse(text) : parse(text);
    expect(parsed).toBeTypeOf('object');
  });
});

test('every counter that an alert asks for is there before anything is counted', async () => {
  const figures = openMetrics(levels);
  cleanUp.push(() => figures.stop());
  const shown = await figures.registry.metrics();
  const asked = [
    ...read('packaging/alerts.yml').matchAll(/(frontpage_\w+(?:_total|_count)(?:\{[^}]*\})?)/g),
  ];
  expect(asked.length).toBeGreaterThan(5);
  for (const [, series = ''] of asked) {
    const start = series.replace(/\}$/, '');
    expect(shown.split('\n').some((line) => line.startsWith(start) && line.endsWith(' 0'))).toBe(
      true,
    );
  }
  expect(shown).toContain(
    `frontpage_build_info{version="${version}",commit="${commit ?? 'unknown'}",node="`,
  );
});

const promtool = spawnSync('promtool', ['--version']);
if (promtool.error)
  console.warn('The alerts are not tried: promtool is not here (apt install prometheus).');
test.skipIf(promtool.error)('alerts fire at the first burst after a start, and not before', () => {
  const { status, stdout, stderr } = spawnSync(
    'promtool',
    ['test', 'rules', 'test/house/alerts.promtool.yml'],
    { encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('SUCCESS');
});

test('every alert says what is wrong and what to do, and its brackets close', () => {
  type Rule = { alert: string; expr: string; annotations: Record<string, string> };
  const { groups } = parse(read('packaging/alerts.yml')) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { expr, annotations } of rules) {
    expect(annotations).toMatchObject({ summary: expect.any(String), action: expect.any(String) });
    for (const [open, close] of ['()', '[]', '{}']) {
      expect(expr.split(open!).length).toBe(expr.split(close!).length);
    }
  }
});
