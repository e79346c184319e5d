import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from './command.ts';

/** The commands by the names of their files. */
export type Commands = ReadonlyMap<string, Command>;

/** Loads every file of the folder as a command. Throws if a file is not a command with the file's name. */
export async function loadCommands(folder: string): Promise<Commands> {
  const commands = new Map<string, Command>();
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort()) {
    const path = join(folder, file);
    const { default: command } = (await import(pathToFileURL(path).href)) as { default?: Command };
    const name = basename(file, '.ts');
    if (command?.data?.name === undefined || fileNameOf(command.data.name) !== name) {
      throw new Error(`${path} must export by default a command whose data.name is ${name}.`);
    }
    commands.set(name, command);
  }
  return commands;
}

/** Message commands have capitals, spaces and marks in their names: *Why this rank?* is `why-this-rank`. */
export function fileNameOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');
}
