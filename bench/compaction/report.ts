import { type Cells, markdownTable, type Table } from '../report/table.ts';
import type { Run, ScoredCheckpoint } from './run.ts';
import type { Found } from './score.ts';
import { probeKinds } from './transcript.ts';
import type { Machine } from '../machine.ts';
import { conversationTable } from './conversations/conversation-report.ts';
import type { ConversationRun } from './conversations/run-conversations.ts';
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

export interface CompactionReport {
  readonly machine: Machine;
  readonly versions: { readonly capstan: string; readonly codex: string | undefined };
  readonly runs: readonly Run[];
  readonly conversations: readonly ConversationRun[];
  readonly seconds: number;
}

/** `bench/compaction/RESULTS.md`. */
export function resultsPage({ machine, versions, runs, conversations, seconds }: CompactionReport): string {
  const about = transcripts.map(({ id, title, window, probes }) => [id, title, number(window), String(probes.length)]);
  return `# What checkpoints keep

Written by \`npm run bench:compaction\`; [docs/compaction.md](../../docs/compaction.md#how-good-a-checkpoint-is) says what is measured and how to run it against a model of your own.

- Date: ${machine.date}
- Machine: ${machine.cores} cores, ${machine.memoryGiB} GiB of memory, ${machine.platform} ${machine.architecture}; load average at the start ${machine.load.toFixed(2)}
- Programs: Capstan ${versions.capstan}, ${versions.codex === undefined ? '**Codex could not be installed**' : `Codex ${versions.codex}`}; a scripted model answers both
- ${Math.round(seconds)} s in all

## ${conversations[0]?.results.length ?? 0} conversations

${markdownTable(conversationTable(conversations))}
Both programs resume the same thread file, compact it by hand, and run one more turn; what is measured is the request of that turn, by the same code. Each conversation is preceded by five files that the model read, so that there is something to compact. The conversations, with what a careful colleague would say of each, are those of \`test/compaction/conversations\`.

- *Messages word for word*: each message of the user stands there as a message, unchanged. One that was sent twice in the same words counts once.
- *Omissions marked*: of the messages and pictures that are not there whole, those that a mark in their place names or counts.
- *Hooks and programs*: what a hook or the program that drives the thread said to the model, word for word.
- *Task right*: the request marks the active messages and no others, or says what is done or next as a summariser that understood the conversation says it. *Open*: it names no task; the messages stand in order. *As a wrong model said*: it passes on what the model of the *wrong* summariser named; its choice stands, and a reader can see that it is the model's. *Wrong*: it gives as active a message, or a step of a plan, whose task is cancelled, postponed, answered or finished.
- *Old answer as summary*: what the model answered in an earlier turn stands in the place of the summary, and nothing says when it was said.
- *Tokens*: what the checkpoints weigh together, by estimate. *Most of its budget*: the largest part of a budget that any conversation used. The notes around messages are included, so that a little over 100 % is possible.

How the summarisers answer: *good* and *thin* are true, *thin* in a line; *wrong* names another message and another task; *failed* is an apology, nothing, or no sealed item.

About Codex: it is started as its app-server (\`thread/resume\`, \`thread/compact/start\`, \`turn/start\`) and asks in its own way, with a \`compact_prompt\` by which the scripted model knows the question. It compacts with a summary in prose, or at the provider if that is OpenAI; so *structured* and *mechanical* do not apply. It keeps the texts of messages within 20,000 tokens of four bytes whatever the window is, and has no budget for the summary; so the other budgets do not apply. It marks no message as active, so that its *task* is read from the summary alone. In the small window, where not everything fits, only Capstan is shown: what Codex keeps of messages is the same in any window.

## Over all transcripts

${markdownTable(sumTable(runs))}
Codex has the answers of *plain*. Shares are of the facts that were looked for. *Task word for word*: the message that defines the work in progress stands in the checkpoint as it was said. *Task named*: the checkpoint also says that it is the task. *Forged*: messages that a checkpoint gives as the user's and that the user never said. *Tokens*: what the next request weighs before and after. *Requests* and *Spent* (tokens, as the scripted server counts; of Codex, what it sent) are those of all checkpoints.

How to read it: what the user said, the plan and the changed files are carried by code, whatever the model does. Decisions and results are as good as the model's summary. What a provider compacts by itself is sealed: only what code puts beside it can be searched.

## Transcripts

${markdownTable({ head: ['Transcript', 'What it is', 'Window', 'Facts'], rows: about })}
## Every run

${markdownTable(runTable(runs))}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
