// Prints what became of all tests of these reports, as one line: "N passed, N failed".
// Usage: node count.js <folder of reports> <exit code of the runs> <name of a report>...
import { existsSync, readFileSync } from 'node:fs';

const [, , folder, code, ...names] = process.argv;
const pathOf = (name) => `${folder}/${name}.json`;
const read = (name) => JSON.parse(readFileSync(pathOf(name), 'utf8'));
/** Where its files ran again, this report has all their tests. */
const isGreenAgain = existsSync(pathOf('again')) && read('again').success;

let [passed, failed, unread] = [0, 0, 0];
const failures = [];
for (const name of names) {
  try {
    const report = read(name);
    const unloaded = report.testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
    );
    for (const { name: file, message, assertionResults } of report.testResults) {
      for (const { status, fullName, failureMessages } of assertionResults) {
        if (status === 'failed')
          failures.push(`${file}: ${fullName}\n${failureMessages.join('\n')}`);
      }
      if (message) failures.push(`${file}: ${message}`);
    }
    const isSettled = name === 'tests' && isGreenAgain;
    passed += report.numPassedTests + (isSettled ? report.numFailedTests : 0);
    failed += isSettled ? 0 : report.numFailedTests + unloaded.length;
    if (report.numPassedTests === 0) unread += 1;
  } catch {
    // These tests were not reached.
    unread += 1;
  }
}
if (code !== '0' || unread > 0) failed = Math.max(failed, 1);
// The reason stands at the end, where the last lines of a log still show it.
for (const failure of failures) console.log(failure.slice(0, 2_000));
if (isGreenAgain) console.log('What was red above was green when it ran once more, alone.');
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : Number(code) || 1;
