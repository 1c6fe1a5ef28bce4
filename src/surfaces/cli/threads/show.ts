import { defined } from '../../../base/objects.ts';
import type { ReadReport, WorkProgress } from '../../../ports/thread-store.ts';
import { isGoalResting, type ThreadSummary } from '../../../protocol/thread.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { fullText, type Outcome } from '../../../protocol/outcome.ts';
import type { RecordedGoal } from '../../../core/state/fold/goals.ts';
import { costOfAll, type TurnItems, type TurnWithItems } from '../../../core/state/turns/turn-items.ts';
import type { TurnSummary } from '../../../core/state/turns/turn-list.ts';
import type { Question } from '../../../protocol/question.ts';
import { checkpointLine } from '../../views/wording/checkpoint-words.ts';
import { goalTokensWords, goalStatusWords } from '../../views/wording/turn-lines.ts';
import { resumeCommand } from '../../views/wording/command-hints.ts';
import { questionWords } from '../../views/questions/question-lines.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { showCommand } from '../table/threads-read-commands.ts';
import type { Unproven } from '../../../engine/engine-types.ts';
import type { ThreadCheckpoint } from '../../../engine/store/stored-thread-details.ts';
import { type WaitingMessage, waitingWords } from '../../../core/state/fold/waiting-messages.ts';
import { oneLine } from '../../../core/state/turns/turn-words.ts';
import { costUnknown, usageForPrograms } from '../../views/wording/cost-words.ts';
import { dim, type Span, yellow } from '../../views/terminal/styled-text.ts';
import { type PageForm, pageForm, printPage, wrapSentences } from '../../views/terminal/page.ts';
import { print } from '../../views/terminal/print.ts';
import { visibleLine } from '../../views/terminal/text.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import { findThread, type FoundThread } from './operations.ts';
import { barLegend, type ShownTurn, tokensLine, type TurnForm, turnSpans } from './show-turn.ts';
import { addQuestionWriter, threadSpans, withPaths } from './list.ts';
import { skippedWords } from '../../../engine/wording.ts';

export async function run({ thread: name, options }: CommandArguments<typeof showCommand>): Promise<number | Outcome> {
  const found = await findThread({ thread: name, archived: true });
  if ('code' in found) return found;
  const { engine, id } = found;
  if (options.tree) return (await import('./show-tree.ts')).showTree(found, options);
  const summary = await engine.stored.summary(id);
  if ('code' in summary) return summary;
  const thread = await addQuestionWriter(engine.stored, summary);
  const { turns, checkpoints, waiting, unproven, questions, cutOff, work, goal, read } = await withProgress(
    { label: 'Reading lines' },
    (report) => readParts(engine.stored, id, { items: !options.json || options.full, report }),
  );
  if (options.json) {
    const more = {
      ...(waiting.length === 0 ? {} : { waiting }),
      ...(questions.length === 0 ? {} : { questions }),
      ...(isNothing(unproven) ? {} : { unproven }),
      ...defined({ goal }),
      ...(read.skipped === 0 ? {} : { skipped_lines: read.skipped, ...defined({ too_long: read.tooLong }) }),
    };
    const workOf = workByTurn(work);
    const shown = work === undefined ? turns : turns.map((turn) => ({ ...turn, ...itemsOf(workOf.get(turn.id)) }));
    print(`${JSON.stringify({ thread: withPaths(thread), turns: shown, checkpoints, ...more })}\n`, 'json');
    return 0;
  }
  const form = pageForm();
  printPage(
    [
      ...threadSpans(thread, Date.now(), form),
      dim(`  ${visibleLine(thread.location)}\n`),
      ...turnsSpans({ thread, turns, checkpoints, work }, { ...form, full: options.full }),
      ...questionLines(questions, form),
      ...(cutOff === undefined ? [] : ['\n', yellow(wrapSentences(visibleLine(fullText(cutOff)), form, ''))]),
      ...goalLines(goal, id, form),
      ...waitingLines(waiting, form),
      ...unprovenLines(unproven, form),
      ...(read.skipped === 0 ? [] : ['\n', yellow(wrapSentences(skippedWords(read), form, ''))]),
    ],
    form,
  );
  return 0;
}

/** The longest reading, of the items, comes last: then they are not in memory beside the history of the others. */
async function readParts(
  stored: FoundThread['engine']['stored'],
  id: ThreadId,
  { items, report }: { readonly items: boolean; readonly report: WorkProgress },
) {
  const standing = await stored.standing(id);
  const turns = await stored.turns(id);
  const checkpoints = await stored.checkpoints(id);
  const work = items ? await stored.turnItems(id, report) : undefined;
  const read: ReadReport = work ?? { skipped: 0 };
  return { ...standing, turns, checkpoints, work, read };
}

interface ShownTurns {
  readonly thread: ThreadSummary;
  readonly turns: readonly TurnSummary[];
  readonly checkpoints: readonly ThreadCheckpoint[];
  readonly work: TurnItems | undefined;
}

function turnsSpans(
  { thread, turns, checkpoints, work }: ShownTurns,
  form: Omit<TurnForm, 'mostTokens'>,
): readonly Span[] {
  const workOf = workByTurn(work);
  const shown = turns.map((turn, at): ShownTurn => ({
    turn,
    work: workOf.get(turn.id),
    before: turns[at - 1] ?? thread,
  }));
  const costs = shown.flatMap((each) => each.work?.usage ?? []).filter(({ total }) => total > 0);
  const mostTokens = costs.reduce((most, { input, output }) => Math.max(most, input + output), 0);
  const all = work === undefined ? {} : costOfAll(work);
  const unpriced = all.usage !== undefined && all.usage.cost === undefined ? `, ${costUnknown}` : '';
  const total = tokensLine(all).flatMap((words): readonly Span[] =>
    costs.length === 0 ? [`  ${words}${unpriced}\n`] : [`  ${words}${unpriced}   `, ...barLegend(form.color)],
  );
  const byTurn = Map.groupBy(checkpoints, ({ turn }) => turn);
  const made = (turn: TurnSummary | undefined): readonly Span[] =>
    (byTurn.get(turn?.id) ?? []).map((each) => wrapSentences(checkpointWords(each), form, '  '));
  return [
    ...total,
    ...made(undefined),
    ...shown.flatMap((each) => ['\n', ...turnSpans(each, { ...form, mostTokens }), ...made(each.turn)]),
  ];
}

/** A rolled-back turn may have the same id as a current one. */
function workByTurn(work: TurnItems | undefined): ReadonlyMap<TurnWithItems['id'], TurnWithItems> {
  return new Map((work?.turns ?? []).filter(({ isTakenBack }) => !isTakenBack).map((each) => [each.id, each]));
}

function itemsOf(work: TurnWithItems | undefined) {
  if (work === undefined) return {};
  const { items, usage, uncounted } = work;
  return { items, ...defined({ usage: usage && usageForPrograms(usage), uncounted }) };
}

function checkpointWords({ number, report }: ThreadCheckpoint): string {
  return report === undefined ? `Checkpoint ${number}, made by another program` : checkpointLine({ ...report, number });
}

function questionLines(questions: readonly Question[], form: PageForm): readonly Span[] {
  if (questions.length === 0) return [];
  const asked = questions.map((question) => {
    const why = question.reason === undefined ? '' : `. ${question.reason}`;
    return wrapSentences(visibleLine(`${questionWords(question)}${why}`), form, '  ');
  });
  return ['\n', yellow('Waiting for your answer'), '\n', ...asked];
}

function goalLines(goal: RecordedGoal | undefined, id: ThreadId, form: PageForm): readonly Span[] {
  if (goal === undefined) return [];
  const { status, objective, reason } = goal;
  const why = reason === undefined || !isGoalResting(status) ? '' : ` ${reason}`;
  const said = `${objective} (${goalTokensWords(goal)})${why}`;
  return [
    '\n',
    yellow(`The ${goalStatusWords(status).replace('goal', 'goal is')}`),
    '\n',
    wrapSentences(visibleLine(said), form, '  '),
    ...(isGoalResting(status) ? [`  To resume: ${resumeCommand(id, { goalRests: true })}\n`] : []),
  ];
}

function waitingLines(waiting: readonly WaitingMessage[], form: PageForm): readonly Span[] {
  if (waiting.length === 0) return [];
  const said = waiting.map((each) => wrapSentences(visibleLine(waitingWords(each, 200)), form, '  '));
  return ['\n', yellow('Waiting for the next turn'), '\n', ...said];
}

function isNothing({ messages, pins }: Unproven): boolean {
  return messages.length === 0 && pins.length === 0;
}

/** Entries that the file claims and no turn contains, with all that the user needs to enter them again. */
function unprovenLines(unproven: Unproven, form: PageForm): readonly Span[] {
  if (isNothing(unproven)) return [];
  const said = [
    ...unproven.messages.map((each) => `message: ${visibleLine(waitingWords(each, mostCharacters))}`),
    ...unproven.pins.map(({ text }) => `note: ${visibleLine(oneLine(text, mostCharacters))}`),
  ];
  const why = 'Left out: Capstan cannot prove that it wrote these lines in this home';
  return ['\n', yellow(why), '\n', ...said.map((each) => wrapSentences(each, form, '  '))];
}

/** The limit for each; `--json` has all of it. */
const mostCharacters = 2000;
