import type { Access } from '../protocol/permission-profile.ts';
import type { PathRule, ResolvedPolicy } from '../protocol/resolved-policy.ts';
import { globCovers } from './glob.ts';
import { depthOf, isWithin, normalisePath } from './paths.ts';
import { platformReadRoots } from './platform-read-roots.ts';

/**
 * What the policy grants at a path, by its spelling: the most specific rule wins, at equal depth deny beats write beats
 * read, and all else is denied. A caller that opens the file in this process must also ask for its real path and take
 * the stricter answer, or a link would lead around the rule.
 */
export function access(policy: ResolvedPolicy, path: string): Access {
  const { files } = policy;
  if (files.kind === 'unrestricted') return 'write';
  const target = normalisePath(path);
  if (target === undefined) return 'deny';
  if (files.denyGlobs.some((glob) => globCovers(glob, target))) return 'deny';
  const rules: readonly AccessRule[] = files.platformDefaults ? [...files.rules, ...platformRules] : files.rules;
  return accessByRules(rules, target);
}

/**
 * Whether a rule of the policy denies the path by name. A path that no rule covers is not denied in this sense: the user
 * may still let the engine read it, though no command may.
 */
export function isDenied(policy: ResolvedPolicy, path: string): boolean {
  const { files } = policy;
  if (files.kind === 'unrestricted') return false;
  const readable: PathRule = { path: '/', access: 'read', ifMissing: 'skip' };
  return access({ ...policy, files: { ...files, rules: [readable, ...files.rules] } }, path) === 'deny';
}

export interface AccessRule {
  readonly path: string;
  readonly access: Access;
  /** Names that are only readable at any depth below the path. */
  readonly keeps?: readonly string[];
}

/** The same decision on bare rules and a path in normal form. The sandbox planner asks it about real paths. */
export function accessByRules(rules: readonly AccessRule[], path: string): Access {
  let best: AccessRule | undefined;
  for (const rule of rules) {
    if (isWithin(path, rule.path) && (best === undefined || beats(rule, best))) best = rule;
  }
  if (best?.access === 'write' && rules.some((rule) => rule.path === best.path && keeps(rule, path))) return 'read';
  return best?.access ?? 'deny';
}

/** Whether the path is one of the names that the rule keeps below its own path, or lies in one. */
function keeps({ path: root, access: granted, keeps: names }: AccessRule, path: string): boolean {
  if (names === undefined || granted !== 'write' || path === root) return false;
  // Some disks do not distinguish `.GIT` from `.git`.
  const below = path.slice(root === '/' ? 1 : root.length + 1).toLowerCase();
  return names.some((name) => `/${below}/`.includes(`/${name}/`));
}

const platformRules: readonly AccessRule[] = platformReadRoots.map((path) => ({ path, access: 'read' }));

const rank: Readonly<Record<Access, number>> = { read: 0, write: 1, deny: 2 };

function beats(challenger: AccessRule, holder: AccessRule): boolean {
  const deeper = depthOf(challenger.path) - depthOf(holder.path);
  return deeper === 0 ? rank[challenger.access] > rank[holder.access] : deeper > 0;
}

/** Whether commands run in a sandbox of ours: something is restricted, and no other sandbox stands around us. */
export function needsSandbox({ enforcement, files, network }: ResolvedPolicy): boolean {
  return enforcement === 'managed' && !(files.kind === 'unrestricted' && network === 'enabled');
}
