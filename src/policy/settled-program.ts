import { isWithin, joinPath } from './paths.ts';
import { type PathSight, walkPath } from './walk-path.ts';

/** What a look at the places of programs needs. */
export interface ProgramGround {
  /** What stands at a path, a link itself and not what it leads to. */
  look(path: string): PathSight;
  /** Whether commands may write the path, or once could. */
  isWritable(path: string): boolean;
  /** Where the command runs. Absolute. */
  readonly cwd: string;
  /** The search path that the command will have. Undefined: the shell chooses one, which is not known. */
  readonly path: string | undefined;
}

/** What a path means there depends on the process that asks. */
const perProcess = ['/proc', '/dev'];

/**
 * Whether no command can have written or replaced what a shell starts by this word. A bare name is searched for in the
 * whole path: no folder of it may be writable, so that other names of the same script are settled with it.
 */
export function isSettledProgram(word: string, ground: ProgramGround): boolean {
  if (word === '' || word.includes('\0')) return false;
  if (word.startsWith('/')) return isSettledPlace(word, ground);
  if (word.includes('/')) return isSettledPlace(`${ground.cwd}/${word}`, ground);
  if (writablePathFolder(ground) !== undefined) return false;
  const folders = ground.path?.split(':') ?? [];
  // A name that stands nowhere is a word of the shell, or starts nothing.
  return folders.every((folder) => isSettledPlace(joinPath(folder, word), ground));
}

/** The first folder of the search path that is relative, or in which commands can put a program. */
export function writablePathFolder(ground: ProgramGround): string | undefined {
  const folders = ground.path?.split(':') ?? [''];
  const found = folders.find((folder) => !folder.startsWith('/') || !isSettledPlace(folder, ground));
  return found === '' ? '.' : found;
}

/** Whether commands can change neither what the path leads to nor anything on the way there. */
export function isSettledPlace(
  path: string,
  { look, isWritable }: Pick<ProgramGround, 'look' | 'isWritable'>,
): boolean {
  let isSettled = true;
  const lookAround = (place: string): PathSight => {
    isSettled &&= !isWritable(place) && !perProcess.some((folder) => isWithin(place, folder));
    return look(place);
  };
  const { kind } = walkPath(lookAround, path, { lastLink: 'followed' });
  return isSettled && kind !== 'loop';
}
