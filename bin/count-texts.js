// Counts for each language the texts that are still shown in English: npm run texts.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../src/text');
const read = (file) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
const keys = Object.keys(read('en.json'));

for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const messages = read(file);
  const missing = keys.filter((key) => !Object.hasOwn(messages, key));
  const named = missing.slice(0, 5).join(', ') + (missing.length > 5 ? ' …' : '');
  const state = missing.length === 0 ? 'complete' : `${missing.length} in English (${named})`;
  console.log(`${file.replace('.json', '').padEnd(6)} ${keys.length} texts, ${state}`);
}
