import type { Content, TouchedPath } from '../../ports/change-watch.ts';
import { defined } from '../../protocol/defined.ts';
import type { PatchedFile, PatchStep } from './compute-patch.ts';

/** What a patch found and left at each place, in order. A place that several hunks changed is named several times. */
export function touchedPaths(changes: readonly PatchedFile[]): readonly TouchedPath[] {
  return changes.flatMap(({ steps }) => steps).map(touchedPath);
}

function touchedPath(step: PatchStep): TouchedPath {
  const { place: path, foundSince } = step;
  const movedFrom = 'movedFrom' in step ? step.movedFrom : undefined;
  return { path, ...defined({ foundSince, movedFrom }), ...foundAndLeft(step) };
}

function foundAndLeft(step: PatchStep): Required<Pick<TouchedPath, 'found' | 'left'>> {
  switch (step.kind) {
    case 'make-folder':
      return { found: 'nothing', left: 'folder' };
    case 'create':
      return { found: 'nothing', left: contentOf(step.content) };
    case 'overwrite':
      return { found: contentOf(step.before), left: contentOf(step.content) };
    case 'remove':
      return { found: step.sha256 === undefined ? 'something' : { sha256: step.sha256 }, left: 'nothing' };
  }
}

function contentOf(bytes: Uint8Array): Content {
  return { sha256: process.getBuiltinModule('node:crypto').hash('sha256', bytes, 'hex') };
}
