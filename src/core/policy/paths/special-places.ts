import type { PathRule, PermissionProfile } from '../../../protocol/permissions.ts';
import { isValidEntry } from '../profiles/profile-entries.ts';
import { isWithin, normalisePath, parentPath } from './absolute-paths.ts';
import { accessByRules } from './access.ts';

/** Places of the engine itself. All paths are absolute, as they are spelled and where links and mounts lead. */
export interface OwnPlaces {
  /** What runs: the program, Node, bubblewrap. Stays read-only even where a writable root lies inside it. */
  readonly program: readonly string[];
  /** Homes and caches, which decide about later runs. A writable root that lies deeper inside stays writable. */
  readonly state: readonly string[];
  /** Targets of linked folders in the homes that hold the engine's own records and rules. */
  readonly parts: readonly string[];
  /** Logins and keys. */
  readonly secrets: readonly string[];
  /** Copies of what other commands read: threads, snapshots, outputs, caches. Not readable wherever anything else is not. */
  readonly stores: readonly string[];
}

/** The homes: what is never the user's work. */
export type OwnHomes = Pick<OwnPlaces, 'state' | 'parts'>;

/** For questions about a profile alone, which no engine asks to run something under it. */
export const noOwnPlaces: OwnPlaces = { program: [], state: [], parts: [], secrets: [], stores: [] };

/** Interfaces of the kernel: what root writes there changes the host, whatever the sandbox. */
const kernel: OwnPlaces = { program: [], state: ['/proc', '/sys'], parts: [], secrets: [], stores: [] };

/** Names in each home: records that only the engine writes, and what decides which commands run without asking. */
const partNames = [
  'sessions',
  'archived_sessions',
  'thread-writer-locks',
  'capstan',
  'log',
  'shell_snapshots',
  'command-logs',
  'git-programs',
  'hook-outputs',
  'memories',
  'rules',
  'plugins',
  'agents',
];

/** Folders that stay read-only even as a workspace. Not stored: they follow from the homes. */
export function partsOfHomes({ state, parts }: OwnHomes): readonly string[] {
  return [...new Set([...state.flatMap((home) => partNames.map((name) => `${home}/${name}`)), ...parts])];
}

/**
 * Tells which paths below the root belong to the engine and are never the user's work: no snapshot, diff, search or
 * restore has anything to do with them. A home is the engine's as a whole. Only where the root is a folder of the user's
 * inside a home, such as a worktree, what is in it is work. All paths are without links.
 */
export function ownPathMatcher(homes: OwnHomes, root: string): (path: string) => boolean {
  const { state } = homes;
  const parts = partsOfHomes(homes);
  if (state.includes(root) || parts.some((part) => isWithin(root, part))) return () => true;
  const inside = [...state, ...parts].filter((place) => isWithin(place, root));
  return inside.length === 0 ? () => false : (path) => inside.some((place) => isWithin(path, place));
}

/**
 * The rules with the engine's own places taken out of what they grant: nothing of the engine is writable, its secrets
 * are not readable. Only ever narrows. What an entry of the user names by its path is granted as the entry says: a user may
 * reopen it. No entry of a project or a client does, and no link that leads there.
 */
export function withoutOwnPlaces(
  rules: readonly PathRule[],
  own: OwnPlaces,
  { reopened, kept = new Set(), hasGlobs, real = {} }: OwnPlacesContext,
): readonly PathRule[] {
  const isLimited = hasGlobs || accessByRules(rules, '/') === 'deny' || rules.some(({ access }) => access === 'deny');
  const stores = isLimited ? own.stores : [];
  return [kernel, { ...own, stores }].reduce(
    (narrowed, places) => narrow(narrowed, places, { reopened, kept, real }),
    rules,
  );
}

interface OwnPlacesContext {
  readonly reopened: ReopenedPaths;
  /** Paths that entries name which reopen nothing. */
  readonly kept?: ReadonlySet<string>;
  readonly hasGlobs: boolean;
  /** Targets of links among the writable paths, by path. */
  readonly real?: Readonly<Record<string, string>>;
}

/** Paths that entries name by themselves, and not by a symbol that happens to lead there. */
export interface ReopenedPaths {
  readonly toRead: ReadonlySet<string>;
  readonly toWrite: ReadonlySet<string>;
}

function narrow(
  rules: readonly PathRule[],
  own: OwnPlaces,
  { reopened: { toRead, toWrite }, kept, real }: Required<Pick<OwnPlacesContext, 'reopened' | 'kept' | 'real'>>,
): readonly PathRule[] {
  const [program, state] = [pathsOf(own.program, toWrite), pathsOf(own.state, toWrite)];
  const closed = [...program, ...pathsOf(partsOfHomes(own), toWrite)];
  const secrets = pathsOf([...own.secrets, ...own.stores], toRead);
  const isOwn = (path: string) => state.includes(path) || closed.some((folder) => isWithin(path, folder));
  const isKept = ({ path }: PathRule) => kept.has(path) && !toWrite.has(path);
  const narrowed = rules.map((rule): PathRule => {
    const { path, access: granted } = rule;
    if (granted !== 'deny' && kept.has(path) && !toRead.has(path) && secrets.some((each) => isWithin(path, each))) {
      return { ...rule, access: 'deny', own: true };
    }
    const isReopened = toWrite.has(path) && isOwnToWrite(path, own);
    if (granted !== 'write' || isReopened) return rule;
    const isOfEngine = [path, real[path] ?? path].some(
      (place) => isOwn(place) || (isKept(rule) && isOwnToWrite(place, own)),
    );
    return isOfEngine ? { ...rule, access: 'read', own: true } : rule;
  });
  // A folder that is written through a link is also written where the link leads.
  const led = narrowed.flatMap((rule) => {
    const path = rule.access === 'write' ? real[rule.path] : undefined;
    return path === undefined || path === rule.path ? [] : [{ ...rule, path }];
  });
  const at = (path: string) => accessByRules(narrowed, path);
  const isWritten = (path: string) => at(path) === 'write' || accessByRules(led, path) === 'write';
  return [
    ...narrowed,
    ...program.filter(isWritten).map((path) => ownRule(path, 'read', 'skip')),
    // A home that does not exist yet must not be made by a command.
    ...state.filter(isWritten).map((path) => ownRule(path, 'read', 'protect')),
    ...secrets.filter((path) => at(path) !== 'deny').map((path) => ownRule(path, 'deny', 'skip')),
  ];
}

/** Whether an entry that names the path to write it would reopen something: also a file of a home that is no part of it. */
function isOwnToWrite(path: string, own: OwnPlaces): boolean {
  const { program, state } = own;
  const isIn = (places: readonly string[]): boolean => places.some((place) => isWithin(path, place));
  if (own.state === kernel.state) return isIn(state);
  return state.includes(path) || state.includes(parentPath(path)) || isIn(program) || isIn(partsOfHomes(own));
}

/** Whether an entry of the profile reopens places of the engine: then commands can decide about later runs, or read logins. */
export function reopensOwnPlaces(profile: PermissionProfile, own: OwnPlaces): boolean {
  if (profile.type !== 'managed' || profile.file_system.type !== 'restricted') return false;
  const secrets = [...own.secrets, ...own.stores];
  return profile.file_system.entries.some((entry) => {
    if (!isValidEntry(entry) || entry.access === 'deny' || entry.path.type !== 'path') return false;
    const path = normalisePath(entry.path.path);
    if (path === undefined || entry.capstan_keeps_own !== undefined) return false;
    if (secrets.some((secret) => isWithin(path, secret))) return true;
    return entry.access === 'write' && [kernel, own].some((places) => isOwnToWrite(path, places));
  });
}

function ownRule(path: string, access: 'read' | 'deny', ifMissing: PathRule['ifMissing']): PathRule {
  return { path, access, ifMissing, own: true };
}

function pathsOf(texts: readonly string[], reopened: ReadonlySet<string>): readonly string[] {
  const paths = new Set(texts.map(normalisePath).filter((path) => path !== undefined));
  return [...paths].filter((path) => !reopened.has(path));
}

/** Where the symbols of a profile point to on this machine and in this turn. All paths are absolute. */
export interface Places {
  readonly cwd: string;
  /** Without any, the working folder counts as the only root. */
  readonly workspaceRoots: readonly string[];
  /** `$TMPDIR` when it is set. */
  readonly temporaryDirectory?: string;
  /** `/tmp` is a folder here. */
  readonly slashTmp: boolean;
  /** Where `.git` pointer files (worktrees, submodules) lead to. */
  readonly gitDirectories: readonly string[];
  /** Folders on the way to the working folder, itself included, that are repositories. Absent: not looked for. */
  readonly repositories?: readonly string[];
  /** Folders in those that are registered as submodules. */
  readonly submodules?: readonly string[];
  /**
   * Folders that the index of those calls repositories, and that hold none. Git goes into them, and takes an empty `.git`
   * there for a broken one: they are kept whole.
   */
  readonly absentSubmodules?: readonly string[];
  /** Files that the settings of those include. */
  readonly gitIncludes?: readonly string[];
  /** Names in the workspace roots that make a repository for git, without any `.git`: they stay as they are. */
  readonly gitNames?: readonly string[];
  readonly own: OwnPlaces;
  /** Places that a profile may name to be written and that do not exist. Absent: none. */
  readonly missing?: readonly string[];
  /** Where the links of paths that may be written lead, by path. A path that is not in it may lead anywhere. */
  readonly real?: Readonly<Record<string, string>>;
  /** Landlock enforces policies here, because nothing better can and the user agreed. Absent: they are enforced whole. */
  readonly landlock?: true;
}

/** Folders that commands of most profiles can write, wherever they run. `env`: the engine's own. */
export function temporaryFolders(env: { readonly TMPDIR?: string | undefined }): readonly string[] {
  const { TMPDIR: own = '' } = env;
  return own.startsWith('/') && own !== '/tmp' ? ['/tmp', own] : ['/tmp'];
}

/** Folders that decide what programs do later: read-only directly below what may be written, there or not. */
export const protectedNames: readonly string[] = ['.git', '.agents', '.codex', '.aws', '.capstan'];

/** Git reads hooks and settings from these wherever they stand, so they are kept at any depth of what may be written. */
export const namesKeptAnywhere: readonly string[] = ['.git'];

/** The names that shared profiles spell out. Our own is protected all the same, without an entry that others would read. */
export const sharedProtectedNames: readonly string[] = ['.git', '.agents', '.codex', '.aws'];

/** What a sandbox may have to make on the host to keep a command from making it. */
export const mountPointNames: readonly string[] = [...protectedNames, 'HEAD', 'commondir', 'objects', 'refs'];

/** Git takes a folder with these for a repository, without any `.git`. A file `commondir` names where the last two are. */
export function isBareRepository(has: (name: string) => boolean): boolean {
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}

/**
 * Names that keep a folder from becoming such a repository, while empty folders stand there that cannot be changed. One
 * name of a set that is in use already would keep nothing.
 *
 * `HEAD` alone is enough, and git finds no repository meanwhile. But below the root of another repository every command
 * that is given the revision `HEAD` would end with "ambiguous argument". The others take two names, since `commondir`
 * replaces them: git refuses a `commondir` that is a folder, and once both have gone, a name is missing. So `commondir`
 * comes first and goes last.
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
