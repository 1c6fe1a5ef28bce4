export interface EndingOptions {
  /** Called at the first signal, before the work is interrupted. */
  onSignal?(name: NodeJS.Signals): void;
  /** The work did not end in time: the last words before the process is ended. */
  onLate?(): void;
}

/** Within a second, with time to spare for leaving. */
const cleanEndMs = 900;

type SignalledProcess = Pick<NodeJS.Process, 'on' | 'off' | 'exit'> & { exitCode?: NodeJS.Process['exitCode'] };

/**
 * SIGINT and SIGTERM interrupt the work, and the process ends within a second, whatever it does then: a command may
 * refuse to die, a disk to sync, a reader to read. What is lost that way is what a kill would lose, and the thread can
 * be resumed. A second signal ends the process at once.
 */
export function endOnSignal(options: EndingOptions, self: SignalledProcess = process) {
  const interrupt = new AbortController();
  let isOver = false;
  const end = (): void => void self.exit(self.exitCode ?? 1);
  const onSignal = (name: NodeJS.Signals): void => {
    if (interrupt.signal.aborted) return end();
    options.onSignal?.(name);
    interrupt.abort();
    const late = (): void => {
      if (!isOver) options.onLate?.();
      end();
    };
    // It holds nothing up: a process that has nothing left to do ends before.
    setTimeout(late, cleanEndMs).unref();
  };
  self.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    /** Aborts at the first signal. */
    signal: interrupt.signal,
    /** The work is over. What is left of the process still has only the rest of its time. */
    over(): void {
      isOver = true;
      self.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    },
  };
}
