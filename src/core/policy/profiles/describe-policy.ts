import { cachePerObject, defined } from '../../../base/objects.ts';
import type {
  Access,
  LandlockLimits,
  NetworkAccess,
  NetworkLists,
  ResolvedPolicy,
  SandboxMode,
} from '../../../protocol/permissions.ts';
import { accessByRules, type AccessRule, accessRules, type RestrictedFiles, writablePaths } from '../paths/access.ts';
import { sandboxModeOf } from './read-profile.ts';
import { compareByDepth, isWithin, joinPath, parentPath } from '../paths/absolute-paths.ts';

/** How far commands get. */
export interface ReachedNetwork {
  readonly network: NetworkAccess;
  /** Absent: the network is all or nothing. */
  readonly lists?: NetworkLists;
  /** Path sockets that can be reached all the same. */
  readonly sockets: readonly string[];
}

/**
 * A policy in the terms that people and models read. Of the paths in it, the innermost around a file decides about it;
 * globs that deny decide before all paths.
 */
export interface PolicyDescription extends ReachedNetwork {
  readonly mode: SandboxMode | 'external-sandbox';
  /** The root that holds the working folder first, the others by name. */
  readonly writableRoots: readonly string[];
  /** Inside writable roots, and yet not to be written. */
  readonly readOnlyPaths: readonly string[];
  /** Inside what cannot be read, and yet readable. */
  readonly readablePaths: readonly string[];
  /** Inside writable roots, at any depth: what matches and exists is not to be written either; commands may make new ones. */
  readonly keptGlobs: readonly string[];
  /** What cannot even be read, without the engine's own. */
  readonly deniedPaths: readonly string[];
  readonly deniedGlobs: readonly string[];
  /** How many names below the folder they begin with the globs match. Absent: any number. */
  readonly globDepth?: number;
  /** What the engine keeps from commands: its logins and keys, and its copies of what others must not read. */
  readonly ownPaths: readonly string[];
  /** Everything that is not denied may be read. */
  readonly readsEverything: boolean;
  /** Meant to be writable, and not there. */
  readonly missingRoots: readonly string[];
  /** Landlock holds the policy, and this is lost. Absent: all of it is held. */
  readonly landlock?: LandlockLimits;
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

/** What of it is about hosts and sockets. */
export function describeNetwork({ network, lists, sockets = [] }: ResolvedPolicy): ReachedNetwork {
  const isListed = network === 'enabled' && lists !== undefined;
  return {
    network,
    ...(isListed ? { lists } : {}),
    sockets: network === 'restricted' || isListed ? sockets : [],
  };
}

/** How far commands are shut in, in one word. */
export function sandboxLevelOf(policy: ResolvedPolicy): PolicyDescription['mode'] {
  return policy.enforcement === 'external' ? 'external-sandbox' : sandboxModeOf(policy);
}

/** The network in one word: `limited` to the hosts of lists. */
export function networkWord({ network, lists }: ReachedNetwork): NetworkAccess | 'limited' {
  return lists === undefined ? network : 'limited';
}

const everything: RestrictedFiles = {
  kind: 'restricted',
  rules: [{ path: '/', access: 'read', ifMissing: 'skip' }],
  denyGlobs: [],
  platformDefaults: false,
};

/** The text for the model, the environment and the events are made from one policy. */
const describedFiles = cachePerObject(describeFiles);

function describeFiles(files: RestrictedFiles) {
  const { rules, denyGlobs, globDepth, missingRoots = [] } = files;
  const all = accessRules(files);
  const known = new Map<string, Access>();
  const at = (path: string): Access => {
    const access = known.get(path) ?? accessByRules(all, path);
    known.set(path, access);
    return access;
  };
  /** Paths with this access in a place that has the other one, shallow ones first. A rule on the path itself gave it. */
  const pathsOf = (some: readonly AccessRule[], access: Access, outer: Access): readonly string[] =>
    unique(
      some.filter(
        (rule) =>
          rule.access === access &&
          rule.path !== '/' &&
          at(rule.path) === access &&
          at(parentPath(rule.path)) === outer,
      ),
    );
  const denied = rules.filter(({ path, access }) => access === 'deny' && path !== '/');
  return {
    readOnlyPaths: pathsOf(rules, 'read', 'write'),
    readablePaths: pathsOf(all, 'read', 'deny'),
    keptGlobs: [
      ...new Set(rules.flatMap(({ path, keeps = [] }) => keeps.map((name) => joinPath(path, `**/${name}`)))),
    ].toSorted(),
    deniedPaths: unique(denied.filter((rule) => rule.own !== true)).toSorted(),
    deniedGlobs: denyGlobs,
    globDepth,
    // A lock holds nothing that a model would look for, and each name is sent with every change of permissions.
    ownPaths: unique(
      denied.filter(
        (rule) => rule.own === true && !rule.path.endsWith('.lock') && at(parentPath(rule.path)) !== 'deny',
      ),
    ),
    readsEverything: accessByRules(rules, '/') !== 'deny',
    missingRoots,
  };
}

function unique(rules: readonly AccessRule[]): readonly string[] {
  return [...new Set(rules.map(({ path }) => path))].toSorted(compareByDepth);
}
