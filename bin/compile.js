// Fills the compile cache with what a start loads, so that an image holds it:
// NODE_COMPILE_CACHE=<folder> node bin/compile.js.
import { join } from 'node:path';
import './read-typescript.js';

const { loadCommands } = await import('../src/discord/commands/command.ts');
await loadCommands(join(import.meta.dirname, '../commands'));
await import('../src/web/web.ts');

// The bot finds no token here and ends the process, after all of it was loaded.
delete process.env.DISCORD_TOKEN;
console.error = () => {};
process.once('exit', () => (process.exitCode = 0));
await import('../src/main.ts');
