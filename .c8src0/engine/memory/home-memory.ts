import { systemPrograms } from '../../adapters/exec/find-programs.ts';
import {
  memoryFolder,
  memoryNotesFolder,
  readMemoryTexts,
  readMemoryNotes,
  removeMemoryTexts,
  removeMemoryNotes,
} from '../../adapters/gather/memory-files.ts';
import type { MemoryNote, MemoryTexts } from '../../adapters/gather/memory-files.ts';
import { findHome, type HomeProblem } from '../../adapters/gather/home.ts';
import { systemClock } from '../../adapters/gather/clock-and-ids.ts';
import { diskErrorReason } from '../../adapters/disk/file-system.ts';
import { inFreeLock } from '../../adapters/disk/wait-for-lock.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import { createFlock } from '../../adapters/rollout/files/file-locks.ts';

export interface HomeMemory extends MemoryTexts {
  readonly folder: string;
  /** Newest first. */
  readonly notes: readonly MemoryNote[];
  /** Removes everything. Returns why it could not. Never rejects. */
  clear(): Promise<Outcome | undefined>;
}

export function loadHomeMemory(env: EnvironmentVariables, osHome: string): HomeMemory | HomeProblem {
  const found = findHome(env, osHome);
  if ('code' in found) return found;
  const home = found.path;
  return {
    folder: memoryFolder(home),
    ...readMemoryTexts(home),
    notes: readMemoryNotes(home).toSorted((a, b) => b.at - a.at),
    clear: () => clear(home),
  };
}

async function clear(home: string): Promise<Outcome | undefined> {
  try {
    const locks = createFlock({ clock: systemClock, programs: systemPrograms });
    const held = await inFreeLock(locks, `${memoryNotesFolder(home)}/lock`, async () => {
      removeMemoryTexts(home);
      removeMemoryNotes(home);
    });
    return held && busy;
  } catch (error) {
    const message = `${memoryFolder(home)} could not be cleared: ${diskErrorReason(error)}.`;
    return { code: 'memory-not-cleared', message, next: 'Remove the folder yourself.' };
  }
}

const busy: Outcome = {
  code: 'memory-busy',
  message: 'Another process of Capstan is writing notes.',
  next: 'Try again when it is done.',
};
