import { compareByDepth, isWithin, joinPath, parentPath } from '../../../core/policy/paths/absolute-paths.ts';
import { accessByRules } from '../../../core/policy/paths/access.ts';
import type { PlainCommand, SandboxRefused } from '../../../ports/sandbox.ts';
import type { FileAccess, NetworkAccess, ResolvedFilePolicy } from '../../../protocol/permissions.ts';
import { pathBytes } from '../../disk/file-system.ts';
import { type DiskView, oncePerPath } from '../disk-view.ts';
import { denyMatches, resolvePolicyLinks, type ResolvedRule } from '../policy-on-disk.ts';
import { unenforceableRefusal } from '../refusals.ts';

/** A bubblewrap that works on this machine, with its abilities here. */
export interface Bubblewrap {
  readonly kind: 'bubblewrap';
  readonly path: string;
  /** Can keep commands from creating user namespaces. */
  readonly closesUserNamespaces: boolean;
  /** The kernel lets a sandbox mount a process table; inside some containers it does not. */
  readonly ownProcessTable: boolean;
  /** The copy unpacked by Capstan, because the system has none that works. */
  readonly isPackaged?: true;
  /** Why the packaged copy replaces the program on the search path. Absent: that path has no such program. */
  readonly insteadOf?: SandboxRefused;
}

/** `cwd`: with links resolved. */
export interface BubblewrapRun extends Pick<PlainCommand, 'argv' | 'cwd' | 'terminal'> {
  readonly bubblewrap: Bubblewrap;
  readonly mounts: readonly string[];
  readonly network: NetworkAccess;
  /** Descriptor for more options, in the form of `optionsFile`. */
  readonly options?: number;
  /** Descriptor for the system-call filter. */
  readonly filter?: number;
}

const namespaces = ['--unshare-user', '--unshare-pid', '--unshare-ipc'];
const withoutCapabilities = ['--cap-drop', 'ALL'];

/**
 * Bubblewrap stays as the first process inside: it reaps the processes that the command leaves, and when it ends, the
 * kernel kills the rest. It starts a new session only for a terminal. Without one, the spawner has made a session; with
 * a second, an interrupt, which kills the process group, would miss the command.
 */
export function bubblewrapArguments(run: BubblewrapRun): readonly string[] {
  const { bubblewrap, mounts, network, cwd, options, filter, terminal, argv } = run;
  return [
    bubblewrap.path,
    ...(terminal === undefined ? [] : ['--new-session']),
    '--die-with-parent',
    ...(options === undefined ? [] : ['--args', String(options)]),
    ...mounts,
    ...namespaces,
    ...(network === 'restricted' ? ['--unshare-net'] : []),
    ...(bubblewrap.closesUserNamespaces ? ['--disable-userns'] : []),
    '--chdir',
    cwd,
    ...withoutCapabilities,
    ...(filter === undefined ? [] : ['--seccomp', String(filter)]),
    '--',
    ...argv,
  ];
}

/**
 * The command's variables as options. Bubblewrap, which runs outside of the sandbox, must not have them:
 * LD_LIBRARY_PATH, for example, may name a library that a command wrote. They are passed through a descriptor because
 * all users of the machine can read command lines.
 */
export function environmentOptions(env: Readonly<Record<string, string>>): readonly string[] {
  // An environment cannot contain either, and bubblewrap would exit.
  const valid = Object.entries(env).filter(([name]) => name !== '' && !name.includes('='));
  return valid.flatMap(([name, value]) => ['--setenv', name, value]);
}

export function optionsFile(options: readonly string[]): Uint8Array {
  return pathBytes(options.map((option) => `${option}\0`).join(''));
}

/** Read-only because the process table includes the kernel's parameters. */
export const processTableOptions: readonly string[] = ['--proc', '/proc', '--remount-ro', '/proc'];

type Mount =
  | { readonly kind: 'writable' | 'read-only' | 'unreadable-file' }
  | { readonly kind: 'empty-folder'; readonly mode: '000' | '111' | '555' }
  | { readonly kind: 'link'; readonly target: string };

export function mountOptions(path: string, mount: Mount): readonly string[] {
  if (mount.kind === 'empty-folder') return ['--perms', mount.mode, '--tmpfs', path];
  if (mount.kind === 'link') return ['--symlink', mount.target, path];
  if (mount.kind === 'writable') return ['--bind', path, path];
  // A device on a mount without devices: no process can open it.
  return ['--ro-bind', mount.kind === 'unreadable-file' ? '/dev/null' : path, path];
}

export interface MountRequest {
  readonly files: ResolvedFilePolicy;
  readonly deniedMatches: readonly string[];
  readonly ownProcessTable: boolean;
}

/** A folder whose names must not change is opened child by child; with more children that takes too long. */
const mostHeldChildren = 250;
const wholeDisk = ['--bind', '/', '/'];
/** On a writable disk, kernel settings and control groups stay read-only: they lead out of the sandbox. */
const opened = ['--ro-bind-try', '/sys', '/sys', '--bind-try', '/dev/shm', '/dev/shm'];

/**
 * Mounts that give each place the access of its most specific rule: shallow places first, so that a later mount covers
 * an earlier one. A place is mounted only if its access differs from its surroundings. `mountPoints`: folders that are
 * missing or empty on the host, where bubblewrap creates them.
 */
export function planMounts(request: MountRequest, disk: DiskView) {
  const { files } = request;
  const kind = 'mounts' as const;
  if (files.kind === 'unrestricted')
    return { kind, options: [...wholeDisk, ...machinery(request, 'write'), ...opened], mountPoints: [] };
  // The matches of a glob are denied at their targets, so links among them need no protection.
  const wanted = resolvePolicyLinks(denyMatches(files, request.deniedMatches, disk), disk);
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
    // The user did not ask for the protection of Capstan's own places, so commands must run: close the whole folder.
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
    kind,
    options: [
      ...root,
      ...machinery(request, base),
      ...sorted.filter((mount) => !isLeaf(mount)).flatMap((mount) => mountOptions(...mount)),
      // Bubblewrap reads the whole mount list again after each such mount, so as many as possible come last.
      ...sorted.filter(isLeaf).flatMap(([path, mount]) => [...mountOptions(path, mount), '--remount-ro', path]),
      // Made read-only last, because mounting below a read-only folder fails. Mounts inside keep their own access.
      ...empty.filter((path) => holding.has(path)).flatMap((path) => ['--remount-ro', path]),
      ...(base === 'deny' ? ['--remount-ro', '/'] : []),
    ],
    // Codex shares the registry of mount points, which is text: a path that is not UTF-8 cannot be entered.
    mountPoints: empty.filter((path) => path.isWellFormed() && isMissingOrEmpty(disk, path)),
  };
}

/**
 * Devices and processes. All of `/proc` is read-only: a root process could set kernel parameters there even without
 * capabilities. Without a process table of their own, commands see the host's.
 */
function machinery({ ownProcessTable }: MountRequest, base: FileAccess): readonly string[] {
  if (ownProcessTable) return ['--dev', '/dev', ...processTableOptions];
  return ['--dev', '/dev', ...(base === 'write' ? ['--ro-bind-try', '/proc', '/proc'] : [])];
}

function foldersAbove(path: string): readonly string[] {
  const above: string[] = [];
  for (let folder = parentPath(path); folder !== '/'; folder = parentPath(folder)) above.push(folder);
  return above;
}

interface Ground {
  readonly rules: readonly ResolvedRule[];
  readonly disk: DiskView;
  readonly mounts: Map<string, Mount>;
  accessAt(path: string): FileAccess;
}

/** The mount that changes the surrounding access into the rule's, if one is needed. */
function mountFor(rule: ResolvedRule, ground: Ground): readonly [string, Mount] | undefined {
  const { path, access, kind } = rule;
  const outer = ground.accessAt(parentPath(path));
  // The root is the base, not a mount; `/proc` is mounted with the machinery.
  if (path === '/' || (path === '/proc' && rule.own === true) || access === outer || kind === 'blocked')
    return undefined;
  if (kind === 'missing') return outer === 'write' && access !== 'write' ? keepMissing(rule, ground) : undefined;
  if (access === 'write') return [path, { kind: 'writable' }];
  if (access === 'deny')
    return [path, kind === 'file' ? { kind: 'unreadable-file' } : maskedFolder(path, ground.rules)];
  // An empty folder may be another command's mount point, which that engine may remove before this command starts.
  const mayVanish = outer === 'write' && kind === 'folder' && rule.ifMissing === 'protect';
  const isEmpty = mayVanish && isMissingOrEmpty(ground.disk, path);
  return [path, isEmpty ? { kind: 'empty-folder', mode: '555' } : { kind: 'read-only' }];
}

function maskedFolder(path: string, rules: readonly ResolvedRule[]): Mount {
  const reopened = rules.some((rule) => rule.access !== 'deny' && rule.path !== path && isWithin(rule.path, path));
  // Without search permission, places reopened inside could not be reached.
  return { kind: 'empty-folder', mode: reopened ? '111' : '000' };
}

function keepMissing(rule: ResolvedRule, { rules, disk }: Ground): readonly [string, Mount] | undefined {
  const first = rule.missing ?? rule.path;
  if (rule.ifMissing === 'skip' || !disk.canCreateIn(parentPath(first))) return undefined;
  // A missing writable root must stay creatable, even though something in it is protected.
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
 * Nothing can be mounted on a link, so a link is protected through its folder, which becomes read-only while its
 * contents are opened one by one. Only creating names there fails.
 */
function hold(folder: string, children: readonly string[], { mounts, disk, accessAt }: Ground): void {
  for (const [path, mount] of mounts) {
    // The folder becomes read-only, so these paths cannot be created in it and need no mount.
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

/** Makes mount points of the folders above protected places: a renamed folder would take them out of the rules. */
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

function tooManyChildren(folder: string, links: readonly string[]): SandboxRefused {
  const link = links.find((location) => parentPath(location) === folder) ?? folder;
  return unenforceableRefusal(
    `${JSON.stringify(link)} is a protected symbolic link, and its folder has too many entries for the sandbox to protect the link.`,
    'Replace the link with a real folder, or add a write entry for it to the profile.',
  );
}
