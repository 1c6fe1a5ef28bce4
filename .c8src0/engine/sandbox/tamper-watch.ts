import { inspectEntry, realPath } from '../../adapters/disk/file-system.ts';
import { findGitDirectory } from '../../adapters/gather/git/repository.ts';
import { gitBounds, pathsGitReads } from './git-places.ts';
import { findNestedRepositories } from '../../adapters/gather/git/submodules.ts';
import { accessAt, isDenied, needsSandbox, writablePaths } from '../../core/policy/paths/access.ts';
import {
  isUntamperedProgram,
  tamperedLoadingVariable,
  writableSearchFolder,
} from '../../core/policy/environment/tamper-state.ts';
import type { TamperCheckRequest, TamperWatch } from '../../core/policy/environment/tamper-state.ts';
import { nearestRepository, inspectRepository } from '../../core/policy/git/inspect-repository.ts';
import type { InspectedRepository } from '../../core/policy/git/inspect-repository.ts';
import { realRoots } from '../../core/policy/environment/find-program.ts';
import { isWithin, parentPath } from '../../core/policy/paths/absolute-paths.ts';
import { childEnvironment } from '../../core/policy/environment/shell-environment-policy.ts';
import { defined } from '../../base/objects.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import type { GitGuard, GuardedGit } from '../../ports/workspace.ts';
import type { ShellEnvironment } from '../../ports/commands.ts';

export interface TamperWatchOptions {
  readonly shellEnvironment: ShellEnvironment;
  /** Folders that commands of any thread may write, or once could. */
  readonly opened: Set<string>;
  /** Called before a call may write more folders. */
  readonly onOpen?: (paths: readonly string[]) => void;
  readonly temporary: readonly string[];
  readonly gitGuard: Pick<GitGuard, 'find'>;
  readonly guardedGit: GuardedGit;
}

/** No honest command names more programs. Those beyond this number are not checked and count as unsettled. */
const mostPrograms = 100;

/** Uses the real disk and the search path that the thread's commands get. */
export function createTamperWatch(options: TamperWatchOptions): TamperWatch {
  const { shellEnvironment, opened, temporary, gitGuard, guardedGit } = options;
  /** The repositories that git could reach from the folder, or what could not be checked. */
  const reachFrom = async (folder: string, { policy, signal }: Pick<TamperCheckRequest, 'policy' | 'signal'>) => {
    const top = nearestRepository(folder, inspectEntry);
    if (top === undefined) return undefined;
    const denies = (path: string): boolean => isDenied(policy, path);
    // Denied folders are not entered, but commands may still write in a folder inside that is opened again.
    const reopened = writablePaths(policy).filter((path) => isWithin(path, top) && isBelowDenied(policy, path));
    const { repositories, unseen } = await gitGuard.find({ roots: [top, ...reopened], denies }, signal);
    const [hidden = findNestedRepositories(top).unseen] = unseen;
    return hidden === undefined ? repositories : { unseen: hidden };
  };
  return {
    async look(request) {
      const { programs, reachOfGit, workspace, policy, variables, signal, warn } = request;
      const mayWrite = (path: string): boolean => needsSandbox(policy) && accessAt(policy, path) === 'write';
      const sandboxed = needsSandbox(policy) && { isWritable: mayWrite };
      const inherited = await shellEnvironment.variables({ signal, warn, ...sandboxed });
      const env = childEnvironment(inherited, variables, {});
      const [cwd, home] = [realPath(request.cwd), realPath(workspace)];
      if (cwd === undefined || home === undefined) return { settled: new Set(), repository: 'other' };
      const nested = reachOfGit ? await reachFrom(cwd, request) : undefined;
      // No `await` from here on, so that all findings are of one moment.
      const roots = realRoots([...temporary, ...opened], { place: realPath });
      const isWritable = (place: string): boolean => mayWrite(place) || roots.some((root) => isWithin(place, root));
      const open = tamperedLoadingVariable(env, { look: inspectEntry, isWritable, cwd });
      const programGround = { look: inspectEntry, isWritable, cwd, path: env['PATH'] };
      const settled = programs
        .slice(0, open === undefined ? mostPrograms : 0)
        .filter((program) => isUntamperedProgram(program, programGround));
      const isUnsettled = programs.some((program) => !program.includes('/') && !settled.includes(program));
      // Under Landlock, commands of earlier turns could change everything in writable folders, too.
      const isUnkept = (path: string): boolean =>
        policy.landlock !== undefined && roots.some((root) => isWithin(path, root));
      const sight: InspectedRepository = inspectRepository({
        look: inspectEntry,
        mayWrite: (path) => mayWrite(path) || isUnkept(path),
        opened: roots,
        settingsOf,
        cwd,
        workspace: home,
        ...(reachOfGit && {
          readsBeside: (folder: string) =>
            nested === undefined || 'unseen' in nested ? nested : pathsGitReads(folder, { env, nested }),
        }),
      });
      const hasCompany = request.hasCompany || undefined;
      const folder = isUnsettled ? writableSearchFolder(programGround) : undefined;
      const found = defined({ openSetting: sight.open, openVariable: open, writablePathFolder: folder, hasCompany });
      const ground = { folder: cwd, settled: new Set(settled), ...found };
      if (sight.kind !== 'protected') return { ...ground, repository: sight.kind };
      // With these bounds, git itself refuses repositories that appear later, or that the check did not see.
      const bounds = mayWrite(guardedGit.folder) ? undefined : gitBounds(cwd, settled, env);
      const gitVariables = bounds && (await guardedGit.variables(bounds, env));
      return gitVariables ? { ...ground, repository: 'protected', gitVariables } : { ...ground, repository: 'own' };
    },
    open(paths) {
      for (const path of paths) opened.add(path);
      if (paths.length > 0) options.onOpen?.(paths);
    },
  };
}

function isBelowDenied(policy: ResolvedPolicy, path: string): boolean {
  if (path === '/') return false;
  const above = parentPath(path);
  return isDenied(policy, above) || isBelowDenied(policy, above);
}

function settingsOf(folder: string): readonly string[] {
  const found = findGitDirectory(folder);
  const places = found === undefined ? [] : [realPath(found.path), realPath(found.common)];
  return places.filter((place) => place !== undefined);
}
