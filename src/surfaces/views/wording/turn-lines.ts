import { truncateMiddle } from '../../../core/fragments/text/truncate.ts';
import { widerSandboxText } from '../../../core/policy/decide/question-content.ts';
import { goalFromJson } from '../../../core/state/fold/goals.ts';
import { toOneLine } from '../../../core/state/turns/turn-words.ts';
import { formatDuration, formatCount, formatBytes } from '../../../engine/wording.ts';
import { countOmittedOutput } from '../../../protocol/display-text.ts';
import { isJsonObject, type Json, numberAt, objectAt, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import type { Answer } from '../../../protocol/question.ts';
import type { ContextEvent, HookEntry, HookEvent, HookRun, ThreadEvent } from '../../../protocol/thread-event.ts';
import type { Goal, GoalStatus } from '../../../protocol/thread.ts';
import type {
  ChangedFile,
  CommandItem,
  FileChangeItem,
  PlanItem,
  ToolCallItem,
  TurnItem,
} from '../../../protocol/turn-item.ts';
import { bold, cyan, dim, green, red, type Span, yellow } from '../terminal/styled-text.ts';
import { visibleLine } from '../terminal/visible-text.ts';

export interface ItemForm {
  /** Folds long outputs, for terminals, where they would push everything else away. */
  readonly folded: boolean;
  /** A signal ended the turn: an interrupted command has not failed by itself. */
  readonly interrupted: boolean;
  /** The folder of the turn: paths are shown relative to it. */
  readonly folder?: string;
}

export function commandEndLines(item: CommandItem, { folded, interrupted }: ItemForm): readonly Span[] {
  const { exitCode, durationMs = 0, unfinished, status } = item;
  const after = durationMs < 1000 ? '' : ` after ${formatDuration(durationMs)}`;
  const shown = outputLines(item.output, folded);
  if (exitCode === 0) return [...shown, dim(`  [exit 0${after}]`)];
  if (exitCode !== undefined) return [...shown, red(`  [exit ${exitCode}${after}]`)];
  if (status === 'declined') return [...shown, yellow('  [refused]')];
  if (unfinished === 'timed-out') return [...shown, red(`  [timed out${after}]`)];
  return [...shown, yellow(`  [${interrupted || unfinished === 'interrupted' ? 'interrupted' : 'failed'}${after}]`)];
}

export function toolEndLines(item: ToolCallItem, { folded }: ItemForm): readonly Span[] {
  const { output = '', status } = item;
  const lines = outputLines(agentAnswer(item) ?? goalAnswerText(item) ?? output, folded);
  return [...lines, status === 'failed' ? red('  [failed]') : dim(`  [${status}]`)];
}

export function patchEndLines({ changes, status, problem }: FileChangeItem, form: ItemForm): readonly Span[] {
  const { folded, folder = '/' } = form;
  const files = changes.flatMap((change): readonly Span[] => {
    const diff = status === 'completed' && change.diff ? fold(change.diff, folded).join('\n') : undefined;
    return [bold(`${changeWords(change, folder)}\n`), ...(diff === undefined ? [] : diffSpans(diff, '  '))];
  });
  if (status !== 'failed') return [...files, dim(`  [${status}]`)];
  return [...files, ...outputLines(problem ?? '', folded), red('  [failed]')];
}

export function callNotRun({ tool, item, reason }: Extract<ThreadEvent, { kind: 'call-refused' }>) {
  const named = item?.kind === 'tool-call' ? toolLine(item) : visibleLine(`tool ${shownName(tool)}`);
  const call = item?.kind === 'command' ? commandLineText(item.argv) : named;
  return { call, reason: fold(reason.trim(), true).join('\n') };
}

export const planLines = ({ steps }: PlanItem): readonly string[] =>
  steps.map(({ text, status }) => `[${marks[status]}] ${text}`);

/** A command as written. Rows after the first are marked: without a mark they could pass for the model's words. */
export const commandLineText = (argv: readonly string[]): string =>
  `$ ${(argv.at(-1) ?? '').trimEnd().replaceAll('\n', '\n  > ')}`;

const marks = { completed: 'x', 'in-progress': '>', pending: ' ' };

function changeWords({ path, kind, movePath }: ChangedFile, folder: string): string {
  const shown = (each: string): string => (each.startsWith(`${folder}/`) ? each.slice(folder.length + 1) : each);
  return visibleLine(`${kind} ${shown(path)}${movePath === undefined ? '' : ` -> ${shown(movePath)}`}`);
}

function outputLines(output: string, folded: boolean): readonly Span[] {
  const text = output.trimEnd();
  const lines = fold(text, folded).map((line) => `  ${line}`);
  return text === '' ? [] : [dim(`${lines.join('\n')}\n`)];
}

const [headLines, tailLines, longestLine] = [10, 10, 500];

function fold(text: string, folded: boolean): readonly string[] {
  const lines = text.split('\n');
  if (!folded) return lines;
  const cut = (line: string): string => (line.length <= longestLine ? line : `${line.slice(0, longestLine)} …`);
  if (lines.length <= headLines + tailLines + 1) return lines.map(cut);
  const left = lines.slice(headLines, -tailLines);
  return [...lines.slice(0, headLines).map(cut), foldMark(left), ...lines.slice(-tailLines).map(cut)];
}

/** Replaces folded lines. The stored output may itself be incomplete. */
function foldMark(lines: readonly string[]): string {
  const omitted = countOmittedOutput(lines.join('\n'));
  if (omitted === undefined) return `… ${formatCount(lines.length)} more lines (--verbose shows all)`;
  const kept = lines.length - 1;
  const lost = `and ${formatBytes(omitted.bytes)} that Capstan did not keep`;
  if (omitted.lines === 0) return `… ${formatCount(kept)} more lines (--verbose shows them), ${lost}`;
  return `… ${formatCount(kept + omitted.lines)} more lines (--verbose shows ${formatCount(kept)} of them), ${lost}`;
}

const longestFirstLine = 120;

export function toolStartLine(item: ToolCallItem): string {
  const { tool, arguments: given, server } = item;
  if (tool !== 'spawn_agent' || server !== undefined) return toolLine(item);
  const [name, role] = [stringAt(given, 'name'), stringAt(given, 'agent_type') ?? 'default'];
  const who = name === undefined ? role : `${name} (${role})`;
  return visibleLine(`agent ${who}: ${beginning(stringAt(given, 'message'))}`);
}

/** The answer of an agent tool for users, in place of its JSON. Undefined: show the output unchanged. */
export function agentAnswer({ tool, output = '', server }: ToolCallItem): string | undefined {
  const answer = server === undefined ? parseJsonObject(output) : undefined;
  const path = stringAt(answer, 'agent_path');
  if (tool === 'spawn_agent' && path !== undefined) return `started ${path}`;
  if (tool === 'send_input' && path !== undefined) return `${path}: ${stringAt(answer, 'delivered') ?? ''}`;
  const status = tool === 'wait_agent' ? objectAt(answer, 'status') : undefined;
  const lines = Object.entries(status ?? {}).map(([agent, stands]) => `${agent}: ${String(stands)}`);
  return status && lines.join('\n');
}

/** Describes the end of an agent from the text that the thread gets about it. Undefined for any other text. */
export function agentEndText({ content, value }: Pick<ContextEvent, 'content' | 'value'>): string | undefined {
  if (content !== 'subagent_notification' || !isJsonObject(value)) return undefined;
  const [path, status] = [stringAt(value, 'agentPath'), objectAt(value, 'status')];
  const words = stringAt(status, 'answer') ?? stringAt(status, 'message');
  const ended = `agent ${path ?? ''} ${stringAt(status, 'kind') ?? 'ended'}`;
  return visibleLine(words === undefined ? ended : `${ended}: ${beginning(words)}`);
}

function beginning(text: Json | undefined): string {
  const [first = ''] = `${text ?? ''}`.trim().split('\n');
  return first.length > longestFirstLine ? `${first.slice(0, longestFirstLine)}…` : first;
}

const toolLine = ({ server, tool }: ToolCallItem): string =>
  visibleLine(`tool ${shownName(tool)}${server === undefined ? '' : ` of the MCP server ${server}`}`);

/** No tool has a longer name, but a model may call for any. */
const longest = 120;
export const shownName = (name: string): string => (name.length > longest ? `${name.slice(0, longest)}…` : name);
const tools: ReadonlySet<string> = new Set(['get_goal', 'create_goal', 'update_goal']);

/** The answer of a goal tool for users, in place of its JSON. Undefined: show the output unchanged. */
export function goalAnswerText({ tool, output = '', server, arguments: given }: ToolCallItem): string | undefined {
  const answer = server === undefined && tools.has(tool) ? parseJsonObject(output) : undefined;
  if (answer === undefined) return undefined;
  const goal = goalFromJson(answer);
  if (goal === undefined) return objectAt(answer, 'goal') === undefined ? 'no goal' : undefined;
  const { status, objective, tokenBudget } = goal;
  const wanted = numberAt(given, 'token_budget');
  const isCut = tool === 'create_goal' && wanted !== undefined && tokenBudget !== undefined && tokenBudget < wanted;
  return [
    `${goalStatusWords(status)}: ${objective}`,
    ...(tokenBudget === undefined && tool === 'create_goal' ? [] : [goalTokensWords(goal)]),
    ...(isCut ? [`${formatCount(wanted)} tokens were asked for; goals.max_goal_token_budget allows no more.`] : []),
  ].join('\n');
}

const standings: Readonly<Record<GoalStatus, string>> = {
  active: 'active',
  paused: 'paused',
  blocked: 'blocked',
  usageLimited: 'stopped by the usage limit',
  budgetLimited: 'out of tokens',
  complete: 'complete',
};

export const goalStatusWords = (status: GoalStatus): string => `goal ${standings[status]}`;

/** The usage of a goal: `1,200 of 5,000 tokens`. */
export function goalTokensWords({ tokensUsed, tokenBudget }: Pick<Goal, 'tokensUsed' | 'tokenBudget'>): string {
  const of = tokenBudget === undefined ? '' : ` of ${formatCount(tokenBudget)}`;
  return `${formatCount(tokensUsed)}${of} tokens used`;
}

export function diffSpans(diff: string, indent = ''): readonly Span[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  return lines.map((line): Span => {
    const text = `${indent}${line}\n`;
    if (line.startsWith('+')) return green(text);
    if (line.startsWith('-')) return red(text);
    return line.startsWith('@@') ? cyan(text) : dim(text);
  });
}

const [longestName, longestText] = [80, 200];

/** Effects of a hook that no other line shows: it changed a call or its result, or kept a turn going. */
export function hookLines({ event, command, entries }: HookRun): readonly string[] {
  const name = short(command, longestName);
  return entries.flatMap(({ kind, text }) => {
    const did = words[kind]?.[event];
    return did === undefined ? [] : [`hook ${name} ${did}: ${short(text, longestText)}`];
  });
}

const words: Readonly<Partial<Record<HookEntry['kind'], Readonly<Partial<Record<HookEvent, string>>>>>> = {
  change: { PreToolUse: 'changed the call to', PostToolUse: 'replaced the result with' },
  feedback: { PostToolUse: 'withheld the result', Stop: 'kept the turn going', SubagentStop: 'kept the agent going' },
  stop: { PostToolUse: 'withheld the result', SessionStart: 'ended the turn', PostCompact: 'ended the turn' },
};

export const missingAnswerReason = ({ endedBy }: { readonly endedBy?: 'hook' }): string =>
  endedBy === undefined ? 'The model ended the turn without an answer.' : 'A hook ended the turn.';

function short(text: string, limit: number): string {
  const [first = ''] = text.split('\n', 1);
  return visibleLine(truncateMiddle(first, { mode: 'bytes', limit }));
}

/** The place as reported at the start of the item. */
export type SandboxPlace = { readonly outside?: true; readonly confined?: true };

/** The place of a command that left the sandbox. On a line of its own: the command may have several. */
export function sandboxPlaceMark({ outside, confined }: SandboxPlace): readonly Span[] {
  if (outside !== true) return [];
  return [yellow(`\n  [runs ${confined === true ? widerSandboxText : 'outside the sandbox'}]`)];
}

export function imageNote(item: Extract<TurnItem, { kind: 'image-view' | 'image-generation' }>): Span {
  const { problem } = item;
  const isView = item.kind === 'image-view';
  if (problem !== undefined) return yellow(visibleLine(`${isView ? 'not shown' : 'not saved'}: ${problem}`));
  return dim(visibleLine(isView ? `looked at ${item.path}` : `generated an image: ${item.path ?? item.status}`));
}

const decided: Readonly<Record<Answer['kind'], string>> = {
  allowed: 'allowed',
  declined: 'declined',
  stopped: 'declined, and the turn ended',
  lapsed: 'not finished',
};

/** A reviewer's decision in one line. Undefined if the user decided. `host`: the subject, if not the call itself. */
export function reviewWords({ by, kind, verdict, note }: Answer, host?: string): string | undefined {
  if (by !== 'review') return undefined;
  const isOverruled = verdict?.overruled === true;
  const why = isOverruled ? note : (verdict?.rationale ?? note);
  const what = isOverruled ? `allowed it, and Capstan ${decided[kind]}` : decided[kind];
  const judged = verdict === undefined ? '' : ` (risk ${verdict.risk}, authorization ${verdict.authorization})`;
  const about = host === undefined ? '' : ` ${host}`;
  return `reviewer: ${what}${about}${judged}${why === undefined ? '' : `: ${toOneLine(why, 300)}`}`;
}

/** Shorter waits of a client that retries by itself are over before a person has read about them. */
const leastWaitMs = 2000;

/** False for most retries: a provider that is down is tried dozens of times, too many for a list of lines. */
export function isRetryWorthShowing(retry: Extract<ThreadEvent, { kind: 'retrying' }>): boolean {
  const { attempt, of, beforeAnswer, waitMs } = retry;
  return attempt === 1 || attempt === of || beforeAnswer !== true || waitMs >= leastWaitMs;
}

/** A prompt with the text from standard input, as the model gets both. */
export const withPipedInput = (prompt: string, piped: string): string =>
  `${prompt}\n\n<stdin>\n${piped}${piped.endsWith('\n') ? '' : '\n'}</stdin>`;

export function shownPipedInput(text: string): string {
  const end = '\n</stdin>';
  const start = text.indexOf('\n\n<stdin>\n');
  if (start < 0 || !text.endsWith(end)) return text;
  return `${text.slice(0, start)}\n\n[Standard input]\n${text.slice(start + '\n\n<stdin>\n'.length, -end.length)}`;
}

/** Marks piped input in a one-line preview. A preview with neither the end tag nor a cut has no piped input. */
export function shownPreview(preview: string): string {
  if (!preview.endsWith(' </stdin>') && !preview.endsWith('…')) return preview;
  return preview.replace(' <stdin> ', ' [Standard input] ').replace(/ <\/stdin>$/, '');
}
