import type { Outcome } from '../protocol/outcome.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import type { RepositoryKind } from './repository-sight.ts';
import type { ShellEnvironmentPolicy } from './shell-environment-policy.ts';

/** What stands where a command would run, as far as commands could have put it there. */
export interface CommandGround {
  /** The folder that it would run in, links followed. Absent: there is none. */
  readonly folder?: string;
  /** Of the programs that were asked about, those that no command can have written or replaced. */
  readonly settled: ReadonlySet<string>;
  /** The name of a variable by which code that commands can have written gets into every program. Absent: none does. */
  readonly openVariable?: string;
  /** A folder of the search path in which commands can put programs, so that no bare name is settled. Absent: none. */
  readonly writablePathFolder?: string;
  /** Commands of the thread run beside it: they may put links in the way of a program that writes many files. */
  readonly hasCompany?: true;
  /** Which repository git finds in the folder. `protected` only if all that git could reach was looked at. */
  readonly repository: RepositoryKind;
  /** Of the workspace's own: what commands can have written, and git would take programs from. */
  readonly openSetting?: string;
  /** Of a `protected` one: with these git takes that repository and no other, whatever happens meanwhile. */
  readonly gitVariables?: Readonly<Record<string, string>>;
}

/** Whether a decision on one holds on the other. */
export function isSameGround(one: CommandGround, other: CommandGround): boolean {
  return (
    one.folder === other.folder &&
    one.repository === other.repository &&
    one.openSetting === other.openSetting &&
    one.openVariable === other.openVariable &&
    one.hasCompany === other.hasCompany &&
    one.settled.symmetricDifference(other.settled).size === 0
  );
}

export interface GroundRequest {
  /** As the command spells them. */
  readonly programs: readonly string[];
  /** Whether commands of the thread run that outlived their calls. */
  readonly hasCompany: boolean;
  /** Git is among them and may leave the sandbox: all that it could reach is looked at. */
  readonly reachOfGit: boolean;
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
