import { errorCode, fileSystem, kindOfEntry, lookAt } from '../../disk/file-system.ts';
import { namesIn, realPath, realPlace } from '../../disk/folders.ts';
import { makeOwnFolder, writeOwnFile } from '../../disk/own-file.ts';
import { readBounded, readTextIfPossible } from '../../disk/read-bounded.ts';
import { isWithin } from '../../policy/paths.ts';
import { defined } from '../../protocol/defined.ts';
import { objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { diskPath } from '../../disk/path-bytes.ts';
import { inside, partsIn } from '../files/project-folders.ts';

/** Digests of a project's parts, by path. */
export type PartDigests = Readonly<Record<string, string>>;

/**
 * A folder that commands could write under Landlock, which protects nothing in it, with the parts of projects there that
 * the user trusted before, or has agreed to since. Nothing else in it counts by trust.
 */
interface LandlockRoot {
  readonly file: string;
  readonly root: string;
  readonly agreed: PartDigests;
}

/** Loaded on use: most homes have no record. */
const sha256 = () => process.getBuiltinModule('node:crypto').createHash('sha256');

const folderOf = (home: string): string => `${inside(home)}capstan/landlock`;

function recordedRoots(home: string): readonly LandlockRoot[] {
  const folder = folderOf(home);
  const names = namesIn(folder).filter((name) => name.endsWith('.json'));
  return names.map((name) => {
    const file = `${folder}/${name}`;
    const record = parseJsonObject(readTextIfPossible(file, { maxBytes: 16_000_000 }) ?? '');
    // A record that cannot be read may have been about any folder.
    return { file, root: stringAt(record, 'root') ?? '/', agreed: (objectAt(record, 'agreed') ?? {}) as PartDigests };
  });
}

/** The first part in a project's folder that commands under Landlock could write, and that is not as the user agreed. */
export function changedPart(home: string, owner: string): string | undefined {
  const roots = recordedRoots(home);
  if (roots.length === 0) return undefined;
  return ownParts(home, owner).find((path) => {
    const around = roots.filter(({ root }) => liesIn(path, root));
    if (around.length === 0) return false;
    const digest = digestOf(path);
    return digest === undefined || !around.some(({ agreed }) => agreed[path] === digest);
  });
}

/** Digests of what stands in projects' folders now. */
export function partDigests(home: string, owners: readonly string[]): PartDigests {
  const parts = owners.flatMap((owner) => ownParts(home, owner));
  return defined(Object.fromEntries(parts.map((path) => [path, digestOf(path)]))) as PartDigests;
}

function ownParts(home: string, owner: string): readonly string[] {
  const parts = partsIn(realPath(owner) ?? owner).map(({ path }) => path);
  return parts.filter((path) => lookAt(path).kind !== 'missing' && !isWithin(path, realPath(home) ?? home));
}

/**
 * Records folders that commands will write under Landlock, before the first of them starts. `trusted`: folders of projects
 * whose parts count as they are now. Throws where the home cannot be written.
 */
export function recordLandlockRoots(home: string, roots: readonly string[], trusted: () => readonly string[]): void {
  const known = recordedRoots(home).map(({ root }) => root);
  const fresh = new Set(roots.map(realPlace).filter((root) => !known.some((each) => isWithin(root, each))));
  if (fresh.size === 0) return;
  const folder = folderOf(home);
  if (!makeOwnFolder(folder, 'readable')) throw new Error(`${folder} cannot be made. Make the home writable.`);
  const digests = Object.entries(partDigests(home, trusted()));
  for (const root of fresh) {
    const agreed = Object.fromEntries(digests.filter(([path]) => liesIn(path, root)));
    const file = `${folder}/${sha256().update(root).digest('hex').slice(0, 32)}.json`;
    const temporary = `${file}.${process.pid}`;
    writeOwnFile(`${temporary}.new`, temporary, JSON.stringify({ root, agreed }));
    try {
      // Never over the record of another process, whose commands may have changed files since.
      fileSystem.linkSync(`${temporary}.new`, file);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    } finally {
      fileSystem.rmSync(`${temporary}.new`, { force: true });
    }
  }
}

/** The user has seen these parts and trusts them. */
export function agreeToParts(home: string, digests: PartDigests): void {
  for (const { file, root, agreed } of recordedRoots(home)) {
    const seen = Object.entries(digests).filter(([path]) => liesIn(path, root));
    if (seen.length === 0) continue;
    writeOwnFile(
      file,
      `${file}.${process.pid}`,
      JSON.stringify({ root, agreed: { ...agreed, ...Object.fromEntries(seen) } }),
    );
  }
}

/** By its name, or where its links lead. */
function liesIn(path: string, root: string): boolean {
  return isWithin(path, root) || isWithin(realPath(path) ?? path, root);
}

const mostEntries = 20_000;
const mostBytes = 1_000_000;

/**
 * Digest of a file's content, or of all that a folder holds; for a large file, of the time of its last change.
 * Undefined: there is too much to compare.
 */
function digestOf(path: string): string | undefined {
  const hash = sha256();
  let left = mostEntries;
  const add = (place: string): void => {
    left -= 1;
    const seen = lookAt(place);
    if (seen.kind === 'link') hash.update(`link ${JSON.stringify(seen.target)}\n`);
    const isFolder = seen.kind === 'link' ? place === path && kindOfEntry(place) === 'folder' : seen.kind === 'folder';
    if (isFolder) {
      for (const name of namesIn(place).toSorted()) {
        if (left <= 0) return;
        hash.update(`entry ${JSON.stringify(name)}\n`);
        add(`${place}/${name}`);
      }
      hash.update('end\n');
      return;
    }
    const read = readBounded(place, { maxBytes: mostBytes });
    if (read.kind === 'read') hash.update(`file ${read.bytes.length}\n`).update(read.bytes);
    if (read.kind === 'unread' && read.why === 'too-large') {
      const { size, ino, ctimeNs } = fileSystem.statSync(diskPath(place), { bigint: true });
      hash.update(`large ${size} ${ino} ${ctimeNs}\n`);
    }
  };
  add(path);
  return left <= 0 ? undefined : hash.digest('hex');
}
