import { accessByRules } from '../../policy/access.ts';
import { parentOf } from '../../policy/paths.ts';
import type { Access, NetworkAccess } from '../../protocol/permission-profile.ts';
import type { ResolvedFiles, ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { literalGlob, staticFolderOf } from '../../policy/glob.ts';
import { type DiskView, followLinks } from '../common/host-disk.ts';
import { type RealRule, realPolicy } from '../common/real-policy.ts';
import { anyCase, folderExpression, globExpression, literalExpression } from './seatbelt-expression.ts';
import { baseSection, networkSection, platformSection, preferencesSection } from './seatbelt-sections.ts';

export interface SeatbeltProfile {
  readonly text: string;
  /** Names in the text, and the paths they stand for: a path never becomes part of the program. */
  readonly parameters: readonly (readonly [string, string])[];
}

/** What of the network is open besides what the policy says. */
export interface SeatbeltDoors {
  /** Ports of proxies on this machine. Given, and be it an empty list: nothing but them is reached. */
  readonly proxyPorts?: readonly number[];
  /** With a proxy: commands may listen and reach each other on this machine. */
  readonly localBinding?: boolean;
  /** Sockets with a name that commands may listen on and connect to. */
  readonly sockets?: readonly string[];
}

/** The policy in Seatbelt's language. Rules come shallow first, and the last one that matches decides, as in `access`. */
export function seatbeltProfile(
  { files, network }: ResolvedPolicy,
  disk: DiskView,
  doors: SeatbeltDoors = {},
): SeatbeltProfile {
  const parameters = new Map<string, string>();
  const at = (path: string): string => {
    const name = parameters.get(path) ?? `PATH_${parameters.size}`;
    parameters.set(path, name);
    return `(param "${name}")`;
  };
  const sections = [baseSection, ...fileSections(files, disk, at), ...networkSections(network, doors, at)];
  return { text: `${sections.join('\n')}\n`, parameters: [...parameters].map(([path, name]) => [name, path]) };
}

/** Behind a proxy only its ports are open, and a proxy without a port opens nothing. */
function networkSections(
  network: NetworkAccess,
  { proxyPorts, localBinding = false, sockets = [] }: SeatbeltDoors,
  at: (path: string) => string,
): readonly string[] {
  const named = sockets.flatMap((path) => [
    `(allow network-bind (local unix-socket (subpath ${at(path)})))`,
    `(allow network-outbound (remote unix-socket (subpath ${at(path)})))`,
  ]);
  const local = named.length === 0 ? [] : ['(allow system-socket (socket-domain AF_UNIX))', ...named];
  if (network !== 'enabled') return local;
  if (proxyPorts === undefined) return [networkSection, ...local];
  const ports = proxyPorts.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`);
  const binding = localBinding ? localBindingRules : [];
  const names = localBinding && ports.length > 0 ? ['(allow network-outbound (remote ip "*:53"))'] : [];
  return [...ports, ...binding, ...names, ...local];
}

const localBindingRules: readonly string[] = [
  '(allow network-bind (local ip "localhost:*"))',
  '(allow network-inbound (local ip "localhost:*"))',
  '(allow network-outbound (remote ip "localhost:*"))',
];

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
    ...files.denyGlobs.flatMap((glob) => spellings(glob, disk)).flatMap(deniedGlob),
    ...keptFolders(changes, accessAt).map((path) => `(deny file-write-unlink (literal ${at(path)}))`),
  ];
}

/** A pattern as it is written, and where its folder really is: the system compares paths without links. */
function spellings(glob: string, disk: DiskView): readonly string[] {
  const folder = staticFolderOf(glob);
  if (folder === '/') return [glob];
  const place = followLinks(disk, folder).path;
  return place === folder ? [glob] : [glob, `${literalGlob(place)}${glob.slice(folder.length)}`];
}

/** What matches is closed, and the folders above it cannot be renamed: below another name it would not match. */
function deniedGlob(glob: string): readonly string[] {
  const above = foldersAbove(glob).map(
    (pattern) =>
      `(deny file-write-unlink (require-all (vnode-type DIRECTORY) (regex #"${folderExpression(pattern)}")))`,
  );
  return [`(deny file-read* file-write* (regex #"${globExpression(glob)}"))`, ...above];
}

/** Patterns of the folders between the fixed beginning of a pattern and its end. */
function foldersAbove(glob: string): readonly string[] {
  if (/[{\\]/.test(glob)) return [`${literalGlob(staticFolderOf(glob))}/**`];
  const names = glob.split('/');
  const first = staticFolderOf(glob).split('/').length;
  return names.slice(first, -1).map((_, index) => names.slice(0, first + index + 1).join('/'));
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

/** Folders that must keep their place: writable roots, and those above something protected, which is found by its path. */
function keptFolders(changes: readonly RealRule[], accessAt: (path: string) => Access): readonly string[] {
  const isFolder = ({ kind }: RealRule): boolean => kind !== 'file';
  const kept = new Set(changes.filter((rule) => rule.access === 'write' && isFolder(rule)).map(({ path }) => path));
  for (const { path, access } of changes) {
    if (access === 'write') continue;
    for (let folder = parentOf(path); folder !== '/' && accessAt(folder) === 'write'; folder = parentOf(folder)) {
      kept.add(folder);
    }
  }
  return [...kept].toSorted();
}
