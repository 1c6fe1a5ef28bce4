/** Why a turn is ended that its user did not stop: the program that asked for it cancelled its call, or is gone. */
export const clientLeft = Symbol('the client left');

/** The same when its thread is given up: a turn that waits for an answer is suspended. */
export const threadCloses = Symbol('the thread closes');

/** Who ended a turn before the model was done: the user, or the program that asked for the turn. */
export type StoppedBy = 'user' | 'program';

/** The one place that decides it, for all that the model reads about the end. */
export function stoppedBy({ reason }: Pick<AbortSignal, 'reason'>): StoppedBy {
  return reason === clientLeft || reason === threadCloses ? 'program' : 'user';
}
