import type { Outcome } from '../../protocol/outcome.ts';
import type { TurnSummary } from '../../state/turn-list.ts';
import { checkpointLine } from '../wording/checkpoint-words.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { showCommand } from '../commands/threads-read-commands.ts';
import type { Unproven } from '../engine/engine-types.ts';
import type { ThreadCheckpoint } from '../engine/thread-checkpoints.ts';
import { type WaitingMessage, waitingWords } from '../../state/waiting.ts';
import { oneLine } from '../../state/one-line.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { findThread } from './find-thread.ts';
import { printResult } from './print-result.ts';
import { clockTime, settingsLine, threadLines, withPaths } from './thread-lines.ts';

/** `capstan threads show` */
export async function run(given: CommandArguments<typeof showCommand>): Promise<number | Outcome> {
  const found = await findThread({ thread: given.thread, archived: true });
  if ('code' in found) return found;
  const { engine, id } = found;
  const thread = await engine.stored.summary(id);
  if ('code' in thread) return thread;
  const turns = await engine.stored.turns(id);
  const checkpoints = await engine.stored.checkpoints(id);
  const waiting = await engine.stored.waiting(id);
  const unproven = await engine.stored.unproven(id);
  const more = { ...(waiting.length === 0 ? {} : { waiting }), ...(isNothing(unproven) ? {} : { unproven }) };
  return printResult({ thread: withPaths(thread), turns, checkpoints, ...more }, given.options, () =>
    [
      ...threadLines(thread),
      `  ${visibleLine(thread.location)}\n`,
      ...checkpoints.filter(({ turn }) => turn === undefined).map((each) => `${checkpointWords(each)}\n`),
      ...turns.flatMap((turn) => turnLines(turn, checkpoints)),
      ...waitingLines(waiting),
      ...unprovenLines(unproven),
    ].join('\n'),
  );
}

function checkpointWords({ number, report }: ThreadCheckpoint): string {
  return report === undefined ? `Checkpoint ${number}, made by another program` : checkpointLine({ ...report, number });
}

/** They were accepted, and no turn has come to them. */
function waitingLines(waiting: readonly WaitingMessage[]): readonly string[] {
  if (waiting.length === 0) return [];
  return ['Waiting for the next turn', ...waiting.map((each) => `  ${visibleLine(waitingWords(each, 200))}`), ''];
}

function isNothing({ messages, pins }: Unproven): boolean {
  return messages.length === 0 && pins.length === 0;
}

/** What the file claims and no turn takes in, with all that the user needs to say it again. */
function unprovenLines(unproven: Unproven): readonly string[] {
  if (isNothing(unproven)) return [];
  const said = [
    ...unproven.messages.map((each) => `  message: ${visibleLine(waitingWords(each, mostCharacters))}`),
    ...unproven.pins.map(({ text }) => `  note: ${visibleLine(oneLine(text, mostCharacters))}`),
  ];
  return ['Left out: nothing proves that Capstan wrote these lines in this home for you', ...said, ''];
}

/** Of each; `--json` has all of it. */
const mostCharacters = 2000;

function turnLines(turn: TurnSummary, checkpoints: readonly ThreadCheckpoint[]): readonly string[] {
  const { number, id, startedAt, status, firstWords, moreWords = [], purpose, problem } = turn;
  const silence = purpose === 'compaction' ? '(compaction)' : '(nothing was said)';
  const when = startedAt === undefined ? [] : [clockTime(startedAt)];
  return [
    [`${number}.`, id, ...when, status].join('  '),
    `  ${settingsLine(turn)}`,
    `  ${firstWords === '' ? silence : visibleLine(firstWords)}`,
    ...moreWords.map((words) => `  ${visibleLine(words)}`),
    ...(problem === undefined ? [] : [`  ${visibleLine(problem)}`]),
    ...checkpoints.filter((each) => each.turn === id).map((each) => `  ${checkpointWords(each)}`),
    '',
  ];
}
