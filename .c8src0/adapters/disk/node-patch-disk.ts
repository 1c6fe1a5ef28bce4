import { dirname } from 'node:path';
import type { PatchDisk, PathState } from '../../ports/files.ts';
import { errorCode, freeTemporaryPath, fileSystem as fs, linkTarget } from './file-system.ts';
import { withFolderHandle } from './folder-access.ts';
import { readUpTo, withRegularFile } from './regular-files.ts';

const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = fs.constants;

export function nodeDisk(): PatchDisk {
  return {
    look: lookAt,
    read: (place) => withFile(place, O_RDONLY, readAll),
    makeFolder: (place) => withFolderHandle(place, (name) => fs.mkdirSync(name)),
    removeFolder: (place) => withFolderHandle(place, (name) => fs.rmdirSync(name)),
    create(place, content, mode) {
      withFolderHandle(place, (name) => {
        withRegularFile(name, { links: 'refused', flags: O_WRONLY | O_CREAT | O_EXCL }, (file) => {
          try {
            writeAll(file, content, 0);
            if (mode !== undefined) fs.fchmodSync(file, mode & 0o777);
          } catch (error) {
            fs.unlinkSync(name);
            throw error;
          }
        });
      });
    },
    overwrite(place, content) {
      withFile(place, O_WRONLY, (file, size) => {
        // Writes the growth first: a full disk is noticed while the old content is still there.
        if (content.length > size) writeAll(file, content.subarray(size), size);
        writeAll(file, content.subarray(0, size), 0);
        if (content.length < size) fs.ftruncateSync(file, content.length);
      });
    },
    setAside(place) {
      const aside = freeTemporaryPath(dirname(place));
      this.rename(place, aside);
      return aside;
    },
    rename(place, to) {
      withFolderHandle(place, (name, folder) => fs.renameSync(name, `${folder}/${to.slice(to.lastIndexOf('/') + 1)}`));
    },
    remove: (place) => withFolderHandle(place, (name) => fs.unlinkSync(name)),
  };
}

function lookAt(place: string): PathState {
  try {
    const found = fs.lstatSync(place, { throwIfNoEntry: false });
    if (found === undefined) return { kind: 'missing' };
    if (found.isSymbolicLink()) return { kind: 'link', target: utf8Target(place), since: found.ctimeMs };
    if (found.isDirectory()) return { kind: 'folder', since: found.mtimeMs };
    if (!found.isFile()) return { kind: 'other' };
    return { kind: 'file', identity: `${found.dev} ${found.ino}`, mode: found.mode, since: found.ctimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return { kind: 'missing' };
    throw error;
  }
}

/** A patch is text: it can reach no file by a name that is not UTF-8, and must not create one with a similar name. */
function utf8Target(link: string): string {
  const target = linkTarget(link);
  if (!target.isWellFormed()) throw new Error('a link on the way leads to a name that is not UTF-8');
  return target;
}

function withFile<Result>(place: string, flags: number, use: (file: number, size: number) => Result): Result {
  return withFolderHandle(place, (name) =>
    withRegularFile(name, { links: 'refused', flags }, (file, { size }) => use(file, size)),
  );
}

/** Larger than any source file; a patch must not block the process. */
const mostFileBytes = 16 * 1024 * 1024;

function readAll(file: number, size: number): Uint8Array {
  if (size > mostFileBytes) throw new Error(`it is larger than ${mostFileBytes / 1024 / 1024} MB`);
  // A file of /proc reports a size of 0, and another file may grow meanwhile.
  const most = (size === 0 ? 64 * 1024 : size) + 1;
  const bytes = readUpTo(file, { most, expected: size });
  if (bytes.length === most) throw new Error(size === 0 ? 'it has no fixed size' : 'it grew while it was read');
  return bytes;
}

function writeAll(file: number, content: Uint8Array, position: number): void {
  for (let written = 0; written < content.length;)
    written += fs.writeSync(file, content, written, content.length - written, position + written);
}
