import type { FileAccess, PathRule, ResolvedFilePolicy, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { isWithin, normalisePath } from './absolute-paths.ts';
import { globCovers } from './glob.ts';

/**
 * The policy's access to a path by its spelling: the most specific rule wins, at equal depth deny beats write beats
 * read, and everything else is denied. A caller that opens the file in this process must also check its real path and
 * take the stricter answer, or a link could bypass the rule.
 */
export function accessAt(policy: ResolvedPolicy, path: string): FileAccess {
  const { files } = policy;
  if (files.kind === 'unrestricted') return 'write';
  const target = normalisePath(path);
  if (target === undefined) return 'deny';
  if (files.denyGlobs.some((glob) => globCovers(glob, target, files.globDepth))) return 'deny';
  return accessByRules(accessRules(files), target);
}

export type RestrictedFiles = Extract<ResolvedFilePolicy, { kind: 'restricted' }>;

export const accessRules = ({ rules, platformDefaults }: RestrictedFiles): readonly AccessRule[] =>
  platformDefaults ? [...rules, ...platformRules] : rules;

/** True if a rule denies the path by name. Without a rule, the user may still let the engine read it. */
export function isDenied(policy: ResolvedPolicy, path: string): boolean {
  const { files } = policy;
  if (files.kind === 'unrestricted') return false;
  const readable: PathRule = { path: '/', access: 'read', ifMissing: 'skip' };
  return accessAt({ ...policy, files: { ...files, rules: [readable, ...files.rules] } }, path) === 'deny';
}

export interface AccessRule {
  readonly path: string;
  readonly access: FileAccess;
  /** Names that are read-only at any depth below the path. */
  readonly keeps?: readonly string[];
}

/** The decision for bare rules and a path in normal form. The sandbox planner uses it for real paths. */
export function accessByRules(rules: readonly AccessRule[], path: string): FileAccess {
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

function keeps({ path: root, access: granted, keeps: names }: AccessRule, path: string): boolean {
  if (names === undefined || granted !== 'write' || path === root) return false;
  // Some disks do not distinguish `.GIT` from `.git`.
  const below = path.slice(root === '/' ? 1 : root.length + 1).toLowerCase();
  return names.some((name) => `/${below}/`.includes(`/${name}/`));
}

/** Paths that programs need to start. Those of other systems are harmless; Seatbelt also opens devices and services. */
export const platformReadRoots: readonly string[] = `/bin /sbin /usr /etc /lib /lib64 /nix/store /run/current-system/sw
  /System /Library/Apple /private/etc /private/var/db/timezone`.split(/\s+/);

const platformRules: readonly AccessRule[] = platformReadRoots.map((path) => ({ path, access: 'read' }));
const rank: Readonly<Record<FileAccess, number>> = { read: 0, write: 1, deny: 2 };

/** Both contain the same path, so the longer one is the deeper one. */
function beats(challenger: AccessRule, holder: AccessRule): boolean {
  const longer = challenger.path.length - holder.path.length;
  return longer === 0 ? rank[challenger.access] > rank[holder.access] : longer > 0;
}

/** Paths that are writable with everything below, sorted by name. Empty if the whole disk is writable. */
export function writablePaths({ files }: ResolvedPolicy): readonly string[] {
  if (files.kind === 'unrestricted') return [];
  const { rules } = files;
  const paths = new Set(rules.filter((rule) => rule.access === 'write').map((rule) => rule.path));
  return [...paths].filter((path) => accessByRules(rules, path) === 'write').toSorted();
}

/** True if commands run in our sandbox: something is restricted, and no other sandbox is around this process. */
export function needsSandbox(policy: ResolvedPolicy): boolean {
  const { enforcement, files } = policy;
  return enforcement === 'managed' && !(files.kind === 'unrestricted' && networkReach(policy) === 'all');
}

/** The hosts that commands reach. `listed`: through the proxy. Lists never open a restricted network. */
export function networkReach({ network, lists }: Pick<ResolvedPolicy, 'network' | 'lists'>): 'none' | 'listed' | 'all' {
  if (network === 'restricted') return 'none';
  return lists === undefined ? 'all' : 'listed';
}
