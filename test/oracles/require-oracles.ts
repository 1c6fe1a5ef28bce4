import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { OuterVariables } from '../setup/tools.ts';

let installed: Promise<void> | undefined;

/** Resolves when the oracles are in their folder. Rejects with what the install said and what to do next. */
export function requireOracles(): Promise<void> {
  installed ??= install();
  return installed;
}

function install(): Promise<void> {
  // npm needs the developer's registry settings, cache and proxies.
  const env: OuterVariables = inject('outerVariables');
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'install.mjs')], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      process.stderr.write(text);
    });
    child.on('error', failed);
    child.on('close', (code) => (code === 0 ? done() : failed(new Error(said.trim()))));
  });
}
