import type { RecordedGoal } from '../../../core/state/fold/goals.ts';
import { waitingWords } from '../../../core/state/fold/waiting-messages.ts';
import { parseCallReport } from '../../../core/state/recorded/call-answers.ts';
import type { CallQuestion, RecordedCall, RecordedItem } from '../../../core/state/recorded/conversation-items.ts';
import { costOfAllTurns, type TurnItems, type TurnWithItems } from '../../../core/state/turns/turn-items.ts';
import type { TurnSummary } from '../../../core/state/turns/turn-list.ts';
import { type SettingsSummary, toOneLine } from '../../../core/state/turns/turn-words.ts';
import type { AgentNode } from '../../../engine/agents/read-agent-tree.ts';
import type { ThreadCheckpoint } from '../../../engine/store/stored-thread-details.ts';
import { describeSkippedLines, formatDuration, formatCount, plural } from '../../../engine/wording.ts';
import type { ReadReport, WorkProgress } from '../../../ports/thread-store.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { type Outcome, outcomeText } from '../../../protocol/outcome.ts';
import type { Question } from '../../../protocol/question.ts';
import { isGoalResting, type ThreadSummary } from '../../../protocol/thread.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { questionAndAnswerLines } from '../../views/questions/asked-words.ts';
import { questionWords } from '../../views/questions/question-lines.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import { bold, cyan, dim, red, type Span, type TextLook, yellow } from '../../views/terminal/styled-text.ts';
import { type PageForm, printResult, stackedBar, wrapSentences } from '../../views/terminal/tables.ts';
import { fitToWidth, padToWidth, visibleLine, wrap } from '../../views/terminal/visible-text.ts';
import { checkpointLine } from '../../views/wording/checkpoint-words.ts';
import { resumeCommand } from '../../views/wording/command-hints.ts';
import { costLine, costUnknown, moneyWords, usageForPrograms } from '../../views/wording/cost-words.ts';
import type { UsageWithUncounted } from '../../views/wording/cost-words.ts';
import { clockTime } from '../../views/wording/time-words.ts';
import { goalStatusWords, goalTokensWords, shownName } from '../../views/wording/turn-lines.ts';
import type { showCommand } from '../table/threads-read-commands.ts';
import { addQuestionWriter, renameLocationsToPaths, settingsLine, threadSpans } from './list-and-search.ts';
import { findThread, type FoundThread } from './operations.ts';

export async function run({ thread: name, options }: CommandArguments<typeof showCommand>): Promise<number | Outcome> {
  const found = await findThread({ thread: name, archived: true });
  if ('code' in found) return found;
  const { engine, id } = found;
  if (options.tree) return showAgentTree(found, options);
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
      ...turnsSpans({ turns, checkpoints, work }, { thread, workOf }, { ...form, full: options.full }),
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

type ReadTurns = Pick<Awaited<ReturnType<typeof readParts>>, 'turns' | 'checkpoints' | 'work'>;

function turnsSpans(
  { turns, checkpoints, work }: ReadTurns,
  { thread, workOf }: { readonly thread: ThreadSummary; readonly workOf: ReturnType<typeof workByTurn> },
  form: Omit<TurnForm, 'mostTokens'>,
) {
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

interface ShownTurn {
  readonly turn: TurnSummary;
  /** Undefined: the lines do not show which turn it is. */
  readonly work: TurnWithItems | undefined;
  /** The previous turn, or the thread: settings equal to its settings are not repeated. */
  readonly before: SettingsSummary;
}

type TurnForm = PageForm & { readonly full: boolean; readonly mostTokens: number };

const statusLooks: Readonly<Record<TurnSummary['status'], TextLook>> = {
  completed: 'green',
  failed: 'red',
  interrupted: 'yellow',
  open: 'yellow',
};

const indent = '  ';

/** A turn in a few lines: when and how it ended, what it cost, what was asked, done and answered. */
function turnSpans(shown: ShownTurn, form: TurnForm): readonly Span[] {
  const { turn, work } = shown;
  const { number, id, startedAt, status, problem } = turn;
  const when = startedAt === undefined ? [] : [clockTime(startedAt)];
  const settings = settingsLine(changedSettings(shown));
  return [
    bold(`${number}.`),
    [indent + visibleLine(id), ...when, ''].join(indent),
    { look: statusLooks[status], text: status },
    '\n',
    ...(settings === '' ? [] : [dim(wrapSentences(settings, form, indent))]),
    ...figures(turn, work ?? {}, form),
    ...(form.full && work !== undefined
      ? work.items.flatMap((item) => itemSpans(item, form))
      : shortItems(turn, work?.items ?? [], form)),
    ...(problem === undefined ? [] : [red(wrapSentences(visibleLine(problem), form, indent))]),
  ];
}

function changedSettings({ turn, before }: ShownTurn) {
  const { cwd, model, effort, approval, sandbox, mode } = turn;
  const now = { cwd, model, effort, approval, sandbox, mode };
  const changed = Object.entries(now).filter(([name, value]) => before[name as keyof typeof now] !== value);
  return Object.fromEntries(changed);
}

const figuresWidth = 60;

/** Duration and cost, with a bar: cached and other tokens sent, and tokens answered. */
function figures(
  { startedAt, endedAt }: TurnSummary,
  cost: UsageWithUncounted,
  { width, color, mostTokens }: TurnForm,
) {
  const time = startedAt === undefined || endedAt === undefined ? [] : [formatDuration(endedAt - startedAt)];
  const { usage } = cost;
  const words = [...time, ...tokensLine(cost)].join(' · ');
  if (words === '') return [];
  const room = width - figuresWidth - indent.length;
  if (usage === undefined || usage.total === 0 || room < 5) return [`${indent}${words}\n`];
  const { input, cachedInput, output } = usage;
  const parts = [
    { amount: cachedInput, letter: 'c', look: 'cyan' },
    { amount: input - cachedInput, letter: 'i', look: 'blue' },
    { amount: output, letter: 'o', look: 'green' },
  ] as const;
  const columns = Math.max(1, Math.round((room * (input + output)) / Math.max(1, mostTokens)));
  const bar = stackedBar(parts, { whole: input + output, width: columns, color });
  return [`${indent}${padToWidth(words, figuresWidth)}`, ...bar, '\n'];
}

function tokensLine(cost: UsageWithUncounted): readonly string[] {
  const words = costLine(cost);
  if (words === undefined) return [];
  return [(cost.usage?.total ?? 0) === 0 ? `tokens ${words}` : words];
}

function barLegend(color: boolean): readonly Span[] {
  const mark = (look: TextLook, letter: string): Span => ({ look, text: color ? '█' : letter });
  return [mark('cyan', 'c'), ' cached  ', mark('blue', 'i'), ' other input  ', mark('green', 'o'), ' output\n'];
}

const [mostCalls, mostAnswer] = [8, 300];

function shortItems(turn: TurnSummary, items: readonly RecordedItem[], form: TurnForm): readonly Span[] {
  const { firstWords, moreWords = [], purpose } = turn;
  const silence = purpose === 'compaction' ? '(compaction)' : '(no messages)';
  const written = (text: string): string => wrapSentences(visibleLine(text), form, indent);
  const calls = items.filter((item) => item.kind === 'call');
  const answer = items.findLast((item) => item.kind === 'assistant');
  const left = calls.length - mostCalls;
  const more = left > 0 ? [dim(`${indent}… ${plural(left, 'more call')} (--full shows all)\n`)] : [];
  const listed = calls.slice(0, mostCalls);
  const lines = listed.map((call) => [...callLine(call, form), ...(call === listed.at(-1) ? more : [])]);
  // A turn that was cut off may have calls after the model's last words.
  const at = answer === undefined ? -1 : items.indexOf(answer);
  const before = listed.filter((call) => items.indexOf(call) < at).length;
  return [
    ...[firstWords === '' ? silence : firstWords, ...moreWords].map(written),
    ...lines.slice(0, before).flat(),
    ...(answer === undefined ? [] : [cyan(written(`> ${toOneLine(answer.text, mostAnswer)}`))]),
    ...lines.slice(before).flat(),
  ];
}

/** `$ npm test  [exit 1]` */
function callLine(call: RecordedCall, form: TurnForm): readonly Span[] {
  const { proseWidth } = form;
  const end = describeCallEnd(call);
  const mark = end === undefined ? '' : `  [${end.words}]`;
  const sign = call.form === 'command' ? '$' : call.name;
  const words = visibleLine(`${sign} ${call.form === 'patch' ? patchedFiles(call.input) : toOneLine(call.input, 300)}`);
  const line = fitToWidth(words.trimEnd(), proseWidth - indent.length - mark.length);
  return [
    dim(indent + line),
    ...(end === undefined ? [] : [{ look: end.look, text: mark }]),
    '\n',
    ...decided(call, form),
  ];
}

const decided = (call: RecordedCall, form: TurnForm): readonly Span[] =>
  questionAndAnswerLines(call).map((words) => dim(wrapSentences(visibleLine(words), form, indent + indent)));

const patchedFiles = (patch: string): string =>
  [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, path]) => path).join(', ');

function itemSpans(item: RecordedItem, form: TurnForm): readonly Span[] {
  switch (item.kind) {
    case 'user':
      return labelled(item.author ?? 'you', [...item.texts, ...pictures(item.pictures)].join('\n'), form);
    case 'assistant':
      return labelled('model', item.text, form, 'cyan');
    case 'context':
      return labelled(`context: ${item.title}`, item.text, form, 'dim');
    case 'reasoning':
    case 'checkpoint':
      return labelled(item.kind, item.text, form, 'dim');
    case 'call': {
      const end = describeCallEnd(item);
      const sign = item.form === 'command' ? '$ ' : '';
      const { text, pictures: shown } = item.output ?? { text: '', pictures: [] };
      return [
        ...labelled(`call of ${shownName(item.name)}`, `${sign}${item.input}`, form),
        ...labelled('', [parseCallReport(text).output, ...pictures(shown)].join('\n').trim(), form, 'dim'),
        ...(end === undefined ? [] : [{ look: end.look, text: `${indent}[${end.words}]\n` }]),
        ...decided(item, form),
      ];
    }
  }
}

const pictures = (all: readonly string[]): readonly string[] =>
  all.length === 0 ? [] : [`[${plural(all.length, 'picture')}]`];

function labelled(label: string, text: string, { proseWidth }: TurnForm, look?: TextLook): readonly Span[] {
  if (text === '') return [];
  const lines = wrap(text, proseWidth - 2 * indent.length);
  const body = lines.map((line) => `${indent}${indent}${line}`.trimEnd()).join('\n');
  const head = label === '' ? [] : [dim(`${indent}${visibleLine(label)}\n`)];
  return [...head, look === undefined ? body : { look, text: body }, '\n'];
}

/** Ends that are no failure of the call itself. */
const doubtful: ReadonlySet<string> = new Set(['interrupted', 'outcome unknown', 'refused']);

/** How a call ended, in words. Undefined if its answer does not say. */
export function describeCallEnd({
  output,
  asked,
}: RecordedCall): { readonly words: string; readonly look: TextLook } | undefined {
  if (output === undefined) return { words: waitsToBegin(asked?.at(-1)) ? 'not run' : 'not finished', look: 'yellow' };
  const { end, isFailure } = parseCallReport(output.text);
  if (end === undefined) return undefined;
  return { words: end, look: doubtful.has(end) ? 'yellow' : isFailure ? 'red' : 'dim' };
}

/** True if the call waits for permission to begin: `network` and `retry` questions come up later. */
const waitsToBegin = (newest: CallQuestion | undefined): boolean =>
  newest !== undefined && newest.answer === undefined && newest.kind !== 'network' && newest.kind !== 'retry';

async function showAgentTree({ engine, id }: FoundThread, options: { readonly json: boolean }): Promise<number> {
  const tree = await engine.stored.agents(id);
  return printResult({ tree }, options, () => nodeSpans(tree, 0));
}

function nodeSpans(node: AgentNode, depth: number): readonly Span[] {
  const { id, path, role, status, used, money, estimated, agents } = node;
  const name = depth === 0 ? path : (path.split('/').at(-1) ?? path);
  const about = [
    status,
    `${formatCount(used)} tokens used`,
    ...(money === undefined ? [] : [moneyWords(money, estimated)]),
    ...(role === undefined || role === 'default' ? [] : [role]),
  ];
  return [
    '  '.repeat(depth),
    cyan(visibleLine(name)),
    `  ${visibleLine(about.join(', '))}  `,
    dim(visibleLine(id)),
    '\n',
    ...agents.flatMap((agent) => nodeSpans(agent, depth + 1)),
  ];
}
