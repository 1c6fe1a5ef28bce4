import type { GrantsDescription } from '../../policy/describe-grants.ts';
import type { PolicyDescription } from '../../policy/describe-policy.ts';
import { defined } from '../../protocol/defined.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** What the agent may do without the action that is decided about. */
export interface ReviewedPolicy {
  readonly policy: PolicyDescription;
  readonly cwd: string;
  readonly approvedPrefixes: readonly (readonly string[])[];
  /** What earlier answers allowed, for the turn and for the session. */
  readonly granted: { readonly turn: GrantsDescription; readonly session: GrantsDescription };
}

/** The same as the reviewer reads it: nothing that limits or widens it is left out, and empty lists are. */
export function reviewPolicy({ policy, cwd, approvedPrefixes, granted }: ReviewedPolicy): JsonObject {
  const { lists, network, globDepth, ...files } = policy;
  return withoutEmpty({
    sandbox: files.mode,
    network: lists === undefined ? network : 'listed hosts only',
    ...(lists === undefined ? {} : { hosts: hostFields(lists) }),
    sockets: files.sockets,
    cwd,
    reading: files.readsEverything ? 'everything that is not listed as not readable' : 'listed paths only',
    writable_roots: files.writableRoots,
    readable: files.readablePaths,
    read_only: files.readOnlyPaths,
    read_only_globs: files.keptGlobs,
    not_readable: [...files.deniedPaths, ...files.ownPaths],
    not_readable_globs: files.deniedGlobs,
    ...(globDepth === undefined || files.deniedGlobs.length === 0 ? {} : { glob_depth: globDepth }),
    approved_prefixes: approvedPrefixes,
    granted_for_turn: granted.turn as unknown as JsonObject,
    granted_for_session: granted.session as unknown as JsonObject,
  });
}

function hostFields({ allow, deny, ask, local, methods }: NonNullable<PolicyDescription['lists']>): JsonObject {
  const reached = methods === 'any' ? 'all' : 'GET, HEAD and OPTIONS';
  return { allow, deny, ...defined({ ask }), private_addresses: local, methods: reached };
}

function withoutEmpty(fields: JsonObject): JsonObject {
  const isEmpty = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}
