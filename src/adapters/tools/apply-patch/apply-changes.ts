import { Buffer } from 'node:buffer';
import { osError, type PatchedFile, type PatchStep } from './compute-patch.ts';
import type { PatchDisk } from '../../../ports/files.ts';

export type Applied =
  /** `leftBehind` has files that were to be removed, under the names at which they could not be. */
  | { readonly kind: 'applied'; readonly leftBehind: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** What could not be put back as it was. Empty: the tree is as it was before the patch. */
      readonly left: readonly string[];
    };

/** Something that was done, and how it is taken back. */
interface Done {
  readonly path: string;
  undo(): void;
  /** Where a file waits for its removal. */
  readonly aside?: string;
}

/**
 * Carries out computed changes in order. When a step fails, the steps before it are taken back. An existing file is
 * rewritten in place and keeps its other names, mode, owner and readers. A file that goes is set aside under another
 * name first, and removed when all else is done.
 */
export function applyChanges(changes: readonly PatchedFile[], disk: PatchDisk): Applied {
  const done: Done[] = [];
  for (const step of changes.flatMap(({ steps }) => steps)) {
    try {
      perform(step, disk, done);
    } catch (error) {
      const action = step.kind === 'remove' ? 'delete' : 'write';
      const left = failing(done.toReversed(), ({ undo }) => undo()).map(({ path }) => path);
      const message = `Failed to ${action} file ${step.path}: ${osError(error)}`;
      return { kind: 'failed', message, left: [...new Set(left)] };
    }
  }
  // From here on there is no way back. A file that was set aside is gone under its own name whatever happens now.
  const aside = done.flatMap((each) => each.aside ?? []);
  return { kind: 'applied', leftBehind: failing(aside, (place) => disk.remove(place)) };
}

/** What is done is noted before it is begun where it can stop half-way, and after it where it cannot. */
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

/** A file that refused to be written at all needs nothing to be as it was. */
function putBack(disk: PatchDisk, place: string, content: Uint8Array): void {
  if (!Buffer.from(disk.read(place)).equals(content)) disk.overwrite(place, content);
}

/** Those for which the work throws. */
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

/** What was done, by kind, with paths as the patch spells them. */
export function summarise(changes: readonly PatchedFile[]): string {
  const lines = Object.entries({ add: 'A', update: 'M', delete: 'D' }).flatMap(([wanted, letter]) =>
    changes.filter(({ kind }) => kind === wanted).map(({ spelled }) => `${letter} ${spelled}\n`),
  );
  return `Success. Updated the following files:\n${lines.join('')}`;
}
