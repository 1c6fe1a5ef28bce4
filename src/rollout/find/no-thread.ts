import { nearestKey } from '../../config/nearest-key.ts';
import type { NoThread } from '../../ports/thread-directory.ts';
import type { ThreadId } from '../../protocol/ids.ts';

/** Shorter beginnings are more likely words than ids. */
const beginning = /^[0-9a-f][0-9a-f-]{3,}$/i;

export function isIdBeginning(name: string): boolean {
  return beginning.test(name);
}

/** A thread that fits, except that it works in another folder than the one that was asked for. */
export interface ThreadElsewhere {
  readonly id: ThreadId;
  readonly folder: string;
}

export function noThreadYet(cwd: string | undefined, elsewhere?: ThreadElsewhere): NoThread {
  const newest = elsewhere === undefined ? '' : ` The newest thread works in ${elsewhere.folder}.`;
  const message = cwd === undefined ? 'There is no thread yet.' : `There is no thread in ${cwd} yet.${newest}`;
  const next = elsewhere === undefined ? 'Start one: `capstan exec --help` says how.' : wayTo(elsewhere);
  return { kind: 'none', code: 'thread-unknown', message, next };
}

/** `names`: those that threads have, for one that was misspelt. */
export function noneNamed(name: string, cwd: string | undefined, names: readonly string[] = []): NoThread {
  const message = `No thread is named ${JSON.stringify(name)}${cwd === undefined ? '' : ` in ${cwd}`}.`;
  const near = nearestKey(name, [...new Set(names)]);
  const meant = near === undefined ? '' : `Did you mean ${JSON.stringify(near)}? `;
  const next = `${meant}List threads with their ids and names: \`capstan threads list\`.`;
  return { kind: 'none', code: 'thread-unknown', message, next };
}

export function namedElsewhere(name: string, cwd: string, elsewhere: ThreadElsewhere): NoThread {
  const message = `Thread ${JSON.stringify(name)} works in ${elsewhere.folder}, not in ${cwd}.`;
  return { kind: 'none', code: 'thread-unknown', message, next: wayTo(elsewhere) };
}

/** An id leads to its thread from every folder. */
function wayTo({ id }: ThreadElsewhere): string {
  return `Resume it there: \`capstan exec resume ${id} "Continue."\`. Or fork it: \`capstan threads fork ${id}\`.`;
}

export function sharedName(name: string, ids: readonly ThreadId[]): NoThread {
  const message = `${ids.length} threads are named ${JSON.stringify(name)}: ${someOf(ids)}.`;
  return { kind: 'none', code: 'thread-ambiguous', message, next: 'Give the id.' };
}

export function sharedBeginning(name: string, ids: readonly ThreadId[]): NoThread {
  const message = `${ids.length} threads begin with ${name}: ${someOf(ids)}.`;
  return { kind: 'none', code: 'thread-ambiguous', message, next: 'Give more of the id.' };
}

function someOf(ids: readonly ThreadId[]): string {
  return `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`;
}
