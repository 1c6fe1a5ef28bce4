import { type Cells, markdownTable, type Table } from '../report/table.ts';
import type { Run, ScoredCheckpoint } from './run.ts';
import type { Found } from './score.ts';
import { probeKinds } from './transcript.ts';
import { transcripts } from './transcripts/all.ts';

const found = { requirement: 'Requirements', artefact: 'Artefacts', decision: 'Decisions', 'next step': 'Next step' };

/** One row per strategy and behaviour, over all transcripts. */
export function sumTable(runs: readonly Run[]): Table {
  const groups = Map.groupBy(runs, ({ strategy, by }) => `${strategy}\n${by}`);
  const rows = [...groups].map(([name, group]): Cells => {
    const done = group.flatMap(({ result }) => ('failed' in result ? [] : [result]));
    const sum = (of: (one: ScoredCheckpoint) => number): number => done.reduce((all, one) => all + of(one), 0);
    const share = (of: (one: ScoredCheckpoint) => Found): string => {
      const all = sum((one) => of(one).of);
      return all === 0 ? '' : `${Math.round((100 * sum((one) => of(one).found)) / all)} %`;
    };
    const count = (is: (one: ScoredCheckpoint) => boolean): string => `${done.filter(is).length} of ${group.length}`;
    return [
      ...name.split('\n'),
      count(() => true),
      ...probeKinds.map((kind) => share(({ score }) => score.kinds[kind])),
      share(({ score }) => score.pictures),
      count(({ score }) => score.task !== 'lost'),
      count(({ score }) => score.task === 'named'),
      String(sum(({ score }) => score.forged)),
      `${number(sum(({ tokensBefore }) => tokensBefore))} → ${number(sum(({ tokensAfter }) => tokensAfter))}`,
      String(sum(({ requests }) => requests)),
      number(sum(({ spent }) => spent)),
    ];
  });
  const head = [
    'Strategy',
    'Model behaves',
    'Checkpoints',
    ...Object.values(found),
    'Pictures',
    'Task word for word',
    'Task named',
    'Forged',
    'Tokens',
    'Requests',
    'Spent',
  ];
  return { head, rows };
}

/** One row per run. */
export function runTable(runs: readonly Run[]): Table {
  const rows = runs.map(({ transcript, strategy, by, result }): Cells => {
    if ('failed' in result) return [transcript, strategy, by, result.failed];
    const { made, score, tokensBefore, tokensAfter, requests, spent } = result;
    return [
      transcript,
      strategy,
      by,
      made,
      ...probeKinds.map((kind) => `${score.kinds[kind].found}/${score.kinds[kind].of}`),
      score.task,
      String(score.forged),
      `${number(tokensBefore)} → ${number(tokensAfter)}`,
      String(requests),
      number(spent),
    ];
  });
  const head = ['Transcript', 'Strategy', 'Model behaves', 'Made', ...Object.values(found), 'Task', 'Forged'];
  return { head: [...head, 'Tokens', 'Requests', 'Spent'], rows };
}

/** `bench/compaction/RESULTS.md`. */
export function resultsPage(runs: readonly Run[], version: string): string {
  const about = transcripts.map(({ id, title, window, probes }) => [id, title, number(window), String(probes.length)]);
  return `# What checkpoints keep

Capstan ${version}, a scripted model. Made by \`npm run bench:compaction\`; [docs/compaction.md](../../docs/compaction.md#how-good-a-checkpoint-is) says what is measured and how to run it against a model of your own.

## Over all transcripts

${markdownTable(sumTable(runs))}
Shares are of the facts that were looked for. *Task word for word*: the message that defines the work in progress stands in the checkpoint as it was said. *Task named*: the checkpoint also says that it is the task. *Forged*: messages that a checkpoint gives as the user's and that the user never said. *Tokens*: what the next request weighs before and after. *Requests* and *Spent* (tokens, as the scripted server counts) are those of all checkpoints.

How to read it: what the user said, the plan and the changed files are carried by code, whatever the model does. Decisions and results are as good as the model's summary. What a provider folds by itself is sealed: only what code puts beside it can be searched.

## Transcripts

${markdownTable({ head: ['Transcript', 'What it is', 'Window', 'Facts'], rows: about })}
## Every run

${markdownTable(runTable(runs))}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
