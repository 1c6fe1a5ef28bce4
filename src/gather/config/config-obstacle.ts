import { fileSystem } from '../../disk/file-system.ts';

/** Why Capstan does not change a file, and what the user does about it. */
export interface Obstacle {
  readonly why: string;
  readonly next: string;
}

/**
 * What stands against changing a file; undefined: nothing does, or it is not there. A file that its owner made read-only
 * could still be replaced, against what they want.
 */
export function obstacleAt(file: string): Obstacle | undefined {
  const stats = fileSystem.statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) return { why: 'it is a folder', next: 'Move that folder away, then try again.' };
  if (!stats.isFile()) return { why: 'it is not a file', next: 'Put a file in its place, then try again.' };
  const make = (what: string): string => `Make ${file} ${what} for you, then try again.`;
  if ((stats.mode & 0o400) === 0) return { why: 'it may not be read', next: make('readable and writable') };
  if ((stats.mode & 0o200) === 0) return { why: 'it is read-only', next: make('writable') };
  return stats.size > mostBytes ? { why: 'it is too large', next: 'Change it yourself.' } : undefined;
}

const mostBytes = 4_000_000;
