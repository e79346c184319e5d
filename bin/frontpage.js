#!/usr/bin/env node
// Starts the bot, or a command beside it: node bin/frontpage.js [command].
// This file is JavaScript, because Node 20 cannot read TypeScript by itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitOf } from '../src/runtime/commit.js';
import { load, project } from './load.js';

const commands = {
  start: 'runs the bot; this is what happens without a command',
  check: 'tries the token, the gateway, Redis, ports, folders and the clock, and starts nothing',
  backup: 'writes the data of all servers, or of one, into a file',
  restore: 'puts back what a backup holds',
  forget: 'erases the data of a member in all servers',
};

const TAKES_NOTHING = ['start', 'check'];

const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
const commit = commitOf(project);
const build = commit === null ? version : `${version} (${commit})`;
const [command = 'start', ...rest] = process.argv.slice(2);

if (isVersion(command) || (Object.hasOwn(commands, command) && rest.some(isVersion))) {
  console.log(`Frontpage ${build}`);
} else if (isHelp(command) || (TAKES_NOTHING.includes(command) && rest.some(isHelp))) {
  console.log(help());
} else if (!Object.hasOwn(commands, command)) {
  refuse(`Frontpage has no command ${command}.`);
} else if (TAKES_NOTHING.includes(command) && rest.length > 0) {
  refuse(`The command ${command} takes no ${rest.join(' ')}.`);
} else {
  // The command reads its own words from here on.
  process.argv = [...process.argv.slice(0, 2), ...rest];
  const programs = { start: 'src/main.ts', check: 'src/check.ts' };
  const program = programs[command] ?? `src/backup/cli/${command}.ts`;
  await load(program, 'npm ci --omit=dev');
}

function isVersion(word) {
  return word === '--version' || word === '-v';
}

function refuse(reason) {
  console.error(`${reason}\n\n${help()}`);
  process.exitCode = 64;
}

function isHelp(word) {
  return word === '--help' || word === '-h';
}

function help() {
  const lines = Object.entries(commands).map(([name, text]) => `  ${name.padEnd(10)}${text}`);
  return [
    `Frontpage ${build}, a Discord bot that gives a community its own front page.`,
    '',
    'node bin/frontpage.js [command] [--help] [--version]',
    '',
    ...lines,
    '',
    'Settings are environment variables, or lines of the file .env: .env.example explains them.',
  ].join('\n');
}
