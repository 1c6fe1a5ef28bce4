import type { CheckpointReport, ThreadEvent } from '../../../protocol/thread-event.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { type Outcome, outcomeText } from '../../../protocol/outcome.ts';
import { checkpointFields } from '../../views/wording/json-fields.ts';
import { checkpointText, compactionInterrupted, pausedCompactionWords } from '../../views/wording/checkpoint-words.ts';
import { isRetryWorthShowing } from '../../views/wording/turn-lines.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { compactCommand } from '../table/threads-change-commands.ts';
import type { EngineRefused } from '../../../engine/engine-refused.ts';
import type { CompactionResult } from '../../../engine/thread/checkpoint/compaction-result.ts';
import { liveThreads } from '../../../engine/live/live-threads.ts';
import type { LiveCompaction, LiveThreads } from '../../../engine/live/live-thread-types.ts';
import { endOnSignal } from '../../views/terminal/process.ts';
import { type Span, yellow } from '../../views/terminal/styled-text.ts';
import { openStatusScreen, type StatusScreen } from '../../views/terminal/screen.ts';
import { printFailure } from '../../views/terminal/print.ts';
import { TurnActivity } from '../../views/terminal/turn-activity.ts';
import { printResult } from '../../views/terminal/tables.ts';
import { findThread, reportRefusedOperation } from './operations.ts';

/** Exit codes: 0: a checkpoint was made; 1: refused or failed; 2: wrong usage. */
export async function run(given: CommandArguments<typeof compactCommand>): Promise<number | Outcome> {
  const { json } = given.options;
  const found = await findThread({ thread: given.thread, overrides: given.options.overrides });
  if ('code' in found) return found;
  const { engine, id } = found;
  const screen = openStatusScreen();
  const { signal, over } = endOnSignal({
    onLate() {
      screen.end();
      const refusal = reportRefusedOperation(compactionInterrupted, { json });
      if (typeof refusal !== 'number') printFailure(refusal, 1);
    },
  });
  try {
    const asked = { signal, focus: given.words.join(' ').trim() || undefined };
    const done = await compact(liveThreads(engine), id, asked, showOn(screen)).finally(() => screen.end());
    if (done.kind === 'refused' || done.kind === 'failed')
      return reportRefusedOperation(withOwnNext(done.outcome, id), { json });
    if (done.kind === 'aborted') return reportRefusedOperation(compactionInterrupted, { json });
    const { report } = done;
    return printResult({ kind: 'installed', id, report: checkpointFields(report) }, { json }, () => told(id, report));
  } finally {
    over();
  }
}

async function compact(
  threads: LiveThreads,
  id: ThreadId,
  asked: LiveCompaction,
  listener: (event: ThreadEvent) => void,
): Promise<CompactionResult | EngineRefused> {
  const thread = await threads.load(id, { listener, unattended: true });
  if (thread.kind === 'refused') return thread;
  for (const outcome of thread.notices) listener({ kind: 'warning', outcome });
  return thread.compact(asked).finally(() => threads.close());
}

/** Replaces the advice about a missing folder, since this command has no option for another one. */
function withOwnNext(outcome: Outcome, id: ThreadId): Outcome {
  const next = `Create it, or have the thread work in this folder: \`capstan threads set ${id} --cd .\`.`;
  return outcome.code === 'folder-missing' ? { ...outcome, next } : outcome;
}

const told = (id: ThreadId, report: CheckpointReport): string =>
  [
    checkpointText(report),
    `To look at it: capstan context ${id} --checkpoint ${report.number}`,
    `To take it back: capstan threads rollback ${id} --before-checkpoint ${report.number}`,
    '',
  ].join('\n');

/** Shows progress on standard error: a model may think for minutes. */
function showOn(screen: StatusScreen): (event: ThreadEvent) => void {
  const activity = new TurnActivity();
  return (event) => {
    activity.event(event);
    const line = noteOn(event);
    if (line !== undefined) screen.note(line);
    screen.status(activity.words && (() => activity.words ?? []));
  };
}

function noteOn(event: ThreadEvent): Span | undefined {
  switch (event.kind) {
    case 'checkpoint-started':
      return `${event.model} compacts the history (${event.strategy}) …`;
    case 'checkpoint-failed':
      return event.paused ? yellow(pausedCompactionWords(event.threadId)) : undefined;
    case 'warning':
      return yellow(outcomeText(event.outcome));
    case 'retrying':
      return isRetryWorthShowing(event) ? yellow(event.outcome.message) : undefined;
    default:
      return undefined;
  }
}
