import type { NetworkLists } from './network-lists.ts';

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
