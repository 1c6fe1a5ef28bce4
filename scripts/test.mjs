// The static checks side by side, then the suites; all of them, whatever fails, and one readable end.
import { spawn } from 'node:child_process';

const checks = ['typecheck', 'lint', 'format:check', 'knip'];
const began = performance.now();
const failed = [];

await Promise.all(
  checks.map(async (name) => {
    const { code, output, seconds } = await run('npm', ['run', '--silent', name], 'pipe');
    console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`);
    if (code === 0) return;
    failed.push(name);
    console.log(output);
  }),
);

const suites = await run('vitest', ['run', ...process.argv.slice(2)], 'inherit');
if (suites.code !== 0) failed.push('tests');

const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(
  failed.length === 0 ? `All checks and tests passed in ${seconds} s.` : `Failed: ${failed.join(', ')} (${seconds} s).`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function run(command, args, stdio) {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const shell = process.platform === 'win32';
    const child = spawn(command, args, { shell, stdio: ['ignore', stdio, stdio] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, seconds: ((performance.now() - start) / 1000).toFixed(1) }));
  });
}
