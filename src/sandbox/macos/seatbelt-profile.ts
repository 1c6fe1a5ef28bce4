import { accessByRules } from '../../policy/access.ts';
import { parentOf } from '../../policy/paths.ts';
import type { Access } from '../../protocol/permission-profile.ts';
import type { ResolvedFiles, ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import type { DiskView } from '../common/host-disk.ts';
import { type RealRule, realPolicy } from '../common/real-policy.ts';
import { anyCase, globExpression, literalExpression } from './seatbelt-expression.ts';
import { baseSection, networkSection, platformSection, preferencesSection } from './seatbelt-sections.ts';

export interface SeatbeltProfile {
  readonly text: string;
  /** Names in the text, and the paths they stand for: a path never becomes part of the program. */
  readonly parameters: readonly (readonly [string, string])[];
}

/** The policy in Seatbelt's language. Rules come shallow first, and the last one that matches decides, as in `access`. */
export function seatbeltProfile({ files, network }: ResolvedPolicy, disk: DiskView): SeatbeltProfile {
  const parameters = new Map<string, string>();
  const at = (path: string): string => {
    const name = parameters.get(path) ?? `PATH_${parameters.size}`;
    parameters.set(path, name);
    return `(param "${name}")`;
  };
  const sections = [baseSection, ...fileSections(files, disk, at), ...(network === 'enabled' ? [networkSection] : [])];
  return { text: `${sections.join('\n')}\n`, parameters: [...parameters].map(([path, name]) => [name, path]) };
}

function fileSections(files: ResolvedFiles, disk: DiskView, at: (path: string) => string): readonly string[] {
  if (files.kind === 'unrestricted') return ['(allow file-read* file-write*)', preferencesSection];
  const { rules, heldLinks } = realPolicy(files, disk);
  const accessAt = (path: string) => accessByRules(rules, path);
  // Nothing is granted outside the root.
  const outer = (path: string): Access => (path === '/' ? 'deny' : accessAt(parentOf(path)));
  const readsEverything =
    accessAt('/') !== 'deny' &&
    files.denyGlobs.length === 0 &&
    rules.every((rule) => rule.access !== 'deny' || rule.own === true);
  const changes = rules.filter((rule) => rule.path === '/' || rule.access !== accessAt(parentOf(rule.path)));
  return [
    ...(readsEverything ? [preferencesSection] : []),
    ...(files.platformDefaults ? [platformSection] : []),
    ...changes.flatMap((rule) => statements(rule, outer(rule.path), at)),
    ...heldLinks.map((path) => `(deny file-write* (literal ${at(path)}))`),
    ...keptFolders(changes, accessAt).map((path) => `(deny file-write-unlink (literal ${at(path)}))`),
    ...files.denyGlobs.map((glob) => `(deny file-read* file-write* (regex #"${globExpression(glob)}"))`),
  ];
}

function statements(rule: RealRule, outer: Access, at: (path: string) => string): readonly string[] {
  const place =
    rule.kind === 'file' && rule.access !== 'deny' ? `(literal ${at(rule.path)})` : `(subpath ${at(rule.path)})`;
  switch (rule.access) {
    case 'write':
      return [`(allow file-read* file-write* ${place})`];
    case 'deny':
      return [`(deny file-read* file-write* ${place})`];
    case 'read': {
      if (outer === 'deny') return [`(allow file-read* ${place})`];
      if (rule.kind === 'missing' && rule.ifMissing === 'skip') return [];
      const first = `(deny file-write* ${place})`;
      if (rule.kind !== 'missing') return [first];
      // Most Macs do not distinguish `.GIT` from `.git`, and while neither exists only the spelling can be compared.
      const name = rule.path.slice(rule.path.lastIndexOf('/'));
      const spelling = `^${literalExpression(rule.path.slice(0, -name.length))}${anyCase(name)}(/|$)`;
      return [first, `(deny file-write* (regex #"${spelling}"))`];
    }
  }
}

/** Writable folders that must keep their place, because what is protected in them is found by its path. */
function keptFolders(changes: readonly RealRule[], accessAt: (path: string) => Access): readonly string[] {
  const kept = new Set<string>();
  for (const { path, access } of changes) {
    if (access === 'write') continue;
    for (let folder = parentOf(path); folder !== '/' && accessAt(folder) === 'write'; folder = parentOf(folder)) {
      kept.add(folder);
    }
  }
  return [...kept].toSorted();
}
