import type { Outcome } from '../protocol/outcome.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import type { RepositoryKind } from './repository-sight.ts';
import type { ShellEnvironmentPolicy } from './shell-environment-policy.ts';

/** What stands where a command would run, as far as commands could have put it there. */
export interface CommandGround {
  /** Of the programs that were asked about, those that no command can have written or replaced. */
  readonly settled: ReadonlySet<string>;
  /** Which repository git finds in the folder. */
  readonly repository: RepositoryKind;
  /** Of the workspace's own: what commands can have written, and git would take programs from. */
  readonly openSetting?: string;
}

export interface GroundRequest {
  /** As the command spells them. */
  readonly programs: readonly string[];
  /** How many of its commands are git. One may put a repository into the index that the next goes into. */
  readonly gitCommands: number;
  readonly cwd: string;
  /** Where the thread works. */
  readonly workspace: string;
  /** With all that is granted by now. */
  readonly policy: ResolvedPolicy;
  readonly variables: ShellEnvironmentPolicy;
  readonly signal: AbortSignal;
  warn(outcome: Outcome): void;
}

/** Looks at the disk before a command may leave the sandbox. */
export interface GroundWatch {
  /** Never rejects. */
  look(request: GroundRequest): Promise<CommandGround>;
  /** Commands may write there from now on: what stands there is not settled any more. */
  open(paths: readonly string[]): void;
}
