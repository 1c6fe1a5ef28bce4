import { Fault, type Outcome } from '../../../protocol/outcome.ts';
import { printNote } from './print.ts';
import { homedir } from 'node:os';

export interface EndingOptions {
  /** Called at the first signal, before the work is interrupted. */
  onSignal?(name: NodeJS.Signals): void;
  /** Called if the work did not end in time, just before the process is ended. */
  onLate?(): void;
  /** Called at a second signal, which ends the process at once. Absent: a line on standard error reports it. */
  onSecond?(): void;
  /** Signals after which the process ends with an exit code, for a program that sends the signal and reads the code. */
  readonly exitsAfter?: readonly NodeJS.Signals[];
  /** True if the work may need several times as long as usual. Default: by the load of the machine. */
  isBusy?(): boolean;
}

/** Printed on a new line: the terminal has put `^C` on the line before. */
export const stoppedAtOnceNote = 'Stopped at once, before the work was ended cleanly.';
/** Less than a second, to leave time for exiting. */
const cleanEndMs = 900;
/** On a busy machine a second may not be enough to record the end of the turn. */
const busyEndMs = 4900;

type SignalledProcess = Pick<NodeJS.Process, 'on' | 'once' | 'off' | 'exit' | 'kill' | 'pid'> & {
  exitCode?: NodeJS.Process['exitCode'];
};

/**
 * SIGINT and SIGTERM interrupt the work; the process ends within a second, or five on a busy machine, even if something
 * hangs, and at a second signal at once: the thread can be resumed. It ends by the signal itself, not with an exit
 * code: a shell then leaves its loop or script.
 */
export function endOnSignal(options: EndingOptions, self: SignalledProcess = process) {
  const interrupt = new AbortController();
  let isOver = false;
  const stopListening = (): void => void self.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  const end = (): void => void self.exit(self.exitCode ?? 1);
  const onSignal = (name: NodeJS.Signals): void => {
    if (interrupt.signal.aborted) {
      if (options.onSecond === undefined) printNote(stoppedAtOnceNote);
      else options.onSecond();
      return end();
    }
    options.onSignal?.(name);
    interrupt.abort();
    if (options.exitsAfter?.includes(name) !== true) {
      // Runs last: all output is written by then.
      self.once('exit', () => {
        stopListening();
        self.kill(self.pid, name);
      });
    }
    const late = (): void => {
      if (!isOver) options.onLate?.();
      end();
    };
    // Unreferenced: a process that has nothing left to do ends before.
    const look = (): void => {
      if (!isOver && (options.isBusy ?? isMachineBusy)()) setTimeout(late, busyEndMs - cleanEndMs).unref();
      else late();
    };
    setTimeout(look, cleanEndMs).unref();
  };
  self.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    signal: interrupt.signal,
    /** The work is over. The rest of the process keeps the original deadline. */
    over(): void {
      isOver = true;
      stopListening();
    },
  };
}

/** The folder that the process was started in, unless it was removed. */
export function currentFolder(): { readonly path: string } | Outcome<'folder-missing'> {
  try {
    return { path: process.cwd() };
  } catch {
    const message = 'The folder that capstan was started in no longer exists.';
    return { code: 'folder-missing', message, next: 'Change to a folder that exists and start again.' };
  }
}

/** The folder with the surroundings that a configuration is resolved in. */
export function currentFolderAndUser() {
  const here = currentFolder();
  return 'code' in here ? here : { env: process.env, osHome: homedir(), cwd: here.path };
}

/** A lost disk ends the work, but is no bug: it is reported like any other end. */
export async function diskLossAsOutcome<Value>(work: () => Promise<Value>): Promise<Value | Fault> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** From here on a reader that closes its end does not end the process: a turn continues to a clean end. */
export function ignoreClosedOutput() {
  let lost: Error | undefined;
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lost ??= error;
  });
  return {
    /** Resolves when everything is written, or with the reason why not. A reader that left had what it wanted. */
    async finish(): Promise<Outcome<'output-lost'> | undefined> {
      await new Promise<void>((written) => process.stdout.write('', () => written()));
      // The error of a write is reported one tick after its end.
      await new Promise(setImmediate);
      if (lost === undefined) return undefined;
      const message = `Standard output could not be written, and a part of it is missing: ${lost.message}.`;
      return { code: 'output-lost', message, next: 'Free some space where it is written.' };
    },
  };
}

/** True if the machine is overloaded: then everything takes several times as long. */
function isMachineBusy(): boolean {
  const { availableParallelism, loadavg } = process.getBuiltinModule('node:os');
  // Windows always reports 0.
  return (loadavg()[0] ?? 0) > 2 * availableParallelism();
}
