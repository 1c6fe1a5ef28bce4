import { defined } from '../../../base/objects.ts';
import { parentPath } from '../../../core/policy/paths/absolute-paths.ts';
import type { PatchFileReader, PathState } from '../../../ports/files.ts';
import { errorCode } from '../../../protocol/outcome.ts';
import { absolutePath, type FollowedPath, followPath } from '../follow-path.ts';
import { type ReplaceTextResult, replaceText, textAsBytes, applyChunksToBytes } from './compute-update.ts';
import type { Chunk, Hunk, Patch } from './patch.ts';
import { explainMismatch, SearchEffort, TooMuchToSearch } from './seek-lines.ts';
import { hash } from 'node:crypto';

export interface PatchedFile {
  readonly kind: 'add' | 'update' | 'delete';
  readonly spelled: string;
  readonly steps: readonly PatchStep[];
  /** For an update: the file lines at which its chunks begin, from 0. */
  readonly places?: readonly number[];
}

/**
 * A change at one place; later steps depend on earlier ones. `path` is the spelled path, for people. `foundSince`:
 * since when the place was as the patch found it; for a missing place, since when its folder's names were.
 */
export type PatchStep = { readonly path: string; readonly place: string; readonly foundSince?: number } & (
  | { readonly kind: 'make-folder' }
  /** `movedFrom`: the place that the content comes from, and that the patch removes. */
  | { readonly kind: 'create'; readonly content: Uint8Array; readonly mode?: number; readonly movedFrom?: string }
  | {
      readonly kind: 'overwrite';
      readonly content: Uint8Array;
      readonly before: Uint8Array;
      readonly movedFrom?: string;
    }
  /** `sha256` is absent for a link, and for a file that is too large to be read. */
  | { readonly kind: 'remove'; readonly sha256?: string }
);

export interface PatchProblem {
  /** `refused` by the policy, or `unfit` for the disk's content. */
  readonly kind: 'refused' | 'unfit';
  readonly message: string;
  readonly hint?: string;
}

/** Each takes a few disk accesses, which block the process. */
const mostHunks = 5000;
const splitPatch = 'Split it into several patches.';

/** Computes a whole patch before anything is written. Each hunk sees the results of those before it. */
export function computePatch(
  patch: Patch,
  { folder, disk, guard }: Pick<Work, 'folder' | 'guard'> & { readonly disk: PatchFileReader },
): { readonly kind: 'computed'; readonly changes: readonly PatchedFile[] } | PatchProblem {
  const read = { bytes: 0, removed: 0 };
  const work: Work = { folder, guard, overlay: overlayOn(disk), effort: new SearchEffort(), read };
  try {
    if (patch.hunks.length > mostHunks) throw unfit(`The patch is about more than ${mostHunks} files`, splitPatch);
    return { kind: 'computed', changes: patch.hunks.map((hunk) => computeHunk(work, hunk)) };
  } catch (error) {
    if (error instanceof InTheWay) return error.problem;
    throw error;
  }
}

/** Never leaves this file: aborts a hunk from deep inside. */
class InTheWay extends Error {
  readonly problem: PatchProblem;

  constructor(problem: PatchProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

function unfit(message: string, hint?: string): InTheWay {
  return new InTheWay({ kind: 'unfit', message, ...defined({ hint }) });
}

interface Work {
  /** Absolute; base of relative paths. */
  readonly folder: string;
  readonly guard: PatchGuard;
  readonly overlay: Overlay;
  readonly effort: SearchEffort;
  readonly read: { bytes: number; removed: number };
}

function computeHunk(work: Work, hunk: Hunk): PatchedFile {
  if (hunk.kind === 'update') return computeUpdateHunk(work, hunk);
  if (hunk.kind === 'replace') return computeReplaceHunk(work, hunk);
  const { path: spelled } = hunk;
  if (hunk.kind === 'delete') return { kind: 'delete', spelled, steps: remove(work, spelled) };
  const content = textAsBytes(hunk.lines.map((line) => `${line}\n`).join(''));
  return { kind: 'add', spelled, steps: write(work, spelled, content) };
}

function computeUpdateHunk(work: Work, hunk: Extract<Hunk, { kind: 'update' }>): PatchedFile {
  const { path: spelled, movePath, chunks } = hunk;
  const path = absolute(work, spelled, 'update');
  const failed = `Failed to read file to update ${path}`;
  // If the file is moved, its path must be writable, but a link's target only readable.
  const { place, sight } = follow(work, path, movePath === undefined ? 'write' : 'read', failed);
  requireFile(sight, failed);
  const before = read(work, place, failed);
  const { content, places } = update(work, { path, before, chunks });
  if (movePath === undefined)
    return { kind: 'update', spelled, steps: [overwrite(work, { path, place, sight, before, content })], places };
  const written = write(work, movePath, content, sight.mode);
  // Moved onto itself, by whatever spelling: nothing to remove.
  const stays = written.at(-1)?.place === follow(work, path, 'write', `Failed to delete file ${path}`, 'meant').place;
  if (stays) return { kind: 'update', spelled: movePath, steps: written, places };
  const removed = remove(work, spelled);
  const from = removed.map(({ place }) => ({ movedFrom: place }))[0];
  const moved = written.map((step) => (step.kind === 'make-folder' ? step : { ...step, ...from }));
  return { kind: 'update', spelled: movePath, steps: [...moved, ...removed], places };
}

function computeReplaceHunk(work: Work, hunk: Extract<Hunk, { kind: 'replace' }>): PatchedFile {
  const { path: spelled, find, put } = hunk;
  const path = absolute(work, spelled, 'edit');
  const failed = `Failed to edit ${path}`;
  const { place, sight } = follow(work, path, 'write', failed);
  if (find === '') {
    const isEmpty = sight.kind === 'missing' || (sight.kind === 'file' && read(work, place, failed).length === 0);
    if (!isEmpty) throw unfit(`${failed}: it exists and is not empty`, giveOldText);
    const steps = write(work, spelled, textAsBytes(put));
    return { kind: sight.kind === 'missing' ? 'add' : 'update', spelled, steps };
  }
  requireFile(sight, failed);
  const before = read(work, place, failed);
  const replaced = replaceText(before, hunk);
  if (replaced.kind !== 'replaced') throw unfit(...whyNotReplaced(failed, replaced, find));
  const { content, line } = replaced;
  const steps = [overwrite(work, { path, place, sight, before, content })];
  return { kind: 'update', spelled, steps, places: [line - 1] };
}

function update(
  { effort }: Work,
  { path, before, chunks }: { path: string; before: Uint8Array; chunks: readonly Chunk[] },
): { readonly content: Uint8Array; readonly places: readonly number[] } {
  const failed = `Failed to update file ${path}`;
  if (lineEnds(before) > mostLines) throw unfit(`${failed}: it has more than ${mostLines} lines`);
  try {
    const updated = applyChunksToBytes(before, chunks, effort);
    if (updated.kind === 'updated') return updated;
    if (updated.kind === 'encoding') throw unfit(`Failed to read file to update ${path}: ${updated.reason}`);
    if (updated.kind === 'anchor-not-found') throw unfit(`Failed to find context '${updated.anchor}' in ${path}`);
    const expected = updated.expected.join('\n');
    throw unfit(`Failed to find expected lines in ${path}:\n${expected}`, explainMismatch(updated));
  } catch (error) {
    if (!(error instanceof TooMuchToSearch)) throw error;
    const hint = 'Write fewer chunks, or chunks with lines that the file has only once.';
    throw unfit(`${failed}: finding the lines of its chunks takes too long`, hint);
  }
}

/** Each searched line takes a hundred bytes of memory. */
const mostLines = 1_000_000;

function lineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (const end of [0x0a, 0x0d]) {
    for (let at = bytes.indexOf(end); at !== -1; at = bytes.indexOf(end, at + 1)) count += 1;
  }
  return count;
}

function write(work: Work, spelled: string, content: Uint8Array, mode?: number): readonly PatchStep[] {
  const path = absolute(work, spelled, 'write');
  const failed = `Failed to write file ${path}`;
  const { place, sight, missingFolders } = follow(work, path, 'write', failed);
  if (sight.kind !== 'missing') {
    requireFile(sight, failed);
    return [overwrite(work, { path, place, sight, content, before: read(work, place, failed) })];
  }
  const found = foundSince(look(() => work.overlay.look(parentPath(missingFolders[0] ?? place)), failed));
  for (const folder of missingFolders) work.overlay.makeFolder(folder);
  work.overlay.write(place, content);
  const folders = missingFolders.map((folder): PatchStep => ({ kind: 'make-folder', path, place: folder, ...found }));
  return [...folders, { kind: 'create', path, place, content, ...defined({ mode }), ...found }];
}

function overwrite(
  { overlay }: Work,
  { sight, ...step }: Omit<Extract<PatchStep, { kind: 'overwrite' }>, 'kind'> & { readonly sight: PathState },
): PatchStep {
  overlay.write(step.place, step.content);
  return { kind: 'overwrite', ...step, ...foundSince(sight) };
}

function remove(work: Work, spelled: string): readonly PatchStep[] {
  const path = absolute(work, spelled, 'delete');
  const failed = `Failed to delete file ${path}`;
  const { place, sight } = follow(work, path, 'write', failed, 'meant');
  const meant: FollowedPath | undefined =
    sight.kind === 'link' ? look(() => followPath(work.overlay, path, { lastLink: 'followed' }), failed) : undefined;
  requireFile(meant?.kind === 'found' ? meant.sight : sight, failed);
  const sha256 = sight.kind === 'file' ? hashOfRemoved(work, place) : undefined;
  work.overlay.remove(place);
  return [{ kind: 'remove', path, place, ...defined({ sha256 }), ...foundSince(sight) }];
}

/** Hash of the content of a removed file. Undefined if it cannot be read, which its removal does not need. */
function hashOfRemoved({ overlay, read: sofar }: Work, place: string): string | undefined {
  if (sofar.removed > mostBytes) return undefined;
  try {
    const content = overlay.read(place);
    sofar.removed += content.length;
    return hash('sha256', content, 'hex');
  } catch {
    return undefined;
  }
}

function requireFile(sight: PathState, failed: string): asserts sight is Extract<PathState, { kind: 'file' }> {
  if (sight.kind !== 'file')
    throw unfit(`${failed}: ${sight.kind === 'missing' ? osErrorOf('ENOENT') : 'it is not a file'}`);
}

function foundSince(sight: PathState): { readonly foundSince?: number } {
  return 'since' in sight && sight.since !== undefined ? { foundSince: sight.since } : {};
}

function absolute({ folder }: Work, spelled: string, action: string): string {
  const path = absolutePath(folder, spelled);
  if (path === undefined) throw unfit(`Failed to ${action} ${spelled}: it is not a path`);
  return path;
}

/** The target of the path, if the policy grants what is needed both there and under the path's own name. */
function follow(
  { guard, overlay }: Work,
  path: string,
  need: 'read' | 'write',
  failed: string,
  lastLink: 'followed' | 'meant' = 'followed',
): Extract<FollowedPath, { kind: 'found' }> {
  const permit = (message: string | undefined) => {
    if (message !== undefined) throw new InTheWay({ kind: 'refused', message });
  };
  permit(guard.check({ path, need }));
  const followed = look(() => followPath(overlay, path, { lastLink }), failed);
  if (followed.kind === 'blocked') throw unfit(`${failed}: ${osErrorOf(followed.code)}`);
  permit(guard.check({ path, place: followed.place, need }));
  return followed;
}

/** All files that a patch reads are in memory until it is applied. */
const mostBytes = 64 * 1024 * 1024;

function read({ overlay, read: sofar }: Work, place: string, failed: string): Uint8Array {
  const content = look(() => overlay.read(place), failed);
  sofar.bytes += content.length;
  if (sofar.bytes > mostBytes)
    throw unfit(`${failed}: the files of this patch have more than ${mostBytes / 1024 / 1024} MB`, splitPatch);
  return content;
}

function look<Result>(ask: () => Result, failed: string): Result {
  try {
    return ask();
  } catch (error) {
    throw unfit(`${failed}: ${osErrorText(error)}`);
  }
}

/** Applies the policy to a patch: gets each path as spelled, then its target, and returns a reason to refuse it. */
export type PatchGuard = { check(touch: PatchAccess): string | undefined };

export interface PatchAccess {
  /** Absolute and normalised, as the patch spells it. */
  readonly path: string;
  readonly place?: string;
  readonly need: 'read' | 'write';
}

/** For a patch that the user applies by hand, and where nothing is restricted. */
export const noGuard: PatchGuard = { check: () => undefined };

const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EROFS: 'Read-only file system',
  ENOSPC: 'No space left on device',
  ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long',
  EEXIST: 'File exists',
};

export function osErrorText(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined) return osErrorOf(code);
  return error instanceof Error ? error.message : String(error);
}

function osErrorOf(code: string): string {
  const sentence = sentences[code];
  return sentence === undefined ? code : `${sentence} (${code})`;
}

/** The future state of the disk: writes here are visible to later looks but to no other process. */
interface Overlay extends PatchFileReader {
  write(place: string, content: Uint8Array): void;
  makeFolder(place: string): void;
  remove(place: string): void;
}

function overlayOn(disk: PatchFileReader): Overlay {
  const sights = new Map<string, PathState>();
  /** By identity, so that a change through one name of a file is visible through the others. */
  const contents = new Map<string, Uint8Array>();
  let made = 0;

  const look = (place: string): PathState => {
    const sight = sights.get(place) ?? disk.look(place);
    sights.set(place, sight);
    return sight;
  };
  return {
    look,
    read(place) {
      const sight = look(place);
      const written = sight.kind === 'file' ? contents.get(sight.identity) : undefined;
      return written ?? disk.read(place);
    },
    write(place, content) {
      let sight = look(place);
      if (sight.kind !== 'file') {
        sight = { kind: 'file', identity: `new ${made++}`, mode: 0 };
        sights.set(place, sight);
      }
      contents.set(sight.identity, content);
    },
    makeFolder(place) {
      const above = look(parentPath(place));
      // A missing entry has been missing since names in the folder above last changed.
      const since = above.kind === 'folder' ? above.since : undefined;
      sights.set(place, { kind: 'folder', ...defined({ since }) });
    },
    remove: (place) => void sights.set(place, { kind: 'missing' }),
  };
}

const giveOldText = 'To change it, give the text to replace in `old_text`.';

function whyNotReplaced(
  failed: string,
  replaced: Exclude<ReplaceTextResult, { kind: 'replaced' }>,
  find: string,
): [message: string, hint?: string] {
  switch (replaced.kind) {
    case 'encoding':
      return [`${failed}: ${replaced.reason}`];
    case 'not-unique': {
      const lines = `${replaced.at.join(', ')}${replaced.count > replaced.at.length ? ', …' : ''}`;
      const hint = 'Give more of the text around the place that you mean, or set `replace_all`.';
      return [`${failed}: old_text is in it ${replaced.count} times, at the lines ${lines}`, hint];
    }
    case 'not-found': {
      const mismatch = { fileLines: replaced.lines, expected: find.split('\n'), atEnd: false };
      const closest = explainMismatch(mismatch) ?? 'Read the file, and copy the text exactly.';
      return [`${failed}: old_text is not in it`, closest.replace(/^They stand at line (\d+),.*/s, spacesDiffer)];
    }
  }
}

/** `explainMismatch` compares lines loosely, but an edit must match exactly. */
const spacesDiffer = 'Line $1 and the following differ from it only in spaces or punctuation. Copy them exactly.';
