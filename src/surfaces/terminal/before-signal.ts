type EndedProcess = Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'listenerCount' | 'pid'>;

const names = ['SIGINT', 'SIGTERM'] as const;

/**
 * Calls `tidy` before SIGINT or SIGTERM ends the process. The process then ends by that signal, unless another listener
 * decides how it ends. A blocking write is finished first. Gives what takes this back.
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
