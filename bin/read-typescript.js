// Lets this process read TypeScript: node --import ./bin/read-typescript.js <file>.
// Node 22.18 and later do so by themselves; for Node 20, tsx is registered.
import module from 'node:module';
import { join } from 'node:path';

// What was compiled is kept, which halves the time of the next start. It is not kept in the temporary
// folder, where another user could put code in its place. NODE_COMPILE_CACHE names another folder.
module.enableCompileCache?.(join(import.meta.dirname, '../node_modules/.cache/frontpage'));

if (!process.features.typescript) {
  const { register } = await import('tsx/esm/api');
  register();
}
