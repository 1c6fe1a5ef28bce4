import type { Outcome } from '../protocol/outcome.ts';

/** The variables that commands start from, before the policy chooses among them. */
export interface ShellEnvironment {
  /**
   * The first call may ask the user's login shell. It waits for a bounded time, and not at all once the signal aborts;
   * without an answer the process's own variables are all there is. Never rejects.
   */
  variables(request: ShellEnvironmentRequest): Promise<Readonly<Record<string, string>>>;
}

export interface ShellEnvironmentRequest {
  readonly signal: AbortSignal;
  /** What the user should know while the call waits. */
  warn(outcome: Outcome): void;
  /**
   * Whether commands and patches may write the path, though a sandbox holds them otherwise. The login shell runs outside
   * of it, so a shell whose start-up files they may write is not asked. Absent: there is no sandbox to get out of.
   */
  isWritable?(path: string): boolean;
}
