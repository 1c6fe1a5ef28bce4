import { homedir } from 'node:os';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { currentFolder } from '../terminal/current-folder.ts';
import { StoredThreads, type ThreadLines } from '../engine/stored-threads.ts';
import type { TakenBackRequests } from '../engine/taken-back.ts';
import { lostAsValue } from '../terminal/lost-as-value.ts';
import { withProgress } from '../terminal/with-progress.ts';

/** A thread as its file says, for commands that only look. */
export interface ReadThread extends ThreadLines {
  readonly id: ThreadId;
  /** What the thread does not show any more. */
  takenBack(): Promise<TakenBackRequests>;
}

/** The thread that the user names, else the newest of the folder. Nothing is locked: its writer is not disturbed. */
export async function loadThread(name: string | undefined): Promise<ReadThread | Outcome> {
  const stored = StoredThreads.in(process.env, homedir());
  if ('code' in stored) return stored;
  const folder = currentFolder();
  if (name === undefined && 'code' in folder) return folder;
  const chosen = await stored.choose(
    name === undefined && 'path' in folder ? { kind: 'last', cwd: folder.path } : { kind: 'named', name: name ?? '' },
  );
  if (chosen.kind === 'none') return { ...chosen, next: advice(chosen, name) };
  return lostAsValue(async () => {
    const read = await withProgress({ label: 'Reading lines' }, (report) => stored.read(chosen.id, report));
    return { id: chosen.id, ...read, takenBack: () => stored.takenBack(chosen.id) };
  });
}

function advice({ code, next }: Outcome, name: string | undefined): string {
  if (code !== 'thread-unknown') return next;
  return name === undefined
    ? 'Name a thread, as `capstan threads list` shows them, or start one: `capstan exec --help` says how.'
    : next;
}
