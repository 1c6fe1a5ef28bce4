import { defined } from '../../../base/objects.ts';
import type { Config } from '../../../core/config/config.ts';
import { decideTrust, type TrustDecision } from '../../../core/config/project-trust.ts';
import { isWithin } from '../../../core/policy/paths/absolute-paths.ts';
import { objectAt, parseJsonObject } from '../../../protocol/json.ts';
import { toNodePath, errorCode, fileSystem, linkTarget, listFolderNames, realPath } from '../../disk/file-system.ts';
import { listExactEntries } from '../../disk/folder-access.ts';
import { makeOwnFolder, writeOwnFile } from '../../disk/own-files.ts';
import { readBounded, readTextIfPossible } from '../../disk/regular-files.ts';
import { projectFolderNames, projectFolders, withTrailingSeparator } from '../files/project-folders.ts';
import { findGitDirectory, findRepository, mainCheckout } from '../git/repository.ts';
import {
  findLandlockWriter,
  createOverlapTest,
  readWritableRoot,
  registerLandlockWriter,
  writableRootAt,
} from './landlock-writers.ts';
import type { OverlapTest, WritableRoot } from './landlock-writers.ts';
import { createHash, hash } from 'node:crypto';

/**
 * Looks up, in order: the folder's own entry, its project's root, its repository, the main checkout of a linked
 * worktree; each as written and with links resolved. It resolves no links in entries: a program that can change such a
 * link could give its trust to any folder. Trust ends if commands under Landlock may have changed it (see `home`).
 */
export function findTrust(
  folder: string,
  { projects, projectRootMarkers }: Pick<Config, 'projects' | 'projectRootMarkers'>,
  home: string,
): TrustDecision {
  if (Object.keys(projects).length === 0) return { trust: 'unknown' };
  for (const { candidate, link } of candidates(folder, projectRootMarkers)) {
    const decision = decideTrust(projects, [candidate, realPath(candidate) ?? candidate]);
    if (decision.trust === 'unknown') continue;
    if (decision.trust === 'untrusted') return decision;
    const changed = changedConfiguration(home, { owner: folder, link });
    return { ...decision, ...defined({ link }), ...(changed && { trust: 'unknown', ...changed }) };
  }
  return { trust: 'unknown' };
}

function* candidates(
  folder: string,
  markers: readonly string[],
): Generator<{ readonly candidate: string; readonly link?: string }> {
  yield { candidate: folder };
  const [root = folder] = projectFolders(folder, markers);
  yield { candidate: root };
  const repository = findRepository(folder);
  if (repository === undefined) return;
  yield { candidate: repository };
  const main = mainCheckout(repository);
  if (main !== undefined) yield { candidate: main, link: repository };
}

export type PartDigests = Readonly<Record<string, string>>;
/** A folder of a project. `link`: a linked worktree, if the folder has its trust from that worktree's main checkout. */
export type ProjectFolder = { readonly owner: string; readonly link?: string };
type ChangedConfiguration = Pick<TrustDecision, 'writer' | 'isIncomparable'> & { readonly changed: string };
/**
 * A folder that commands could write under Landlock. `agreed`: digests of the parts of projects in it that the user
 * trusted before, or has agreed to since. The user's trust covers only these.
 */
type LandlockRoot = WritableRoot & { readonly file: string; readonly agreed: PartDigests };
const folderOf = (home: string): string => `${withTrailingSeparator(home)}capstan/landlock`;

function recordedRoots(home: string): readonly LandlockRoot[] {
  const folder = folderOf(home);
  if (!fileSystem.existsSync(folder)) return [];
  const names = listFolderNames(folder).filter((name) => name.endsWith('.json'));
  return names.map((name) => {
    const file = `${folder}/${name}`;
    const record = parseJsonObject(readTextIfPossible(file, { maxBytes: 16_000_000 }) ?? '');
    return { file, ...readWritableRoot(record), agreed: (objectAt(record, 'agreed') ?? {}) as PartDigests };
  });
}

/** Finds the first part that commands under Landlock could write and that differs from the agreed one, or still may. */
export function changedConfiguration(home: string, project: ProjectFolder): ChangedConfiguration | undefined {
  const roots = recordedRoots(home);
  if (roots.length === 0) return undefined;
  for (const part of partsOf(home, project)) {
    const sight = lookAtPart(part, { home, roots });
    const around = roots.filter((root) => sight.places.some((overlaps) => overlaps(root)));
    if (around.length === 0) continue;
    const digest = digestOf(part, sight, { home, roots });
    if (digest === undefined) return { changed: part.path, isIncomparable: true };
    const agreed = around.flatMap((root) => root.agreed[part.path] ?? []);
    // A part that never existed needs no agreement. A removed part may have been a restriction on commands.
    const isAgreed = agreed.length === 0 ? digest === missing : agreed.includes(digest);
    if (!isAgreed) return { changed: part.path };
    if (digest === missing) continue;
    const writer = findLandlockWriter(home, sight.places);
    if (writer !== undefined) return { changed: part.path, writer };
  }
  return undefined;
}

export const partDigests = (home: string, projects: readonly ProjectFolder[]): PartDigests =>
  digestsUnder(recordedRoots(home), { home, projects });

function digestsUnder(
  roots: readonly WritableRoot[],
  { home, projects }: { readonly home: string; readonly projects: readonly ProjectFolder[] },
): PartDigests {
  const parts = projects.flatMap((project) => partsOf(home, project));
  const digests = parts.map((part) => [part.path, digestOf(part, lookAtPart(part, { home, roots }), { home, roots })]);
  return defined(Object.fromEntries(digests)) as PartDigests;
}

/**
 * Changes whenever a trusted part, or an owner's folder itself, changes. Compare it before and after loading files: a
 * process may put something there for a moment. Stays empty if no commands ran under Landlock.
 */
export function projectPartsStamp(home: string, owners: readonly string[]): string {
  const roots = recordedRoots(home);
  if (roots.length === 0) return '';
  const sights = owners.flatMap((owner) => partsOf(home, { owner })).map((part) => lookAtPart(part, { home, roots }));
  const open = owners.filter((owner) => roots.some(createOverlapTest(owner)));
  return [...open.map(timesOf), ...sights.map(({ stamp }) => stamp)].join('\n');
}

type Part = { readonly path: string; readonly starts: readonly string[] };

/** Parts are whole folders, since their configuration may name scripts in them. Excludes the engine's home. */
function partsOf(home: string, { owner, link }: ProjectFolder): readonly Part[] {
  const ofHome = realPath(home) ?? home;
  const place = withTrailingSeparator(realPath(owner) ?? owner);
  const folders = [...projectFolderNames, '.agents']
    .map((name) => place + name)
    .filter((path) => realPath(path) !== ofHome)
    .map((path): Part => ({ path, starts: [path] }));
  if (link === undefined) return folders;
  const pointer = `${withTrailingSeparator(link)}.git`;
  const directory = findGitDirectory(link)?.path;
  const records = directory === undefined ? [] : [`${directory}/gitdir`, `${directory}/commondir`];
  return [...folders, { path: pointer, starts: [pointer, ...records] }];
}

/** Digest of a part without content. An empty folder counts as missing: bubblewrap sandboxes make some for a while. */
const missing = 'missing';

/**
 * Call it before commands write these folders under Landlock. `trusted`: projects accepted as they are now. Throws if
 * the home cannot be written.
 */
export function recordLandlockRoots(
  home: string,
  writable: readonly string[],
  trusted: () => readonly ProjectFolder[],
) {
  const known = recordedRoots(home);
  const roots = writable.map(writableRootAt);
  const fresh = roots.filter(({ root, ids }) => {
    const around = known.filter((each) => isWithin(root, each.root));
    return around.length === 0 || !ids.every((id) => around.some((each) => each.ids.includes(id)));
  });
  if (fresh.length > 0) {
    const folder = folderOf(home);
    if (!makeOwnFolder(folder, 'readable')) throw new Error(`${folder} cannot be made, or others can write it.`);
    const agreed = digestsUnder([...known, ...fresh], { home, projects: trusted() });
    for (const root of fresh) saveRecord(home, root, agreed);
  }
  registerLandlockWriter(home, roots);
}

const mostIds = 1000;

/** Never replaces a record, since commands of another process may have changed files since; only adds inodes. */
function saveRecord(home: string, root: WritableRoot, agreed: PartDigests): void {
  const file = `${folderOf(home)}/${hash('sha256', root.root).slice(0, 32)}.json`;
  const temporary = `${file}.${process.pid}`;
  writeOwnFile(`${temporary}.new`, temporary, JSON.stringify({ ...root, agreed }));
  try {
    fileSystem.linkSync(`${temporary}.new`, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    for (let tries = 0; tries < 10; tries += 1) {
      const known = recordedRoots(home).find((each) => each.file === file);
      if (known === undefined || root.ids.every((id) => known.ids.includes(id))) break;
      rewrite(known, { ids: [...new Set([...root.ids, ...known.ids])].slice(0, mostIds) });
    }
  } finally {
    fileSystem.rmSync(`${temporary}.new`, { force: true });
  }
}

function rewrite({ file, ...record }: LandlockRoot, change: Partial<Pick<LandlockRoot, 'ids' | 'agreed'>>): void {
  writeOwnFile(file, `${file}.${process.pid}`, JSON.stringify({ ...record, ...change }));
}

export function recordAgreedParts(home: string, seen: PartDigests): void {
  if (Object.keys(seen).length === 0) return;
  for (const record of recordedRoots(home)) rewrite(record, { agreed: { ...record.agreed, ...seen } });
}

const mostEntries = 2000;
const mostBytes = 20_000_000;
/** A change this soon after another may leave the times unchanged. Digests are cached for as long. */
const restMs = 1000;

interface PartSight {
  readonly lines: readonly string[];
  readonly files: readonly string[];
  readonly places: readonly OverlapTest[];
  /** Changes with every change of the part: it includes the change times of files, which no program can set. */
  readonly stamp: string;
  readonly newest: number;
  /** There is too much to compare, or something cannot be examined. */
  readonly isOver: boolean;
  readonly isEmpty: boolean;
}

type ProjectFolders = { readonly home: string; readonly roots: readonly WritableRoot[] };

/** Follows links whose targets commands could have written, but no others: commands cannot change those targets. */
function lookAtPart({ starts }: Part, { home, roots }: ProjectFolders): PartSight {
  const ofHome = realPath(home) ?? home;
  const lines: string[] = [];
  const files: string[] = [];
  const times: string[] = [];
  const places = starts.map(createOverlapTest);
  const seen = new Set<string>();
  let newest = 0;
  let [entries, bytes] = [0, 0];
  let isOver = false;
  const visit = (place: string): void => {
    if (isOver || seen.has(place) || place === ofHome) return;
    seen.add(place);
    const found = fileSystem.lstatSync(toNodePath(place), { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return void lines.push(`missing ${JSON.stringify(place)}`);
    entries += 1;
    if (found.isFile()) bytes += Number(found.size);
    isOver = entries > mostEntries || bytes > mostBytes;
    times.push(`${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`);
    newest = Math.max(newest, Number(found.ctimeMs));
    const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other';
    lines.push(`${kind} ${JSON.stringify(place)} ${found.mode & 0o111n}`);
    if (kind === 'file') files.push(place);
    if (kind === 'folder') {
      // Reads at most one entry too many: a command may have made millions.
      const names = listExactEntries(place, mostEntries + 1).map((entry) => entry.name);
      isOver ||= names.length > mostEntries;
      for (const name of names.toSorted()) visit(`${place}/${name}`);
    }
    if (kind !== 'link') return;
    const target = realPath(place);
    lines.push(JSON.stringify([linkTarget(place), target ?? null]));
    if (target === undefined) return;
    // A link to a folder around the part would add all of the user's work to it, and that changes all the time.
    isOver ||= starts.some((start) => start !== target && isWithin(start, target));
    const overlaps = createOverlapTest(target);
    if (roots.some(overlaps)) {
      places.push(overlaps);
      visit(target);
    }
  };
  try {
    for (const start of starts) visit(start);
  } catch {
    isOver = true;
  }
  const stamp = hash('sha256', [...lines, ...times].join('\n'));
  const isEmpty =
    lines.every((line) => line.startsWith('missing ')) || (entries === 1 && lines[0]!.startsWith('folder '));
  return { lines, files, places, stamp, newest, isOver, isEmpty };
}

/**
 * Every loader of a project asks at a start; the cache lets files be read once for all of them. Kept only briefly: a
 * process that has mapped a file can write it for a while without changing its times.
 */
const knownDigests = new Map<string, { readonly stamp: string; readonly digest: string; readonly until: number }>();

/** Undefined if Capstan could not prove later that the part is the same. */
function digestOf(part: Part, sight: PartSight, around: ProjectFolders): string | undefined {
  if (sight.isOver) return undefined;
  if (sight.isEmpty) return missing;
  const known = knownDigests.get(part.path);
  if (known?.stamp === sight.stamp && performance.now() < known.until) return known.digest;
  const content = createHash('sha256').update(sight.lines.join('\n'));
  for (const file of sight.files) {
    const read = readBounded(file, { maxBytes: mostBytes });
    if (read.kind !== 'read') return undefined;
    content.update(`\n${read.bytes.length}\n`).update(read.bytes);
  }
  const digest = content.digest('hex');
  const isAtRest = sight.newest < Date.now() - restMs && lookAtPart(part, around).stamp === sight.stamp;
  if (isAtRest) knownDigests.set(part.path, { stamp: sight.stamp, digest, until: performance.now() + restMs });
  return digest;
}

function timesOf(path: string): string {
  const found = fileSystem.lstatSync(toNodePath(path), { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeNs} ${found.ctimeNs}`;
}
