import type { ShellEnvironmentPolicy } from '../policy/shell-environment-policy.ts';
import type { ApprovalPolicy, PermissionProfile } from '../protocol/permission-profile.ts';

/**
 * What somebody has chosen for a thread: by flag, by configuration, or because the thread had it before.
 * A turn never sees a change of these: it has the envelope that was resolved from them.
 */
export interface Settings {
  readonly model: string;
  readonly provider: string;
  readonly effort?: string;
  readonly summary?: string;
  readonly verbosity?: string;
  /** Absolute. */
  readonly cwd: string;
  readonly approval: ApprovalPolicy;
  /** Symbolic: workspace roots and temporary folders are filled in when a turn is resolved. */
  readonly profile: PermissionProfile;
  readonly shellEnvironment: ShellEnvironmentPolicy;
  /** Replaces the model's own instructions when a thread starts. */
  readonly baseInstructions?: string;
  /** Smaller window than the catalogue's, in tokens. */
  readonly contextWindow?: number;
  /** Tokens of one tool output that may enter history. */
  readonly toolOutputTokens?: number;
}
