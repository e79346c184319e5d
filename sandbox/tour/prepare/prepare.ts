import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findServerBinary, needServer } from '../../../src/redis/private-server/binary.ts';

/** What the sandbox and the tests need besides npm's packages. */
type Tool = {
  debianPackage: string;
  /** What is here, in a few words, or null. */
  find(): string | null;
  /** What to tell someone who must install it by hand. */
  missing(): string;
};

const chromiums = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of a browser that the page tests can drive, or null. */
export function findChromium(): string | null {
  return chromiums.find((path) => existsSync(path)) ?? null;
}

const tools = {
  redis: {
    // Not redis-server, which would start a service on port 6379.
    debianPackage: 'redis-tools',
    find: () => {
      try {
        const { command, version } = findServerBinary();
        return `${command} ${version}`;
      } catch {
        return null;
      }
    },
    missing: needServer,
  },
  chromium: {
    debianPackage: 'chromium',
    find: findChromium,
    missing: () =>
      'The tests of pages need Chromium, and this machine has none. Type\n\n  sudo apt-get install -y chromium\n\nor install Google Chrome, and start again.',
  },
} satisfies Record<string, Tool>;

type ToolName = keyof typeof tools;

/** Makes sure that there is a Redis server, and installs one where that asks nobody anything. */
export const ensureRedis = () => ensureTool('redis');

/** Throws an error whose message says what to type, where a tool is missing and cannot be installed. */
async function ensureTool(name: ToolName): Promise<void> {
  const tool: Tool = tools[name];
  if (tool.find() !== null) return;
  const apt = findApt();
  if (apt !== null) {
    console.log(`There is no ${name} on this machine: installing ${tool.debianPackage} with apt.`);
    await install(apt, tool.debianPackage);
    if (tool.find() !== null) return;
  }
  throw new Error(tool.missing());
}

/** The words before apt-get's own arguments, or null where it is missing or would ask for a password. */
function findApt(): string[] | null {
  if (!existsSync('/usr/bin/apt-get')) return null;
  const apt = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-y'];
  if (process.getuid?.() === 0) return apt;
  const sudo = spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' });
  return sudo.status === 0 ? ['sudo', '-n', ...apt] : null;
}

/** Whether it worked is seen by looking for the tool; apt says itself what went wrong. */
async function install(apt: string[], debianPackage: string): Promise<void> {
  const wanted = ['install', '--no-install-recommends', debianPackage];
  if (await succeeds([...apt, ...wanted])) return;
  // A fresh container has no lists of packages yet.
  if (await succeeds([...apt, 'update'])) await succeeds([...apt, ...wanted]);
}

async function succeeds([command = '', ...words]: string[]): Promise<boolean> {
  const child = spawn(command, words, { stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } catch {
    return false; // There is no such command.
  }
}

function isToolName(name: string): name is ToolName {
  return name in tools;
}

/** `tsx sandbox/tour/prepare/prepare.ts redis chromium` */
async function main(names: string[]): Promise<void> {
  for (const name of names) {
    if (!isToolName(name))
      throw new Error(`Unknown tool: ${name}. Known: ${Object.keys(tools).join(', ')}.`);
    await ensureTool(name);
    console.log(`${name} is here: ${tools[name].find()}`);
  }
}

const calledAs = process.argv[1];
if (calledAs !== undefined && realpathSync(calledAs) === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
