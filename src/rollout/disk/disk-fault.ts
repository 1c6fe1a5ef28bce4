import { errorCode } from '../../disk/file-system.ts';
import { Fault } from '../../protocol/outcome.ts';

export type DiskFaultCode = 'disk-vanished' | 'disk-full' | 'disk-denied' | 'disk-blocked' | 'disk-failed';

const advice: Readonly<Record<DiskFaultCode, string>> = {
  'disk-full':
    'Free some space, or raise the quota or the limit of file sizes. Everything up to the last save is safe.',
  'disk-denied':
    'Check who owns the file and its folders and whether the disk is read-only; or let CAPSTAN_HOME name a folder that you may write to, or keep nothing with --ephemeral.',
  'disk-blocked':
    'Something else stands where the file or one of its folders should be: move it away, or let CAPSTAN_HOME name another folder.',
  'disk-vanished':
    'It was removed, or the disk is gone. What was said in this run is not kept; see whether a copy is left.',
  'disk-failed': 'Check the disk and the system log. Everything up to the last save is safe.',
};

/** What a disk's refusal means for a thread. */
export function diskFault(error: unknown, doing: 'save' | 'read' | 'open' | 'move' | 'remove', path: string): Fault {
  if (error instanceof Fault) return error;
  const code = diskFaultCode(error);
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault(
    { code, message: `The disk would not ${doing} the thread file ${path}: ${reason}`, next: advice[code] },
    { cause: error },
  );
}

function diskFaultCode(error: unknown): DiskFaultCode {
  switch (errorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return 'disk-full';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'disk-denied';
    case 'ENOTDIR':
    case 'EISDIR':
    case 'EEXIST':
    case 'ENXIO':
      return 'disk-blocked';
    case 'ENOENT':
    case 'ESTALE':
    case 'ENODEV':
      return 'disk-vanished';
    default:
      return 'disk-failed';
  }
}
