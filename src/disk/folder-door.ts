import { basename, dirname } from 'node:path';
import { fileSystem as fs } from './file-system.ts';

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;

/** Opens a folder for its name alone, which needs no right to list it. Linux has it; Node has no name for it. */
export const O_PATH = 0o10000000;

/**
 * Does something in the folder of a place through an open door of that folder. Commands may run at the same time, and
 * one of them could put a link where a folder was after the policy was asked: the door leads to the folder that was
 * meant, or there is none.
 */
export function inFolder<Result>(place: string, use: (name: string, folder: string) => Result): Result {
  const folder = dirname(place);
  if (!hasDoors()) return use(place, folder);
  const door = fs.openSync(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  try {
    const open = `/proc/self/fd/${door}`;
    if (fs.readlinkSync(open) !== folder) throw new Error('its folder was moved or replaced in the meantime');
    return use(`${open}/${basename(place)}`, open);
  } finally {
    fs.closeSync(door);
  }
}

let doors: boolean | undefined;

/** Only Linux lets a program name what is in a folder that it holds open. */
export function hasDoors(): boolean {
  return (doors ??= process.platform === 'linux' && fs.existsSync('/proc/self/fd'));
}
