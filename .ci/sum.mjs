// Adds up the JSON reports of the test runs. Runs on Node 20: it must speak even where the install failed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [directory, ...runs] = process.argv.slice(2);
const sum = { passed: 0, failed: 0, skipped: 0 };

for (const run of runs) {
  const [name, status] = run.split('=');
  const file = join(directory, `${name}.json`);
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  const failed = report?.numFailedTests ?? 0;
  sum.passed += report?.numPassedTests ?? 0;
  sum.skipped += (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  // A run that failed in no test failed in a static check, in a file that did not load, or before it began.
  sum.failed += status !== '0' && failed === 0 ? 1 : failed;
}

const skipped = sum.skipped === 0 ? '' : `, ${sum.skipped} skipped`;
console.log(`${sum.passed} passed, ${sum.failed} failed${skipped}`);
process.exitCode = sum.failed === 0 ? 0 : 1;
