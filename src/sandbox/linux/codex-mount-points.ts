import { type Stats, linkSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../disk/file-system.ts';
import { namesIn, realPath } from '../../disk/folders.ts';
import { readOwnFile } from '../../disk/own-file.ts';
import { isAlive } from '../../disk/processes.ts';
import { standStill } from '../../disk/stand-still.ts';
import { accessByRules } from '../../policy/access.ts';
import type { PathRule, ResolvedFiles } from '../../protocol/resolved-policy.ts';

/**
 * The tables in which Codex records the folders that its sandboxes mount on: for each folder a folder of marks, and in
 * it a file for each process. Engines enter their own uses, so that Codex keeps the folders that they need, and they
 * keep those that Codex needs. What a table says is advice: it can keep an empty folder, and it can make an engine
 * remove an empty folder on which that engine mounted.
 */
export interface CodexMountPoints {
  /** The same access, but commands cannot write the tables. The model is not told: no task is about them. */
  protect(files: ResolvedFiles): ResolvedFiles;
  enter(folders: readonly string[], isMade: (folder: string) => boolean): CodexUse;
  /** Removes what an engine entered that has ended. */
  forget(pid: number, folders: readonly string[]): void;
  /** Whether a running process mounts on the folder. */
  isHeld(folder: string): boolean;
  /** Whether one does, and made the folder for that. */
  isMade(folder: string): boolean;
}

export interface CodexUse {
  /**
   * Waits until every Codex that may not have seen the use has removed what it was about to remove. False if there is
   * no table: then no Codex has run, and the next one finds the folders in place and leaves them. May take
   * milliseconds, because the kernel stops all changes of locks to list them.
   */
  settle(): boolean;
  leave(): void;
}

export function codexMountPoints(temporaryDirectories: readonly string[]): CodexMountPoints {
  const name = `codex-bwrap-synthetic-mount-targets-${process.geteuid?.()}`;
  const places = [...new Set(temporaryDirectories.map((folder) => join(realPath(folder) ?? folder, name)))];
  const tables = () => places.filter(isOwnFolder);
  const marksOf = (folder: string) => tables().map((table) => join(table, pathHash(folder)));
  return {
    protect(files) {
      if (files.kind === 'unrestricted') return files;
      const writable = places.filter((path) => accessByRules(files.rules, path) === 'write');
      const kept = writable.map((path): PathRule => ({ path, access: 'read', ifMissing: 'skip', own: true }));
      return { ...files, rules: [...files.rules, ...kept] };
    },
    enter(folders, isMade) {
      const found = tables();
      const marks = found.flatMap((table) => {
        const written = new Map<string, string>();
        return folders.map((folder) =>
          enterMark(join(table, pathHash(folder)), isMade(folder) ? madeWord : existingWord, written),
        );
      });
      return {
        settle() {
          for (const table of found) awaitLock(join(table, 'lock'));
          return found.length > 0;
        },
        leave: () => marks.forEach(leaveMark),
      };
    },
    forget(pid, folders) {
      if (tables().length === 0 || isAlive(pid)) return;
      for (const marks of folders.flatMap(marksOf)) if (isOwnFolder(marks)) removeMark(join(marks, String(pid)));
    },
    isHeld: (folder) => marksOf(folder).some((marks) => runningIn(marks).length > 0),
    isMade: (folder) => marksOf(folder).some((marks) => runningIn(marks).some((mark) => wordIn(mark) === madeWord)),
  };
}

const madeWord = 'synthetic\n';
const existingWord = 'existing\n';

/** Anything else may have been put there to lead us elsewhere. */
function isOwnFolder(path: string): boolean {
  return isOwn(lstatSync(path, { throwIfNoEntry: false }));
}

function isOwn(found: Stats | undefined): boolean {
  return found?.isDirectory() === true && found.uid === process.geteuid?.() && (found.mode & 0o002) === 0;
}

/** How many uses of this process each of its marks stands for. */
const uses = new Map<string, number>();

/** `written`: the marks of this use with each word. To link to one takes a third of the time of writing another. */
function enterMark(marks: string, word: string, written: Map<string, string>): string {
  const mark = join(marks, String(process.pid));
  const before = uses.get(mark) ?? 0;
  uses.set(mark, before + 1);
  if (before > 0) return mark;
  // Codex removes a folder of marks when it is empty, which may be at any moment before ours is in it.
  for (let attempt = 0; attempt < 10; attempt++) {
    try {
      if (lstatSync(marks, { throwIfNoEntry: false }) === undefined) mkdirSync(marks);
      if (!isOwnFolder(marks)) break;
      // A process that is gone may have had our number.
      if (lstatSync(mark, { throwIfNoEntry: false }) !== undefined) removeMark(mark);
      const same = written.get(word);
      if (same === undefined) writeFileSync(mark, word, { flag: 'wx' });
      else linkSync(same, mark);
      written.set(word, mark);
      break;
    } catch (error) {
      written.delete(word);
      if (!['ENOENT', 'EEXIST', 'EPERM'].includes(errorCode(error) ?? '')) break;
    }
  }
  return mark;
}

/** The folder of marks stays: without the lock of Codex, removing it could make Codex fail to write its mark. */
function leaveMark(mark: string): void {
  const left = (uses.get(mark) ?? 1) - 1;
  if (left > 0) return void uses.set(mark, left);
  uses.delete(mark);
  removeMark(mark);
}

function removeMark(mark: string): void {
  try {
    rmSync(mark, { force: true });
  } catch {
    // A mark that stays counts for nothing once this process has ended.
  }
}

/** The bytes of a folder with far more names than processes can be at work. */
const mostBytes = 1 << 18;

/** The marks of processes that run. */
function runningIn(marks: string): readonly string[] {
  const found = lstatSync(marks, { throwIfNoEntry: false });
  if (found === undefined || !isOwn(found)) return [];
  // To look at all of them would take long. One of them may run.
  if (found.size > mostBytes) return [marks];
  return namesIn(marks)
    .filter((name) => /^\d{1,10}$/.test(name) && isAlive(Number(name)))
    .map((name) => join(marks, name));
}

function wordIn(mark: string): string | undefined {
  return readOwnFile(mark, { maxBytes: 100, toOthers: 'readable' })?.bytes.toString('latin1');
}

/** Codex holds its lock for less than a millisecond. */
const lockPauses = 1_000;

/**
 * Waits until the lock is seen free: who takes it from then on sees what was entered before. To hold it would need a
 * program, which takes longer than everything else here.
 */
function awaitLock(path: string): void {
  const lock = lstatSync(path, { throwIfNoEntry: false });
  if (lock === undefined) return;
  for (let pause = 0; pause < lockPauses && isLocked(lock.ino); pause++) standStill(1);
}

/** The kernel lists `1: FLOCK ADVISORY WRITE pid device:device:inode start end`; a process that waits has an arrow. */
function isLocked(inode: number): boolean {
  try {
    const lines = readFileSync('/proc/locks', 'latin1').split('\n');
    return lines.some((line) => line.includes(` FLOCK `) && line.includes(`:${inode} `));
  } catch {
    return false;
  }
}

const hashes = new Map<string, string>();

/** FNV-1a with 64 bits, in hexadecimal digits. */
function pathHash(path: string): string {
  const known = hashes.get(path);
  if (known !== undefined) return known;
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(path)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  const digits = hash.toString(16).padStart(16, '0');
  hashes.set(path, digits);
  return digits;
}
