import type { PathPattern, PermissionProfile, SandboxMode } from '../protocol/permission-profile.ts';
import { normalisePath } from './paths.ts';
import { writtenPatterns } from './sound-entry.ts';

/** How much a profile lets commands write, in the words of the sandbox modes. */
export type ProfileWidth = SandboxMode | 'external-sandbox';

/** Commands can write everywhere, or another program decides where. */
export function isUnlimited(width: ProfileWidth): boolean {
  return width === 'danger-full-access' || width === 'external-sandbox';
}

export function widthOf(profile: PermissionProfile): ProfileWidth {
  if (profile.type === 'external') return 'external-sandbox';
  if (profile.type === 'disabled' || profile.file_system.type === 'unrestricted') return 'danger-full-access';
  const written = writtenPatterns(profile);
  if (written.some(isWholeDisk)) return 'danger-full-access';
  return written.length > 0 ? 'workspace-write' : 'read-only';
}

function isWholeDisk(pattern: PathPattern): boolean {
  if (pattern.type === 'path') return normalisePath(pattern.path) === '/';
  return pattern.type === 'special' && pattern.value.kind === 'root';
}
