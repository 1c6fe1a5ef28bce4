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
