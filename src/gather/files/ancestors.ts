import { dirname } from 'node:path';

/** The folder and all above it, nearest first. Links in the path are kept. */
export function* ancestors(folder: string): Generator<string> {
  for (let at = folder; ; at = dirname(at)) {
    yield at;
    if (dirname(at) === at) return;
  }
}
