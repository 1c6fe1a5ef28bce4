import { dirname, join } from 'node:path';
import type { Outcome } from '../../protocol/outcome.ts';
import { fileSystem, kindOfEntry, reasonOf } from '../../disk/file-system.ts';

/** The user folder: configuration, personal instructions, threads. */
export interface Home {
  /** Absolute. */
  readonly path: string;
  /** What named it. The default folder may not exist yet: its first writer makes it. */
  readonly origin: 'CAPSTAN_HOME' | 'CODEX_HOME' | 'default';
}

export type HomeProblem = Outcome<'home-missing' | 'home-not-a-folder' | 'home-unusable'>;

/**
 * `CAPSTAN_HOME`, which is made when it is missing; else `CODEX_HOME`, which belongs to another program and must exist;
 * else `.capstan` in the user's home folder. A blank variable counts as unset.
 */
export function findHome(env: Readonly<Record<string, string | undefined>>, osHome: string): Home | HomeProblem {
  const { CAPSTAN_HOME: own = '', CODEX_HOME: shared = '' } = env;
  if (own.trim() !== '') return ownHome(own);
  if (shared.trim() !== '') return existingHome(shared, 'CODEX_HOME');
  return { path: join(osHome, '.capstan'), origin: 'default' };
}

function ownHome(path: string): Home | HomeProblem {
  if (kindOfEntry(path) === 'missing') {
    try {
      makeFolder(path);
    } catch (error) {
      return unusable(path, 'CAPSTAN_HOME', `cannot be created: ${reasonOf(error)}`);
    }
  }
  return existingHome(path, 'CAPSTAN_HOME');
}

/** Makes a folder and its parents one by one: for several at once Node hides the reason, such as a read-only disk. */
function makeFolder(path: string): void {
  const parent = dirname(path);
  if (parent !== path && kindOfEntry(parent) === 'missing') makeFolder(parent);
  fileSystem.mkdirSync(path, { mode: 0o700 });
}

function existingHome(path: string, origin: 'CAPSTAN_HOME' | 'CODEX_HOME'): Home | HomeProblem {
  const kind = kindOfEntry(path);
  if (kind === 'missing') {
    const message = `${origin} points to a folder that does not exist: ${path}`;
    return { code: 'home-missing', message, next: `Create the folder, or unset ${origin}.` };
  }
  if (kind !== 'folder') {
    const message = `${origin} is not a folder: ${path}`;
    return { code: 'home-not-a-folder', message, next: `Set ${origin} to a folder, or unset it.` };
  }
  try {
    return { path: fileSystem.realpathSync(path), origin };
  } catch (error) {
    return unusable(path, origin, `cannot be used: ${reasonOf(error)}`);
  }
}

function unusable(path: string, origin: 'CAPSTAN_HOME' | 'CODEX_HOME', what: string): HomeProblem {
  const next = `Set ${origin} to a folder that you can write to, or unset it.`;
  return { code: 'home-unusable', message: `The folder in ${origin} ${what} (${path})`, next };
}
