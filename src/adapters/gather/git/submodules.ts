import { valueOr } from '../../../base/objects.ts';
import { joinInside } from '../../../core/policy/paths/absolute-paths.ts';
import { kindOfEntry, listFolderNames, pathText } from '../../disk/file-system.ts';
import { cannotBeSeen, isPathTooLong } from '../../disk/folder-access.ts';
import { readBounded, readTextIfPossible } from '../../disk/regular-files.ts';
import { readLimits } from '../files/read-guard.ts';
import { findGitDirectory, gitConfigValue, type GitDirectory } from './repository.ts';
import { join } from 'node:path';

/** A folder that a repository's index lists as another repository. */
export interface NestedRepository {
  readonly folder: string;
  /** Absent: there is nothing that git accepts as a repository. */
  readonly directory?: GitDirectory;
  /** Has a `.git` that is not empty: sandboxes create empty ones as mount points. */
  readonly isCheckedOut: boolean;
}

const mostFolders = 500;
const mostDepth = 8;

/**
 * The folders that git enters when it examines the repository: those that its index lists, and recursively those of
 * their indexes. `unseen`: a folder left out because its path is too long to protect or it cannot be examined.
 */
export function findNestedRepositories(repository: string) {
  const folders: NestedRepository[] = [];
  let isWhole = true;
  let unseen: string | undefined;
  const follow = (folder: string, directory: GitDirectory | undefined, depth: number): void => {
    const links = directory === undefined ? [] : readGitlinks(directory);
    if (links === undefined || (links.length > 0 && depth > mostDepth)) return void (isWhole = false);
    for (const link of links) {
      const linked = joinInside(folder, link);
      if (linked === undefined || linked === folder) continue;
      if (folders.length >= mostFolders) return void (isWhole = false);
      const git = join(linked, '.git');
      if (isPathTooLong(linked) || cannotBeSeen(git)) {
        unseen ??= linked;
        isWhole = false;
        continue;
      }
      const inner = findGitDirectory(linked);
      const kind = kindOfEntry(git);
      const isCheckedOut = kind === 'folder' ? listFolderNames(git).length > 0 : kind !== 'missing';
      folders.push({ folder: linked, isCheckedOut, directory: inner });
      follow(linked, inner, depth + 1);
    }
  };
  follow(repository, findGitDirectory(repository), 1);
  return { folders, isWhole, unseen };
}

const linkMode = 0o160000;
const linkModeEnd = Buffer.from([0xe0, 0]);
const headerBytes = 12;
/** Times, numbers and sizes precede an entry's name; one of them is the mode. */
const [statBytes, modeAt] = [40, 24];
const extendedFlag = 0x4000;

/** Paths in the index that are other repositories, in `.gitmodules` or not. Undefined: it cannot be read completely. */
export function readGitlinks({ path, common }: GitDirectory): readonly string[] | undefined {
  const config = readBounded(join(common, 'config'), { maxBytes: readLimits.gitConfigBytes });
  const settings = config.kind === 'read' ? config.bytes.toString('utf8') : '';
  const hashBytes = gitConfigValue(settings, { section: 'extensions', key: 'objectformat' }) === 'sha256' ? 32 : 20;
  const isSplit = listFolderNames(path).some((name) => name.startsWith('sharedindex.'));
  const own = linksIn(join(path, 'index'), hashBytes, isSplit);
  if (own?.base === undefined) return own?.links;
  // Split index: the remaining entries are in the file that it names.
  const shared = linksIn(join(path, `sharedindex.${own.base}`), hashBytes, isSplit);
  return shared && [...new Set([...shared.links, ...own.links])];
}

type IndexLinks = { readonly links: readonly string[]; readonly base?: string };

function linksIn(file: string, hashBytes: number, isSplit: boolean): IndexLinks | undefined {
  const read = readBounded(file, { maxBytes: readLimits.gitIndexBytes });
  if (read.kind === 'missing') return { links: [] };
  if (read.kind !== 'read') return undefined;
  const { bytes } = read;
  // Most repositories have none and need no parsing of entries.
  if (!isSplit && !hasLinkMode(bytes)) return { links: [] };
  return valueOr(undefined, () => readIndex(bytes, hashBytes));
}

/** True if the mode's bytes occur anywhere. Searches for its rare byte first, because an index is full of zeros. */
function hasLinkMode(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(linkModeEnd); at >= 0; at = bytes.indexOf(linkModeEnd, at + 1)) {
    if (bytes[at - 1] === 0 && bytes[at - 2] === 0) return true;
  }
  return false;
}

/** Throws a RangeError on a truncated index. */
function readIndex(bytes: Buffer, hashBytes: number): IndexLinks | undefined {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  const links: string[] = [];
  let name: Buffer = Buffer.alloc(0);
  let at = headerBytes;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at;
    const isLink = bytes.readUInt32BE(at + modeAt) === linkMode;
    at += statBytes + hashBytes;
    at += version > 2 && (bytes.readUInt16BE(at) & extendedFlag) !== 0 ? 4 : 2;
    let kept = 0;
    if (version === 4) {
      // Number of bytes to drop from the previous name, in groups of seven bits.
      let byte = bytes.readUInt8(at++);
      let cut = byte & 127;
      while ((byte & 128) !== 0) {
        byte = bytes.readUInt8(at++);
        cut = (cut + 1) * 128 + (byte & 127);
      }
      kept = Math.max(0, name.length - cut);
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) return undefined;
    const rest = bytes.subarray(at, end);
    if (version === 4 || isLink) name = kept === 0 ? rest : Buffer.concat([name.subarray(0, kept), rest]);
    if (isLink) links.push(pathText(name));
    at = version === 4 ? end + 1 : start + Math.ceil((end - start + 1) / 8) * 8;
  }
  for (; at + 8 <= bytes.length - hashBytes; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString('latin1', at, at + 4) !== 'link') continue;
    // In a split index, an entry without a name replaces one of the base index and takes the name from there.
    if (links.includes('')) return undefined;
    return { links, base: bytes.toString('hex', at + 8, at + 8 + hashBytes) };
  }
  return { links };
}

/** Each may take a mount. */
const most = 64;

/** Existing folders of `.gitmodules`: git would obey a `.git` that a command put there, checked out or not. */
export function registeredSubmodules(repository: string): readonly string[] {
  const text = readTextIfPossible(join(repository, '.gitmodules'), { maxBytes: readLimits.configBytes }) ?? '';
  const folders = text.split('\n').flatMap((line) => {
    const [key = '', ...rest] = line.split('=');
    if (key.trim() !== 'path') return [];
    const path = joinInside(
      repository,
      rest
        .join('=')
        .trim()
        .replace(/^"(.*)"$/, '$1'),
    );
    return path === undefined || path === repository ? [] : [path];
  });
  return [...new Set(folders)]
    .filter((folder) => !isPathTooLong(folder) && kindOfEntry(folder) === 'folder')
    .slice(0, most);
}
