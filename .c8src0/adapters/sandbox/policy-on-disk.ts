import type { NamePatternPart } from '../../base/name-matcher.ts';
import { compareByDepth, isWithin, joinPath, parentPath, pathDepth } from '../../core/policy/paths/absolute-paths.ts';
import { accessAt, accessByRules, platformReadRoots } from '../../core/policy/paths/access.ts';
import type { AccessRule, RestrictedFiles } from '../../core/policy/paths/access.ts';
import { globCovers, parseGlob, globBaseFolder } from '../../core/policy/paths/glob.ts';
import { isMovedRoot, type FollowedLink } from '../../core/policy/paths/walk-path.ts';
import { readOnlyRules } from '../../core/policy/profiles/narrower-profile.ts';
import type { PlainCommand, SandboxRefused } from '../../ports/sandbox.ts';
import type { FileAccess, PathRule, ResolvedPolicy } from '../../protocol/permissions.ts';
import { toNodePath, inspectEntry, realPath } from '../disk/file-system.ts';
import { type NamedEntry, withExactNames } from '../disk/folder-access.ts';
import { type DiskView, followLinks, viewHostDisk } from './disk-view.ts';
import { movedWorkspaceRefusal, unenforceableRefusal } from './refusals.ts';

export interface ResolvedRule extends PathRule {
  readonly kind: 'folder' | 'file' | 'missing' | 'blocked';
  readonly missing?: string;
}

/**
 * Resolves the links in a policy's paths. Grants nothing through a link that commands can replace, or through a path
 * that has changed its target since the turn began: the next command would find more open than the policy says. A
 * restriction behind such a link applies at its target, and the sandbox keeps commands from replacing the link.
 */
export function resolvePolicyLinks(files: RestrictedFiles, disk: DiskView) {
  const platform = files.platformDefaults
    ? platformReadRoots.map((path): PathRule => ({ path, access: 'read', ifMissing: 'skip' }))
    : [];
  // If several rules have the same spelling, the policy's own order decides: deny beats write, and write beats read.
  const spelled = strongest([...files.rules, ...platform], { read: 0, write: 1, deny: 2 });
  const everyRule = spelled.map((rule) => ({ rule, followed: followLinks(disk, rule.path) }));
  const moved = everyRule.filter(({ rule, followed }) => isMovedRoot(rule, followed.path)).map(({ rule }) => rule.path);
  const followed = everyRule.filter(({ rule }) => !moved.includes(rule.path));
  const everything: readonly AccessRule[] = followed
    .filter(({ followed }) => followed.kind !== 'loop')
    .map(({ rule, followed }) => ({ path: followed.path, access: rule.access }));
  const isReplaceable = (link: FollowedLink) => accessByRules(everything, link.location) === 'write';
  const turnable = followed.filter(
    ({ rule, followed }) => rule.access === 'write' && followed.links.some(isReplaceable),
  );
  const ignoredGrants = [...moved, ...turnable.map(({ rule }) => rule.path)];

  const rules: ResolvedRule[] = [];
  const heldLinks = new Set<string>();
  const heldForOthers = new Set<string>();
  const grantedLinks = new Map<string, FollowedLink>();
  for (const { rule, followed: found } of followed) {
    if (ignoredGrants.includes(rule.path)) continue;
    const replaceable = found.links.filter(isReplaceable);
    if (replaceable.length > 0 || moved.some((root) => isWithin(rule.path, root))) {
      const restricts = rule.access === 'deny' || accessByRules(spelled, parentPath(rule.path)) === 'write';
      // A protected name in an ignored root gets no more protection than the root's target gives it.
      const belowIgnored = rule.access === 'read' && ignoredGrants.some((root) => isWithin(rule.path, root));
      for (const { location } of restricts && !belowIgnored ? replaceable : []) {
        heldLinks.add(location);
        if (rule.own !== true) heldForOthers.add(location);
      }
      const narrows = rule.access === 'deny' || accessByRules(everything, parentPath(found.path)) === 'write';
      if (!narrows) continue;
    }
    if (rule.access !== 'deny') for (const link of found.links) grantedLinks.set(link.location, link);
    if (found.kind === 'loop') continue;
    rules.push({ ...rule, path: found.path, kind: found.kind, missing: found.missing });
  }
  return {
    // One rule per place, shallow places first. For one place with several spellings, the strictest holds.
    rules: strongest(rules, { write: 0, read: 1, deny: 2 }).toSorted((a, b) => compareByDepth(a.path, b.path)),
    // Links that commands could replace and that lead to something restricted: their folders must not change.
    heldLinks: [...heldLinks].toSorted(compareByDepth),
    // Held links that protect only the engine's own places.
    ownLinks: heldLinks.difference(heldForOthers),
    grantedLinks: [...grantedLinks.values()].toSorted((a, b) => compareByDepth(a.location, b.location)),
  };
}

function strongest<Rule extends PathRule>(rules: readonly Rule[], rank: Readonly<Record<FileAccess, number>>) {
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

/** The view of the disk, the real working folder and what the globs match, or why no command runs there. */
export async function examineDisk({ cwd: folder }: Pick<PlainCommand, 'cwd'>, policy: ResolvedPolicy) {
  const { files } = policy;
  const { denyGlobs = [], globDepth } = files.kind === 'restricted' ? files : {};
  const matched = await expandGlobs(denyGlobs, globDepth);
  if (matched.kind === 'refused') return matched;
  const disk = viewHostDisk();
  const moved = movedWorkspaceRefusal(files, folder, disk);
  if (moved !== undefined) return moved;
  const cwd = followLinks(disk, folder).path;
  if (accessAt(policy, folder) === 'deny' && accessAt(policy, cwd) === 'deny') {
    return unenforceableRefusal(
      `The policy denies reading the working folder ${JSON.stringify(folder)}.`,
      'Work in a folder that the profile makes readable, or add an entry for this one.',
    );
  }
  return { kind: 'examined', disk, cwd, deniedMatches: matched.paths } as const;
}

/** Denies the places that the globs' matches lead to, and drops all rules that would open a place inside a match. */
export function denyMatches(files: RestrictedFiles, matches: readonly string[], disk: DiskView): RestrictedFiles {
  if (matches.length === 0) return files;
  const places = matches.map((path) => followLinks(disk, path).path);
  const isMatched = (path: string): boolean => {
    const place = followLinks(disk, path).path;
    return matches.some((match) => isWithin(path, match)) || places.some((match) => isWithin(place, match));
  };
  const kept = files.rules.filter(({ access, path }) => access === 'deny' || !isMatched(path));
  const denied = places.map((path) => ({ path, access: 'deny', ifMissing: 'skip' }) as const);
  return { ...files, rules: [...kept, ...denied] };
}

const mostMatches = 8192;
const mostEntries = 200_000;
const breadth = 32;

/** Everything that the deny globs match now. Commands that run can read later matches; file tools refuse them. */
export async function expandGlobs(
  globs: readonly string[],
  mostDepth = Number.POSITIVE_INFINITY,
): Promise<{ readonly kind: 'matches'; readonly paths: readonly string[] } | SandboxRefused> {
  const matches = new Set<string>();
  let entries = 0;
  for (const glob of globs) {
    const parts = parseGlob(glob);
    const start = globBaseFolder(glob);
    const literal = parts === undefined ? undefined : literalPath(parts);
    if (literal !== undefined) {
      // Rules handle missing paths.
      if (inspectEntry(literal).kind !== 'missing') matches.add(literal);
      continue;
    }
    if (parts === undefined || start === '/') return tooWide(coversWholeDisk(glob));
    const isDeep = parts.some(({ kind }) => kind === 'folders' || kind === 'anything');
    const depth = Math.min(isDeep ? Number.POSITIVE_INFINITY : pathDepth(glob), pathDepth(start) + mostDepth);
    const pending = [start];
    const linked = new Set<string>();
    while (pending.length > 0) {
      const folders = pending.splice(-breadth);
      const found = await Promise.all(folders.map(async (folder) => ({ folder, names: await read(folder) })));
      for (const { folder, names } of found) {
        entries += names.length;
        for (const entry of names) {
          const path = joinPath(folder, entry.name);
          if (globCovers(glob, path)) matches.add(path);
          else if (pathDepth(path) >= depth) continue;
          else if (entry.isDirectory() || (entry.isSymbolicLink() && isNewFolder(path, linked))) pending.push(path);
        }
      }
      const shown = JSON.stringify(glob);
      if (matches.size > mostMatches) return tooWide(`${shown} matches more than ${mostMatches} files.`);
      if (entries > mostEntries)
        return tooWide(`${JSON.stringify(start)} has more than ${mostEntries} files to compare with ${shown}.`);
    }
  }
  return { kind: 'matches', paths: [...matches].toSorted() };
}

/** True if the link's target folder is new in this walk and does not contain the link itself. */
function isNewFolder(link: string, linked: Set<string>): boolean {
  const place = realPath(link);
  if (place === undefined || linked.has(place) || inspectEntry(place).kind !== 'folder') return false;
  linked.add(place);
  const own = realPath(parentPath(link));
  return own === undefined || !isWithin(own, place);
}

function literalPath(parts: readonly NamePatternPart[]): string | undefined {
  const texts = parts.map((part) => (part.kind === 'text' ? part.text : undefined));
  return texts.includes(undefined) ? undefined : texts.join('');
}

/** A folder that we cannot read is unreadable for our commands too. */
async function read(folder: string): Promise<readonly NamedEntry[]> {
  try {
    // Loaded on use: few policies have globs, and every start would pay for it.
    const { readdir } = process.getBuiltinModule('node:fs').promises;
    return withExactNames(await readdir(toNodePath(folder), { withFileTypes: true, encoding: 'utf8' }), folder);
  } catch {
    return [];
  }
}

function tooWide(message: string): SandboxRefused {
  return unenforceableRefusal(
    message,
    'Begin the deny pattern with the folder it is about, or deny the folder itself.',
  );
}

export function coversWholeDisk(glob: string): string {
  return `The policy denies reading ${JSON.stringify(glob)}, a pattern that covers the whole disk.`;
}

/** Each takes a mount, and so does every parent folder. Bubblewrap takes half a second for this many. */
const mostGitFolders = 200;

/**
 * The policy as a sandbox can enforce it: names protected at any depth become rules for the places that the walk found
 * in writable folders, unless there is a rule already.
 */
export function protectGit(policy: ResolvedPolicy, gitFolders: readonly string[]): ResolvedPolicy | SandboxRefused {
  const { files } = policy;
  if (files.kind === 'unrestricted') return policy;
  const rules = files.rules.map(({ keeps: _keeps, ...rule }): PathRule => rule);
  const added = readOnlyRules(rules, gitFolders);
  if (added.length > mostGitFolders) {
    return unenforceableRefusal(
      `Git repositories have ${added.length} folders and files that commands must not change, and the sandbox can protect at most ${mostGitFolders}.`,
      'Work in a folder with fewer repositories, or make a smaller folder writable.',
    );
  }
  return { ...policy, files: { ...files, rules: [...rules, ...added] } };
}
