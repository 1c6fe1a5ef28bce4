import type { NetworkAccess, SandboxMode } from '../protocol/permission-profile.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import { accessByRules, writableRoots } from './access.ts';
import { sandboxModeOf } from './legacy.ts';
import { byDepth, isWithin, joinPath } from './paths.ts';

/** A policy in the terms that people and models read. */
export interface PolicyDescription {
  readonly mode: SandboxMode | 'external-sandbox';
  readonly network: NetworkAccess;
  /** The root that holds the working folder first, the others by name. */
  readonly writableRoots: readonly string[];
  /** Inside writable roots, and yet not to be written. */
  readonly readOnlyPaths: readonly string[];
  /** Inside writable roots, at any depth: what matches and exists is not to be written either; commands may make new ones. */
  readonly keptGlobs: readonly string[];
  /** Paths and globs that cannot even be read, without the engine's own secrets. */
  readonly deniedPaths: readonly string[];
  /** Everything that is not denied may be read. */
  readonly readsEverything: boolean;
  /** Meant to be writable, and not there. */
  readonly missingRoots: readonly string[];
}

export function describePolicy(policy: ResolvedPolicy, cwd: string): PolicyDescription {
  const { files, network } = policy;
  const mode = policy.enforcement === 'external' ? 'external-sandbox' : sandboxModeOf(policy);
  const isOpen = files.kind === 'unrestricted';
  const { rules, denyGlobs } = isOpen ? { rules: [], denyGlobs: [] } : files;
  const roots = writableRoots(policy);
  const readOnly = roots.flatMap(({ carveOuts }) => carveOuts.filter((rule) => rule.access === 'read'));
  const kept = rules.flatMap(({ path, keeps = [] }) => keeps.map((name) => joinPath(path, `**/${name}`)));
  // The engine's secrets are not named: no task is about them, and each path would stand in every request.
  const denied = rules.filter((rule) => rule.access === 'deny' && rule.path !== '/' && rule.own !== true);
  return {
    mode,
    network,
    writableRoots: roots
      .map((root) => root.path)
      .toSorted((a, b) => Number(isWithin(cwd, b)) - Number(isWithin(cwd, a))),
    readOnlyPaths: [...new Set(readOnly.map((rule) => rule.path))].toSorted(byDepth),
    keptGlobs: [...new Set(kept)].toSorted(),
    deniedPaths: [...new Set([...denied.map((rule) => rule.path), ...denyGlobs])].toSorted(),
    readsEverything: isOpen || accessByRules(rules, '/') !== 'deny',
    missingRoots: isOpen ? [] : (files.missingRoots ?? []),
  };
}
