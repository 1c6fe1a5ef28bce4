import { accessByRules, type AccessRule, platformReadRoots } from '../../policy/access.ts';
import { isMoved } from '../../policy/moved-root.ts';
import { byDepth, isWithin, parentOf } from '../../policy/paths.ts';
import type { Link } from '../../policy/walk-path.ts';
import { defined } from '../../protocol/defined.ts';
import type { Access } from '../../protocol/permission-profile.ts';
import type { PathRule, ResolvedFiles } from '../../protocol/resolved-policy.ts';
import { type DiskView, followLinks } from './host-disk.ts';

/** A rule at the place its path leads to. */
export interface RealRule extends PathRule {
  readonly kind: 'folder' | 'file' | 'missing' | 'blocked';
  readonly missing?: string;
}

/**
 * The rules as an operating system sees them: without links, one rule per place, shallow places first. Where two
 * spellings of one place disagree, the stricter rule holds.
 */
export interface RealPolicy {
  readonly rules: readonly RealRule[];
  /** Links that commands could replace and that lead to something restricted: their folders must hold still. */
  readonly heldLinks: readonly string[];
  /** Those of them that are held for the engine's own places alone. */
  readonly ownLinks: ReadonlySet<string>;
  /** Links on the way to what is granted. */
  readonly grantedLinks: readonly Link[];
}

/**
 * Follows the links in the paths of a policy. Nothing is granted through a link that commands can replace, nor where a
 * path leads to another place than when the turn began: the next command would find more open than the policy says.
 * What is restricted through such a link is restricted at its target, and the link is held.
 */
export function realPolicy(files: Extract<ResolvedFiles, { kind: 'restricted' }>, disk: DiskView): RealPolicy {
  const platform = files.platformDefaults
    ? platformReadRoots.map((path): PathRule => ({ path, access: 'read', ifMissing: 'skip' }))
    : [];
  // For one spelling, what the policy itself says about ties.
  const spelled = strongest([...files.rules, ...platform], { read: 0, write: 1, deny: 2 });
  const everyRule = spelled.map((rule) => ({ rule, followed: followLinks(disk, rule.path) }));
  const moved = everyRule.filter(({ rule, followed }) => isMoved(rule, followed.path)).map(({ rule }) => rule.path);
  const followed = everyRule.filter(({ rule }) => !moved.includes(rule.path));
  const everything: readonly AccessRule[] = followed
    .filter(({ followed }) => followed.kind !== 'loop')
    .map(({ rule, followed }) => ({ path: followed.path, access: rule.access }));
  const isReplaceable = (link: Link) => accessByRules(everything, link.location) === 'write';
  const turnable = followed.filter(
    ({ rule, followed }) => rule.access === 'write' && followed.links.some(isReplaceable),
  );
  const ignoredGrants = [...moved, ...turnable.map(({ rule }) => rule.path)];

  const rules: RealRule[] = [];
  const heldLinks = new Set<string>();
  const heldForOthers = new Set<string>();
  const grantedLinks = new Map<string, Link>();
  for (const { rule, followed: found } of followed) {
    if (ignoredGrants.includes(rule.path)) continue;
    const replaceable = found.links.filter(isReplaceable);
    if (replaceable.length > 0 || moved.some((root) => isWithin(rule.path, root))) {
      const restricts = rule.access === 'deny' || accessByRules(spelled, parentOf(rule.path)) === 'write';
      // The names that are protected in an ignored root are no more protected than the place it leads to.
      const belowIgnored = rule.access === 'read' && ignoredGrants.some((root) => isWithin(rule.path, root));
      for (const { location } of restricts && !belowIgnored ? replaceable : []) {
        heldLinks.add(location);
        if (rule.own !== true) heldForOthers.add(location);
      }
      const narrows = rule.access === 'deny' || accessByRules(everything, parentOf(found.path)) === 'write';
      if (!narrows) continue;
    }
    if (rule.access !== 'deny') for (const link of found.links) grantedLinks.set(link.location, link);
    if (found.kind === 'loop') continue;
    rules.push({ ...rule, path: found.path, kind: found.kind, ...defined({ missing: found.missing }) });
  }
  return {
    // For one place that was spelled in several ways: no command may gain by a second spelling.
    rules: strongest(rules, { write: 0, read: 1, deny: 2 }).toSorted((a, b) => byDepth(a.path, b.path)),
    heldLinks: [...heldLinks].toSorted(byDepth),
    ownLinks: heldLinks.difference(heldForOthers),
    grantedLinks: [...grantedLinks.values()].toSorted((a, b) => byDepth(a.location, b.location)),
  };
}

function strongest<Rule extends PathRule>(
  rules: readonly Rule[],
  rank: Readonly<Record<Access, number>>,
): readonly Rule[] {
  const chosen = new Map<string, Rule>();
  for (const rule of rules) {
    const rival = chosen.get(rule.path);
    const wins = rival === undefined || rank[rule.access] > rank[rival.access];
    const kept = wins ? rule : rival;
    const protects = rule.ifMissing === 'protect' || rival?.ifMissing === 'protect';
    chosen.set(rule.path, protects ? { ...kept, ifMissing: 'protect' } : kept);
  }
  return [...chosen.values()];
}
