import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { threadFolder } from '../disk/thread-folder.ts';

/** What a session says beyond this is not kept. */
const mostBytes = 16 * 1024 * 1024;
/** Files of sessions that are over make way for those of new ones. */
const mostFiles = 64;

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
  const own = threadFolder(folder);
  const paths: string[] = [];
  return {
    open(id) {
      try {
        const path = join(own.path(), `${id}.log`);
        const file = openSync(path, 'ax', 0o600);
        paths.push(path);
        if (paths.length > mostFiles) rmSync(paths.shift() as string, { force: true });
        return logInto(file, path);
      } catch {
        return undefined;
      }
    },
    close: () => own.remove(),
  };
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
