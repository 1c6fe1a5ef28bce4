import type { PathRule, PermissionProfile } from '../../../protocol/permissions.ts';
import { isValidEntry, restrictedFileSystem } from '../profiles/profile-entries.ts';
import { isWithin, normalisePath, parentPath } from './absolute-paths.ts';
import { accessByRules } from './access.ts';

/** The engine's own places. All paths are absolute, both as spelled and with links and mounts followed. */
export interface OwnPlaces {
  /** Running code: the program, Node, bubblewrap. Stays read-only even if a writable root is inside it. */
  readonly program: readonly string[];
  /** Homes and caches, which control later runs. A deeper writable root inside stays writable. */
  readonly state: readonly string[];
  /** Targets of linked folders in the homes with the engine's own records and rules. */
  readonly parts: readonly string[];
  readonly secrets: readonly string[];
  /** Copies of what commands read: threads, snapshots, outputs, caches. Unreadable if anything else is. */
  readonly stores: readonly string[];
}

/** The homes, which never contain the user's work. */
export type OwnHomes = Pick<OwnPlaces, 'state' | 'parts'>;
/** For questions about a profile alone, under which nothing is run. */
export const noOwnPlaces: OwnPlaces = { program: [], state: [], parts: [], secrets: [], stores: [] };
/** Kernel interfaces: root's writes there change the host, whatever the sandbox. */
const kernel: OwnPlaces = { ...noOwnPlaces, state: ['/proc', '/sys'] };

/** Names in each home: records that only the engine writes, and rules on which commands run without asking. */
const partNames = `sessions archived_sessions thread-writer-locks capstan log shell_snapshots command-logs git-programs
  hook-outputs memories rules plugins agents`.split(/\s+/);

/** Folders that stay read-only even as a workspace. Not stored, because they follow from the homes. */
export const protectedHomeFolders = ({ state, parts }: OwnHomes): readonly string[] => [
  ...new Set([...state.flatMap((home) => partNames.map((name) => `${home}/${name}`)), ...parts]),
];

/**
 * Matches paths below the root that belong to the engine and are never the user's work, so snapshots, diffs, searches
 * and restores skip them. All of a home is the engine's, unless the root is a user's folder inside it, such as a
 * worktree. All paths are without links.
 */
export function ownPathMatcher(homes: OwnHomes, root: string): (path: string) => boolean {
  const { state } = homes;
  const parts = protectedHomeFolders(homes);
  if (state.includes(root) || parts.some((part) => isWithin(root, part))) return () => true;
  const inside = [...state, ...parts].filter((place) => isWithin(place, root));
  return inside.length === 0 ? () => false : (path) => inside.some((place) => isWithin(path, place));
}

/**
 * Removes the engine's own places from what the rules grant: none is writable, and its secrets are not readable. Only
 * ever narrows. A path that an entry of the user names is granted as written: a user may reopen it. Entries of a
 * project or client, and links, reopen nothing.
 */
export function withoutOwnPlaces(rules: readonly PathRule[], own: OwnPlaces, context: OwnPlacesContext) {
  const isDenying = accessByRules(rules, '/') === 'deny' || rules.some(({ access }) => access === 'deny');
  const stores = context.hasGlobs || isDenying ? own.stores : [];
  return narrow(narrow(rules, kernel, context), { ...own, stores }, context);
}

interface OwnPlacesContext {
  readonly reopened: Readonly<Record<'toRead' | 'toWrite', ReadonlySet<string>>>;
  /** Paths named by entries that reopen nothing. */
  readonly kept?: ReadonlySet<string>;
  readonly hasGlobs: boolean;
  /** Targets of links among the writable paths, by path. */
  readonly real?: Readonly<Record<string, string>>;
}

function narrow(rules: readonly PathRule[], own: OwnPlaces, context: OwnPlacesContext): readonly PathRule[] {
  const { kept = new Set(), real = {} } = context;
  const { toRead, toWrite } = context.reopened;
  const [program, state] = [pathsOf(own.program, toWrite), pathsOf(own.state, toWrite)];
  const closed = [...program, ...pathsOf(protectedHomeFolders(own), toWrite)];
  const secrets = pathsOf([...own.secrets, ...own.stores], toRead);
  const isOwn = (path: string) => state.includes(path) || closed.some((folder) => isWithin(path, folder));
  const isKept = ({ path }: PathRule) => kept.has(path) && !toWrite.has(path);
  const narrowed = rules.map((rule): PathRule => {
    const { path, access: granted } = rule;
    if (granted !== 'deny' && kept.has(path) && !toRead.has(path) && secrets.some((each) => isWithin(path, each)))
      return { ...rule, access: 'deny', own: true };
    const isReopened = toWrite.has(path) && isOwnToWrite(path, own);
    if (granted !== 'write' || isReopened) return rule;
    const isOfEngine = (place: string) => isOwn(place) || (isKept(rule) && isOwnToWrite(place, own));
    return isOfEngine(path) || isOfEngine(real[path] ?? path) ? { ...rule, access: 'read', own: true } : rule;
  });
  // A folder written through a link is also written at the link's target.
  const led = narrowed.flatMap((rule) => {
    const path = rule.access === 'write' ? real[rule.path] : undefined;
    return path === undefined || path === rule.path ? [] : [{ ...rule, path }];
  });
  const at = (path: string) => accessByRules(narrowed, path);
  const isWritten = (path: string) => at(path) === 'write' || accessByRules(led, path) === 'write';
  return [
    ...narrowed,
    ...program.filter(isWritten).map((path) => ownRule(path, 'read', 'skip')),
    // A command must not create a home that does not exist yet.
    ...state.filter(isWritten).map((path) => ownRule(path, 'read', 'protect')),
    ...secrets.filter((path) => at(path) !== 'deny').map((path) => ownRule(path, 'deny', 'skip')),
  ];
}

/** True if a write entry for the path would reopen something, even a file in a home that is none of its parts. */
function isOwnToWrite(path: string, own: OwnPlaces): boolean {
  const { program, state } = own;
  const isIn = (places: readonly string[]): boolean => places.some((place) => isWithin(path, place));
  if (own.state === kernel.state) return isIn(state);
  return state.includes(path) || state.includes(parentPath(path)) || isIn(program) || isIn(protectedHomeFolders(own));
}

/** True if an entry reopens places of the engine, so that commands can control later runs or read logins. */
export function reopensOwnPlaces(profile: PermissionProfile, own: OwnPlaces): boolean {
  const secrets = [...own.secrets, ...own.stores];
  const { entries = [] } = restrictedFileSystem(profile) ?? {};
  return entries.some((entry) => {
    if (!isValidEntry(entry) || entry.access === 'deny' || entry.path.type !== 'path') return false;
    const path = normalisePath(entry.path.path);
    if (path === undefined || entry.capstan_keeps_own !== undefined) return false;
    if (secrets.some((secret) => isWithin(path, secret))) return true;
    return entry.access === 'write' && [kernel, own].some((places) => isOwnToWrite(path, places));
  });
}

const ownRule = (path: string, access: 'read' | 'deny', ifMissing: PathRule['ifMissing']): PathRule => ({
  path,
  access,
  ifMissing,
  own: true,
});

function pathsOf(texts: readonly string[], reopened: ReadonlySet<string>): readonly string[] {
  const paths = new Set(texts.map(normalisePath).filter((path) => path !== undefined));
  return [...paths].filter((path) => !reopened.has(path));
}

/** Targets of a profile's symbols on this machine in this turn. All paths are absolute. */
export interface PermissionPlaces {
  readonly cwd: string;
  /** If empty, the working folder is the only root. */
  readonly workspaceRoots: readonly string[];
  readonly temporaryDirectory?: string;
  /** `/tmp` is a folder here. */
  readonly slashTmp: boolean;
  /** Targets of `.git` pointer files (worktrees, submodules). */
  readonly gitDirectories: readonly string[];
  /** Repositories among the working folder and its parents. Absent: not looked for. */
  readonly repositories?: readonly string[];
  /** Folders in these repositories that are registered as submodules. */
  readonly submodules?: readonly string[];
  /** Folders listed as submodules without a repository. Kept whole: git would take an empty `.git` for a broken one. */
  readonly absentSubmodules?: readonly string[];
  /** Files that the repositories' settings include. */
  readonly gitIncludes?: readonly string[];
  /** Names in the workspace roots that make a repository for git, without any `.git`: they stay unchanged. */
  readonly gitNames?: readonly string[];
  readonly own: OwnPlaces;
  /** Nonexistent places that a profile may name as writable. Absent: none. */
  readonly missing?: readonly string[];
  /** Link targets of writable paths, by path. A path that is not in it may lead anywhere. */
  readonly real?: Readonly<Record<string, string>>;
  /** Landlock enforces policies here: nothing better can, and the user agreed. Absent: they are fully enforced. */
  readonly landlock?: true;
}

/** Folders that commands of most profiles can write, wherever they run. `env`: the engine's own. */
export function temporaryFolders(env: { readonly TMPDIR?: string | undefined }): readonly string[] {
  const { TMPDIR: own = '' } = env;
  return own.startsWith('/') && own !== '/tmp' ? ['/tmp', own] : ['/tmp'];
}

/** Folders that control later programs: read-only directly below writable paths, whether they exist or not. */
export const protectedNames: readonly string[] = ['.git', '.agents', '.codex', '.aws', '.capstan'];
/** Git reads hooks and settings from these anywhere, so they are kept at any depth of writable paths. */
export const protectedNamesAtAnyDepth: readonly string[] = ['.git'];
/** Names that shared profiles list. Capstan's own is protected too, without an entry that others would read. */
export const sharedProtectedNames: readonly string[] = ['.git', '.agents', '.codex', '.aws'];
/** Names that a sandbox may have to create on the host to keep a command from creating them. */
export const mountPointNames: readonly string[] = [...protectedNames, 'HEAD', 'commondir', 'objects', 'refs'];

/** True if git takes a folder with these for a repository without `.git`. `commondir` says where the last two are. */
export const isBareRepository = (has: (name: string) => boolean): boolean =>
  has('HEAD') && (has('commondir') || (has('objects') && has('refs')));

/**
 * Names that keep a folder from becoming such a repository while unchangeable empty folders have these names. A set is
 * useless if one of its names is in use. `HEAD` alone is enough, but below another repository's root the revision
 * `HEAD` would become ambiguous. Git refuses a folder `commondir`, so Capstan creates that first and removes it last;
 * because `refs` or `objects` was occupied too, a repository is still incomplete when both folders have gone.
 */
export function namesAgainstBareRepository(
  isFree: (name: string) => boolean,
  { isBelowRepository }: { readonly isBelowRepository: boolean },
): readonly string[] {
  const other = ['refs', 'objects'].find(isFree);
  const pair = other === undefined || !isFree('commondir') ? [] : ['commondir', other];
  const head = isFree('HEAD') ? ['HEAD'] : [];
  const [first, second] = isBelowRepository ? [pair, head] : [head, pair];
  return first.length === 0 ? second : first;
}
