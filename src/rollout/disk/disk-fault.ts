import { errorCode } from '../../disk/file-system.ts';
import { Fault } from '../../protocol/outcome.ts';

export type DiskFaultCode = 'disk-vanished' | 'disk-full' | 'disk-denied' | 'disk-blocked' | 'disk-failed';

const advice: Readonly<Record<DiskFaultCode, string>> = {
  'disk-full': 'Free some space, or raise the quota or the file size limit. Everything up to the last save is safe.',
  'disk-denied':
    'Check the permissions of the file and its folders, and whether the disk is read-only. Or set CAPSTAN_HOME to a folder that you can write to, or save nothing with --ephemeral.',
  'disk-blocked':
    'Something else is in the place of the file or one of its folders. Move it away, or set CAPSTAN_HOME to another folder.',
  'disk-vanished': 'The file was deleted, or the disk was disconnected. This run is not saved; look for a backup.',
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
  const message = `Cannot ${doing} the thread file ${path}: ${reason}`;
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
