/** Why a turn is ended that its user did not stop: the program that asked for it cancelled its call, or is gone. */
export const clientLeft = Symbol('the client left');

/** The same when its thread is given up: a turn that waits for an answer is suspended. */
export const threadCloses = Symbol('the thread closes');

/** The same when an agent started the thread, and stops its turn. */
export const parentStopped = Symbol('the agent that started it stopped it');

/** The same when the turn goes on as another one, which may do less. */
export const parentNarrowed = Symbol('the agent that started it may do less');

/** Who ended a turn before the model was done: the user, the program that asked for the turn or the one that ran it, or the agent that started the thread. */
export type StoppedBy = 'user' | 'program' | 'engine' | 'parent' | 'narrowed';

/** The one place that decides it, for all that the model reads about the end. */
export function stoppedBy({ reason }: Pick<AbortSignal, 'reason'>): StoppedBy {
  return reasons.get(reason) ?? 'user';
}

const reasons: ReadonlyMap<unknown, StoppedBy> = new Map<unknown, StoppedBy>([
  [threadCloses, 'engine'],
  [clientLeft, 'program'],
  [parentStopped, 'parent'],
  [parentNarrowed, 'narrowed'],
]);

/** The value, or the other one as soon as the signal aborts. What becomes of the promise then is not waited for. */
export function valueOrAbort<Value, Other>(
  value: Promise<Value>,
  signal: AbortSignal,
  other: Other,
): Promise<Value | Other> {
  if (signal.aborted) {
    value.catch(() => {});
    return Promise.resolve(other);
  }
  const stop = Promise.withResolvers<Other>();
  const onAbort = (): void => stop.resolve(other);
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([value, stop.promise]).finally(() => signal.removeEventListener('abort', onAbort));
}
