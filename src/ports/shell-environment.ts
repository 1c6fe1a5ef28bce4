/**
 * The variables of the user's login shell, captured once and reused for every command, so that no command pays for
 * running the profile files again.
 */
export interface ShellEnvironment {
  /** Starts capturing on the first call; every call gives the same result. Never rejects: falls back to the process's own variables. */
  variables(): Promise<Readonly<Record<string, string>>>;
}
