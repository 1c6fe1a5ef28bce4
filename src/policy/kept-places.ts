import type { PathRule, ResolvedPolicy } from '../protocol/resolved-policy.ts';
import { accessByRules } from './access.ts';
import { isWithin } from './paths.ts';

/** Rules that keep these places from being written, where nothing else does and no rule names them. */
export function keptPlaces(rules: readonly PathRule[], places: readonly string[]): readonly PathRule[] {
  const named = new Set(rules.map(({ path }) => path));
  return places
    .filter((path) => !named.has(path) && accessByRules(rules, path) === 'write')
    .map((path): PathRule => ({ path, access: 'read', ifMissing: 'skip' }));
}

/** The policy with such rules for folders beside a `.git`, in roots that keep repositories as they are. */
export function withKeptBesideGit(policy: ResolvedPolicy, folders: readonly string[] = []): ResolvedPolicy {
  const { files } = policy;
  const keeping = files.kind === 'unrestricted' ? [] : files.rules.filter(({ keeps = [] }) => keeps.length > 0);
  return withKeptPlaces(
    policy,
    folders.filter((folder) => keeping.some(({ path }) => isWithin(folder, path))),
  );
}

/** The policy with such rules in it. */
export function withKeptPlaces(policy: ResolvedPolicy, places: readonly string[]): ResolvedPolicy {
  const { files } = policy;
  if (files.kind === 'unrestricted' || places.length === 0) return policy;
  return { ...policy, files: { ...files, rules: [...files.rules, ...keptPlaces(files.rules, places)] } };
}
