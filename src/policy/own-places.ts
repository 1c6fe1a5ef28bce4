import type { PathRule } from '../protocol/resolved-policy.ts';
import { accessByRules } from './access.ts';
import { isWithin, normalisePath } from './paths.ts';

/** What belongs to the engine itself. All paths are absolute, as they are spelled and where their links lead. */
export interface OwnPlaces {
  /** What runs: the program, Node, bubblewrap. Stays read-only even where a writable root lies inside it. */
  readonly program: readonly string[];
  /** What decides about later runs: configuration, threads, caches. A writable root that lies deeper inside stays writable. */
  readonly state: readonly string[];
  /** Logins and keys. */
  readonly secrets: readonly string[];
  /** Copies of what other commands read: threads, snapshots, outputs, caches. Not readable wherever anything else is not. */
  readonly stores: readonly string[];
}

/** For questions about a profile alone, which no engine asks to run something under it. */
export const noOwnPlaces: OwnPlaces = { program: [], state: [], secrets: [], stores: [] };

/** Interfaces of the kernel: what root writes there changes the host, whatever the sandbox. */
const kernel: OwnPlaces = { program: [], state: ['/proc', '/sys'], secrets: [], stores: [] };

/**
 * The rules with the engine's own places taken out of what they grant: nothing of the engine is writable, its secrets
 * are not readable. Only ever narrows. What an entry names by its path is granted as the entry says: a user may reopen it.
 */
export function withoutOwnPlaces(
  rules: readonly PathRule[],
  own: OwnPlaces,
  { reopened, hasGlobs }: { readonly reopened: Reopened; readonly hasGlobs: boolean },
): readonly PathRule[] {
  const isLimited = hasGlobs || accessByRules(rules, '/') === 'deny' || rules.some(({ access }) => access === 'deny');
  const stores = isLimited ? own.stores : [];
  return [kernel, { ...own, stores }].reduce((kept, places) => narrow(kept, places, reopened), rules);
}

/** Paths that entries name by themselves, and not by a symbol that happens to lead there. */
export interface Reopened {
  readonly toRead: ReadonlySet<string>;
  readonly toWrite: ReadonlySet<string>;
}

function narrow(rules: readonly PathRule[], own: OwnPlaces, { toRead, toWrite }: Reopened): readonly PathRule[] {
  const [program, state] = [pathsOf(own.program, toWrite), pathsOf(own.state, toWrite)];
  const secrets = pathsOf([...own.secrets, ...own.stores], toRead);
  const isOwn = (path: string) => state.includes(path) || program.some((folder) => isWithin(path, folder));
  const narrowed = rules.map((rule): PathRule => {
    const grants = rule.access === 'write' && !toWrite.has(rule.path);
    return grants && isOwn(rule.path) ? { ...rule, access: 'read', own: true } : rule;
  });
  const at = (path: string) => accessByRules(narrowed, path);
  return [
    ...narrowed,
    ...program.filter((path) => at(path) === 'write').map((path) => ownRule(path, 'read', 'skip')),
    // A home that does not exist yet must not be made by a command.
    ...state.filter((path) => at(path) === 'write').map((path) => ownRule(path, 'read', 'protect')),
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
