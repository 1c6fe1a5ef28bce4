import type { PathRule } from '../protocol/resolved-policy.ts';
import { accessByRules } from './access.ts';
import { isWithin, normalisePath } from './paths.ts';

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
export function ownBelow(homes: OwnHomes, root: string): (path: string) => boolean {
  const { state } = homes;
  const parts = partsOfHomes(homes);
  if (state.includes(root) || parts.some((part) => isWithin(root, part))) return () => true;
  const inside = [...state, ...parts].filter((place) => isWithin(place, root));
  return inside.length === 0 ? () => false : (path) => inside.some((place) => isWithin(path, place));
}

/**
 * The rules with the engine's own places taken out of what they grant: nothing of the engine is writable, its secrets
 * are not readable. Only ever narrows. What an entry names by its path is granted as the entry says: a user may reopen it.
 */
export function withoutOwnPlaces(
  rules: readonly PathRule[],
  own: OwnPlaces,
  { reopened, hasGlobs, real = {} }: OwnPlacesContext,
): readonly PathRule[] {
  const isLimited = hasGlobs || accessByRules(rules, '/') === 'deny' || rules.some(({ access }) => access === 'deny');
  const stores = isLimited ? own.stores : [];
  return [kernel, { ...own, stores }].reduce((kept, places) => narrow(kept, places, { reopened, real }), rules);
}

interface OwnPlacesContext {
  readonly reopened: Reopened;
  readonly hasGlobs: boolean;
  /** Targets of links among the writable paths, by path. */
  readonly real?: Readonly<Record<string, string>>;
}

/** Paths that entries name by themselves, and not by a symbol that happens to lead there. */
export interface Reopened {
  readonly toRead: ReadonlySet<string>;
  readonly toWrite: ReadonlySet<string>;
}

function narrow(
  rules: readonly PathRule[],
  own: OwnPlaces,
  { reopened: { toRead, toWrite }, real }: Required<Pick<OwnPlacesContext, 'reopened' | 'real'>>,
): readonly PathRule[] {
  const [program, state] = [pathsOf(own.program, toWrite), pathsOf(own.state, toWrite)];
  const closed = [...program, ...pathsOf(partsOfHomes(own), toWrite)];
  const secrets = pathsOf([...own.secrets, ...own.stores], toRead);
  const isOwn = (path: string) => state.includes(path) || closed.some((folder) => isWithin(path, folder));
  const narrowed = rules.map((rule): PathRule => {
    const grants = rule.access === 'write' && !toWrite.has(rule.path);
    const isOfEngine = grants && (isOwn(rule.path) || isOwn(real[rule.path] ?? rule.path));
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

function ownRule(path: string, access: 'read' | 'deny', ifMissing: PathRule['ifMissing']): PathRule {
  return { path, access, ifMissing, own: true };
}

function pathsOf(texts: readonly string[], reopened: ReadonlySet<string>): readonly string[] {
  const paths = new Set(texts.map(normalisePath).filter((path) => path !== undefined));
  return [...paths].filter((path) => !reopened.has(path));
}
