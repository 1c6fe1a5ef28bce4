import { access, accessByRules, type AccessRule, writablePaths } from '../../policy/access.ts';
import { joinPath } from '../../policy/paths.ts';
import type { Access } from '../../protocol/permission-profile.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';

/** The coarse model that Landlock enforces: everything may be read, and these paths may be written with all below them. */
export interface LegacyModel {
  readonly kind: 'legacy-model';
  readonly writable: readonly string[];
}

/** Below this version of Landlock the kernel cannot keep signals and abstract sockets inside. */
export const leastLandlockAbi = 6;

/** Where the coarse model would give another access than the policy. A pattern stands for what it matches. */
export interface LegacyDifference {
  readonly kind: 'legacy-difference';
  readonly path: string;
  readonly wanted: Access;
  readonly given: Access;
}

/** The policy in the coarse model, or the first place where that would change what `access` says. */
export function projectToLegacy(policy: ResolvedPolicy): LegacyModel | LegacyDifference {
  const { files } = policy;
  if (files.kind === 'unrestricted') return { kind: 'legacy-model', writable: ['/'] };
  const writable = writablePaths(policy);
  const back = accessOfLegacy(writable);
  const [glob] = files.denyGlobs;
  if (glob !== undefined) return { kind: 'legacy-difference', path: glob, wanted: 'deny', given: back('/') };
  // Between rules the access does not change, so it is enough to compare where rules stand, and one name that is kept.
  const kept = files.rules.flatMap(({ path, keeps = [] }) =>
    keeps.flatMap((name) => [joinPath(path, name), joinPath(path, `${anyName}/${name}`)]),
  );
  for (const path of ['/', ...files.rules.map((rule) => rule.path), ...kept]) {
    const [wanted, given] = [access(policy, path), back(path)];
    if (wanted !== given) return { kind: 'legacy-difference', path, wanted, given };
  }
  return { kind: 'legacy-model', writable };
}

/** What the coarse model gives at a path. */
export function accessOfLegacy(writable: readonly string[]): (path: string) => Access {
  const rules: readonly AccessRule[] = [
    { path: '/', access: 'read' },
    ...writable.map((path): AccessRule => ({ path, access: 'write' })),
  ];
  return (path) => accessByRules(rules, path);
}

/** Stands for any folder in which a kept name may appear. */
const anyName = '*';
