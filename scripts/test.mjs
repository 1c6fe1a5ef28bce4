// The static checks beside the suites; all of them, whatever fails, and one readable end.
import { spawn } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';

const checks = ['typecheck', 'lint', 'format:check', 'knip'];
const began = performance.now();

// The suites wait as much as they compute: the checks take the time that is left over, and hold up no suite.
const checking = checks.map((name) => run('npm', ['run', '--silent', name], { stdio: 'pipe', priority: 10 }));
const given = process.argv.slice(2);
// Named files are run as named; without names, the suites that take long are left to the deep tests.
if (given.length === 0) process.env.CAPSTAN_TEST_LATE = 'apart';
const suites = await run('vitest', ['run', ...given], { stdio: 'inherit', priority: 0 });
const results = await Promise.all(checking);

const failed = [];
for (const [index, { code, output, seconds }] of results.entries()) {
  console.log(`${code === 0 ? '✓' : '✗'} ${checks[index]} (${seconds} s)`);
  if (code === 0) continue;
  failed.push(checks[index]);
  console.log(output);
}
if (suites.code !== 0) failed.push('tests');

const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(
  failed.length === 0 ? `All checks and tests passed in ${seconds} s.` : `Failed: ${failed.join(', ')} (${seconds} s).`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function run(command, args, { stdio, priority }) {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const shell = process.platform === 'win32';
    const child = spawn(command, args, { shell, stdio: ['ignore', stdio, stdio] });
    if (child.pid !== undefined) setPriority(child.pid, Math.max(priority, getPriority()));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, seconds: ((performance.now() - start) / 1000).toFixed(1) }));
  });
}
