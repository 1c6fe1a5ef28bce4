import type { OpenRefused, OpenRefusedCode } from '../ports/rollout-store.ts';
import type { ThreadId } from '../protocol/ids.ts';
import { Fault } from '../protocol/outcome.ts';

export interface ThreadFile {
  readonly id: ThreadId;
  readonly path: string;
}

export function unknownThread(id: ThreadId): OpenRefused {
  const next =
    'List threads with `capstan threads list`. If the thread is in another home, set CAPSTAN_HOME to that folder.';
  return refused('thread-unknown', `There is no thread ${id}.`, next);
}

/** A process or the machine ended at the birth of the thread. Its first line is not there, so it never was a thread. */
export function unbornThread({ id, path }: ThreadFile): OpenRefused {
  const message = `There is no thread ${id}: its process ended before anything was saved (${path}).`;
  return refused('thread-unknown', message, 'Start a new thread. You can delete the file.');
}

export function archivedThread({ id, path }: ThreadFile): OpenRefused {
  const message = `Thread ${id} is archived, in ${path}. You can read it and fork it, but not resume it.`;
  const next = `Bring it back with \`capstan threads unarchive ${id}\`, or fork it: \`capstan threads fork ${id}\`.`;
  return refused('thread-archived', message, next);
}

export function lockedThread(id: ThreadId, owner: string | undefined): OpenRefused {
  const message = `Thread ${id} is being written by ${owner ?? 'another program'}.`;
  const next = `Wait until it has ended there, or fork it: \`capstan threads fork ${id}\`.`;
  return refused('thread-locked', message, next);
}

export function unreadableThread({ id, path }: ThreadFile, why: string): OpenRefused {
  const message = `Thread ${id} cannot be resumed: ${why} (${path}).`;
  return refused('thread-unreadable', message, 'Repair the file or restore it from a backup, or start a new thread.');
}

export function unknownPlace(rolloutId: string, why: string): OpenRefused {
  const message = `Cannot find that place in rollout ${rolloutId}: ${why}.`;
  return refused('place-unknown', message, 'Check the thread again: it may have changed in the meantime.');
}

/** For a writer that believes to own a thread which another one has opened since. */
export function leaseLost(where: string): Fault {
  return new Fault({
    code: 'lease-lost',
    message: `Another program took over ${where}. Anything that was not saved by then is lost.`,
    next: 'Reopen the thread when the other program has finished, or fork it.',
  });
}

function refused(code: OpenRefusedCode, message: string, next: string): OpenRefused {
  return { kind: 'refused', code, message, next };
}
