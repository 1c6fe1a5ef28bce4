/** Time comes in here and nowhere else. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after the time has passed, or as soon as the signal aborts. Never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Fresh identifiers come in here and nowhere else. */
export interface Ids {
  /** A UUID of version 7, lower case. Later calls sort after earlier ones. */
  uuid(): string;
}

/** By what a process is known again later, also by another process. */
export interface StartedProcess {
  /** It leads a process group of its own. */
  readonly pid: number;
  /** When it was started, in words of the system: the same number at another time is another process. */
  readonly startedAt: string;
  /** The value of a variable that it and all that it starts carry. */
  readonly mark: string;
}

/** What became of a process that a dead program had started. */
export type Survival = 'gone' | 'ended' | 'running';

export interface Processes {
  /** Ends the process with its whole group, if it is still that one. Never rejects. */
  end(process: StartedProcess): Promise<Survival>;
}

/** What the system says about processes without being asked for long. */
export interface ProcessTable {
  /** When the process was started, in words of the system; undefined when there is no such process or no such table. */
  startedAt(pid: number): string | undefined;
}

/** What a look-up of programs asks about the disk. */
export interface ProgramFiles {
  /** Where the path leads when its links are followed; undefined when there is nothing. */
  place(path: string): string | undefined;
  /** The same for a file that this user may execute; undefined for anything else. */
  program(path: string): string | undefined;
  /** Whether users other than this one and root can put programs into the folder, or another folder in its place. */
  isWritableByOthers(folder: string): boolean;
}

/** Finds the programs that the engine starts itself: by a path that no command could have written, or not at all. */
export interface Programs {
  find(name: string): string | undefined;
}
