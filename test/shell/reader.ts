import { join } from 'node:path';
import { createShellReaderLoader } from '../../src/adapters/exec/shell-reader.ts';
import { analyseCommand, type CommandAnalysis } from '../../src/core/policy/commands/analyse-command.ts';

const root = join(import.meta.dirname, '../..');
const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };

/** The real parser, loaded once for all suites of a process. */
export const shellReader = await createShellReaderLoader({ root, clock })();

export function analyse(script: string): CommandAnalysis {
  return analyseCommand(['/bin/bash', '-lc', script], shellReader);
}
