import { execFile } from 'node:child_process';
import { join } from 'node:path';

const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

/** The errors of the compiler, one per line; empty when there are none. */
export function typeMistakes(folder: string, ...words: readonly string[]): Promise<readonly string[]> {
  return new Promise((done) => {
    execFile(process.execPath, [compiler, ...words], { cwd: folder }, (_, stdout, stderr) => {
      done(`${stdout}${stderr}`.split('\n').filter((line) => line !== ''));
    });
  });
}
