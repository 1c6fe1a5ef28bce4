import { join } from 'node:path';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../disk/own-files.ts';

export interface OneTimeNotice {
  readonly name: string;
  /** Other words make the notice appear again. Absent: it appears once, whatever its words. */
  readonly words?: string;
  readonly keeps: boolean;
}

/** True the first time in a home, and every time if the home cannot be written. */
export function claimOneTimeNotice(home: string, { name, words, keeps }: OneTimeNotice): boolean {
  const known = readSaid(home, name);
  if (known !== undefined && (words === undefined || known === words)) return false;
  if (keeps) keepSaid(home, name, words ?? '');
  return true;
}

/** Rotates through `count` notices in a home. Undefined: the home cannot be written. */
export function nextTipIndex(home: string, name: string, count: number): number | undefined {
  const [, last = '-1'] = /^(\d{1,6})$/.exec(readSaid(home, name) ?? '') ?? [];
  const next = (Number(last) + 1) % count;
  return keepSaid(home, name, String(next)) ? next : undefined;
}

/** A folder of the home where the sandbox lets no command write. */
const folderOf = (home: string): string => join(home, 'capstan/said');

function readSaid(home: string, name: string): string | undefined {
  const known = readOwnFile(join(folderOf(home), name), { maxBytes: 10_000, toOthers: 'closed' });
  return known?.bytes.toString('utf8');
}

/** False: not saved. A full or read-only disk causes no other loss. */
function keepSaid(home: string, name: string, said: string): boolean {
  const folder = folderOf(home);
  if (!makeOwnFolder(folder, 'closed')) return false;
  try {
    writeOwnFile(join(folder, name), join(folder, `${name}.${process.pid}.tmp`), said);
    return true;
  } catch {
    return false;
  }
}
