import type { Cells, Table } from '../../report/table.ts';
import type { Measured, Share, Tokens } from './measure.ts';
import type { ConversationResult, ConversationRun } from './run-conversations.ts';

interface Budget {
  readonly percent: number;
  readonly most: number;
}

/** The budgets that docs/compaction.md promises: in percent of the effective window, and in tokens at most. */
const budgets: Readonly<Record<Exclude<keyof Tokens, 'wordsByBytes'>, Budget>> = {
  words: { percent: 20, most: Infinity },
  pictures: { percent: 10, most: Infinity },
  records: { percent: 5, most: 4000 },
  summary: { percent: 10, most: 4000 },
};
/** The effective share of the configured window, by default. */
const effective = 0.95;

/** One row per program and summariser, over all conversations. */
export function conversationTable(runs: readonly ConversationRun[]): Table {
  const head = [
    'Program',
    'Window',
    'Summariser',
    'Checkpoints',
    'Messages word for word',
    'Pictures',
    'Omissions marked',
    'Hooks and programs',
    'Task right',
    'Task open',
    'Task as a wrong model said',
    'Task wrong',
    'Old answer as summary',
    'Tokens',
    'Most of its budget: messages',
    'pictures',
    'records',
    'summary',
  ];
  return { head, rows: runs.map(rowOf) };
}

function rowOf({ program, window, summariser, results }: ConversationRun): Cells {
  const done = results.filter(isMeasured);
  const share = (of: (one: Measured) => Share): string => {
    const found = done.reduce((sum, { measured }) => sum + of(measured).found, 0);
    return `${found} of ${done.reduce((sum, { measured }) => sum + of(measured).of, 0)}`;
  };
  const tasks = (task: Measured['task']): string =>
    String(done.filter(({ measured }) => measured.task === task).length);
  const tokens = done.reduce((sum, { measured }) => sum + total(measured.tokens), 0);
  return [
    program,
    window.toLocaleString('en-US'),
    summariser,
    `${done.length} of ${results.length}`,
    share(({ messages }) => messages),
    share(({ pictures }) => pictures),
    share(({ marked }) => marked),
    share(({ others }) => others),
    tasks('right'),
    tasks('open'),
    tasks('as told'),
    tasks('wrong'),
    String(done.filter(({ measured }) => measured.isOldAnswer).length),
    tokens.toLocaleString('en-US'),
    ...(Object.keys(budgets) as (keyof typeof budgets)[]).map((part) => mostUsed({ program, window }, done, part)),
  ];
}

interface Done extends ConversationResult {
  readonly measured: Measured;
}

function isMeasured(result: ConversationResult): result is Done {
  return !('failed' in result.measured);
}

function total({ words, pictures, records, summary }: Tokens): number {
  return words + pictures + records + summary;
}

/** The largest part of its budget that any conversation used. Codex has one: 20,000 tokens of four bytes for messages. */
function mostUsed(
  { program, window }: Pick<ConversationRun, 'program' | 'window'>,
  done: readonly Done[],
  part: keyof typeof budgets,
): string {
  if (program !== 'Capstan' && part !== 'words') return 'none';
  const used = done.map(({ measured }) => {
    if (program !== 'Capstan') return measured.tokens.wordsByBytes / 20_000;
    const { percent, most } = budgets[part];
    return measured.tokens[part] / Math.min(most, (window * effective * percent) / 100);
  });
  return `${Math.round(100 * Math.max(0, ...used))} %`;
}

/** Conversations of which something is missing without a mark, or in which a task that is over is given as active. */
export function conversationFaults(runs: readonly ConversationRun[]): readonly string[] {
  return runs.flatMap(({ program, summariser, results }) =>
    results.flatMap(({ conversation, measured }) => {
      const about = `${program}, ${summariser}, ${conversation}`;
      if ('failed' in measured) return [`${about}: ${measured.failed}`];
      const { marked, task } = measured;
      return [
        ...(task === 'wrong' ? [`${about}: a task that is over is given as active`] : []),
        ...(marked.found < marked.of ? [`${about}: ${marked.of - marked.found} omissions without a mark`] : []),
      ];
    }),
  );
}
