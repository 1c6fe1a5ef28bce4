// Names what failed and adds up the JSON reports of the test runs. Runs on Node 20: it must speak even where the install failed.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

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
  for (const file of report?.testResults ?? []) tellFailures(file);
}

const skipped = sum.skipped === 0 ? '' : `, ${sum.skipped} skipped`;
console.log(`${sum.passed} passed, ${sum.failed} failed${skipped}`);
process.exitCode = sum.failed === 0 ? 0 : 1;

/** Says again what failed: in a long log only the end is sure to be seen. */
function tellFailures({ name, status, message, assertionResults }) {
  const where = relative(process.cwd(), name);
  const failed = assertionResults.filter((each) => each.status === 'failed');
  for (const each of failed) console.log(`FAILED ${where} > ${each.fullName}\n${beginning(each.failureMessages)}\n`);
  if (status === 'failed' && failed.length === 0) console.log(`FAILED ${where}\n${beginning([message])}\n`);
}

function beginning(messages) {
  return messages
    .join('\n')
    .split('\n', 40)
    .map((line) => `  ${line.slice(0, 300)}`)
    .join('\n');
}
