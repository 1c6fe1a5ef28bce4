import type { Outcome } from '../../protocol/outcome.ts';
import type { TurnSummary } from '../../state/turn-list.ts';
import { checkpointLine } from '../checkpoint-words.ts';
import type { CommandForm, ParsedWords } from '../command-words.ts';
import type { ThreadCheckpoint } from '../engine/thread-checkpoints.ts';
import { print } from '../print.ts';
import { lastOption, runCommand } from '../run-command.ts';
import type { WaitingMessage } from '../../state/waiting.ts';
import { waitingWords } from '../../thread/waiting-notice.ts';
import { visibleLine } from '../visible-text.ts';
import { meantThread } from './meant-thread.ts';
import { clockTime, settingsLine, threadLines } from './thread-lines.ts';

export const form: CommandForm = {
  name: 'threads show',
  summary: 'Shows a thread and its turns, with the settings of each.',
  forms: ['THREAD [--json]', '--last [--json]'],
  options: [{ key: 'json', names: ['--json'], help: 'one JSON object' }, lastOption],
  notes: 'Turns that were taken back are left out.',
};

/** `capstan threads show`. 0: shown; 1: no such thread; 2: wrong usage. */
export function run(words: readonly string[]): Promise<number> {
  return runCommand(form, words, show);
}

async function show(asked: ParsedWords): Promise<number | Outcome> {
  const meant = await meantThread(form, asked, { archived: true });
  if ('code' in meant) return meant;
  const { engine, id } = meant;
  const thread = await engine.summary(id);
  if ('code' in thread) return thread;
  const turns = await engine.turns(id);
  const checkpoints = await engine.checkpoints(id);
  const waiting = await engine.waiting(id);
  if (asked.flags.has('json'))
    print(`${JSON.stringify({ thread, turns, checkpoints, ...(waiting.length === 0 ? {} : { waiting }) })}\n`, 'json');
  else {
    const rows = turns.flatMap((turn) =>
      turnLines(
        turn,
        checkpoints.filter((each) => each.turn === turn.id),
      ),
    );
    const before = checkpoints.filter(({ turn }) => turn === undefined).map((each) => `${checkpointWords(each)}\n`);
    print(
      [...threadLines(thread), `  ${visibleLine(thread.path)}`, '', ...before, ...rows, ...waitingLines(waiting)].join(
        '\n',
      ),
      'text',
    );
  }
  return 0;
}

function checkpointWords({ number, report }: ThreadCheckpoint): string {
  return report === undefined ? `Checkpoint ${number}, made by another program` : checkpointLine({ ...report, number });
}

/** They were accepted, and no turn has come to them. */
function waitingLines(waiting: readonly WaitingMessage[]): readonly string[] {
  if (waiting.length === 0) return [];
  return ['Waiting for the next turn', ...waiting.map((each) => `  ${visibleLine(waitingWords(each, 200))}`), ''];
}

function turnLines(turn: TurnSummary, checkpoints: readonly ThreadCheckpoint[]): readonly string[] {
  const { number, id, startedAt, status, firstWords } = turn;
  const when = startedAt === undefined ? [] : [clockTime(startedAt)];
  return [
    [`${number}.`, id, ...when, status].join('  '),
    `  ${settingsLine(turn)}`,
    `  ${firstWords === '' ? '(nothing was said)' : visibleLine(firstWords)}`,
    ...checkpoints.map((each) => `  ${checkpointWords(each)}`),
    '',
  ];
}
