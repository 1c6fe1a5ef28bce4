import { join } from 'node:path';
import { makeOwnFolder, writeOwnFile } from '../../disk/own-file.ts';
import { fileSystem } from '../../disk/file-system.ts';
import { readTextIfPossible } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';

/** What threads read of memory. Both names are those of Codex, and both programs read the files. */
export interface MemoryTexts {
  readonly memory: string;
  readonly summary: string;
}

export const memoryFolder = (home: string): string => join(home, 'memories');

const names = { memory: 'MEMORY.md', summary: 'memory_summary.md' } as const;
const aboutThreads = 'rollout_summaries';

/** Empty: not there, or not to be read. */
export function readMemoryTexts(home: string): MemoryTexts {
  const text = (name: string): string =>
    readTextIfPossible(join(memoryFolder(home), name), { maxBytes: readLimits.instructionsBytes }) ?? '';
  return { memory: text(names.memory), summary: text(names.summary) };
}

/** Each file is replaced by rename: a process that dies leaves the old one or the new one. Throws what Node throws. */
export function writeMemoryTexts(home: string, { memory, summary }: MemoryTexts): void {
  const folder = openFolder(memoryFolder(home));
  write(folder, names.memory, memory);
  // Last: it leads to the other.
  write(folder, names.summary, summary);
}

/** What happened in one thread, where MEMORY.md can name it. */
export function writeThreadSummary(home: string, name: string, text: string): void {
  openFolder(memoryFolder(home));
  write(openFolder(join(memoryFolder(home), aboutThreads)), name, text);
}

export function removeThreadSummary(home: string, name: string): void {
  fileSystem.rmSync(join(memoryFolder(home), aboutThreads, name), { force: true });
}

/** Both files and all summaries. What else stands in the folder is another's. */
export function removeMemoryTexts(home: string): void {
  const folder = memoryFolder(home);
  for (const name of Object.values(names)) fileSystem.rmSync(join(folder, name), { force: true });
  fileSystem.rmSync(join(folder, 'raw_memories.md'), { force: true });
  fileSystem.rmSync(join(folder, aboutThreads), { force: true, recursive: true });
}

function openFolder(folder: string): string {
  if (!makeOwnFolder(folder, 'readable')) throw new Error(`${folder} is not a folder of yours alone`);
  return folder;
}

function write(folder: string, name: string, text: string): void {
  writeOwnFile(join(folder, name), join(folder, `.${name}.${process.pid}.new`), `${text.trim()}\n`);
}
