import type { CheckpointReport } from '../../protocol/checkpoint-report.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { fullText, type Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { checkpointFields } from '../wording/checkpoint-fields.ts';
import { checkpointText, pausedWords } from '../wording/checkpoint-words.ts';
import { isRetryNews } from '../wording/retry-news.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { compactCommand } from '../commands/threads-change-commands.ts';
import type { EngineRefused } from '../engine/engine-refused.ts';
import type { CompactionResult } from '../engine/engine-types.ts';
import { liveThreads } from '../engine/live/kept-threads.ts';
import type { LiveCompaction, LiveThreads } from '../engine/live/live-thread.ts';
import { endOnSignal } from '../terminal/end-on-signal.ts';
import { type Span, yellow } from '../terminal/look.ts';
import { openScreen } from '../terminal/open-screen.ts';
import { complain } from '../terminal/print.ts';
import type { Screen } from '../terminal/screen.ts';
import { Activity } from '../terminal/activity.ts';
import { findThread } from './find-thread.ts';
import { printResult } from './print-result.ts';
import { refuseOperation } from './thread-operation.ts';

/** `capstan threads compact`. 0: a checkpoint was made; 1: refused or failed; 2: wrong usage. */
export async function run(given: CommandArguments<typeof compactCommand>): Promise<number | Outcome> {
  const { json } = given.options;
  const found = await findThread({ thread: given.thread, overrides: given.options.overrides });
  if ('code' in found) return found;
  const { engine, id } = found;
  const screen = openScreen();
  const { signal, over } = endOnSignal({
    onLate() {
      screen.end();
      const refusal = refuseOperation(interrupted, { json });
      if (typeof refusal !== 'number') complain(refusal, 1);
    },
  });
  try {
    const focus = given.words.join(' ').trim();
    const asked = { signal, ...(focus === '' ? {} : { focus }) };
    const done = await compact(liveThreads(engine), id, asked, showOn(screen)).finally(() => screen.end());
    if (done.kind === 'refused' || done.kind === 'failed')
      return refuseOperation(withOwnNext(done.outcome, id), { json });
    if (done.kind === 'aborted') return refuseOperation(interrupted, { json });
    const { report } = done;
    return printResult({ kind: 'installed', id, report: checkpointFields(report) }, { json }, () => told(id, report));
  } finally {
    over();
  }
}

/** Unless a checkpoint is made, the history stands as it was. */
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

const interrupted: Outcome = {
  code: 'interrupted',
  message: 'The compaction was interrupted.',
  next: 'The history is unchanged.',
};

/** This command has no option for another folder. */
function withOwnNext(outcome: Outcome, id: ThreadId): Outcome {
  if (outcome.code !== 'folder-missing') return outcome;
  return {
    ...outcome,
    next: `Create it, or have the thread work in this folder: \`capstan threads set ${id} --cd .\`.`,
  };
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
function showOn(screen: Screen): (event: ThreadEvent) => void {
  const activity = new Activity();
  return (event) => {
    activity.event(event);
    const line = noteOn(event);
    if (line !== undefined) screen.note(line);
    const isOver = activity.words === undefined;
    screen.status(isOver ? undefined : () => activity.words ?? []);
  };
}

function noteOn(event: ThreadEvent): Span | undefined {
  switch (event.kind) {
    case 'checkpoint-started':
      return `${event.model} compacts the history (${event.strategy}) …`;
    case 'checkpoint-failed':
      return event.paused ? yellow(pausedWords(event.threadId)) : undefined;
    case 'warning':
      return yellow(fullText(event.outcome));
    case 'retrying':
      return isRetryNews(event) ? yellow(event.outcome.message) : undefined;
    default:
      return undefined;
  }
}
