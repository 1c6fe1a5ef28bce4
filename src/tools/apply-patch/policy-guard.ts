import { access, type AccessRule, accessByRules } from '../../policy/access.ts';
import { describePolicy } from '../../policy/describe-policy.ts';
import { isMoved, movedRoot } from '../../policy/moved-root.ts';
import { isWithin } from '../../policy/paths.ts';
import { defined } from '../../protocol/defined.ts';
import type { Access } from '../../protocol/permission-profile.ts';
import type { ResolvedFiles, ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import type { PatchView } from '../../ports/patch-disk.ts';
import { followPath } from './follow-path.ts';
import { type Guard, noGuard, type Touch } from './guard.ts';

/** Holds a patch to the turn's policy: under the name it uses for a file, and at the place where the file really is. */
export function policyGuard(policy: ResolvedPolicy, cwd: string, disk: PatchView): Guard {
  const { files } = policy;
  if (files.kind === 'unrestricted') return noGuard;
  let realRules: readonly AccessRule[] | undefined;
  const grantedAt = (place: string): Access => {
    // A glob speaks of spellings; a place has one too.
    if (access({ ...policy, files: { ...files, rules: everywhere } }, place) === 'deny') return 'deny';
    return accessByRules((realRules ??= rulesAtPlaces(files, disk)), place);
  };
  return {
    check(touch) {
      const { path, place, need } = touch;
      const granted = place === undefined ? access(policy, path) : grantedAt(place);
      if (granted === 'write' || (need === 'read' && granted === 'read')) return undefined;
      const moved = files.rules.find(
        (rule) => rule.access === 'write' && isWithin(path, rule.path) && isMoved(rule, placeOf(disk, rule.path)),
      );
      if (moved === undefined) return refusal(touch, granted, policy, cwd);
      const { message, next } = movedRoot(moved.path);
      return `${path} may not be written. ${message} ${next}`;
    },
  };
}

const everywhere = [{ path: '/', access: 'write', ifMissing: 'skip' }] as const;

/**
 * The rules with their own links followed: a workspace or `/tmp` may be reached through one. Nothing is granted through
 * a link that commands can replace, nor where a path leads to another place than when the turn began. Rules for one
 * spelling mean what `access` says of them; where two spellings of one place disagree, the stricter one holds.
 */
function rulesAtPlaces(
  { rules }: Extract<ResolvedFiles, { kind: 'restricted' }>,
  disk: PatchView,
): readonly AccessRule[] {
  const followed = rules.flatMap((rule) => {
    const found = followPath(disk, rule.path, { lastLink: 'followed' });
    const { place, links } = found.kind === 'found' ? found : { place: rule.path, links: [] };
    if (isMoved(rule, place)) return [];
    return { spelled: rule.path, path: place, links, access: rule.access, ...defined({ keeps: rule.keeps }) };
  });
  const isReplaceable = (link: string) => accessByRules(followed, link) === 'write';
  const sound = followed.filter(({ access, links }) => access !== 'write' || !links.some(isReplaceable));
  const bySpelling = Map.groupBy(sound, ({ spelled }) => spelled);
  const meant = [...bySpelling.values()].flatMap(strongest);
  return [...Map.groupBy(meant, ({ path }) => path).values()].flatMap(strictest);
}

/** Of rules at one path, those that decide about it. */
function strongest<Rule extends AccessRule>(rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(({ path, access }) => access === accessByRules(rules, path));
}

function strictest(rules: readonly AccessRule[]): readonly AccessRule[] {
  const most = Math.max(...rules.map(({ access }) => strictness[access]));
  return rules.filter(({ access }) => strictness[access] === most);
}

function placeOf(disk: PatchView, path: string): string {
  const found = followPath(disk, path, { lastLink: 'followed' });
  return found.kind === 'found' ? found.place : path;
}

const strictness: Readonly<Record<Access, number>> = { write: 0, read: 1, deny: 2 };

/** Names the file and what may be written instead. */
function refusal({ path, place, need }: Touch, granted: Access, policy: ResolvedPolicy, cwd: string): string {
  const meant = place === undefined || place === path ? path : `${path}, which leads to ${place},`;
  if (need === 'read' || granted === 'deny') return `${meant} is off limits: it may be neither read nor written.`;
  const { mode, writableRoots, readOnlyPaths, keptGlobs } = describePolicy(policy, cwd);
  const closed = [...readOnlyPaths, ...keptGlobs];
  if (writableRoots.length === 0) return `${meant} may not be written: the sandbox is ${mode} and nothing may be.`;
  const except = closed.length === 0 ? '' : ` Read-only inside these: ${listed(closed)}.`;
  return `${meant} may not be written. Writable: ${listed(writableRoots)}.${except}`;
}

const mostListed = 12;

function listed(paths: readonly string[]): string {
  const more = paths.length - mostListed;
  return (
    paths
      .slice(0, mostListed)
      .map((path) => JSON.stringify(path))
      .join(', ') + (more > 0 ? ` and ${more} more` : '')
  );
}
