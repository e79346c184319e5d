// Prints the files of the red tests of a report, a line each; nothing if anything else went wrong or they are many.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const FEW = 3;

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const red = testResults.filter(({ status }) => status === 'failed');
const isByTests = red.every(
  ({ message, assertionResults }) =>
    !message && assertionResults.some((test) => test.status === 'failed'),
);
const files = new Set(red.map(({ name }) => relative('.', name)));
if (isByTests && files.size <= FEW) for (const file of files) console.log(file);
