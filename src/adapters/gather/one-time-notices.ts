import { join } from 'node:path';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../disk/own-files.ts';

export interface OneTimeNotice {
  /** Of a file. */
  readonly name: string;
  /** With other words it is said again. Absent: it is said once, whatever the words are. */
  readonly words?: string;
  /** Whether this is kept for the next time. */
  readonly keeps: boolean;
}

/** Whether something is said for the first time in a home. Where nothing can be kept, it is so each time. */
export function recordIfFirst(home: string, { name, words, keeps }: OneTimeNotice): boolean {
  const known = readSaid(home, name);
  if (known !== undefined && (words === undefined || known === words)) return false;
  if (keeps) keepSaid(home, name, words ?? '');
  return true;
}

/** Which of so many is said next in a home, one after the other. Undefined: nothing can be kept there. */
export function nextTipIndex(home: string, name: string, count: number): number | undefined {
  const [, last = '-1'] = /^(\d{1,6})$/.exec(readSaid(home, name) ?? '') ?? [];
  const next = (Number(last) + 1) % count;
  return keepSaid(home, name, String(next)) ? next : undefined;
}

/** Below the home, where the sandbox lets no command write. */
function folderOf(home: string): string {
  return join(home, 'capstan/said');
}

function readSaid(home: string, name: string): string | undefined {
  const known = readOwnFile(join(folderOf(home), name), { maxBytes: 10_000, toOthers: 'closed' });
  return known?.bytes.toString('utf8');
}

/** False: it is not kept. A full or read-only disk loses no more than this. */
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
