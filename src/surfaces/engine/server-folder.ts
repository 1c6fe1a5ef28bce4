import { join } from 'node:path';
import { makeOwnFolder } from '../../disk/own-file.ts';
import type { CallerPrograms } from '../../exec/processes/programs.ts';

/**
 * The folder that MCP servers start in, and commands that print keys: one of their own, unless commands may write in a folder above it. Package runners
 * look there as well, so the root of the disk is taken then.
 */
export function serverFolder(home: string, { isSafeFolder }: Pick<CallerPrograms, 'isSafeFolder'>): string {
  const folder = join(home, 'capstan/servers');
  return makeOwnFolder(folder, 'closed') && isSafeFolder(folder) ? folder : '/';
}
