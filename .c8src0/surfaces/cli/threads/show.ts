import type { ReadReport, WorkProgress } from '../../../ports/thread-store.ts';
import { isGoalResting, type ThreadSummary } from '../../../protocol/thread.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { outcomeText, type Outcome } from '../../../protocol/outcome.ts';
import type { RecordedGoal } from '../../../core/state/fold/goals.ts';
import { costOfAllTurns, type TurnItems, type TurnWithItems } from '../../../core/state/turns/turn-items.ts';
import type { TurnSummary } from '../../../core/state/turns/turn-list.ts';
import type { Question } from '../../../protocol/question.ts';
import { checkpointLine } from '../../views/wording/checkpoint-words.ts';
import { goalTokensWords, goalStatusWords } from '../../views/wording/turn-lines.ts';
import { resumeCommand } from '../../views/wording/command-hints.ts';
import { questionWords } from '../../views/questions/question-lines.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { showCommand } from '../table/threads-read-commands.ts';
import type { ThreadCheckpoint } from '../../../engine/store/stored-thread-details.ts';
import { waitingWords } from '../../../core/state/fold/waiting-messages.ts';
import { toOneLine } from '../../../core/state/turns/turn-words.ts';
import { costUnknown, usageForPrograms } from '../../views/wording/cost-words.ts';
import { dim, type Span, yellow } from '../../views/terminal/styled-text.ts';
import { printResult, wrapSentences } from '../../views/terminal/tables.ts';
import { visibleLine } from '../../views/terminal/visible-text.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import { findThread, type FoundThread } from './operations.ts';
import { barLegend, type ShownTurn, tokensLine, type TurnForm, turnSpans } from './show-turn.ts';
import { addQuestionWriter, threadSpans, renameLocationsToPaths } from './list-and-search.ts';
import { describeSkippedLines } from '../../../engine/wording.ts';

export async function run({ thread: name, options }: CommandArguments<typeof showCommand>): Promise<number | Outcome> {
  const found = await findThread({ thread: name, archived: true });
  if ('code' in found) return found;
  const { engine, id } = found;
  if (options.tree) return (await import('./show-tree.ts')).showAgentTree(found, options);
  const summary = await engine.stored.summary(id);
  if ('code' in summary) return summary;
  const thread = await addQuestionWriter(engine.stored, summary);
  const { turns, checkpoints, waiting, unproven, questions, cutOff, work, goal, read } = await withProgress(
    { label: 'Reading lines' },
    (report) => readParts(engine.stored, id, { items: !options.json || options.full, report }),
  );
  const workOf = workByTurn(work);
  const isSkipping = read.skipped > 0;
  const fields = {
    thread: renameLocationsToPaths(thread),
    turns: work === undefined ? turns : turns.map((turn) => ({ ...turn, ...itemsOf(workOf.get(turn.id)) })),
    checkpoints,
    waiting: waiting.length === 0 ? undefined : waiting,
    questions: questions.length === 0 ? undefined : questions,
    unproven: unproven.messages.length + unproven.pins.length === 0 ? undefined : unproven,
    goal,
    skipped_lines: isSkipping ? read.skipped : undefined,
    too_long: isSkipping ? read.tooLong : undefined,
  };
  return printResult(fields, options, (form) => {
    const section = (title: string, lines: readonly string[]): readonly Span[] =>
      lines.length === 0
        ? []
        : ['\n', yellow(title), '\n', ...lines.map((line) => wrapSentences(visibleLine(line), form, '  '))];
    return [
      ...threadSpans(thread, Date.now(), form),
      dim(`  ${visibleLine(thread.location)}\n`),
      ...turnsSpans({ thread, turns, checkpoints, workOf, work }, { ...form, full: options.full }),
      ...section('Waiting for your answer', questions.map(questionLine)),
      ...(cutOff === undefined ? [] : ['\n', yellow(wrapSentences(visibleLine(outcomeText(cutOff)), form))]),
      ...(goal === undefined
        ? []
        : section(`The ${goalStatusWords(goal.status).replace('goal', 'goal is')}`, [goalLine(goal)])),
      ...(goal && isGoalResting(goal.status) ? [`  To resume: ${resumeCommand(id, { goalRests: true })}\n`] : []),
      ...section(
        'Waiting for the next turn',
        waiting.map((each) => waitingWords(each, 200)),
      ),
      ...section('Left out: Capstan cannot prove that it wrote these lines in this home', [
        ...unproven.messages.map((each) => `message: ${waitingWords(each, mostCharacters)}`),
        ...unproven.pins.map(({ text }) => `note: ${toOneLine(text, mostCharacters)}`),
      ]),
      ...(isSkipping ? ['\n', yellow(wrapSentences(describeSkippedLines(read), form))] : []),
    ];
  });
}

/** Most characters of a left-out message or note, which the user may have to enter again. `--json` has all of it. */
const mostCharacters = 2000;

/** Reads the items last, since that takes longest: then they are not in memory together with the others' history. */
async function readParts(
  stored: FoundThread['engine']['stored'],
  id: ThreadId,
  { items, report }: { readonly items: boolean; readonly report: WorkProgress },
) {
  const standing = await stored.standing(id);
  const [turns, checkpoints] = [await stored.turns(id), await stored.checkpoints(id)];
  const work = items ? await stored.turnItems(id, report) : undefined;
  const read: ReadReport = work ?? { skipped: 0 };
  return { ...standing, turns, checkpoints, work, read };
}

interface ShownTurns {
  readonly thread: ThreadSummary;
  readonly turns: readonly TurnSummary[];
  readonly checkpoints: readonly ThreadCheckpoint[];
  readonly work: TurnItems | undefined;
  readonly workOf: ReturnType<typeof workByTurn>;
}

function turnsSpans({ thread, turns, checkpoints, work, workOf }: ShownTurns, form: Omit<TurnForm, 'mostTokens'>) {
  const shown = turns.map((turn, at): ShownTurn => {
    return { turn, work: workOf.get(turn.id), before: turns[at - 1] ?? thread };
  });
  const costs = shown.flatMap((each) => each.work?.usage ?? []).filter(({ total }) => total > 0);
  const mostTokens = costs.reduce((most, { input, output }) => Math.max(most, input + output), 0);
  const all = work === undefined ? {} : costOfAllTurns(work);
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

/** Leaves out rolled-back turns, which may have the id of a current one. */
const workByTurn = (work: TurnItems | undefined): ReadonlyMap<TurnWithItems['id'], TurnWithItems> =>
  new Map((work?.turns ?? []).filter(({ isTakenBack }) => !isTakenBack).map((each) => [each.id, each]));

function itemsOf(work: TurnWithItems | undefined) {
  if (work === undefined) return {};
  const { items, usage, uncounted } = work;
  return { items, usage: usage && usageForPrograms(usage), uncounted };
}

const checkpointWords = ({ number, report }: ThreadCheckpoint): string =>
  report === undefined ? `Checkpoint ${number}, made by another program` : checkpointLine({ ...report, number });

const questionLine = (question: Question): string =>
  `${questionWords(question)}${question.reason === undefined ? '' : `. ${question.reason}`}`;

function goalLine(goal: RecordedGoal): string {
  const why = goal.reason === undefined || !isGoalResting(goal.status) ? '' : ` ${goal.reason}`;
  return `${goal.objective} (${goalTokensWords(goal)})${why}`;
}
