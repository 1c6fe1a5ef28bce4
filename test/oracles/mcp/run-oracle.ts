import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Runs a script of the installed oracles, by its path in their folder, and gives all that it printed. */
export function runOracle(
  [script = '', ...words]: readonly string[],
  home: string,
): Promise<{ readonly code: number | null; readonly output: string; readonly standardOutput: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', script), ...words], {
    cwd: home,
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let standardOutput = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    standardOutput += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, standardOutput }));
  });
}
