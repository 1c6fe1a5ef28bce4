import type { KeptReason } from '../../../engine/undo/restore-plan.ts';
import type { RestoreReport } from '../../../engine/undo/restore-files.ts';
import type { RolledBack } from '../../../engine/thread/branch/rollback-range.ts';
import { visibleLine } from '../terminal/visible-text.ts';

/** Why a restore keeps a file unchanged, and the option of `capstan threads restore` that restores it nevertheless. */
export const keptFileReasons: Readonly<Record<KeptReason, { readonly words: string; readonly option?: string }>> = {
  'changed-since': { words: 'changed again after the turn', option: '--force' },
  unknown: { words: 'a turn was cut off, so it may have changed again after the turn', option: '--force' },
  'left-out': { words: 'its content was not kept: too large, no space, or not readable' },
  'in-the-way': { words: 'something else is in the way' },
  meanwhile: { words: 'it changed while a turn ran, but not by the turn', option: '--meanwhile' },
  'not-recorded': { words: 'it was made while a turn ran, and the record does not say by whom', option: '--meanwhile' },
};

/** Limits of a restore beyond single files, a line for each. */
export function restoreNotes(report: RestoreReport): readonly string[] {
  const { withoutSnapshot, otherRoots, notAttributed = [], outside = [] } = report;
  return [
    ...withoutSnapshot.map((turn) => `No snapshot was taken before turn ${turn}, so its changes stay.`),
    ...otherRoots.map((other) => `Turns also worked in ${other}. Nothing was changed there.`),
    ...notAttributed.map((turn) => `The record of turn ${turn} does not say which changes were the turn's own.`),
    ...outside.map(({ what }) => visibleLine(`Ran outside the sandbox, so what it changed elsewhere stays: ${what}`)),
  ];
}

export const turnsWord = (turns: readonly unknown[]): string =>
  turns.length === 1 ? 'One turn' : `${turns.length} turns`;

export const checkpointRollbackLines = (
  { id, turns, cutTurn }: Pick<RolledBack, 'id' | 'cutTurn'> & { readonly turns: readonly unknown[] },
  checkpoint: number,
): readonly string[] => [
  `Thread ${id} continues from before checkpoint ${checkpoint}. Its history is as long as it was then.`,
  ...(cutTurn === undefined
    ? []
    : [`Turn ${cutTurn} is cut: what it did before the checkpoint stays, the rest is rolled back.`]),
  ...(turns.length === 0 ? [] : [`${turnsWord(turns)} rolled back.`]),
  'Files are unchanged.',
];
