import { cachePerObject, defined } from '../../../base/objects.ts';
import type { FileAccess, NetworkAccess, ResolvedPolicy, SandboxMode } from '../../../protocol/permissions.ts';
import { accessByRules, type AccessRule, accessRules, type RestrictedFiles, writablePaths } from '../paths/access.ts';
import { sandboxModeOf } from './read-profile.ts';
import { compareByDepth, isWithin, joinPath, parentPath } from '../paths/absolute-paths.ts';

/** Without lists the network is fully open or closed. `sockets`: path sockets that are reachable regardless. */
export type ReachedNetwork = Pick<ResolvedPolicy, 'network' | 'lists'> & Required<Pick<ResolvedPolicy, 'sockets'>>;

/** A policy for people and models. The innermost path around a file decides about it, after the deny globs. */
export interface PolicyDescription extends ReachedNetwork, Pick<ResolvedPolicy, 'landlock'> {
  readonly mode: SandboxMode | 'external-sandbox';
  /** The root with the working folder first, the others by name. */
  readonly writableRoots: readonly string[];
  /** Not writable although inside writable roots. */
  readonly readOnlyPaths: readonly string[];
  /** Readable although inside unreadable paths. */
  readonly readablePaths: readonly string[];
  /** Inside writable roots, at any depth: existing matches are not writable either; commands may create new ones. */
  readonly keptGlobs: readonly string[];
  /** Unreadable paths, without the engine's own. */
  readonly deniedPaths: readonly string[];
  readonly deniedGlobs: readonly string[];
  /** Maximum depth in names below the globs' first folder. Absent: any number. */
  readonly globDepth?: number;
  /** Places that the engine keeps from commands: its logins and keys, and copies of unreadable content. */
  readonly ownPaths: readonly string[];
  readonly readsEverything: boolean;
  /** Meant to be writable, but nonexistent. */
  readonly missingRoots: readonly string[];
}

export function describePolicy(policy: ResolvedPolicy, cwd: string): PolicyDescription {
  const { files } = policy;
  const { globDepth, ...described } = describedFiles(files.kind === 'unrestricted' ? everything : files);
  return {
    mode: sandboxLevelOf(policy),
    ...describeNetwork(policy),
    ...described,
    ...defined({ globDepth, landlock: policy.landlock }),
    writableRoots: writablePaths(policy).toSorted((a, b) => Number(isWithin(cwd, b)) - Number(isWithin(cwd, a))),
  };
}

export function describeNetwork({ network, lists, sockets = [] }: ResolvedPolicy): ReachedNetwork {
  const isListed = network === 'enabled' && lists !== undefined;
  return { network, ...(isListed ? { lists } : {}), sockets: network === 'restricted' || isListed ? sockets : [] };
}

export const sandboxLevelOf = (policy: ResolvedPolicy): PolicyDescription['mode'] =>
  policy.enforcement === 'external' ? 'external-sandbox' : sandboxModeOf(policy);

/** The network in one word: `limited` to the hosts of lists. */
export const networkWord = ({ network, lists }: ReachedNetwork): NetworkAccess | 'limited' =>
  lists === undefined ? network : 'limited';

const everything: RestrictedFiles = {
  kind: 'restricted',
  rules: [{ path: '/', access: 'read', ifMissing: 'skip' }],
  denyGlobs: [],
  platformDefaults: false,
};

/** Cached, because the model's text, the environment and the events are all made from one policy. */
const describedFiles = cachePerObject(describeFiles);

function describeFiles(files: RestrictedFiles) {
  const { rules, denyGlobs, globDepth, missingRoots = [] } = files;
  const all = accessRules(files);
  const known = new Map<string, FileAccess>();
  const at = (path: string): FileAccess => {
    const access = known.get(path) ?? accessByRules(all, path);
    known.set(path, access);
    return access;
  };
  /** Paths to which a rule gives `access`, in a folder with the access `outer`. Shallow paths come first. */
  const pathsOf = (some: readonly AccessRule[], access: FileAccess, outer: FileAccess): readonly string[] => {
    const given = some.filter((rule) => rule.access === access && rule.path !== '/' && at(rule.path) === access);
    return unique(given.filter(({ path }) => at(parentPath(path)) === outer));
  };
  const denied = rules.filter(({ path, access }) => access === 'deny' && path !== '/');
  const kept = rules.flatMap(({ path, keeps = [] }) => keeps.map((name) => joinPath(path, `**/${name}`)));
  const own = denied.filter((rule) => rule.own === true && at(parentPath(rule.path)) !== 'deny');
  return {
    readOnlyPaths: pathsOf(rules, 'read', 'write'),
    readablePaths: pathsOf(all, 'read', 'deny'),
    keptGlobs: [...new Set(kept)].toSorted(),
    deniedPaths: unique(denied.filter((rule) => rule.own !== true)).toSorted(),
    deniedGlobs: denyGlobs,
    globDepth,
    // A model would look for nothing in a lock, and each name is sent with every change of permissions.
    ownPaths: unique(own.filter(({ path }) => !path.endsWith('.lock'))),
    readsEverything: accessByRules(rules, '/') !== 'deny',
    missingRoots,
  };
}

const unique = (rules: readonly AccessRule[]): readonly string[] =>
  [...new Set(rules.map(({ path }) => path))].toSorted(compareByDepth);
