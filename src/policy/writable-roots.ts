import type { PathRule, ResolvedPolicy } from '../protocol/resolved-policy.ts';
import { accessByRules } from './access.ts';
import { byDepth, isWithin } from './paths.ts';

export interface WritableRoot {
  readonly path: string;
  /** What stays read-only or denied below the root, shallow first. Narrower writable roots inside are records of their own. */
  readonly carveOuts: readonly PathRule[];
}

/** The paths that may be written with all below them, sorted by name. Empty when the whole disk may be written. */
export function writableRoots(policy: ResolvedPolicy): readonly WritableRoot[] {
  const { files } = policy;
  if (files.kind === 'unrestricted') return [];
  const { rules } = files;
  const paths = new Set(rules.filter((rule) => rule.access === 'write').map((rule) => rule.path));
  return [...paths]
    .filter((path) => accessByRules(rules, path) === 'write')
    .toSorted()
    .map((path) => ({ path, carveOuts: carveOutsOf(rules, path) }));
}

function carveOutsOf(rules: readonly PathRule[], root: string): readonly PathRule[] {
  const inside = rules.filter(
    (rule) => rule.path !== root && isWithin(rule.path, root) && rule.access === accessByRules(rules, rule.path),
  );
  const unique = new Map(inside.filter((rule) => rule.access !== 'write').map((rule) => [rule.path, rule]));
  return [...unique.values()].toSorted((a, b) => byDepth(a.path, b.path));
}
