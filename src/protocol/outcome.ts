/**
 * Something that went wrong and is part of normal life: a value, never thrown.
 * `code` is stable, `message` is for the person, `next` says what to do about it.
 */
export interface Outcome<Code extends string = string> {
  readonly code: Code;
  readonly message: string;
  readonly next: string;
}

/** A bug or a lost resource. Thrown; it ends the thread cleanly. */
export class Fault extends Error {
  readonly code: string;
  readonly next: string;

  constructor(outcome: Outcome, options?: ErrorOptions) {
    super(outcome.message, options);
    this.name = 'Fault';
    this.code = outcome.code;
    this.next = outcome.next;
  }
}
