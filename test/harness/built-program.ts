import { join, resolve } from 'node:path';
import { isBuilt } from '../../scripts/build-stamp.mjs';

const root = resolve(import.meta.dirname, '../..');
const isFresh = isBuilt(root);

/**
 * The path of what users run, if it is made from the sources as they are now (`npm test` sees to that), or else of its
 * source. The former starts five times as fast.
 */
export function builtProgram({ built, source }: { readonly built: string; readonly source: string }): string {
  return join(root, isFresh ? built : source);
}
