import { accessByRules } from '../../policy/access.ts';
import { byDepth, isWithin, joinPath, parentOf } from '../../policy/paths.ts';
import type { Access } from '../../protocol/permission-profile.ts';
import type { ResolvedFiles } from '../../protocol/resolved-policy.ts';
import { type DiskView, followLinks, oncePerPath } from '../common/host-disk.ts';
import { realPolicy, type RealRule } from '../common/real-policy.ts';
import type { Impossible } from '../common/unenforceable.ts';
import { type Mount, mountOptions, ownProcesses } from './bubblewrap.ts';

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
  for (const folder of new Set(wanted.heldLinks.map(parentOf))) {
    const children = disk.list(folder);
    const isLong = children.length > mostHeldChildren;
    const isOwn = wanted.heldLinks.every((link) => parentOf(link) !== folder || wanted.ownLinks.has(link));
    if (isLong && !isOwn) return tooManyChildren(folder, wanted.heldLinks);
    // No user asked for the engine's own places to be kept, so commands must run: with a folder that is closed whole.
    hold(folder, isLong ? [] : children, ground);
  }
  keepAncestorsInPlace(ground);
  for (const link of wanted.grantedLinks) {
    const isVisible = accessAt(parentOf(link.location)) !== 'deny';
    if (!isVisible) mounts.set(link.location, { kind: 'link', target: link.target });
  }
  const base = accessAt('/');
  const sorted = [...mounts].toSorted(([a], [b]) => byDepth(a, b));
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
  if (ownProcessTable) return ['--dev', '/dev', ...ownProcesses];
  return ['--dev', '/dev', ...(base === 'write' ? ['--ro-bind-try', '/proc', '/proc'] : [])];
}

function foldersAbove(path: string): readonly string[] {
  const above: string[] = [];
  for (let folder = parentOf(path); folder !== '/'; folder = parentOf(folder)) above.push(folder);
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
  const outer = ground.accessAt(parentOf(path));
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
  if (rule.ifMissing === 'skip' || !disk.canCreateIn(parentOf(first))) return undefined;
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
    if (isNew && parentOf(path) === folder) mounts.delete(path);
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
    path !== '/' && accessAt(path) === 'write' && accessAt(parentOf(path)) === 'write';
  const seen = new Set<string>();
  for (const [path, mount] of mounts) {
    if (mount.kind === 'writable' || mount.kind === 'link') continue;
    for (let folder = parentOf(path); !seen.has(folder) && isRenamable(folder); folder = parentOf(folder)) {
      seen.add(folder);
      if (!mounts.has(folder)) mounts.set(folder, { kind: 'writable' });
    }
  }
}

function tooManyChildren(folder: string, links: readonly string[]): Impossible {
  const link = links.find((location) => parentOf(location) === folder) ?? folder;
  return {
    kind: 'impossible',
    message: `${JSON.stringify(link)} is a protected symbolic link, and its folder has too many entries for the sandbox to protect the link.`,
    next: 'Replace the link with a real folder, or add a write entry for it to the profile.',
  };
}
