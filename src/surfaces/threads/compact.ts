import type { CheckpointReport } from '../../protocol/checkpoint-report.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { fullText, type Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { checkpointFields } from '../checkpoint-fields.ts';
import { checkpointText, pausedWords } from '../checkpoint-words.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import { complain } from '../complain.ts';
import { count } from '../context/table.ts';
import { endOnSignal } from '../end-on-signal.ts';
import { print, printNote } from '../print.ts';
import { lastOption, runCommand } from '../run-command.ts';
import { meantThread } from './meant-thread.ts';

export const form: CommandForm = {
  name: 'threads compact',
  summary: 'Makes a checkpoint now: the model sums the work up, and your own words stay.',
  forms: ['THREAD [FOCUS …] [-c KEY=VALUE] [--json]', '--last [FOCUS …] [-c KEY=VALUE] [--json]'],
  options: [
    { key: 'override', names: ['-c', '--config'], value: 'KEY=VALUE', help: 'override a value of config.toml' },
    { key: 'json', names: ['--json'], help: 'one JSON object' },
    lastOption,
  ],
  notes: [
    'FOCUS says in words what the checkpoint shall keep in view.',
    'It can be taken back with `capstan threads rollback THREAD --before-checkpoint`.',
  ].join('\n'),
};

/** `capstan threads compact`. 0: a checkpoint was made; 1: refused, failed or interrupted; 2: wrong usage. */
export function run(words: readonly string[]): Promise<number> {
  return runCommand(form, words, compact);
}

async function compact(asked: ParsedWords): Promise<number | Outcome> {
  const isLast = asked.flags.has('last');
  const [name, ...rest] = isLast ? [undefined, ...asked.positional] : asked.positional;
  if (name === undefined && !isLast) return wrongUsage(form, 'which thread? Name one, or use --last.');
  const overrides = asked.values.get('override') ?? [];
  const meant = await meantThread(form, { ...asked, positional: name === undefined ? [] : [name] }, { overrides });
  if ('code' in meant) return meant;
  const { engine, id } = meant;
  const json = asked.flags.has('json');
  const { signal, over } = endOnSignal({ onLate: () => void refused(interrupted, json) });
  try {
    const focus = rest.join(' ').trim();
    const done = await engine.compact(id, { listener: progress, signal, ...(focus === '' ? {} : { focus }) });
    if (done.kind === 'refused' || done.kind === 'failed') return refused(withOwnNext(done.outcome, id), json);
    if (done.kind === 'aborted') return refused(interrupted, json);
    if (json) print(line({ kind: 'installed', id, report: checkpointFields(done.report) }), 'json');
    else print(told(id, done.report), 'text');
    return 0;
  } finally {
    over();
  }
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

function refused({ code, message, next }: Outcome, json: boolean): number {
  if (!json) return complain({ message, next }, 1);
  print(line({ kind: 'refused', code, message, next }), 'json');
  return 1;
}

function line(value: JsonObject): string {
  return `${JSON.stringify(value)}\n`;
}

/** What happens meanwhile, on standard error: a model may think for minutes. */
function progress(event: ThreadEvent): void {
  const text = progressWords(event);
  if (text !== undefined) printNote(text);
}

function progressWords(event: ThreadEvent): string | undefined {
  switch (event.kind) {
    case 'checkpoint-started':
      return `${event.model} folds about ${count(event.tokens)} tokens (${event.strategy}) …`;
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
