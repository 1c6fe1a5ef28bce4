import { homedir } from 'node:os';
import { findHome } from '../gather/home.ts';
import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import type { Line } from '../protocol/line.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { threadRollouts } from '../rollout/thread-rollouts.ts';
import { currentFolder } from './current-folder.ts';
import { createHomeStore } from './home-store.ts';
import { lostAsValue } from './lost-as-value.ts';

/** A thread as its file says, for those who only look. */
export interface ReadThread {
  readonly kind: 'read';
  readonly id: ThreadId;
  readonly lines: readonly Line[];
  /** Lines that could not be read and were passed over. */
  readonly skipped: number;
}

/** The thread that somebody means, else the newest of the folder. Nothing is locked: its writer is not disturbed. */
export async function readThread(name: string | undefined): Promise<ReadThread | Outcome> {
  const home = findHome(process.env, homedir());
  if ('code' in home) return home;
  const folder = currentFolder();
  if (name === undefined && 'code' in folder) return folder;
  const { store, seals } = createHomeStore(home.path, { maxBlobBytes: 0 });
  const chosen = await store.directory.choose(
    name === undefined && 'path' in folder ? { kind: 'last', cwd: folder.path } : { kind: 'named', name: name ?? '' },
  );
  if (chosen.kind === 'none') return { ...chosen, next: advice(chosen, name) };
  const rollouts = threadRollouts(store, seals);
  return lostAsValue(async () => {
    return { kind: 'read', id: chosen.id, ...(await readAll(rollouts.read(chosen.id, { from: 0 as Ordinal }))) };
  });
}

async function readAll(reader: AsyncGenerator<Line, { readonly skipped: number }>) {
  const lines: Line[] = [];
  for (;;) {
    const next = await reader.next();
    if (next.done === true) return { lines, skipped: next.value.skipped };
    lines.push(next.value);
  }
}

function advice({ code, next }: Outcome, name: string | undefined): string {
  if (code !== 'thread-unknown') return next;
  return name === undefined
    ? 'Name a thread by its id, or start one: `capstan exec --help` says how.'
    : 'Use the id that the thread printed when it started, or the beginning of it.';
}
