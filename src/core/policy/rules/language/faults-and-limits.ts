/** Steps and pieces of values that one file may use: a file of a thousand rules uses a hundredth of it. */
const mostWork = 1_000_000;
const mostDepth = 400;
const mostCalls = 50;
/** Cost of a new list or function besides its contents. */
export const rulesObjectWork = 10;

/** Ends a file that takes too long, nests too deeply or makes too much. */
export class RulesMeter {
  line = 1;
  #work = 0;
  #depth = 0;
  #calls = 0;

  /** For every step, and for every character and member that a step reads or makes. */
  spend(work: number): void {
    this.#work += work;
    const next = 'Write fewer or smaller lists, loops and texts.';
    if (this.#work > mostWork) throwRulesFault('The file takes too long or makes too much data.', next);
  }

  /** Limits the depth of everything that may contain itself. A fault leaves the depth as it is: it ends the file. */
  nested<Made>(make: () => Made): Made {
    if (++this.#depth > mostDepth) failNesting();
    const made = make();
    this.#depth--;
    return made;
  }

  call<Made>(make: () => Made): Made {
    if (++this.#calls > mostCalls) throwRulesFault('Function calls are nested too deeply.', 'Use a loop.');
    const made = make();
    this.#calls--;
    return made;
  }
}

/** Limit for source text, which nests less deeply than values do. */
export const maxNesting = 100;

export function failNesting(line?: number): never {
  throwRulesFault('This is nested too deeply.', 'Split it into several steps.', line);
}

export function throwRulesFault(message: string, next: string, line?: number): never {
  throw new RulesFault(message, next, line);
}

/** Why a rules file cannot be used. Ends the file; `runRulesFile` turns it into a value. */
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
