import type { NetworkLists } from './network-lists.ts';
import type { Access, NetworkAccess } from './permission-profile.ts';

/**
 * A permission profile with every symbol replaced by an absolute path: the one value that the prompt text, the sandbox
 * planner, the file tools and the tests read (I5). `access(policy, path)` of `policy/` is the only way to ask it.
 */
export interface ResolvedPolicy {
  /** Who isolates: we (`managed`), nothing (`disabled`), or a sandbox around us (`external`). */
  readonly enforcement: 'managed' | 'disabled' | 'external';
  readonly files: ResolvedFiles;
  readonly network: NetworkAccess;
  /** Absent: the network is all or nothing, as `network` says. */
  readonly lists?: NetworkLists;
  /** Path sockets that commands may connect to while the network is restricted. Absent: none. */
  readonly sockets?: readonly string[];
  /** Landlock enforces it, because the user agreed to that, and this is what it does not hold. Absent: all of it holds. */
  readonly landlock?: LandlockLimits;
}

/** All that a policy lost when it was fitted to Landlock. */
export interface LandlockLimits {
  /** Read-only by the usual policy and writable now: what lies inside a writable folder cannot be kept. */
  readonly unprotected: readonly string[];
  /** Unprotected names at any depth of writable folders. */
  readonly unprotectedNames: readonly string[];
  /** Temporary folders that are not writable now, because they hold what must be kept. */
  readonly closedRoots: readonly string[];
}

export type ResolvedFiles =
  | { readonly kind: 'unrestricted' }
  | {
      readonly kind: 'restricted';
      /** Absolute, lexically normalised paths. Order has no meaning: the most specific rule wins. */
      readonly rules: readonly PathRule[];
      /** Absolute git-style globs that no command may read. */
      readonly denyGlobs: readonly string[];
      /** The globs match so many names below the folder they begin with, and no deeper. Absent: at any depth. */
      readonly globDepth?: number;
      /** The system folders that programs need to start are readable. */
      readonly platformDefaults: boolean;
      /** Paths that entries would let be written, and that do not exist: nothing is granted there. Absent: none. */
      readonly missingRoots?: readonly string[];
      /** What stays read-only in whatever is granted to a call beyond the rules. Absent: nothing is known of it. */
      readonly guards?: readonly PathRule[];
    };

export interface PathRule {
  readonly path: string;
  readonly access: Access;
  /** What a sandbox does when the path does not exist: leave it, or keep the command from making it. */
  readonly ifMissing: 'skip' | 'protect';
  /** Where the links of a granted path led when it was granted. If it leads elsewhere by now, nothing is granted. */
  readonly place?: string;
  /** No entry asks for it: it keeps a place of the engine. */
  readonly own?: true;
  /**
   * Of a writable folder: names that stay read-only at any depth below it, with all they hold, unless a rule stands on
   * one. A sandbox holds those that exist when the turn first looks; a command may make new ones.
   */
  readonly keeps?: readonly string[];
}
