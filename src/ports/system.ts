/** The only source of time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after the time has passed, or as soon as the signal aborts. Never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The only source of fresh identifiers. */
export interface IdSource {
  /** A UUID of version 7, lower case. Later calls sort after earlier ones. */
  uuid(): string;
}

/** Identifies a process later, also from another process. */
export interface StartedProcess {
  /** It leads a process group of its own. */
  readonly pid: number;
  /** Start time as the system writes it: the same pid at another time is another process. */
  readonly startedAt: string;
  /** The value of a variable that it and all its descendants carry. */
  readonly mark: string;
}

export type ProcessSurvival = 'gone' | 'ended' | 'running';

export interface Processes {
  /** Ends the process with its whole group, if it is still the same one. Never rejects. */
  end(process: StartedProcess): Promise<ProcessSurvival>;
}

export interface ProcessTable {
  /** Start time as the system writes it; undefined when there is no such process or no such table. */
  startedAt(pid: number): string | undefined;
}

export interface ProgramFiles {
  /** The path with its links resolved; undefined when nothing is there. */
  place(path: string): string | undefined;
  /** As `place`, but only for a file that this user may execute. */
  program(path: string): string | undefined;
  /** True if users other than this one and root can put programs into the folder, or replace it. */
  isWritableByOthers(folder: string): boolean;
}

/** Finds the programs that the engine starts itself, only at paths that no command could have written. */
export type ProgramFinder = { find(name: string): string | undefined };
