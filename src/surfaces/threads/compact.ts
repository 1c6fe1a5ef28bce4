import type { CheckpointReport } from '../../protocol/checkpoint-report.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { fullText, type Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { checkpointFields } from '../wording/snake-cased.ts';
import { checkpointText, pausedWords } from '../wording/checkpoint-words.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { compactCommand } from '../commands/threads-change-commands.ts';
import { count } from '../terminal/table.ts';
import { endOnSignal } from '../terminal/end-on-signal.ts';
import { complain, print, printNote } from '../terminal/print.ts';
import { findThread } from './find-thread.ts';
import { refuseOperation } from './thread-operation.ts';

/** `capstan threads compact`. 0: a checkpoint was made; 1: refused, failed or interrupted; 2: wrong usage. */
export async function run(given: CommandArguments<typeof compactCommand>): Promise<number | Outcome> {
  const { json } = given.options;
  const found = await findThread({ thread: given.thread, overrides: given.options.overrides });
  if ('code' in found) return found;
  const { engine, id } = found;
  const { signal, over } = endOnSignal({ onLate: () => void lateRefusal(json) });
  try {
    const focus = given.words.join(' ').trim();
    const done = await engine.compact(id, { listener: progress, signal, ...(focus === '' ? {} : { focus }) });
    if (done.kind === 'refused' || done.kind === 'failed')
      return refuseOperation(withOwnNext(done.outcome, id), { json });
    if (done.kind === 'aborted') return refuseOperation(interrupted, { json });
    const report = { kind: 'installed', id, report: checkpointFields(done.report) };
    if (json) print(`${JSON.stringify(report)}\n`, 'json');
    else print(told(id, done.report), 'text');
    return 0;
  } finally {
    over();
  }
}

/** The process ends before its command does. */
function lateRefusal(json: boolean): void {
  const refusal = refuseOperation(interrupted, { json });
  if (typeof refusal !== 'number') complain(refusal, 1);
}

const interrupted: Outcome = {
  code: 'interrupted',
  message: 'The compaction was interrupted.',
  next: 'The history stands as it was.',
};

/** This command has no option for another folder. */
function withOwnNext(outcome: Outcome, id: ThreadId): Outcome {
  if (outcome.code !== 'folder-missing') return outcome;
  return { ...outcome, next: `Make it, or have the thread work in this folder: \`capstan threads set ${id} --cd .\`.` };
}

function told(id: ThreadId, report: CheckpointReport): string {
  return [
    checkpointText(report),
    `To look at it: capstan context ${id} --checkpoint ${report.number}`,
    `To take it back: capstan threads rollback ${id} --before-checkpoint ${report.number}`,
    '',
  ].join('\n');
}

/** What happens meanwhile, on standard error: a model may think for minutes. */
function progress(event: ThreadEvent): void {
  const text = progressWords(event);
  if (text !== undefined) printNote(text);
}

function progressWords(event: ThreadEvent): string | undefined {
  switch (event.kind) {
    case 'checkpoint-started':
      return `${event.model} compacts about ${count(event.tokens)} tokens (${event.strategy}) …`;
    case 'checkpoint-failed':
      return event.paused ? pausedWords(event.threadId) : undefined;
    case 'warning':
      return fullText(event.outcome);
    case 'retrying':
      return event.outcome.message;
    default:
      return undefined;
  }
}
