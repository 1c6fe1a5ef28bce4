import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

export const threadsClosed: Outcome<'threads-closed'> = {
  code: 'threads-closed',
  message: 'The threads of this program are closed.',
  next: 'Start the program again.',
};

/** One that a client has closed. */
export function threadClosed(id: ThreadId, { isKept }: { readonly isKept: boolean }): Outcome<'thread-closed'> {
  return {
    code: 'thread-closed',
    message: `Thread ${id} is closed.`,
    next: isKept ? 'Load it again by its id.' : 'Start a new one: it was ephemeral.',
  };
}

export function threadBusy(id: ThreadId): Outcome<'thread-busy'> {
  return {
    code: 'thread-busy',
    message: `A turn of thread ${id} runs or waits for an answer.`,
    next: 'Interrupt it, or wait until it has ended.',
  };
}

/** Work on a thread as a whole uses the thread, or another one whose work waits for it: it would wait for itself. */
export function heldByCaller(id: ThreadId): Outcome<'thread-held'> {
  return {
    code: 'thread-held',
    message: `This call would wait for itself: it is part of work on thread ${id} as a whole, or that work waits for it.`,
    next: 'Use the thread after that work has ended.',
  };
}

export function ephemeralThread(id: ThreadId): Outcome<'thread-ephemeral'> {
  return {
    code: 'thread-ephemeral',
    message: `Thread ${id} is ephemeral: it has no file to roll back or change.`,
    next: 'Start a thread that is not ephemeral.',
  };
}
