import { constants } from 'node:fs';
import { fileSystem, linkTarget } from '../disk/file-system.ts';
import { diskPath } from '../disk/path-bytes.ts';
import type { PlainCommand } from '../ports/sandbox.ts';

/** Where a process is started. */
export interface StartFolder {
  readonly path: string;
  /** To be called once the process has started, or could not. */
  close(): void;
}

/** Linux opens a folder without the right to list it. */
const pathOnly = 0o10000000;

/**
 * The working folder of a command. One that was decided on is held open and started in by its handle: what is put in its
 * place meanwhile does not count. Undefined: it does not stand there any more. Systems without such handles follow the path.
 */
export function openStartFolder({ cwd, decidedFolder }: Pick<PlainCommand, 'cwd' | 'decidedFolder'>) {
  const byPath: StartFolder = { path: cwd, close: () => {} };
  if (decidedFolder !== true || process.platform !== 'linux') return byPath;
  let handle: number;
  try {
    handle = fileSystem.openSync(diskPath(cwd), constants.O_DIRECTORY | pathOnly);
  } catch {
    return undefined;
  }
  const close = (): void => fileSystem.closeSync(handle);
  const path = `/proc/${process.pid}/fd/${handle}`;
  const place = placeOf(path);
  if (place === cwd || place === 'unknown') return { path: place === cwd ? path : cwd, close };
  close();
  return undefined;
}

/** Unknown where there is no `/proc`. */
function placeOf(handle: string): string {
  try {
    return linkTarget(handle);
  } catch {
    return 'unknown';
  }
}
