import { readlinkSync } from 'node:fs';
import type { ProcessTable } from '../../ports/processes.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** A process by which engines know each other again. */
export interface MountProcess {
  readonly process: number;
  /** When that process was started, in words of the system. Another process of the number is not this one. */
  readonly startedAt: string;
  /** In which table of processes it has its number: containers have tables of their own. */
  readonly processTable: string;
}

/** A user of mount points: an engine, for as long as its commands may run. */
export interface MountUser extends MountProcess {
  /** Folders that exist only because a sandbox needs them. Their last user removes them. */
  readonly folders: readonly string[];
  /** All folders that it mounts on, whether or not they were there before. No engine removes them meanwhile. */
  readonly uses: readonly string[];
}

/** Who asks about other processes, and whom it asks. */
export interface MountAsker {
  readonly self: MountProcess;
  readonly processes: ProcessTable;
}

/** What stands in the place of a start for a use that is over, while a folder of it has to stay. */
export const over = 'over';

/** The process that runs this code. Its start is unknown on systems without a table of processes. */
export function ownProcess(processes: ProcessTable): MountProcess {
  return {
    process: process.pid,
    startedAt: processes.startedAt(process.pid) ?? '',
    processTable: ownProcessTable(),
  };
}

/** `hidden`: it cannot be seen from here, because it is in another container or the table cannot be read now. */
export function lifeOf(user: MountProcess, { self, processes }: MountAsker): 'running' | 'ended' | 'hidden' {
  if (systemStart(user) !== systemStart(self)) return 'ended';
  if (user.processTable !== self.processTable) return 'hidden';
  const startedAt = processes.startedAt(user.process);
  if (startedAt === user.startedAt) return 'running';
  // A table in which not even this process is found cannot be read: too many files are open, for instance.
  return startedAt === undefined && processes.startedAt(self.process) === undefined ? 'hidden' : 'ended';
}

/** The members by which a process is known; undefined if there is anything else in their place. */
export function asMountProcess({ process, startedAt, processTable }: JsonObject): MountProcess | undefined {
  if (typeof process !== 'number' || !Number.isSafeInteger(process) || process <= 0) return undefined;
  if (typeof startedAt !== 'string' || typeof processTable !== 'string') return undefined;
  return { process, startedAt, processTable };
}

/** The start of a process is written after the start of the system. */
function systemStart({ startedAt }: MountProcess): string {
  return startedAt.split(' ', 1)[0] ?? '';
}

function ownProcessTable(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
