import type { PatchedFile } from './compute-patch.ts';

const letters = { add: 'A', update: 'M', delete: 'D' } as const;

/** What was done, by kind, with paths as the patch spells them. */
export function summarise(changes: readonly PatchedFile[]): string {
  const lines = (['add', 'update', 'delete'] as const).flatMap((wanted) =>
    changes.filter(({ kind }) => kind === wanted).map(({ kind, spelled }) => `${letters[kind]} ${spelled}\n`),
  );
  return `Success. Updated the following files:\n${lines.join('')}`;
}
