import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { joinPath, parentPath } from '../../../core/policy/paths/absolute-paths.ts';

export function packagedBubblewrap(folder: string): { readonly program: string; readonly hashFile: string } {
  return { program: joinPath(folder, 'usr/bin/bwrap'), hashFile: joinPath(folder, 'bwrap.sha256') };
}

/** True if the program still has the recorded hash, or if no hash was recorded. */
export function isIntact(program: string): boolean {
  const { hashFile } = packagedBubblewrap(parentPath(parentPath(parentPath(program))));
  const expected = read(hashFile)?.toString('utf8').trim();
  if (expected === undefined) return true;
  const bytes = read(program);
  return bytes !== undefined && programHash(bytes) === expected;
}

/** Loaded on use: most machines have a bubblewrap of their own. */
export const programHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
