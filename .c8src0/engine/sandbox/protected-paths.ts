import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspectEntry, listFolderNames, realPath, realPathSoFar } from '../../adapters/disk/file-system.ts';
import { readTextIfPossible } from '../../adapters/disk/regular-files.ts';
import { loginPath } from '../../adapters/gather/login-file.ts';
import { type OwnHomes, type OwnPlaces, protectedHomeFolders } from '../../core/policy/paths/special-places.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { followLinks, viewHostDisk } from '../../adapters/sandbox/disk-view.ts';
import { mountRegistryFolders } from '../../adapters/sandbox/linux/mount-registry.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import { sealKeyPath } from '../../adapters/gather/home-seals.ts';

export interface ProtectedPathsInput {
  readonly env: EnvironmentVariables;
  readonly home: string;
  /** The user's home folder according to the system. */
  readonly userHome: string;
  /** The user's home folder according to the caller; the default home is in it. */
  readonly osHome: string;
  /** Folder of the running code: the build or the sources. */
  readonly code: string;
  readonly root: string;
  /** The Node that runs it, links resolved. */
  readonly node: string;
  /** The script that Node was started with, as spelled; a link in most installations. */
  readonly script: string;
  /** Folders in which engines record which mount points are in use. */
  readonly registries: readonly string[];
  readonly configFiles: readonly string[];
  readonly mounts: readonly Mount[];
}

export function findOwnPlaces(
  input: Pick<ProtectedPathsInput, 'env' | 'home' | 'osHome' | 'root' | 'configFiles'>,
): OwnPlaces {
  const { root } = input;
  const [code = ''] = fileURLToPath(import.meta.url)
    .slice(root.length + 1)
    .split('/');
  return ownPlaces({
    ...input,
    userHome: homedir(),
    code: join(root, code),
    node: process.execPath,
    script: process.argv[1] ?? '',
    registries: process.platform === 'linux' ? mountRegistryFolders() : [],
    mounts: systemMounts(),
  });
}

/** Paths that commands and patches must not change or read: this engine or its next start depends on them. */
export function ownPlaces(input: ProtectedPathsInput): OwnPlaces {
  const { node } = input;
  const homes = namedHomes(input);
  const { state, parts } = ownHomes(input);
  const program = [...programOf(input), node, ...bubblewrapsOf(input), ...input.registries];
  return {
    program: [...new Set(program)],
    // The next start of Capstan may run the compiled code in this folder, even if this process does not use it.
    state: [...state, join(input.userHome, '.cache/capstan/compiled')],
    parts,
    secrets: [...new Set([...homes.flatMap(secretsIn), ...input.configFiles])],
    stores: [...new Set(homes.flatMap(storesOf))],
  };
}

/** The home in use, those that variables name, and those of a start without these variables. */
export function ownHomes(input: Pick<ProtectedPathsInput, 'env' | 'home' | 'osHome' | 'mounts'>): OwnHomes {
  // Most systems mount no device twice, so paths need not be checked one by one.
  const isPlain = new Set(input.mounts.map(({ device }) => device)).size === input.mounts.length;
  const mounts = isPlain ? [] : input.mounts;
  const all = [...namedHomes(input), ...['.capstan', '.codex'].map((name) => join(input.osHome, name))];
  const homes = namesOf(all, mounts, realHome);
  const inHomes = protectedHomeFolders({ state: homes, parts: [] });
  const parts = namesOf(inHomes, mounts, (part) => (inspectEntry(part).kind === 'link' ? realPathSoFar(part) : part));
  // A part may be a link, or be mounted elsewhere.
  const elsewhere = parts.filter((part) => !homes.some((home) => isWithin(part, home)));
  return { state: [...homes, ...elsewhere], parts: parts.filter((part) => !inHomes.includes(part)) };
}

function namedHomes({ env, home }: Pick<ProtectedPathsInput, 'env' | 'home'>): readonly string[] {
  const others = ['CAPSTAN_HOME', 'CODEX_HOME', 'CODEX_SQLITE_HOME'].flatMap((name) => folderIn(env, name));
  return [...new Set([home, ...others])];
}

/** The paths as spelled, with links resolved, and where the same folders are mounted again. */
function namesOf(paths: readonly string[], mounts: readonly Mount[], realOf: typeof realPathSoFar): readonly string[] {
  const real = paths.map(realOf);
  return [...new Set([...paths, ...real, ...real.flatMap((path) => otherMountedPaths(path, mounts))])];
}

/** Many homes do not exist, and resolving a missing path with Node is slow. */
function realHome(path: string): string {
  return inspectEntry(path).kind === 'missing'
    ? join(realPathSoFar(dirname(path)), basename(path))
    : realPathSoFar(path);
}

export interface Mount {
  readonly device: string;
  /** The folder of the device that is mounted. */
  readonly root: string;
  readonly point: string;
}

/** The mounts in `/proc/self/mountinfo`: later ones cover earlier ones. */
export function parseMounts(text: string): readonly Mount[] {
  const plain = (field: string) =>
    field.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));
  return text.split('\n').flatMap((line) => {
    const [, , device, root, point] = line.split(' ');
    return point === undefined ? [] : [{ device: device!, root: plain(root!), point: plain(point) }];
  });
}

/** Other paths of the same folder. `path` must be without links. */
export function otherMountedPaths(path: string, mounts: readonly Mount[]): readonly string[] {
  const holders = mounts.filter(({ point }) => isWithin(path, point));
  // The last of equal ones counts.
  const holder = holders.toSorted((one, other) => one.point.length - other.point.length).at(-1);
  if (holder === undefined) return [];
  const onDevice = join(holder.root, relative(holder.point, path));
  const again = mounts.filter(({ device, root }) => device === holder.device && isWithin(onDevice, root));
  return again.map(({ root, point }) => join(point, relative(root, onDevice))).filter((other) => other !== path);
}

export function systemMounts(): readonly Mount[] {
  if (process.platform !== 'linux') return [];
  return parseMounts(readTextIfPossible('/proc/self/mountinfo', { maxBytes: 1024 * 1024 }) ?? '');
}

/** Threads, snapshots, outputs, logs and indexes, of this program and of the one that shares the home. */
const storeNames = ['sessions', 'archived_sessions', 'capstan', 'log', 'shell_snapshots'];
const storeFiles = /^(?:history|session_index)\.jsonl$|\.sqlite(?:-\w+)?$/;

function storesOf(home: string): readonly string[] {
  const files = listFolderNames(home).filter((name) => storeFiles.test(name));
  return [...storeNames, 'history.jsonl', 'session_index.jsonl', ...files].map((name) => join(home, name));
}

function secretsIn(home: string): readonly string[] {
  const path = loginPath(home);
  const places = [...new Set([path, realPath(path) ?? path])];
  // The login, as spelled and with links resolved, the temporary file of a renewed one, and its lock.
  const logins = places.flatMap((place) => [place, `${place}.tmp`, `${place}.lock`]);
  return [...logins, ...secretNames.map((name) => join(home, name)), sealKeyPath(home)];
}

/**
 * Logins to MCP servers of both programs, provider keys and the key of the seals. Also locks: a process that can read a
 * file can lock it, and keep the user out of a thread, or Capstan from renewing a login or saving a decision.
 */
const secretNames = ['.credentials.json', 'capstan/mcp', '.env', 'thread-writer-locks', 'config.toml.lock'];

function folderIn(env: EnvironmentVariables, name: string): readonly string[] {
  const value = env[name];
  return value === undefined || value.trim() === '' ? [] : [resolve(value)];
}

/**
 * An installed package is protected whole. Otherwise it may be a checkout whose sources the user wants to change, so
 * only the code that runs is: the build and what came with it, or the sources if they run directly.
 */
function programOf({ root, code, script }: ProtectedPathsInput): readonly string[] {
  const isInstalled = basename(dirname(root)) === 'node_modules';
  const isSource = basename(code) === 'src';
  const cache = process.getBuiltinModule('node:module').getCompileCacheDir?.();
  return [
    ...(isInstalled ? [root] : [code, join(root, '.local')]),
    // The build includes its dependencies.
    ...(isSource ? ['smol-toml', '@opentelemetry/api'].map((name) => join(root, 'node_modules', name)) : []),
    // Dependencies that contain native programs are not in the build.
    ...['koffi', '@koromix', '@lydell'].map((name) => join(nativePackagesFolder(root), name)),
    // Another program's cache may be in a folder with many other things.
    ...(cache === undefined ? [] : [basename(dirname(cache)) === 'compiled' ? dirname(cache) : cache]),
    ...startLinks(script, code),
  ];
}

export function terminalLibrary(root: string): string {
  return join(nativePackagesFolder(root), `@lydell/node-pty-${process.platform}-${process.arch}`, 'pty.node');
}

/** Beside an installed package, or in a checkout. No other place is checked. */
export function nativePackagesFolder(root: string): string {
  return basename(dirname(root)) === 'node_modules' ? dirname(root) : join(root, 'node_modules');
}

/**
 * Paths that decide which program the next start runs: the links to this one, and the `.bin` folders around it. npm and
 * similar tools put these first in the search path, so even a new file there, such as `node`, could be run.
 */
function startLinks(script: string, code: string): readonly string[] {
  if (!script.startsWith('/')) return [];
  const path = realPath(script);
  if (path === undefined || !isWithin(path, code)) return [];
  const links = path === script ? [] : followLinks(viewHostDisk(), script).links;
  const folders = [script, path].flatMap(packageFolders).map((folder) => join(folder, '.bin'));
  return [...folders, ...links.map(({ location }) => location).filter((link) => !folders.includes(dirname(link)))];
}

function packageFolders(path: string): readonly string[] {
  const names = path.split('/');
  return names.flatMap((name, index) => (name === 'node_modules' ? [names.slice(0, index + 1).join('/')] : []));
}

/** Every bubblewrap that could build a sandbox; the packaged one is inside the package. */
function bubblewrapsOf({ env }: ProtectedPathsInput): readonly string[] {
  const { existsSync } = process.getBuiltinModule('node:fs');
  const searched = (env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  const found = [...searched.map((folder) => join(folder, 'bwrap')), ...folderIn(env, 'CAPSTAN_BWRAP')].filter(
    existsSync,
  );
  return [...found.flatMap((program) => realPath(program) ?? []), ...folderIn(env, 'CAPSTAN_BWRAP')];
}
