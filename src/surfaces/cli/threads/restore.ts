import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { findTurn } from '../../../core/state/turns/turn-list.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { wrongUsage } from '../../views/command-line/run-command.ts';
import { restoreCommand } from '../table/threads-change-commands.ts';
import type { RestoreReport, RestoreTarget } from '../../../engine/undo/restore-files.ts';
import { visibleLine } from '../../views/terminal/visible-text.ts';
import { formatCount } from '../../../engine/wording.ts';
import { keptFileReasons, restoreNotes } from '../../views/threads/rollback-and-restore-words.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import { printResult } from '../../views/terminal/tables.ts';
import { findThread, type FoundThread } from './operations.ts';

/** Exit codes: 0: done; 1: refused, or some files could not be restored; 2: wrong usage. */
export async function run({ thread, options }: CommandArguments<typeof restoreCommand>): Promise<number | Outcome> {
  const { before, undo, json, dryRun, force, meanwhile } = options;
  if (before === undefined && !undo) return wrongUsage(restoreCommand, 'to when? Use --before-turn TURN, or --undo.');
  const found = await findThread({ thread });
  if ('code' in found) return found;
  const { engine, id } = found;
  const target = before === undefined ? ({ beforeRestore: 'last' } as const) : await turnNamed(found, before);
  if ('code' in target) return target;
  const report = await withProgress({ label: 'Restoring files' }, (progress) =>
    engine.restoreFiles(id, target, { dryRun, force, meanwhile, progress }),
  );
  if (report.kind === 'refused') return heldInTerminal(report.outcome, undo);
  const undoing = dryRun || undo ? '' : howToUndoRestore(id, report);
  printResult({ ...report, dryRun }, { json }, () => `${restoreText(report, { dryRun })}${undoing}`);
  return report.failed.length === 0 ? 0 : 1;
}

/** If another program has the thread open, it is mostly a terminal, which can do the same. */
function heldInTerminal(outcome: Outcome, undo: boolean): Outcome {
  if (outcome.code !== 'thread-locked') return outcome;
  const there = undo ? '/rewind undo' : '/rewind';
  const next = `If a terminal has it open, type ${there} there. Otherwise wait until it has ended, and repeat this.`;
  return { ...outcome, next };
}

async function turnNamed({ engine, id }: FoundThread, name: string): Promise<RestoreTarget | Outcome> {
  const turn = findTurn(id, await engine.stored.turns(id), name);
  return 'code' in turn ? turn : { beforeTurn: turn.id };
}

const byOptions = (options: string): string =>
  `To restore the kept files as well, add ${options}. You can undo that, too.`;

export const howToUndoRestore = (id: ThreadId, report: RestoreReport): string =>
  hasChangedFiles(report) ? `To undo this: capstan threads restore ${id} --undo\n` : '';

export const hasChangedFiles = ({ restored, deleted }: RestoreReport): boolean => restored.length + deleted.length > 0;

/** Describes for people what was done, or would be. `again` says how to restore what only the options bring back. */
export function restoreText(report: RestoreReport, { dryRun = false, again = byOptions } = {}): string {
  const { root, restored, deleted, kept, failed } = report;
  const options = [...new Set(kept.flatMap(({ why }) => keptFileReasons[why].option ?? []))].toSorted();
  const lines = [
    ...restored.map((path) => `  restored  ${path}`),
    ...deleted.map((path) => `  deleted   ${path}`),
    ...kept.map(({ path, why }) => `  kept      ${path}  (${keptFileReasons[why].words})`),
    ...failed.map(({ path, reason }) => `  failed    ${path}  (${reason})`),
  ].map(visibleLine);
  const notes = [...restoreNotes(report), ...(options.length === 0 ? [] : [again(options.join(' and '))])];
  const counts = Object.entries({ restored, deleted, kept, failed }).flatMap(([word, { length }]) =>
    length === 0 ? [] : [`${formatCount(length)} ${word}`],
  );
  const change = `${dryRun ? 'Would change' : 'Changed'}${hasChangedFiles(report) ? '' : ' nothing in'}`;
  const head = lines.length === 0 ? `Nothing to restore in ${root}.` : `${change} ${root}: ${counts.join(', ')}.`;
  return `${[head, ...lines, ...notes].join('\n')}\n`;
}
