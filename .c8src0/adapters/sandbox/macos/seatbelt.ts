import type { NamePatternPart } from '../../../base/name-matcher.ts';
import { parentPath } from '../../../core/policy/paths/absolute-paths.ts';
import { accessByRules, networkReach } from '../../../core/policy/paths/access.ts';
import { escapeGlob, parseGlob, globBaseFolder } from '../../../core/policy/paths/glob.ts';
import type { PlainCommand, RunnableCommand, SandboxRefused } from '../../../ports/sandbox.ts';
import type { FileAccess, ResolvedFilePolicy, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { type DiskView, followLinks, viewHostDisk } from '../disk-view.ts';
import { resolvePolicyLinks, type ResolvedRule } from '../policy-on-disk.ts';
import { movedWorkspaceRefusal } from '../refusals.ts';

/** Fixed path: a program of the same name earlier on the PATH could be anything. */
const program = '/usr/bin/sandbox-exec';

/** The command under Seatbelt. The profile is tested only as text; it has not been run on a Mac yet. */
export async function planMacos(
  command: PlainCommand,
  policy: ResolvedPolicy,
): Promise<RunnableCommand | SandboxRefused> {
  const disk = viewHostDisk();
  const moved = movedWorkspaceRefusal(policy.files, command.cwd, disk);
  if (moved !== undefined) return moved;
  const { text, parameters } = seatbeltProfile(policy, disk);
  return {
    kind: 'runnable',
    argv: [program, '-p', text, ...parameters.map(([name, path]) => `-D${name}=${path}`), '--', ...command.argv],
    cwd: command.cwd,
    env: { ...command.env, CODEX_SANDBOX: 'seatbelt' },
    files: [],
    cleanup: async () => {},
  };
}

/**
 * The policy in Seatbelt's language. Shallow rules come first, and the last match decides, as in `access`. A path never
 * becomes part of the text: it is the value of a parameter.
 */
export function seatbeltProfile(policy: ResolvedPolicy, disk: DiskView) {
  const parameters = new Map<string, string>();
  const at = (path: string): string => {
    const name = parameters.get(path) ?? `PATH_${parameters.size}`;
    parameters.set(path, name);
    return `(param "${name}")`;
  };
  const sections = [baseSection, ...fileSections(policy.files, disk, at), ...networkSections(policy, at)];
  return {
    text: `${sections.join('\n')}\n`,
    parameters: Array.from(parameters, ([path, name]) => [name, path] as const),
  };
}

/** Listed hosts need a proxy, which is not available here yet: only the listed sockets are reachable. */
function networkSections(policy: ResolvedPolicy, at: (path: string) => string): readonly string[] {
  const named = (policy.sockets ?? []).flatMap((path) => [
    `(allow network-bind (local unix-socket (subpath ${at(path)})))`,
    `(allow network-outbound (remote unix-socket (subpath ${at(path)})))`,
  ]);
  const local = named.length === 0 ? [] : ['(allow system-socket (socket-domain AF_UNIX))', ...named];
  return networkReach(policy) === 'all' ? [networkSection, ...local] : local;
}

function fileSections(files: ResolvedFilePolicy, disk: DiskView, at: (path: string) => string): readonly string[] {
  if (files.kind === 'unrestricted') return ['(allow file-read* file-write*)', preferencesSection];
  const { rules, heldLinks } = resolvePolicyLinks(files, disk);
  const accessAt = (path: string) => accessByRules(rules, path);
  // Nothing is granted outside the root.
  const outer = (path: string): FileAccess => (path === '/' ? 'deny' : accessAt(parentPath(path)));
  const readsEverything =
    accessAt('/') !== 'deny' &&
    files.denyGlobs.length === 0 &&
    rules.every((rule) => rule.access !== 'deny' || rule.own === true);
  const changes = rules.filter((rule) => rule.path === '/' || rule.access !== accessAt(parentPath(rule.path)));
  return [
    ...(readsEverything ? [preferencesSection] : []),
    ...(files.platformDefaults ? [platformSection] : []),
    ...changes.flatMap((rule) => statements(rule, outer(rule.path), at)),
    ...heldLinks.map((path) => `(deny file-write* (literal ${at(path)}))`),
    ...files.denyGlobs.flatMap((glob) => spellings(glob, disk)).flatMap(deniedGlob),
    ...keptFolders(changes, accessAt).map((path) => `(deny file-write-unlink (literal ${at(path)}))`),
  ];
}

/** The pattern as written, and with its folder's links resolved: the system compares resolved paths. */
function spellings(glob: string, disk: DiskView): readonly string[] {
  const folder = globBaseFolder(glob);
  if (folder === '/') return [glob];
  const place = followLinks(disk, folder).path;
  return place === folder ? [glob] : [glob, `${escapeGlob(place)}${glob.slice(folder.length)}`];
}

/** Matches are denied, and parent folders cannot be renamed: under another name the pattern would not match. */
function deniedGlob(glob: string): readonly string[] {
  const above = foldersAbove(glob).map(
    (pattern) =>
      `(deny file-write-unlink (require-all (vnode-type DIRECTORY) (regex #"${globExpression(pattern, '$')}")))`,
  );
  return [`(deny file-read* file-write* (regex #"${globExpression(glob, '(/|$)')}"))`, ...above];
}

function foldersAbove(glob: string): readonly string[] {
  if (/[{\\]/.test(glob)) return [`${escapeGlob(globBaseFolder(glob))}/**`];
  const names = glob.split('/');
  const first = globBaseFolder(glob).split('/').length;
  return names.slice(first, -1).map((_, index) => names.slice(0, first + index + 1).join('/'));
}

function statements(rule: ResolvedRule, outer: FileAccess, at: (path: string) => string): readonly string[] {
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
      // Most Macs treat `.GIT` and `.git` as the same. While neither exists, only spellings can match: deny them all.
      const name = rule.path.slice(rule.path.lastIndexOf('/'));
      const folder = Array.from(rule.path.slice(0, -name.length), characterExpression).join('');
      const spelling = `^${folder}${anyCase(name)}(/|$)`;
      return [first, `(deny file-write* (regex #"${spelling}"))`];
    }
  }
}

/** Folders that must not be moved: writable roots, and parents of protected places, which are found by path. */
function keptFolders(changes: readonly ResolvedRule[], accessAt: (path: string) => FileAccess): readonly string[] {
  const isFolder = ({ kind }: ResolvedRule): boolean => kind !== 'file';
  const kept = new Set(changes.filter((rule) => rule.access === 'write' && isFolder(rule)).map(({ path }) => path));
  for (const { path, access } of changes) {
    if (access === 'write') continue;
    for (let folder = parentPath(path); folder !== '/' && accessAt(folder) === 'write'; folder = parentPath(folder))
      kept.add(folder);
  }
  return [...kept].toSorted();
}

/** A glob as a regular expression of Seatbelt's dialect, which has neither look-ahead nor non-capturing groups. */
function globExpression(glob: string, end: '$' | '(/|$)'): string {
  const parts = parseGlob(glob);
  // An invalid deny pattern denies everything.
  return parts === undefined ? '^/' : `^${parts.map(partExpression).join('')}${end}`;
}

/** Makes every letter match in either case. */
function anyCase(text: string): string {
  const inAnyCase = (character: string): string => `[${character.toLowerCase()}${character.toUpperCase()}]`;
  return [...text].map((each) => (/[a-z]/i.test(each) ? inAnyCase(each) : characterExpression(each))).join('');
}

/** Matches any text for a character that could end the expression or is compared by bytes: this only widens denials. */
function characterExpression(character: string): string {
  if (/[a-z0-9/_ -]/i.test(character)) return character;
  return /[!-~]/.test(character) && character !== '"' && character !== '\\'
    ? `[${character === '^' ? '\\^' : character}]`
    : '.+';
}

const expressions = { one: '[^/]', some: '[^/]*', folders: '(.*/)?', anything: '.*', open: '(', or: '|', close: ')' };

function partExpression(part: NamePatternPart): string {
  if (part.kind === 'text') return characterExpression(part.text);
  return part.kind === 'class' ? classExpression(part) : expressions[part.kind];
}

function classExpression({ negated, ranges }: Extract<NamePatternPart, { kind: 'class' }>): string {
  const isSimple = ranges.every(([from, to]) => /[a-z0-9._]/i.test(from) && /[a-z0-9._]/i.test(to));
  if (!isSimple) return '[^/]';
  return `[${negated ? '^/' : ''}${ranges.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join('')}]`;
}

/** Parts of a Seatbelt profile that depend on no path. The last matching rule decides; the first denies everything. */

/** Needed by every program: to run, to query the machine, to have a terminal. */
export const baseSection = `(version 1)
(deny default)
(allow process-exec process-fork file-map-executable)
(allow signal process-info* (target same-sandbox))
(allow file-read* file-write-data
  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty")
  (literal "/dev/stdout") (literal "/dev/stderr") (regex #"^/dev/fd/[0-9]+$"))
(allow file-read* (literal "/dev/random") (literal "/dev/urandom") (literal "/dev/stdin"))
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))
(allow file-read* file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
(allow file-ioctl (regex #"^/dev/ttys[0-9]+$"))
(allow sysctl-read
  (sysctl-name-prefix "hw.") (sysctl-name-prefix "machdep.cpu.")
  (sysctl-name "kern.argmax") (sysctl-name "kern.hostname") (sysctl-name "kern.maxfilesperproc")
  (sysctl-name "kern.maxproc") (sysctl-name "kern.ngroups") (sysctl-name "kern.osproductversion")
  (sysctl-name "kern.osrelease") (sysctl-name "kern.ostype") (sysctl-name "kern.osvariant_status")
  (sysctl-name "kern.osversion") (sysctl-name "kern.secure_kernel") (sysctl-name "kern.usrstack64")
  (sysctl-name "kern.version") (sysctl-name "sysctl.proc_cputype") (sysctl-name "vm.loadavg"))
(allow sysctl-write (sysctl-name "kern.grade_cputype"))
(allow iokit-open (iokit-registry-entry-class "RootDomainUserClient"))
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow ipc-posix-sem)
(allow ipc-posix-shm* (ipc-posix-name-regex #"^/__KMP_REGISTERED_LIB_[0-9]+$"))`;

/** The network, and services for names, routes and certificates. */
export const networkSection = `(allow network-outbound network-inbound network-bind system-socket)
(allow sysctl-read (sysctl-name-prefix "net.routetable"))
(allow mach-lookup
  (global-name "com.apple.SecurityServer") (global-name "com.apple.networkd") (global-name "com.apple.ocspd")
  (global-name "com.apple.trustd.agent") (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.SystemConfiguration.DNSConfiguration")
  (global-name "com.apple.SystemConfiguration.configd"))`;

/** User settings, for programs that may read everything anyway. */
export const preferencesSection = `(allow ipc-posix-shm-read* (ipc-posix-name-prefix "apple.cfprefs."))
(allow mach-lookup
  (global-name "com.apple.cfprefsd.daemon") (global-name "com.apple.cfprefsd.agent")
  (local-name "com.apple.cfprefsd.agent"))
(allow user-preference-read)`;

/** Needed on the way to the system's folders, where reading is limited. */
const platformSection = `(allow file-read-metadata
  (literal "/") (literal "/var") (literal "/tmp") (literal "/etc") (literal "/private") (literal "/private/var"))
(allow file-read* (literal "/"))`;
