/** Abort reason: the program that asked for the turn cancelled its call, or is gone. */
export const clientLeftReason = Symbol('the client left');
/** Abort reason: the thread closes. A turn that waits for an answer is suspended. */
export const threadClosesReason = Symbol('the thread closes');
/** Abort reason: the agent that started the thread stops its turn. */
export const parentStoppedReason = Symbol('the agent that started it stopped it');
export const parentNarrowedReason = Symbol('the agent that started it may do less');
/** Tells apart who ended a turn early. `program`: the one that asked for it; `engine`: the one that ran it. */
export type StoppedBy = 'user' | 'program' | 'engine' | 'parent' | 'narrowed';
/** Decides who ended the turn, for all texts about the end that the model reads. */
export const stoppedBy = ({ reason }: Pick<AbortSignal, 'reason'>): StoppedBy => reasons.get(reason) ?? 'user';

const reasons: ReadonlyMap<unknown, StoppedBy> = new Map<unknown, StoppedBy>([
  [threadClosesReason, 'engine'],
  [clientLeftReason, 'program'],
  [parentStoppedReason, 'parent'],
  [parentNarrowedReason, 'narrowed'],
]);

/** The value, or the other one as soon as the signal aborts; the promise is then abandoned. */
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
