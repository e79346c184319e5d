// Starts the sandbox: npm run sandbox.
import { load } from './load.js';

await load('sandbox/tour/main.ts', 'npm ci');
