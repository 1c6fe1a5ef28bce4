import { nearestConfigKey } from '../../../core/config/keys/check-values.ts';
import type { NoThread, OpenRefused, OpenRefusedCode } from '../../../ports/thread-store.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { Fault } from '../../../protocol/outcome.ts';

export type ThreadFile = { readonly id: ThreadId; readonly path: string };

export function unknownThreadRefusal(id: ThreadId): OpenRefused {
  const next =
    'List threads with `capstan threads list`. If the thread is in another home, set CAPSTAN_HOME to that folder.';
  return refused('thread-unknown', `There is no thread ${id}.`, next);
}

/** A process or the machine ended while the thread was created. Without its first line, it never was a thread. */
export function neverSavedRefusal({ id, path }: ThreadFile): OpenRefused {
  const message = `There is no thread ${id}: its process ended before anything was saved (${path}).`;
  return refused('thread-unknown', message, 'Start a new thread. You can delete the file.');
}

export function archivedThreadRefusal({ id, path }: ThreadFile): OpenRefused {
  const message = `Thread ${id} is archived, in ${path}. You can read it and fork it, but not resume it.`;
  const next = `Bring it back with \`capstan threads unarchive ${id}\`, or fork it: \`capstan threads fork ${id}\`.`;
  return refused('thread-archived', message, next);
}

export function lockedThreadRefusal(id: ThreadId, owner: string | undefined): OpenRefused {
  const message = `Thread ${id} is being written by ${owner ?? 'another program'}.`;
  const next = `Wait until it has ended there, or fork it: \`capstan threads fork ${id}\`.`;
  return refused('thread-locked', message, next);
}

export function unreadableThreadRefusal({ id, path }: ThreadFile, why: string): OpenRefused {
  const message = `Thread ${id} cannot be resumed: ${why} (${path}).`;
  return refused('thread-unreadable', message, 'Repair the file or restore it from a backup, or start a new thread.');
}

export function unknownPlaceRefusal(rolloutId: string, why: string): OpenRefused {
  const message = `Cannot find that place in rollout ${rolloutId}: ${why}.`;
  return refused('place-unknown', message, 'Check the thread again: it may have changed in the meantime.');
}

/** For a writer whose thread has been opened by another one since. */
export const leaseLost = (where: string): Fault =>
  new Fault({
    code: 'lease-lost',
    message: `Another program took over ${where}. Anything that was not saved by then is lost.`,
    next: 'Reopen the thread when the other program has finished, or fork it.',
  });

const refused = (code: OpenRefusedCode, message: string, next: string): OpenRefused => ({
  kind: 'refused',
  code,
  message,
  next,
});

/** Shorter beginnings are more likely words than ids. */
export const isIdBeginning = (name: string): boolean => /^[0-9a-f][0-9a-f-]{3,}$/i.test(name);
export type ThreadElsewhere = { readonly id: ThreadId; readonly folder: string };

export function noThreadYet(cwd: string | undefined, elsewhere?: ThreadElsewhere): NoThread {
  const newest = elsewhere === undefined ? '' : ` The newest thread works in ${elsewhere.folder}.`;
  const message = cwd === undefined ? 'There is no thread yet.' : `There is no thread in ${cwd} yet.${newest}`;
  return none(message, elsewhere === undefined ? 'Start one: `capstan exec --help` says how.' : wayTo(elsewhere));
}

/** `names`: existing names, in case of a misspelling. */
export function noThreadNamed(name: string, cwd: string | undefined, names: readonly string[] = []): NoThread {
  const message = `No thread is named ${JSON.stringify(name)}${cwd === undefined ? '' : ` in ${cwd}`}.`;
  const near = nearestConfigKey(name, [...new Set(names)]);
  const meant = near === undefined ? '' : `Did you mean ${JSON.stringify(near)}? `;
  return none(message, `${meant}List threads with their ids and names: \`capstan threads list\`.`);
}

export function threadNamedElsewhere(name: string, cwd: string, elsewhere: ThreadElsewhere): NoThread {
  const message = `Thread ${JSON.stringify(name)} works in ${elsewhere.folder}, not in ${cwd}.`;
  return none(message, wayTo(elsewhere));
}

const none = (message: string, next: string, code: NoThread['code'] = 'thread-unknown'): NoThread => ({
  kind: 'none',
  code,
  message,
  next,
});

const wayTo = ({ id }: ThreadElsewhere): string =>
  `Resume it there: \`capstan exec resume ${id} "Continue."\`. Or fork it: \`capstan threads fork ${id}\`.`;

export function ambiguousThreadName(name: string, ids: readonly ThreadId[]): NoThread {
  const message = `${ids.length} threads are named ${JSON.stringify(name)}: ${someOf(ids)}.`;
  return none(message, 'Give the id.', 'thread-ambiguous');
}

export function ambiguousIdBeginning(name: string, ids: readonly ThreadId[]): NoThread {
  const message = `${ids.length} threads begin with ${name}: ${someOf(ids)}.`;
  return none(message, 'Give more of the id.', 'thread-ambiguous');
}

const someOf = (ids: readonly ThreadId[]): string => `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`;
