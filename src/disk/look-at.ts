import { fileSystem } from './file-system.ts';

/** What stands at a path, a link itself and not what it leads to. What this user may not look at is missing. */
export function lookAt(
  path: string,
): { readonly kind: 'folder' | 'file' | 'missing' } | { readonly kind: 'link'; readonly target: string } {
  try {
    const found = fileSystem.lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return { kind: 'missing' };
    if (found.isSymbolicLink()) return { kind: 'link', target: fileSystem.readlinkSync(path) };
    return { kind: found.isDirectory() ? 'folder' : 'file' };
  } catch {
    return { kind: 'missing' };
  }
}
