type EndedProcess = Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'listenerCount' | 'pid'>;

const names = ['SIGINT', 'SIGTERM'] as const;

/**
 * Calls `tidy` before SIGINT or SIGTERM ends the process. The process then ends by that signal, unless another listener
 * decides how it ends. Gives what takes this back.
 */
export function beforeSignal(tidy: () => void, self: EndedProcess = process): () => void {
  const stop = (): void => names.forEach((name) => void self.off(name, onSignal));
  const onSignal = (name: NodeJS.Signals): void => {
    stop();
    tidy();
    if (self.listenerCount(name) === 0) self.kill(self.pid, name);
  };
  for (const name of names) self.on(name, onSignal);
  return stop;
}

/** Does blocking work that a signal must not cut off half-way: the signal ends the process afterwards. */
export async function beforeAnySignal<Result>(work: () => Result, self: EndedProcess = process): Promise<Result> {
  const stop = beforeSignal(() => {}, self);
  try {
    return work();
  } finally {
    // A signal that came meanwhile is reported when the process looks at its events again.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    stop();
  }
}
