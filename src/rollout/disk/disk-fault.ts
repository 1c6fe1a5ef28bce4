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

/** All others: `disk-failed`. */
const errors: readonly (readonly [DiskFaultCode, readonly string[]])[] = [
  ['disk-full', ['ENOSPC', 'EDQUOT', 'EFBIG']],
  ['disk-denied', ['EACCES', 'EPERM', 'EROFS']],
  ['disk-blocked', ['ENOTDIR', 'EISDIR', 'EEXIST', 'ENXIO']],
  ['disk-vanished', ['ENOENT', 'ESTALE', 'ENODEV']],
];

type Doing = 'save' | 'read' | 'open' | 'move' | 'remove';

/** What a disk's refusal means for a thread. */
export function diskFault(error: unknown, doing: Doing, path: string): Fault {
  if (error instanceof Fault) return error;
  const named = errorCode(error) ?? '';
  const code = errors.find(([, names]) => names.includes(named))?.[0] ?? 'disk-failed';
  const reason = error instanceof Error ? error.message : String(error);
  const message = `The disk would not ${doing} the thread file ${path}: ${reason}`;
  return new Fault({ code, message, next: advice[code] }, { cause: error });
}

/** Does the work; what the disk refuses is a `Fault`. */
export async function onDisk<Result>(doing: Doing, path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw diskFault(error, doing, path);
  }
}
