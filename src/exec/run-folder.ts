import { join } from 'node:path';

/** Where the engine keeps, below its home, what lives no longer than a process. No command may write there. */
export function runFolder(home: string): string {
  return join(home, 'capstan', 'run');
}
