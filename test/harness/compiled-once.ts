import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';

const folder = join(resolve(import.meta.dirname, '../..'), '.local/compiled-tests');

/** For a program that is started many times: what Node compiles for one start serves the next. */
export const compiledVariables = { NODE_COMPILE_CACHE: folder };

/** The variables of this process, with those for compiled sources. */
export function variablesWithCompiled(): NodeJS.ProcessEnv {
  return { ...process.env, ...compiledVariables };
}

/** Node writes what it has compiled when a process ends, and a killed one does not end. Called when all is loaded. */
export function keepCompiled(): void {
  flushCompileCache();
}
