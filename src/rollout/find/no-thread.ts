import type { NoThread } from '../../ports/thread-directory.ts';
import type { ThreadId } from '../../protocol/ids.ts';

/** Shorter beginnings are more likely words than ids. */
const beginning = /^[0-9a-f][0-9a-f-]{3,}$/i;

export function isIdBeginning(name: string): boolean {
  return beginning.test(name);
}

export function noThreadYet(cwd: string | undefined): NoThread {
  const message = cwd === undefined ? 'There is no thread yet.' : `There is no thread in ${cwd} yet.`;
  const next = cwd === undefined ? 'Start one without resume.' : 'Use --all for threads of other folders.';
  return { kind: 'none', code: 'thread-unknown', message, next };
}

export function noneNamed(name: string, cwd: string | undefined): NoThread {
  const message = `No thread is named ${JSON.stringify(name)}${cwd === undefined ? '' : ` in ${cwd}`}.`;
  const next = 'Use the id that the thread printed when it started, the beginning of it, or --last.';
  return { kind: 'none', code: 'thread-unknown', message, next };
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
