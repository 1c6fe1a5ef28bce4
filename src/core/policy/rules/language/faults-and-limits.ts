/** Steps and pieces of values that one file may use: a file of a thousand rules uses a hundredth of it. */
const mostWork = 1_000_000;
const mostDepth = 400;
const mostCalls = 50;
/** Cost of a new list or function besides its contents. */
export const objectWork = 10;

export interface Meter {
  line: number;
  /** For every step, and for every character and member that a step reads or makes. */
  spend(work: number): void;
  /** Called around everything that may contain itself. Not undone after a fault, which ends the file. */
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
        fail('The file takes too long or makes too much data.', 'Write fewer or smaller lists, loops and texts.');
    },
    enter() {
      if (++depth > mostDepth) failNesting();
    },
    leave() {
      depth--;
    },
    enterCall() {
      if (++calls > mostCalls) fail('Function calls are nested too deeply.', 'Use a loop.');
    },
    leaveCall() {
      calls--;
    },
  };
}

/** For source text, which nests less than values do. */
export const maxNesting = 100;

export function failNesting(line?: number): never {
  fail('This is nested too deeply.', 'Split it into several steps.', line);
}

export function fail(message: string, next: string, line?: number): never {
  throw new RulesFault(message, next, line);
}

/** Why a rules file cannot be used. Ends the file; `readRules` turns it into a value. */
export class RulesFault extends Error {
  readonly next: string;
  /** Absent: the line being evaluated. */
  readonly line: number | undefined;

  constructor(message: string, next: string, line?: number) {
    super(message);
    this.name = 'RulesFault';
    this.next = next;
    this.line = line;
  }
}
