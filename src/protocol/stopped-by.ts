/** Why a turn is ended that its user did not stop: the program that asked for it cancelled its call, or is gone. */
export const clientLeft = Symbol('the client left');

/** The same when its thread is given up: a turn that waits for an answer is suspended. */
export const threadCloses = Symbol('the thread closes');

/** Who ended a turn before the model was done: the user, the program that asked for the turn, or the one that ran it. */
export type StoppedBy = 'user' | 'program' | 'engine';

/** The one place that decides it, for all that the model reads about the end. */
export function stoppedBy({ reason }: Pick<AbortSignal, 'reason'>): StoppedBy {
  if (reason === threadCloses) return 'engine';
  return reason === clientLeft ? 'program' : 'user';
}
