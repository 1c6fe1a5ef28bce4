/** What a path rule grants. `write` implies read; `deny` forbids both. */
export type Access = 'read' | 'write' | 'deny';

export type NetworkAccess = 'restricted' | 'enabled';

/**
 * What a turn may touch, before symbols are replaced by paths. The JSON shape is shared with other programs
 * (`turn_context.permission_profile`), hence the snake-case keys.
 */
export type PermissionProfile =
  | {
      readonly type: 'managed';
      readonly file_system: FileSystemRules;
      readonly network: NetworkAccess;
      /** What other programs have no place for. It only ever narrows `network`, but for sockets. */
      readonly capstan_network?: NetworkDetails;
    }
  | { readonly type: 'disabled' }
  | { readonly type: 'external'; readonly network: NetworkAccess };

/** Which hosts and path sockets commands may reach. Both absent: as the profile's `network` says. */
export interface NetworkDetails {
  readonly lists?: NetworkLists;
  readonly sockets?: readonly string[];
}

export type FileSystemRules =
  | { readonly type: 'unrestricted' }
  | {
      readonly type: 'restricted';
      readonly entries: readonly FileSystemEntry[];
      readonly glob_scan_max_depth?: number;
    };

export interface FileSystemEntry {
  readonly path: PathPattern;
  readonly access: Access;
  readonly missing_path_behavior?: 'skip';
  /** A project or a client of the MCP server wrote it: it reopens nothing of Capstan's own. */
  readonly capstan_keeps_own?: true;
}

export type PathPattern =
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'glob_pattern'; readonly pattern: string }
  | { readonly type: 'special'; readonly value: SpecialPath };

export type SpecialPath =
  | { readonly kind: 'root' }
  | { readonly kind: 'minimal' }
  | { readonly kind: 'project_roots'; readonly subpath?: string }
  | { readonly kind: 'tmpdir' }
  | { readonly kind: 'slash_tmp' }
  | { readonly kind: 'unknown'; readonly path: string; readonly subpath?: string };

/** The older, coarser form that rollouts also carry for old readers. */
export type SandboxPolicy =
  | { readonly type: 'read-only'; readonly network_access?: boolean }
  | {
      readonly type: 'workspace-write';
      readonly writable_roots?: readonly string[];
      readonly network_access: boolean;
      readonly exclude_tmpdir_env_var: boolean;
      readonly exclude_slash_tmp: boolean;
    }
  | { readonly type: 'danger-full-access' }
  | { readonly type: 'external-sandbox'; readonly network_access: NetworkAccess };

export type SandboxMode = 'read-only' | 'workspace-write' | 'danger-full-access';

/** When the user is asked. Rollouts and configurations spell it so. */
export type ApprovalPolicy = 'untrusted' | 'on-request' | 'never' | GranularApproval;

/** As `on-request`, but each sort of question can be turned off: what would need one is refused then. */
export type GranularApproval = {
  readonly granular: {
    /** Running outside the sandbox, or with more than it grants. */
    readonly sandbox_approval: boolean;
    /** What a rule says must be asked. */
    readonly rules: boolean;
    readonly skill_approval: boolean;
    /** The tool `request_permissions`. */
    readonly request_permissions: boolean;
    readonly mcp_elicitations: boolean;
  };
};

/** Which hosts commands may reach. Present only where a profile or a rule names hosts: then commands reach them through the proxy, and nothing else. */
export interface NetworkLists {
  /** Exact hosts, `*.x.y` (below it), `**.x.y` (it and below), `*` (any). May end in `:port`. */
  readonly allow: readonly string[];
  /** As above, without `*`. Wins over everything. */
  readonly deny: readonly string[];
  /** Exact hosts that a rule asks about, whether `allow` has them or not. Absent: none. No profile has it. */
  readonly ask?: readonly string[];
  /** The hosts of `deny` that a rule denies, with its reason. Absent: none. No profile has it. */
  readonly ruled?: readonly DeniedByRule[];
  /** What answers opened, as `host:port`: as far as an answer can, whether a list has it or not. Absent: nothing. No profile has it. */
  readonly granted?: readonly string[];
  /** Whether addresses of this machine and of private networks may be reached. */
  readonly local: boolean;
  /** `reading`: GET, HEAD and OPTIONS alone. */
  readonly methods: 'any' | 'reading';
}

/** A host that a rule denies. */
export interface DeniedByRule {
  readonly host: string;
  /** In the words of the rule. Absent: it has none. */
  readonly why?: string;
}

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

/** What a call may do beyond the sandbox of its turn. Paths are absolute and lead through no link. */
export interface ExtraPermissions {
  readonly network?: true;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** How paths were spelled that led through links, by where they lead. For people alone. */
  readonly spelled?: Readonly<Record<string, string>>;
}

/**
 * Why the proxy refused a request.
 * - `denied`: a deny pattern covers the host, or an address that its name leads to.
 * - `not_allowed`: no allow pattern covers the host, and no one could be asked.
 * - `held_back`: a rule asks about the host, and no one could be asked.
 * - `not_asked`: the command had asked about as many hosts as one may.
 * - `declined`: the host was asked about, and the answer was no.
 * - `not_allowed_local`: the host is this machine or a private network.
 * - `unresolved`: the name could not be looked up in time, or has no address.
 * - `method_not_allowed`: only reading is allowed, and the request does more.
 * - `mitm_required`: only reading is allowed, and the proxy cannot see what an encrypted tunnel does.
 * - `policy_denied`: no list allows it, such as UDP.
 */
export type DenialReason =
  | 'denied'
  | 'not_allowed'
  | 'held_back'
  | 'not_asked'
  | 'declined'
  | 'not_allowed_local'
  | 'unresolved'
  | 'method_not_allowed'
  | 'mitm_required'
  | 'policy_denied';

/** A request of a command that the proxy refused. */
export interface DeniedRequest {
  /** In normal form. */
  readonly host: string;
  readonly port: number;
  readonly protocol: HostProtocol;
  readonly reason: DenialReason;
  /** Of `denied`: the rule that denies the host. Absent: a profile does, or the rule is about its address. */
  readonly rule?: DeniedByRule;
}

/** How a command asked for a host. `https` is any tunnel that CONNECT opens: what is inside is not seen. */
export type HostProtocol = 'http' | 'https' | 'socks5_tcp' | 'socks5_udp';

/** A host that a command wants to reach and that needs an answer. */
export interface RequestedHost {
  /** In normal form. */
  readonly name: string;
  readonly port: number;
  readonly protocol: HostProtocol;
}

/** When a call of a server's tool is asked about: by what the tool says of itself, always, unless it only reads, never. */
export type McpApprovalMode = 'auto' | 'prompt' | 'writes' | 'approve';
