/** `write` implies read; `deny` forbids both. */
export type FileAccess = 'read' | 'write' | 'deny';
export type NetworkAccess = 'restricted' | 'enabled';

/** The permissions of a turn, with symbols for paths. Other programs share the JSON shape, thus snake-case keys. */
export type PermissionProfile =
  | {
      readonly type: 'managed';
      readonly file_system: FileSystemRules;
      readonly network: NetworkAccess;
      /** An extension unknown to other programs. It only narrows `network`, except for sockets. */
      readonly capstan_network?: NetworkDetails;
    }
  | { readonly type: 'disabled' }
  | { readonly type: 'external'; readonly network: NetworkAccess };

/** Hosts and path sockets that commands may reach. Both absent: as the profile's `network` says. */
export type NetworkDetails = { readonly lists?: NetworkLists; readonly sockets?: readonly string[] };

export type FileSystemRules =
  | { readonly type: 'unrestricted' }
  | {
      readonly type: 'restricted';
      readonly entries: readonly FileSystemEntry[];
      readonly glob_scan_max_depth?: number;
    };

export interface FileSystemEntry {
  readonly path: PathPattern;
  readonly access: FileAccess;
  readonly missing_path_behavior?: 'skip';
  /** A project or a client of the MCP server wrote it, so it cannot open Capstan's own places again. */
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
export type ApprovalPolicy = 'untrusted' | 'on-request' | 'never' | GranularApproval;

/** As `on-request`, but each kind of question can be turned off; Capstan then refuses calls that would need it. */
export type GranularApproval = {
  readonly granular: {
    /** Running outside the sandbox, or with more than it grants. */
    readonly sandbox_approval: boolean;
    readonly rules: boolean;
    readonly skill_approval: boolean;
    readonly request_permissions: boolean;
    readonly mcp_elicitations: boolean;
  };
};

/** Hosts that commands may reach, if a profile or a rule names hosts: then the proxy is the commands' only network. */
export interface NetworkLists {
  /** Exact hosts, `*.x.y` (below it), `**.x.y` (it and below), `*` (any). May end in `:port`. */
  readonly allow: readonly string[];
  /** As above, without `*`. Wins over everything. */
  readonly deny: readonly string[];
  /** Exact hosts that a rule asks about, whether `allow` has them or not. Absent: none. Never from a profile. */
  readonly ask?: readonly string[];
  /** The hosts of `deny` that come from a rule, with its reason. Absent: none. Never from a profile. */
  readonly ruled?: readonly DeniedByRule[];
  /** Hosts opened by answers, as `host:port`, whether a list has them or not. Absent: none. Never from a profile. */
  readonly granted?: readonly string[];
  readonly local: boolean;
  /** `reading`: GET, HEAD and OPTIONS alone. */
  readonly methods: 'any' | 'reading';
}

export type DeniedByRule = { readonly host: string; readonly why?: string };

/** A profile with all symbols replaced; prompt, sandbox and file tools read it (I5). Query it only by `access`. */
export interface ResolvedPolicy {
  /** The isolating party: we (`managed`), nothing (`disabled`), or a sandbox around us (`external`). */
  readonly enforcement: 'managed' | 'disabled' | 'external';
  readonly files: ResolvedFilePolicy;
  readonly network: NetworkAccess;
  /** Absent: the network is all or nothing, as `network` says. */
  readonly lists?: NetworkLists;
  /** Path sockets that commands may connect to while the network is restricted. Absent: none. */
  readonly sockets?: readonly string[];
  /** The parts of the policy that Landlock, used with the user's consent, does not enforce. Absent: all is enforced. */
  readonly landlock?: LandlockLimits;
}

export interface LandlockLimits {
  /** Paths that commands may usually not write, but now can: Landlock protects none inside a writable folder. */
  readonly unprotected: readonly string[];
  /** Unprotected names at any depth of writable folders. */
  readonly unprotectedNames: readonly string[];
  /** Temporary folders that are not writable now, because they hold protected paths. */
  readonly closedRoots: readonly string[];
}

export type ResolvedFilePolicy =
  | { readonly kind: 'unrestricted' }
  | {
      readonly kind: 'restricted';
      /** Absolute, lexically normalised paths. Order has no meaning: the most specific rule wins. */
      readonly rules: readonly PathRule[];
      readonly denyGlobs: readonly string[];
      /** Number of levels to which a glob matches below the folder it begins with. Absent: any depth. */
      readonly globDepth?: number;
      readonly platformDefaults: boolean;
      /** Paths that entries make writable but that do not exist, so nothing is granted there. Absent: none. */
      readonly missingRoots?: readonly string[];
      /** Paths that stay read-only inside places granted to a single call. Absent: none known. */
      readonly guards?: readonly PathRule[];
    };

export interface PathRule {
  readonly path: string;
  readonly access: FileAccess;
  /** For a missing path: ignore it, or keep the command from making it. */
  readonly ifMissing: 'skip' | 'protect';
  /** The resolved target of a granted path at the time of the grant. The grant is void if it leads elsewhere now. */
  readonly place?: string;
  /** The rule protects one of Capstan's own places; no entry of the profile asks for it. */
  readonly own?: true;
  /**
   * For a writable folder: names that stay read-only at any depth below it, with all their contents, unless a rule is
   * about that path. A sandbox protects those that exist when the turn first looks, so a command may create new ones.
   */
  readonly keeps?: readonly string[];
}

/** A call's permissions beyond its turn's sandbox. Paths are absolute and without links. */
export interface ExtraPermissions {
  readonly network?: true;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** For display: the original spelling of paths with links, by resolved path. */
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

export interface DeniedRequest {
  /** Normalised. */
  readonly host: string;
  readonly port: number;
  readonly protocol: HostProtocol;
  readonly reason: DenialReason;
  /** For `denied`: the rule that denies the host. Absent: a profile does, or the rule is about its address. */
  readonly rule?: DeniedByRule;
}

/** `https` is any tunnel that CONNECT opens; its content is not visible. */
export type HostProtocol = 'http' | 'https' | 'socks5_tcp' | 'socks5_udp';

export interface RequestedHost {
  /** Normalised. */
  readonly name: string;
  readonly port: number;
  readonly protocol: HostProtocol;
}

/** When a server's tool needs approval: depending on its claims, always, unless it only reads, never. */
export type McpApprovalMode = 'auto' | 'prompt' | 'writes' | 'approve';
