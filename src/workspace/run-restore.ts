import { dirname } from 'node:path';
import { reasonOf } from '../disk/file-system.ts';
import type { Content } from '../ports/change-watch.ts';
import type { WorkProgress } from '../ports/work-progress.ts';
import {
  type EntrySight,
  inOpenFolder,
  type IsExpected,
  type OpenFolder,
  isEmpty,
  type WorkspaceDisk,
} from './disk.ts';
import { missingFolderMode } from './planned-tree.ts';
import type { KeptPath, RestoreAction } from './restore-plan.ts';
import { type TreeNode, type Hash, hashOf } from './tree.ts';

export interface FailedPath {
  readonly path: string;
  readonly reason: string;
}

export interface RestoreResult {
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly kept: readonly KeptPath[];
  readonly failed: readonly FailedPath[];
  /** The content at each path that it changed, those where it failed halfway included. */
  readonly left: ReadonlyMap<string, Content>;
}

export interface RestorePorts {
  readonly root: string;
  readonly disk: WorkspaceDisk;
  read(hash: Hash): Promise<Uint8Array>;
  readonly progress?: WorkProgress;
}

/**
 * Carries out a plan, path by path: what fails or is no longer as it was leaves the others alone. What has to go goes
 * first, the deepest before what it is in; then folders and files come, and the modes of folders at the end. `read` gives
 * the content with a name, and rejects when it is gone.
 */
export async function runRestore(
  { root, disk, read, progress }: RestorePorts,
  actions: readonly RestoreAction[],
): Promise<RestoreResult> {
  const [restored, deleted] = [new Set<string>(), new Set<string>()];
  const kept: KeptPath[] = [];
  const failed: FailedPath[] = [];
  const out = new Set<string>();
  const left = new Map<string, Content>();
  type End = 'done' | 'stands' | KeptPath['why'];
  const attempt = async (path: string, run: () => End | Promise<End>): Promise<boolean> => {
    if (out.has(path)) return false;
    try {
      const end = await run();
      if (end === 'done') return true;
      if (end !== 'stands') kept.push({ path, why: end });
    } catch (error) {
      failed.push({ path, reason: reasonOf(error) });
    }
    out.add(path);
    return false;
  };
  const shallowFirst = actions.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const deepestFirst = shallowFirst.toReversed();
  const at = (path: string): string => `${root}/${path}`;
  const needed = new Set(actions.flatMap(({ path, to }) => (to === undefined ? [] : foldersAbove(path))));
  /** Each path is come to twice: what is in its place goes, and then it comes. */
  let steps = 0;
  const step = () => progress?.(Math.floor(steps++ / 2), actions.length);

  for (const { path, now, to } of deepestFirst) {
    await step();
    if (now === undefined) continue;
    await attempt(path, () => {
      if (!isReal(disk, dirname(at(path)))) return 'in-the-way';
      if (!inOpenFolder(disk, at(path), (folder, name) => standsAs(folder, name, now))) return 'changed-since';
      // A file or link is replaced in one go when its successor comes.
      if (now.kind === 'folder' ? to?.kind === 'folder' : to !== undefined && to.kind !== 'folder') return 'done';
      // It would have to be made again.
      if (now.kind === 'folder' && to === undefined && needed.has(path)) return 'stands';
      if (now.kind !== 'folder') {
        if (!disk.remove(at(path), (folder, name) => standsAs(folder, name, now))) return 'changed-since';
      } else if (!isEmpty(disk.open(at(path)))) return 'in-the-way';
      else disk.removeFolder(at(path));
      left.set(path, 'nothing');
      if (to === undefined) deleted.add(path);
      return 'done';
    });
  }
  for (const { path, now, to } of shallowFirst) {
    await step();
    if (to === undefined || to.kind === 'left-out') continue;
    const isDone = await attempt(path, async () => {
      if (!makeParents(disk, root, dirname(at(path)), left)) return 'in-the-way';
      const isReplaced = now !== undefined && now.kind !== 'folder' && to.kind !== 'folder';
      if (!isReplaced && now?.kind !== to.kind && look(disk, at(path)) !== undefined) {
        // It was only ignored, and is what it shall be.
        const isThere = inOpenFolder(disk, at(path), (folder, name) => standsAs(folder, name, to));
        return now === undefined && isThere ? 'stands' : 'in-the-way';
      }
      if (to.kind === 'folder') {
        // Writable until everything in it is there.
        if (now?.kind === 'folder') disk.setMode(at(path), to.mode | 0o700);
        else disk.makeFolder(at(path), to.mode | 0o700);
      } else {
        // Looked at again: all others were checked and replaced since, and the user may have saved it meanwhile.
        const isAsBefore: IsExpected = (folder, name) => now !== undefined && standsAs(folder, name, now);
        const expected = isReplaced ? isAsBefore : 'nothing';
        const isPut =
          to.kind === 'file'
            ? disk.putFile(at(path), await read(to.hash), to.mode, expected)
            : disk.putLink(at(path), to.target, expected);
        if (!isPut) return isReplaced ? 'changed-since' : 'in-the-way';
      }
      left.set(path, contentOf(to));
      return 'done';
    });
    if (isDone) restored.add(path);
  }
  for (const { path, to } of deepestFirst) {
    if (to?.kind === 'folder') await attempt(path, () => (disk.setMode(at(path), to.mode), 'done'));
  }
  return { restored: [...restored], deleted: [...deleted].toSorted(), kept, failed, left };
}

function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

function contentOf(entry: TreeNode): Content {
  if (entry.kind === 'file') return { sha256: entry.hash };
  return entry.kind === 'folder' ? 'folder' : 'something';
}

/** Whether the place still is what the plan was made for. */
function standsAs(folder: OpenFolder, name: string, entry: TreeNode): boolean {
  const sight = folder.look(name);
  if (sight === undefined || entry.kind === 'left-out' || sight.kind !== entry.kind) return false;
  if (entry.kind === 'folder') return true;
  if (entry.kind === 'link') return folder.readLink(name) === entry.target;
  return sight.mode === entry.mode && sight.size === entry.size && hashOf(folder.read(name, entry.size)) === entry.hash;
}

function look(disk: WorkspaceDisk, path: string): EntrySight | undefined {
  return inOpenFolder(disk, path, (folder, name) => folder.look(name));
}

/** No link leads out of the workspace, or elsewhere in it. */
function isReal(disk: WorkspaceDisk, folder: string): boolean {
  return disk.realPath(folder) === folder;
}

/** Folders that are missing on the way: they were removed when they were empty. */
function makeParents(disk: WorkspaceDisk, root: string, folder: string, left: Map<string, Content>): boolean {
  if (isReal(disk, folder)) return look(disk, folder)?.kind === 'folder';
  if (folder === root || !makeParents(disk, root, dirname(folder), left)) return false;
  if (look(disk, folder) !== undefined) return false;
  disk.makeFolder(folder, missingFolderMode);
  left.set(folder.slice(root.length + 1), 'folder');
  return true;
}
