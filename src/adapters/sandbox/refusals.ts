import { isMovedRoot, describeMovedRoot } from '../../core/policy/paths/walk-path.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import type { RunnableCommand, SandboxRefused } from '../../ports/sandbox.ts';
import type { PathRule, ResolvedFilePolicy } from '../../protocol/permissions.ts';
import { type DiskView, followLinks } from './disk-view.ts';

/** The command in its sandbox, or why it does not run. */
export type PlannedCommand = Promise<RunnableCommand | SandboxRefused>;

export function sandboxRefusal(code: SandboxRefused['code'], message: string, next: string): SandboxRefused {
  return { kind: 'refused', code, message, next };
}

/** The policy asks for something that no sandbox here can enforce (I10). */
export const unenforceableRefusal = (message: string, next: string): SandboxRefused =>
  sandboxRefusal('policy-unenforceable', message, next);

/** Why no command runs in the folder: the writable root around it leads elsewhere than when the turn began. */
export function movedWorkspaceRefusal(files: ResolvedFilePolicy, cwd: string, disk: DiskView) {
  const around = files.kind === 'unrestricted' ? [] : files.rules.filter(({ path }) => isWithin(cwd, path));
  const isMoved = (rule: PathRule) => rule.access === 'write' && isMovedRoot(rule, followLinks(disk, rule.path).path);
  const moved = around.find(isMoved);
  if (moved === undefined) return undefined;
  const { message, next } = describeMovedRoot(moved.path);
  return unenforceableRefusal(message, next);
}

/** Read only by users who insist on Landlock: otherwise bubblewrap comes first. */
export function landlockRefusal(why: string): SandboxRefused {
  const next = 'Leave out use_legacy_landlock, so that Capstan uses bubblewrap.';
  return sandboxRefusal('sandbox-missing', `Landlock cannot be used here: ${why}.`, next);
}
