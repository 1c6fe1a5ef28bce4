import { Buffer } from 'node:buffer';
import { osErrorText, type PatchedFile, type PatchStep } from './compute-patch.ts';
import type { PatchDisk } from '../../../ports/files.ts';

export type PatchApplyResult =
  /** `leftBehind`: files whose removal failed, under their temporary names. */
  | { readonly kind: 'applied'; readonly leftBehind: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** Paths that could not be restored. Empty: the tree is as it was before the patch. */
      readonly left: readonly string[];
    };

type Done = { readonly path: string; undo(): void; readonly aside?: string };

/**
 * Applies computed changes in order; a failing step undoes all before it. An existing file is rewritten in place and
 * keeps its other names, mode, owner and readers. A removed file is first renamed, and deleted when all else is done.
 */
export function applyChanges(changes: readonly PatchedFile[], disk: PatchDisk): PatchApplyResult {
  const done: Done[] = [];
  for (const step of changes.flatMap(({ steps }) => steps)) {
    try {
      perform(step, disk, done);
    } catch (error) {
      const action = step.kind === 'remove' ? 'delete' : 'write';
      const left = failing(done.toReversed(), ({ undo }) => undo()).map(({ path }) => path);
      const message = `Failed to ${action} file ${step.path}: ${osErrorText(error)}`;
      return { kind: 'failed', message, left: [...new Set(left)] };
    }
  }
  // The patch is applied: its removed files have lost their names, even if deleting one fails now.
  const aside = done.flatMap((each) => each.aside ?? []);
  return { kind: 'applied', leftBehind: failing(aside, (place) => disk.remove(place)) };
}

/** A step is recorded before it begins if it can stop half-way, otherwise after it. */
function perform(step: PatchStep, disk: PatchDisk, done: Done[]): void {
  const { path, place } = step;
  switch (step.kind) {
    case 'make-folder':
      disk.makeFolder(place);
      done.push({ path: place, undo: () => disk.removeFolder(place) });
      return;
    case 'create':
      disk.create(place, step.content, step.mode);
      done.push({ path, undo: () => disk.remove(place) });
      return;
    case 'overwrite':
      done.push({ path, undo: () => putBack(disk, place, step.before) });
      disk.overwrite(place, step.content);
      return;
    case 'remove': {
      const aside = disk.setAside(place);
      done.push({ path, undo: () => disk.rename(aside, place), aside });
    }
  }
}

/** A file that could not be written at all needs no restoring. */
function putBack(disk: PatchDisk, place: string, content: Uint8Array): void {
  if (!Buffer.from(disk.read(place)).equals(content)) disk.overwrite(place, content);
}

function failing<Each>(all: readonly Each[], work: (each: Each) => void): readonly Each[] {
  return all.filter((each) => {
    try {
      work(each);
      return false;
    } catch {
      return true;
    }
  });
}

export function summarisePatch(changes: readonly PatchedFile[]): string {
  const lines = Object.entries({ add: 'A', update: 'M', delete: 'D' }).flatMap(([wanted, letter]) =>
    changes.filter(({ kind }) => kind === wanted).map(({ spelled }) => `${letter} ${spelled}\n`),
  );
  return `Success. Updated the following files:\n${lines.join('')}`;
}
