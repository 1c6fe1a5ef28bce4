import { join } from 'node:path';
import type { JournalDisk, OpenFile } from '../../../ports/files.ts';
import { parseThreadId, type ThreadId } from '../../../protocol/ids.ts';
import { parseJsonObject, stringAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { errorCode } from '../../disk/file-system.ts';
import { inFreeLock } from '../../disk/wait-for-lock.ts';
import { withDiskFaults } from './node-files.ts';
import { readIfThere, withOpenFile } from './whole-files.ts';
import type { HomePorts } from './rollout-paths.ts';

const indexPath = (home: string): string => join(home, 'session_index.jsonl');

/** Thread names; the newest line of a thread counts, and an empty name removes it. */
export async function threadNames(files: JournalDisk, home: string): Promise<ReadonlyMap<ThreadId, string>> {
  const names = new Map<ThreadId, string>();
  for (const line of ((await readIfThere(files, indexPath(home), readEnd)) ?? '').split('\n')) {
    const entry = parseJsonObject(line) ?? {};
    const [threadId, name] = [parseThreadId(stringAt(entry, 'id') ?? ''), stringAt(entry, 'thread_name')];
    if (threadId === undefined || name === undefined) continue;
    names.delete(threadId);
    if (name !== '') names.set(threadId, name);
  }
  return names;
}

/** Enough for a hundred thousand names. Anything before is not read. */
const mostBytes = 16 * 1024 * 1024;
const tries = 20;
const pauseMs = 100;

/** Records the new name of a thread; an empty name removes it. */
export async function appendThreadName(
  { files, locks, clock, home }: HomePorts,
  id: ThreadId,
  name: string,
): Promise<Outcome<'names-locked'> | undefined> {
  const path = indexPath(home);
  for (let i = 0; i < tries; i++) {
    const held = await inFreeLock(locks, `${path}.lock`, async () => {
      const line = { id, thread_name: name, updated_at: new Date(clock.now()).toISOString() };
      await withDiskFaults('save', path, () => appendLine(files, home, path, JSON.stringify(line)));
    });
    if (held === undefined) return undefined;
    await clock.sleep(pauseMs);
  }
  const message = `Another program has locked the list of thread names, ${path}.`;
  return { code: 'names-locked', message, next: 'Try again when it has finished.' };
}

async function appendLine(files: JournalDisk, home: string, path: string, line: string): Promise<void> {
  // The list may be a link to one that several homes share; a new one is a file.
  const opening = files.open(path, { create: false, mode: 0o600 }).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return files.open(path, { create: true, mode: 0o600 });
  });
  await withOpenFile(opening, async (file) => {
    const size = await file.size();
    const last = size === 0 ? '\n' : Buffer.from(await file.read(size - 1, 1)).toString();
    // An unterminated line is another writer's, complete or torn: keep it a separate line.
    await file.append(Buffer.from(`${last === '\n' ? '' : '\n'}${line}\n`));
    await file.sync();
    if (size === 0) await files.syncDirectory(home);
  });
}

async function readEnd(file: OpenFile): Promise<string> {
  const size = await file.size();
  const from = Math.max(0, size - mostBytes);
  return new TextDecoder().decode(await file.read(from, size - from));
}
