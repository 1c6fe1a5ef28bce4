import type { Outcome } from '../../protocol/outcome.ts';
import type { TurnSummary } from '../../state/turn-list.ts';
import { checkpointLine } from '../checkpoint-words.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { showCommand } from '../commands/threads-read-commands.ts';
import type { ThreadCheckpoint } from '../engine/thread-checkpoints.ts';
import { print } from '../print.ts';
import { visibleLine } from '../visible-text.ts';
import { findThread } from './find-thread.ts';
import { clockTime, settingsLine, threadLines } from './thread-lines.ts';

/** `capstan threads show` */
export async function run(given: CommandArguments<typeof showCommand>): Promise<number | Outcome> {
  const found = await findThread({ thread: given.thread, archived: true });
  if ('code' in found) return found;
  const { engine, id } = found;
  const thread = await engine.summary(id);
  if ('code' in thread) return thread;
  const turns = await engine.turns(id);
  const checkpoints = await engine.checkpoints(id);
  if (given.options.json) print(`${JSON.stringify({ thread, turns, checkpoints })}\n`, 'json');
  else {
    const rows = turns.flatMap((turn) =>
      turnLines(
        turn,
        checkpoints.filter((each) => each.turn === turn.id),
      ),
    );
    const before = checkpoints.filter(({ turn }) => turn === undefined).map((each) => `${checkpointWords(each)}\n`);
    print([...threadLines(thread), `  ${visibleLine(thread.path)}`, '', ...before, ...rows].join('\n'), 'text');
  }
  return 0;
}

function checkpointWords({ number, report }: ThreadCheckpoint): string {
  return report === undefined ? `Checkpoint ${number}, made by another program` : checkpointLine({ ...report, number });
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
