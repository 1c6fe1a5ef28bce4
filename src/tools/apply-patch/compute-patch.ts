import { hash } from 'node:crypto';
import { parentOf } from '../../policy/paths.ts';
import { defined } from '../../protocol/defined.ts';
import type { PatchView, PatchSight } from '../../ports/patch-disk.ts';
import { explainMismatch } from './explain-mismatch.ts';
import { absolutePath, type FollowedPath, followPath } from './follow-path.ts';
import type { Guard } from './guard.ts';
import { osError, osErrorOf } from './os-error.ts';
import { type Overlay, overlayOn } from './overlay.ts';
import type { Chunk, Hunk, Patch } from './patch.ts';
import { SearchEffort, TooMuchToSearch } from './seek-lines.ts';
import { replaceText } from './replace-text.ts';
import { giveOldText, whyNotReplaced } from './why-not-replaced.ts';
import { bytesOf, updateBytes } from './update-bytes.ts';

/** One hunk held against the disk. */
export interface PatchedFile {
  readonly kind: 'add' | 'update' | 'delete';
  /** The file that is left in the end, or the one that is gone, as the patch spells it. */
  readonly spelled: string;
  readonly steps: readonly PatchStep[];
  /** Of an update: the lines of the file at which its chunks begin, from 0. */
  readonly places?: readonly number[];
}

/**
 * What is done at one place. Later steps rest on earlier ones. `path` is for people: the place as it was spelled.
 * `foundSince` says since when the place had been as the patch found it; of a missing one, its folder.
 */
export type PatchStep = { readonly path: string; readonly place: string; readonly foundSince?: number } & (
  | { readonly kind: 'make-folder' }
  /** `movedFrom` is the place that the content comes from, and that the patch removes. */
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

/** The first thing that is in the way. */
export interface PatchProblem {
  /** `refused` by the policy, or `unfit` for what is on the disk. */
  readonly kind: 'refused' | 'unfit';
  readonly message: string;
  /** What might help the author of the patch. */
  readonly hint?: string;
}

export interface PatchScene {
  /** Absolute. Relative paths start here. */
  readonly folder: string;
  readonly disk: PatchView;
  readonly guard: Guard;
}

/** Each takes a few looks at the disk, and nothing else is done meanwhile. */
const mostHunks = 5000;

const splitPatch = 'Split it into several patches.';

/** Works out a whole patch before anything is written. Each hunk sees what the hunks before it leave. */
export function computePatch(
  patch: Patch,
  { folder, disk, guard }: PatchScene,
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

/** Never leaves this file: hunks give up from deep inside. */
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

interface Work extends Omit<PatchScene, 'disk'> {
  readonly overlay: Overlay;
  readonly effort: SearchEffort;
  /** What was read of files so far. */
  readonly read: { bytes: number; removed: number };
}

function computeHunk(work: Work, hunk: Hunk): PatchedFile {
  if (hunk.kind === 'update') return computeUpdateHunk(work, hunk);
  if (hunk.kind === 'replace') return computeReplaceHunk(work, hunk);
  const { path: spelled } = hunk;
  if (hunk.kind === 'delete') return { kind: 'delete', spelled, steps: remove(work, spelled) };
  const content = bytesOf(hunk.lines.map((line) => `${line}\n`).join(''));
  return { kind: 'add', spelled, steps: write(work, spelled, content) };
}

function computeUpdateHunk(work: Work, hunk: Extract<Hunk, { kind: 'update' }>): PatchedFile {
  const { path: spelled, movePath, chunks } = hunk;
  const path = absolute(work, spelled, 'update');
  const failed = `Failed to read file to update ${path}`;
  // A file that moves away must be removable where it stands, but what a link at its end leads to is only read.
  const { place, sight } = follow(work, path, movePath === undefined ? 'write' : 'read', failed);
  requireFile(sight, failed);
  const before = read(work, place, failed);
  const { content, places } = update(work, { path, before, chunks });
  if (movePath === undefined) {
    return { kind: 'update', spelled, steps: [overwrite(work, { path, place, sight, before, content })], places };
  }
  const written = write(work, movePath, content, sight.mode);
  // Moved onto itself, by whatever spelling: there is nothing to take away.
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
    return { kind: sight.kind === 'missing' ? 'add' : 'update', spelled, steps: write(work, spelled, bytesOf(put)) };
  }
  requireFile(sight, failed);
  const before = read(work, place, failed);
  const replaced = replaceText(before, hunk);
  if (replaced.kind !== 'replaced') throw unfit(...whyNotReplaced(failed, replaced, find));
  const { content, line } = replaced;
  const steps = [overwrite(work, { path, place, sight, before, content })];
  return { kind: 'update', spelled, steps, places: [line - 1] };
}

/** The content of the file after its chunks. */
function update(
  { effort }: Work,
  { path, before, chunks }: { path: string; before: Uint8Array; chunks: readonly Chunk[] },
): { readonly content: Uint8Array; readonly places: readonly number[] } {
  const failed = `Failed to update file ${path}`;
  if (lineEnds(before) > mostLines) throw unfit(`${failed}: it has more than ${mostLines} lines`);
  try {
    const updated = updateBytes(before, chunks, effort);
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

/** Each line of a file that is searched takes a hundred bytes of memory. */
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
  const found = foundSince(look(() => work.overlay.look(parentOf(missingFolders[0] ?? place)), failed));
  for (const folder of missingFolders) work.overlay.makeFolder(folder);
  work.overlay.write(place, content);
  const folders = missingFolders.map((folder): PatchStep => ({ kind: 'make-folder', path, place: folder, ...found }));
  return [...folders, { kind: 'create', path, place, content, ...defined({ mode }), ...found }];
}

function overwrite(
  { overlay }: Work,
  { sight, ...step }: Omit<Extract<PatchStep, { kind: 'overwrite' }>, 'kind'> & { readonly sight: PatchSight },
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

/** Of what a file held that goes. It can be removed without being read, so nothing is in the way here. */
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

function requireFile(sight: PatchSight, failed: string): asserts sight is Extract<PatchSight, { kind: 'file' }> {
  if (sight.kind !== 'file') {
    throw unfit(`${failed}: ${sight.kind === 'missing' ? osErrorOf('ENOENT') : 'it is not a file'}`);
  }
}

function foundSince(sight: PatchSight): { readonly foundSince?: number } {
  return 'since' in sight && sight.since !== undefined ? { foundSince: sight.since } : {};
}

function absolute({ folder }: Work, spelled: string, action: string): string {
  const path = absolutePath(folder, spelled);
  if (path === undefined) throw unfit(`Failed to ${action} ${spelled}: it is not a path`);
  return path;
}

/** Where the path leads to, if the policy grants what is needed both there and under its own name. */
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

/** All files that one patch reads are in memory until it is applied. */
const mostBytes = 64 * 1024 * 1024;

function read({ overlay, read: sofar }: Work, place: string, failed: string): Uint8Array {
  const content = look(() => overlay.read(place), failed);
  sofar.bytes += content.length;
  if (sofar.bytes > mostBytes) {
    throw unfit(`${failed}: the files of this patch have more than ${mostBytes / 1024 / 1024} MB`, splitPatch);
  }
  return content;
}

function look<Result>(ask: () => Result, failed: string): Result {
  try {
    return ask();
  } catch (error) {
    throw unfit(`${failed}: ${osError(error)}`);
  }
}
