import { isMovedRoot, describeMovedRoot } from '../../core/policy/paths/walk-path.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import type { SandboxRefused } from '../../ports/sandbox.ts';
import type { ResolvedFilePolicy } from '../../protocol/permissions.ts';
import { type DiskView, followLinks } from './disk-view.ts';

/** The policy asks for something that no sandbox here can enforce (I10). */
export function unenforceableRefusal(message: string, next: string): SandboxRefused {
  return { kind: 'refused', code: 'policy-unenforceable', message, next };
}

/** Why no command runs in the folder: the writable root around it leads elsewhere than when the turn began. */
export function movedWorkspaceRefusal(
  files: ResolvedFilePolicy,
  cwd: string,
  disk: DiskView,
): SandboxRefused | undefined {
  if (files.kind === 'unrestricted') return undefined;
  const moved = files.rules.find(
    (rule) =>
      rule.access === 'write' && isWithin(cwd, rule.path) && isMovedRoot(rule, followLinks(disk, rule.path).path),
  );
  if (moved === undefined) return undefined;
  const { message, next } = describeMovedRoot(moved.path);
  return unenforceableRefusal(message, next);
}

/** Read only by users who insist on Landlock: otherwise bubblewrap comes first. */
export function landlockRefusal(why: string): SandboxRefused {
  const message = `Landlock cannot be used here: ${why}.`;
  const next = 'Leave out use_legacy_landlock, so that Capstan uses bubblewrap.';
  return { kind: 'refused', code: 'sandbox-missing', message, next };
}
