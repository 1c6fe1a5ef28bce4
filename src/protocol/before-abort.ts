/** The value, or the other one as soon as the signal aborts. What becomes of the promise then is not waited for. */
export function beforeAbort<Value, Other>(
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
