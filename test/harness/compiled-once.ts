import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';

const folder = join(resolve(import.meta.dirname, '../..'), '.local/compiled-tests');

/** The variables of a program that is started and killed many times: what Node compiles for one start serves the next. */
export function variablesWithCompiled(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_COMPILE_CACHE: folder };
}

/** Node writes what it has compiled when a process ends, and a killed one does not end. Called when all is loaded. */
export function keepCompiled(): void {
  flushCompileCache();
}
