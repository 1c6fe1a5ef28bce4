/** Steps and pieces of values that one file may use: a file of a thousand rules uses a hundredth of it. */
const mostWork = 1_000_000;

/** How deep expressions and values may be nested. */
const mostDepth = 400;

/** Functions that call functions. */
const mostCalls = 50;

/** What a new list or function takes besides what is in it. */
export const objectWork = 10;

/** Keeps a file from taking all of the time, the memory or the stack. */
export interface Meter {
  /** Of what is being evaluated, for messages. */
  line: number;
  /** For every step, and for every character and member that a step reads or makes. */
  spend(work: number): void;
  /** Before and after everything that may contain itself. A fault ends the file, so it needs no way back. */
  enter(): void;
  leave(): void;
  enterCall(): void;
  leaveCall(): void;
}

export function createMeter(): Meter {
  let work = 0;
  let depth = 0;
  let calls = 0;
  return {
    line: 1,
    spend(more) {
      work += more;
      if (work > mostWork)
        throw new RulesFault(
          'The file takes too long or makes too much data.',
          'Write fewer or smaller lists, loops and texts.',
        );
    },
    enter() {
      if (++depth > mostDepth) throw nestingFault();
    },
    leave() {
      depth--;
    },
    enterCall() {
      if (++calls > mostCalls) throw new RulesFault('Function calls are nested too deeply.', 'Use a loop.');
    },
    leaveCall() {
      calls--;
    },
  };
}

/** Of source text, which nests less than values do. */
export const maxNesting = 100;

export function nestingFault(line?: number): RulesFault {
  return new RulesFault('This is nested too deeply.', 'Split it into several steps.', line);
}

/** Why a rules file cannot be used. It ends the file; `readRules` makes a value of it. */
export class RulesFault extends Error {
  readonly next: string;
  /** Absent: the line that is being evaluated. */
  readonly line: number | undefined;

  constructor(message: string, next: string, line?: number) {
    super(message);
    this.name = 'RulesFault';
    this.next = next;
    this.line = line;
  }
}
