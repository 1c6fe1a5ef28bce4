import { compareByDepth, isWithin, joinPath, parentPath } from '../../../core/policy/paths/absolute-paths.ts';
import { accessByRules } from '../../../core/policy/paths/access.ts';
import type { SandboxRefused } from '../../../ports/sandbox.ts';
import type { Access, NetworkAccess, ResolvedFiles } from '../../../protocol/permissions.ts';
import { pathBytes } from '../../disk/file-system.ts';
import { type DiskView, followLinks, oncePerPath } from '../disk-view.ts';
import { realPolicy, type RealRule } from '../policy-on-disk.ts';
import type { Impossible } from '../refusals.ts';

/** A bubblewrap that works on this machine, and what it can do here. */
export interface Bubblewrap {
  readonly kind: 'bubblewrap';
  readonly path: string;
  /** It can keep commands from making user namespaces of their own. */
  readonly closesUserNamespaces: boolean;
  /** The kernel lets a sandbox mount a process table; inside some containers it does not. */
  readonly ownProcessTable: boolean;
  /** The copy that Capstan unpacked, because the system has none that works. */
  readonly isPackaged?: true;
  /** For such a copy: the reason why the one on the search path is not used. Absent: there is none. */
  readonly insteadOf?: SandboxRefused;
}

export interface BubblewrapRun {
  readonly bubblewrap: Bubblewrap;
  /** Options that build the view of the disk. */
  readonly mounts: readonly string[];
  readonly network: NetworkAccess;
  /** A path without links. */
  readonly cwd: string;
  /** The descriptor from which more options are read, as `optionsFile` writes them. */
  readonly options?: number;
  /** The descriptor from which the system-call filter is read. */
  readonly filter?: number;
  /** The command has a terminal: that of the process that started it, into which it must not type, or one of its own. */
  readonly terminal?: 'inherited' | 'own';
  readonly argv: readonly string[];
}

/**
 * The command line of a sandbox. Bubblewrap itself stays as the first process inside: it reaps what the command leaves
 * behind, and the kernel kills the rest when it ends. It gets a session of its own only where the command has a terminal:
 * otherwise the spawner has made one, and a second one would leave the group that is killed at an interrupt.
 */
export function bubblewrapArguments(run: BubblewrapRun): readonly string[] {
  const { bubblewrap, mounts, network, cwd, options, filter, terminal, argv } = run;
  return [
    bubblewrap.path,
    ...(terminal === undefined ? [] : ['--new-session']),
    '--die-with-parent',
    ...(options === undefined ? [] : ['--args', String(options)]),
    ...mounts,
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    ...(network === 'restricted' ? ['--unshare-net'] : []),
    ...(bubblewrap.closesUserNamespaces ? ['--disable-userns'] : []),
    '--chdir',
    cwd,
    '--cap-drop',
    'ALL',
    ...(filter === undefined ? [] : ['--seccomp', String(filter)]),
    '--',
    ...argv,
  ];
}

/**
 * The command's variables as options for bubblewrap. It must not have them as its own: it runs outside of the sandbox,
 * and one such as LD_LIBRARY_PATH may lead it to a library that a command has written into the workspace. They go through
 * a descriptor, because every user of the machine can read a command line.
 */
export function environmentOptions(env: Readonly<Record<string, string>>): readonly string[] {
  return (
    Object.entries(env)
      // Neither can stand in an environment, and bubblewrap would end.
      .filter(([name]) => name !== '' && !name.includes('='))
      .flatMap(([name, value]) => ['--setenv', name, value])
  );
}

/** Options as bubblewrap reads them from a descriptor. */
export function optionsFile(options: readonly string[]): Uint8Array {
  return pathBytes(options.map((option) => `${option}\0`).join(''));
}

/** Options for a process table of the sandbox's own, which holds the kernel's parameters too and so is read-only. */
export const processTableOptions: readonly string[] = ['--proc', '/proc', '--remount-ro', '/proc'];

/** How one place looks to a command. */
type Mount =
  | { readonly kind: 'writable' | 'read-only' | 'unreadable-file' }
  | { readonly kind: 'empty-folder'; readonly mode: '000' | '111' | '555' }
  | { readonly kind: 'link'; readonly target: string };

/** The same as options of bubblewrap. */
export function mountOptions(path: string, mount: Mount): readonly string[] {
  if (mount.kind === 'empty-folder') return ['--perms', mount.mode, '--tmpfs', path];
  if (mount.kind === 'link') return ['--symlink', mount.target, path];
  if (mount.kind === 'writable') return ['--bind', path, path];
  // A device on a mount without devices: opening it is refused to every process.
  return ['--ro-bind', mount.kind === 'unreadable-file' ? '/dev/null' : path, path];
}

export interface MountPlan {
  readonly kind: 'mounts';
  /** Options for bubblewrap that build the command's view of the disk, in order. */
  readonly options: readonly string[];
  /** Folders that are missing or empty on the host, and that bubblewrap makes there to mount on. */
  readonly mountPoints: readonly string[];
}

export interface MountRequest {
  readonly files: ResolvedFiles;
  /** What the deny globs match today. */
  readonly deniedMatches: readonly string[];
  /** Whether this system lets a sandbox have its own process table. */
  readonly ownProcessTable: boolean;
}

/** A folder whose names must not change is opened child by child; beyond this many that takes too long. */
const mostHeldChildren = 250;

const wholeDisk = ['--bind', '/', '/'];
/** The disk may be written; the settings of the kernel and its control groups lead out of the sandbox and may not. */
const opened = ['--ro-bind-try', '/sys', '/sys', '--bind-try', '/dev/shm', '/dev/shm'];

/**
 * Mounts that give each place the access of its most specific rule: shallow places first, so that a later mount covers
 * what an earlier one showed. A place is mounted only where its access differs from that of the place around it.
 */
export function planMounts(request: MountRequest, disk: DiskView): MountPlan | Impossible {
  const { files } = request;
  if (files.kind === 'unrestricted') {
    return { kind: 'mounts', options: [...wholeDisk, ...machinery(request, 'write'), ...opened], mountPoints: [] };
  }
  // A glob speaks about names. Its matches are denied where they lead to, and their links need not be held.
  const matches = request.deniedMatches.map(
    (path) => ({ path: followLinks(disk, path).path, access: 'deny', ifMissing: 'skip' }) as const,
  );
  // Nor does a rule open anything again in what a glob matches.
  const isMatched = (path: string) =>
    request.deniedMatches.some((match) => isWithin(path, match)) ||
    matches.some((match) => isWithin(followLinks(disk, path).path, match.path));
  const kept =
    matches.length === 0
      ? files.rules
      : files.rules.filter(({ access, path }) => access === 'deny' || !isMatched(path));
  const wanted = realPolicy({ ...files, rules: [...kept, ...matches] }, disk);
  const { rules } = wanted;
  const accessAt = oncePerPath((path) => accessByRules(rules, path));
  const mounts = new Map<string, Mount>();
  const ground: Ground = { rules, disk, mounts, accessAt };
  for (const rule of rules) {
    const mount = mountFor(rule, ground);
    if (mount !== undefined) mounts.set(...mount);
  }
  for (const folder of new Set(wanted.heldLinks.map(parentPath))) {
    const children = disk.list(folder);
    const isLong = children.length > mostHeldChildren;
    const isOwn = wanted.heldLinks.every((link) => parentPath(link) !== folder || wanted.ownLinks.has(link));
    if (isLong && !isOwn) return tooManyChildren(folder, wanted.heldLinks);
    // No user asked for the engine's own places to be kept, so commands must run: with a folder that is closed whole.
    hold(folder, isLong ? [] : children, ground);
  }
  keepAncestorsInPlace(ground);
  for (const link of wanted.grantedLinks) {
    const isVisible = accessAt(parentPath(link.location)) !== 'deny';
    if (!isVisible) mounts.set(link.location, { kind: 'link', target: link.target });
  }
  const base = accessAt('/');
  const sorted = [...mounts].toSorted(([a], [b]) => compareByDepth(a, b));
  const empty = sorted.filter(([, mount]) => mount.kind === 'empty-folder').map(([path]) => path);
  const holding = new Set(sorted.flatMap(([path]) => foldersAbove(path)));
  const isLeaf = ([path, { kind }]: readonly [string, Mount]) => kind === 'empty-folder' && !holding.has(path);
  const root = { read: ['--ro-bind', '/', '/'], write: wholeDisk, deny: ['--tmpfs', '/'] }[base];
  return {
    kind: 'mounts',
    options: [
      ...root,
      ...machinery(request, base),
      ...sorted.filter((mount) => !isLeaf(mount)).flatMap((mount) => mountOptions(...mount)),
      // Bubblewrap reads the whole list of mounts for each that follows, so those that can be late are.
      ...sorted.filter(isLeaf).flatMap(([path, mount]) => [...mountOptions(path, mount), '--remount-ro', path]),
      // Last, because mounting below a folder that is already read-only fails. What is mounted below stays as it is.
      ...[...empty.filter((path) => holding.has(path)), ...(base === 'deny' ? ['/'] : [])].flatMap((path) => [
        '--remount-ro',
        path,
      ]),
    ],
    // The register of mount points is shared with another program, and is text.
    mountPoints: empty.filter((path) => path.isWellFormed() && isMissingOrEmpty(disk, path)),
  };
}

/**
 * Devices and processes. All of `/proc` is read-only: a process of root could set the kernel's parameters there even
 * without capabilities. Where the system gives no process table of its own, commands see that of the host.
 */
function machinery({ ownProcessTable }: MountRequest, base: Access): readonly string[] {
  if (ownProcessTable) return ['--dev', '/dev', ...processTableOptions];
  return ['--dev', '/dev', ...(base === 'write' ? ['--ro-bind-try', '/proc', '/proc'] : [])];
}

function foldersAbove(path: string): readonly string[] {
  const above: string[] = [];
  for (let folder = parentPath(path); folder !== '/'; folder = parentPath(folder)) above.push(folder);
  return above;
}

interface Ground {
  readonly rules: readonly RealRule[];
  readonly disk: DiskView;
  readonly mounts: Map<string, Mount>;
  accessAt(path: string): Access;
}

/** The mount that turns the access around a place into the access of its rule, if it takes one. */
function mountFor(rule: RealRule, ground: Ground): readonly [string, Mount] | undefined {
  const { path, access, kind } = rule;
  const outer = ground.accessAt(parentPath(path));
  // The root is the base of everything and not a mount on top of it; `/proc` is mounted with the machinery.
  if (path === '/' || (path === '/proc' && rule.own === true) || access === outer || kind === 'blocked')
    return undefined;
  if (kind === 'missing') return outer === 'write' && access !== 'write' ? keepMissing(rule, ground) : undefined;
  if (access === 'write') return [path, { kind: 'writable' }];
  if (access === 'deny')
    return [path, kind === 'file' ? { kind: 'unreadable-file' } : maskedFolder(path, ground.rules)];
  // An empty folder may be a mount point of a command that runs now, and be gone before this one starts.
  const mayVanish = outer === 'write' && kind === 'folder' && rule.ifMissing === 'protect';
  const isEmpty = mayVanish && isMissingOrEmpty(ground.disk, path);
  return [path, isEmpty ? { kind: 'empty-folder', mode: '555' } : { kind: 'read-only' }];
}

function maskedFolder(path: string, rules: readonly RealRule[]): Mount {
  const reopened = rules.some((rule) => rule.access !== 'deny' && rule.path !== path && isWithin(rule.path, path));
  // Without the right to pass through, what is opened again inside could not be reached.
  return { kind: 'empty-folder', mode: reopened ? '111' : '000' };
}

function keepMissing(rule: RealRule, { rules, disk }: Ground): readonly [string, Mount] | undefined {
  const first = rule.missing ?? rule.path;
  if (rule.ifMissing === 'skip' || !disk.canCreateIn(parentPath(first))) return undefined;
  // A writable root that does not exist yet must stay possible to make, even though something in it is protected.
  const blocksGrant = rules.some(
    ({ path, access }) => access === 'write' && isWithin(path, first) && isWithin(rule.path, path),
  );
  return blocksGrant ? undefined : [first, { kind: 'empty-folder', mode: rule.access === 'deny' ? '000' : '555' }];
}

function isMissingOrEmpty(disk: DiskView, path: string): boolean {
  const { kind } = disk.look(path);
  return kind === 'missing' || (kind === 'folder' && disk.list(path).length === 0);
}

/**
 * Nothing can be mounted on a link, so a link that must not be replaced is kept by its folder: that becomes
 * read-only, and what is in it is opened again piece by piece. New names cannot be made there; all else works.
 */
function hold(folder: string, children: readonly string[], { mounts, disk, accessAt }: Ground): void {
  for (const [path, mount] of mounts) {
    // There is no way to make these any more, and so no need to mount something on them.
    const isNew = mount.kind === 'empty-folder' && disk.look(path).kind === 'missing';
    if (isNew && parentPath(path) === folder) mounts.delete(path);
  }
  mounts.set(folder, { kind: 'read-only' });
  for (const path of children.map((name) => joinPath(folder, name))) {
    const { kind } = disk.look(path);
    const isOpen = kind !== 'link' && kind !== 'missing' && accessAt(path) === 'write';
    if (isOpen && !mounts.has(path)) mounts.set(path, { kind: 'writable' });
  }
}

/**
 * A folder with something protected inside could be renamed, and the protection would not find it again next time.
 * Mount points cannot be renamed, so such folders are mounted on themselves.
 */
function keepAncestorsInPlace({ mounts, accessAt }: Ground): void {
  const isRenamable = (path: string) =>
    path !== '/' && accessAt(path) === 'write' && accessAt(parentPath(path)) === 'write';
  const seen = new Set<string>();
  for (const [path, mount] of mounts) {
    if (mount.kind === 'writable' || mount.kind === 'link') continue;
    for (let folder = parentPath(path); !seen.has(folder) && isRenamable(folder); folder = parentPath(folder)) {
      seen.add(folder);
      if (!mounts.has(folder)) mounts.set(folder, { kind: 'writable' });
    }
  }
}

function tooManyChildren(folder: string, links: readonly string[]): Impossible {
  const link = links.find((location) => parentPath(location) === folder) ?? folder;
  return {
    kind: 'impossible',
    message: `${JSON.stringify(link)} is a protected symbolic link, and its folder has too many entries for the sandbox to protect the link.`,
    next: 'Replace the link with a real folder, or add a write entry for it to the profile.',
  };
}
