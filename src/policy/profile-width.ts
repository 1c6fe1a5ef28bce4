import type { FileSystemEntry, PermissionProfile, SandboxMode } from '../protocol/permission-profile.ts';
import { normalisePath } from './paths.ts';
import { isSoundEntry } from './sound-entry.ts';

/** How much a profile lets commands write, in the words of the sandbox modes. */
export type ProfileWidth = SandboxMode | 'external-sandbox';

export function widthOf(profile: PermissionProfile): ProfileWidth {
  if (profile.type === 'external') return 'external-sandbox';
  if (profile.type === 'disabled' || profile.file_system.type === 'unrestricted') return 'danger-full-access';
  // An entry of a foreign shape grants nothing.
  const written = profile.file_system.entries.filter((entry) => isSoundEntry(entry) && entry.access === 'write');
  if (written.some(isWholeDisk)) return 'danger-full-access';
  return written.length > 0 ? 'workspace-write' : 'read-only';
}

function isWholeDisk({ path }: FileSystemEntry): boolean {
  if (path.type === 'path') return normalisePath(path.path) === '/';
  return path.type === 'special' && path.value.kind === 'root';
}
