import { join } from 'node:path';
import { createShellReaderLoader } from '../../src/exec/shell-reader/load-shell-reader.ts';
import { analyseCommand, type CommandAnalysis } from '../../src/policy/commands/analyse.ts';

const root = join(import.meta.dirname, '../..');
const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };

/** The real parser, loaded once for all suites of a process. */
export const shellReader = await createShellReaderLoader({ root, clock })();

export function analyse(script: string): CommandAnalysis {
  return analyseCommand(['/bin/bash', '-lc', script], shellReader);
}
