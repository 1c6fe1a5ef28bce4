import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeOwnFolder } from '../disk/own-file.ts';
import { sweepFolders } from '../disk/processes.ts';

/** What a session says beyond this is not kept. */
const mostBytes = 16 * 1024 * 1024;
/** Files of sessions that are over make way for those of new ones. */
const mostFiles = 64;
const prefix = 'thread-';

/** Where the output of one session is kept, so that what was cut can be read. */
export interface SessionLog {
  readonly path: string;
  add(bytes: Uint8Array): void;
  /** The file stays until the thread closes. */
  end(): void;
}

/** The files of one thread's sessions. */
export interface SessionLogs {
  /** Undefined where the disk refuses: the session works without. */
  open(id: number): SessionLog | undefined;
  /** Removes all of them. */
  close(): void;
}

/** `folder`: commands may read what is in it, and not write. */
export function createSessionLogs(folder: string): SessionLogs {
  let own: string | undefined;
  const paths: string[] = [];
  const makeFolder = (): string => {
    if (!makeOwnFolder(folder, 'readable')) throw new Error(`${folder} is open to others.`);
    sweepFolders(folder, prefix);
    const made = mkdtempSync(join(folder, `${prefix}${process.pid}-`));
    if (folders.size === 0) process.on('exit', removeAll);
    folders.add(made);
    return made;
  };
  return {
    open(id) {
      try {
        own ??= makeFolder();
        const path = join(own, `${id}.log`);
        const file = openSync(path, 'ax', 0o600);
        paths.push(path);
        if (paths.length > mostFiles) rmSync(paths.shift() as string, { force: true });
        return logInto(file, path);
      } catch {
        return undefined;
      }
    },
    close() {
      if (own !== undefined) remove(own);
      own = undefined;
      if (folders.size === 0) process.off('exit', removeAll);
    },
  };
}

/** Of all threads of this process: they are removed when it goes. */
const folders = new Set<string>();

function remove(folder: string): void {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}

function removeAll(): void {
  for (const folder of folders) remove(folder);
}

function logInto(file: number, path: string): SessionLog {
  let left = mostBytes;
  let isOpen = true;
  const end = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  return {
    path,
    add(bytes) {
      if (!isOpen || left === 0) return;
      const part = bytes.subarray(0, left);
      left -= part.length;
      try {
        writeSync(file, part);
        if (left === 0) writeSync(file, `\n[Capstan keeps the first ${mostBytes} bytes.]\n`);
      } catch {
        // A disk that is full keeps what it has.
        end();
      }
    },
    end,
  };
}
