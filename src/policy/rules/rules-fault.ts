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
