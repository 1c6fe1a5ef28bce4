import type { Access, PathRule, ResolvedFiles, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { compareByDepth, isWithin, normalisePath } from './absolute-paths.ts';
import { globCovers } from './glob.ts';

/**
 * What the policy grants at a path, by its spelling: the most specific rule wins, at equal depth deny beats write beats
 * read, and all else is denied. A caller that opens the file in this process must also ask for its real path and take
 * the stricter answer, or a link would lead around the rule.
 */
export function accessAt(policy: ResolvedPolicy, path: string): Access {
  const { files } = policy;
  if (files.kind === 'unrestricted') return 'write';
  const target = normalisePath(path);
  if (target === undefined) return 'deny';
  if (files.denyGlobs.some((glob) => globCovers(glob, target, files.globDepth))) return 'deny';
  return accessByRules(accessRules(files), target);
}

export type RestrictedFiles = Extract<ResolvedFiles, { kind: 'restricted' }>;

/** The rules with those that the platform adds. */
export function accessRules({ rules, platformDefaults }: RestrictedFiles): readonly AccessRule[] {
  return platformDefaults ? [...rules, ...platformRules] : rules;
}

/** Whether a rule denies the path by name. Where no rule stands, the user may still let the engine read it. */
export function isDenied(policy: ResolvedPolicy, path: string): boolean {
  const { files } = policy;
  if (files.kind === 'unrestricted') return false;
  const readable: PathRule = { path: '/', access: 'read', ifMissing: 'skip' };
  return accessAt({ ...policy, files: { ...files, rules: [readable, ...files.rules] } }, path) === 'deny';
}

export interface AccessRule {
  readonly path: string;
  readonly access: Access;
  /** Names that are only readable at any depth below the path. */
  readonly keeps?: readonly string[];
}

/** The same decision on bare rules and a path in normal form. The sandbox planner asks it about real paths. */
export function accessByRules(rules: readonly AccessRule[], path: string): Access {
  const best = innermostRule(rules, path);
  if (best?.access === 'write' && rules.some((rule) => rule.path === best.path && keeps(rule, path))) return 'read';
  return best?.access ?? 'deny';
}

/** The rule that decides about the path, before the names that it keeps. */
export function innermostRule(rules: readonly AccessRule[], path: string): AccessRule | undefined {
  let best: AccessRule | undefined;
  for (const rule of rules) {
    if (isWithin(path, rule.path) && (best === undefined || beats(rule, best))) best = rule;
  }
  return best;
}

/** Whether the path is one of the names that the rule keeps below its own path, or lies in one. */
function keeps({ path: root, access: granted, keeps: names }: AccessRule, path: string): boolean {
  if (names === undefined || granted !== 'write' || path === root) return false;
  // Some disks do not distinguish `.GIT` from `.git`.
  const below = path.slice(root === '/' ? 1 : root.length + 1).toLowerCase();
  return names.some((name) => `/${below}/`.includes(`/${name}/`));
}

/** What programs need to start. Paths of other systems do no harm; Seatbelt also opens devices and services. */
export const platformReadRoots: readonly string[] = [
  '/bin',
  '/sbin',
  '/usr',
  '/etc',
  '/lib',
  '/lib64',
  '/nix/store',
  '/run/current-system/sw',
  '/System',
  '/Library/Apple',
  '/private/etc',
  '/private/var/db/timezone',
];

const platformRules: readonly AccessRule[] = platformReadRoots.map((path) => ({ path, access: 'read' }));

const rank: Readonly<Record<Access, number>> = { read: 0, write: 1, deny: 2 };

/** Both hold the same path, so the longer one is the deeper one. */
function beats(challenger: AccessRule, holder: AccessRule): boolean {
  const longer = challenger.path.length - holder.path.length;
  return longer === 0 ? rank[challenger.access] > rank[holder.access] : longer > 0;
}

export interface WritableRoot {
  readonly path: string;
  /** What stays read-only or denied below the root, shallow first. Narrower writable roots inside are records of their own. */
  readonly carveOuts: readonly PathRule[];
}

/** The paths that may be written with all below them, sorted by name. Empty when the whole disk may be written. */
export function writablePaths({ files }: ResolvedPolicy): readonly string[] {
  if (files.kind === 'unrestricted') return [];
  const { rules } = files;
  const paths = new Set(rules.filter((rule) => rule.access === 'write').map((rule) => rule.path));
  return [...paths].filter((path) => accessByRules(rules, path) === 'write').toSorted();
}

/** The same with what is kept inside each. */
export function writableRoots(policy: ResolvedPolicy): readonly WritableRoot[] {
  const rules = policy.files.kind === 'unrestricted' ? [] : policy.files.rules;
  return writablePaths(policy).map((path) => ({ path, carveOuts: carveOutsOf(rules, path) }));
}

function carveOutsOf(rules: readonly PathRule[], root: string): readonly PathRule[] {
  const inside = rules.filter(
    (rule) => rule.path !== root && isWithin(rule.path, root) && rule.access === accessByRules(rules, rule.path),
  );
  const unique = new Map(inside.filter((rule) => rule.access !== 'write').map((rule) => [rule.path, rule]));
  return [...unique.values()].toSorted((a, b) => compareByDepth(a.path, b.path));
}

/** Whether commands run in a sandbox of ours: something is restricted, and no other sandbox stands around us. */
export function needsSandbox(policy: ResolvedPolicy): boolean {
  const { enforcement, files } = policy;
  return enforcement === 'managed' && !(files.kind === 'unrestricted' && networkReach(policy) === 'all');
}

/** How far commands get: nowhere, to the hosts of the lists through the proxy, or everywhere. */
export type NetworkReach = 'none' | 'listed' | 'all';

/** Lists narrow a network that is enabled. They never open one that is restricted. */
export function networkReach({ network, lists }: Pick<ResolvedPolicy, 'network' | 'lists'>): NetworkReach {
  if (network === 'restricted') return 'none';
  return lists === undefined ? 'all' : 'listed';
}
