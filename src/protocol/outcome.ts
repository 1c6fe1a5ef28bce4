/** An expected failure: a value, never thrown. `code` is stable, `message` and `next` (what to do) are for the user. */
export interface Outcome<Code extends string = string> {
  readonly code: Code;
  readonly message: string;
  readonly next: string;
}

/** A failure and its mark as one object. */
export type Refusal<Code extends string = string> = Outcome<Code> & { readonly kind: 'refused' };

export function outcomeText({ message, next }: Pick<Outcome, 'message' | 'next'>): string {
  return next === '' ? message : `${endWithFullStop(message)} ${next}`;
}

/** Adds a full stop: texts of providers and of the system often lack one. */
export const endWithFullStop = (text: string): string => (/[.!?…]["')\]]*$/.test(text) ? text : `${text}.`);

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

/** The code of a Node error (`ENOENT` and the like), or undefined for anything else that was thrown. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export const groupDigits = (number: number): string => String(Math.round(number)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
