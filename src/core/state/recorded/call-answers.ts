import { defined } from '../../../base/objects.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { isCall, type Item } from '../../../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, objectsAt, parseJson, stringAt, trueAt } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { ChangedFile, FileChangeItem, TurnItem } from '../../../protocol/turn-item.ts';
import { refusalReason } from '../../fragments/answers/tool-calls.ts';
import { callArguments, callInput, commandNotRun } from '../questions/call-arguments.ts';
import { outputOf } from './conversation-items.ts';

/** Data on a call of the turn: the model's request, its start, and whether its item was shown. */
export interface OpenCall {
  readonly call?: Item | undefined;
  readonly begun?: TurnItem;
  readonly isShown?: true;
  readonly outside?: true;
  readonly confined?: true;
}

type AnsweredCall = { readonly turnId: TurnId; readonly callId: string; ended?: TurnItem; open?: OpenCall };

/** The event for a call that the answer refuses or ends. `ended`: the previous line's item. Undefined: shown before. */
export function callEndEvent(answer: Item, { metadata }: Line, answered: AnsweredCall): ThreadEvent | undefined {
  const { turnId, callId, ended, open } = answered;
  const { text } = outputOf(answer);
  const refused = objectAt(objectAt(metadata, 'capstan'), 'refused');
  if (refused !== undefined) {
    const [tool = '', unasked] = [stringAt(refused, 'tool'), trueAt(refused, 'unasked')];
    const item = notRun(open?.call, refused);
    return { kind: 'call-refused', turnId, callId, tool, ...defined({ item, unasked }), reason: text } as ThreadEvent;
  }
  // For calls that another program answered, the model's request may be all that is known.
  const isOurs = objectAt(metadata, 'capstan') !== undefined;
  const item = ended ?? itemOf(callId, isOurs && open !== undefined ? { ...open, call: undefined } : open);
  if (item === undefined) return undefined;
  const { outside, confined, call } = open ?? {};
  const shown = item.kind === 'file-change' ? withPatchLines(item, call, metadata, text) : withOutput(item, text);
  return { kind: 'item-completed', turnId, item: shown, ...defined({ outside, confined }) };
}

/** The refused call, if the file has more than its name. */
function notRun(call: Item | undefined, refused: JsonObject): TurnItem | undefined {
  if (call === undefined || !isCall(call)) return undefined;
  if (refused['patch'] === true) return { kind: 'file-change', id: call.call_id, changes: [], status: 'failed' };
  const mcp = objectAt(refused, 'mcp');
  const [server, tool] = [stringAt(mcp, 'server'), stringAt(mcp, 'tool')];
  if (server === undefined || tool === undefined) return commandNotRun(call);
  return { kind: 'tool-call', id: call.call_id, server, tool, arguments: callArguments(call), status: 'failed' };
}

/** Old files keep no items: the start of the call describes it, or the model's request. */
function itemOf(callId: string, open: OpenCall | undefined): TurnItem | undefined {
  if (open === undefined || open.isShown === true) return undefined;
  const { begun, call } = open;
  if (begun !== undefined) return 'status' in begun ? ({ ...begun, status: 'completed' } as TurnItem) : begun;
  if (call === undefined || !isCall(call)) return undefined;
  return { kind: 'tool-call', id: callId, tool: call.name, arguments: callArguments(call), status: 'completed' };
}

/** The output that the model got; files keep no more. */
function withOutput(item: TurnItem, answer: string): TurnItem {
  if (item.kind === 'tool-call') {
    const isOfCommand = item.server === undefined && item.tool === 'write_stdin';
    return { ...item, output: isOfCommand ? parsePrintedOutput(answer).output : answer.replace(aboutServersCall, '') };
  }
  if (item.kind !== 'command' || item.output !== '') return item;
  if (item.status === 'declined' || item.unfinished === 'not-started')
    return { ...item, output: refusalReason(answer) };
  const { output, lines } = parsePrintedOutput(answer);
  return { ...item, output, ...defined({ outputLines: lines }) };
}

const aboutServersCall =
  /^Wall time: [^\n]{0,40}\n(?:(?:The tool reports an error\.\n)?Output:(?:\n|$)|(?=The call failed: ))/;

export interface CallReport {
  /** Such as `exit 0`, `timed out` or `refused`. Undefined if the answer does not say. */
  readonly end: string | undefined;
  readonly isFailure: boolean;
  readonly seconds: number | undefined;
  /** The output without the facts. Capstan's sentences before the facts remain as its first lines. */
  readonly output: string;
}

/** Reads the forms of Capstan and Codex. An answer in another form is all output. */
export function parseCallReport(answer: string): CallReport {
  const written = parsedAnswer(answer);
  if (written !== undefined) return written;
  const { facts, output } = splitReport(answer);
  const seconds = factNumber(facts, /^Wall time: ([\d.]{1,20}) seconds$/);
  const exitCode = factNumber(facts, /^(?:Process exited with code|Exit code:) (-?\d{1,10})$/);
  if (exitCode !== undefined) return exited(exitCode, seconds, output);
  const [, found] = endings.find(([start]) => [...facts, output].some((text) => text.startsWith(start))) ?? [];
  const end = found ?? (/^aborted(?: by .*)?$/.test(output) ? 'interrupted' : undefined);
  return { end, isFailure: end !== undefined && end !== 'still running', seconds, output };
}

const endings = [
  ['Process killed after its time limit', 'timed out'],
  ['Process killed', 'interrupted'],
  ['Process running', 'still running'],
  ['Outcome unknown', 'outcome unknown'],
  ['Not run: ', 'refused'],
  ['There is no tool named ', 'refused'],
  ['The arguments were not accepted', 'refused'],
  ['The tool failed: ', 'failed'],
  ['patch rejected', 'refused'],
  ['apply_patch verification failed', 'failed'],
  ['edit_file failed', 'failed'],
] as const;

function exited(exitCode: number, seconds: number | undefined, output: string): CallReport {
  return { end: `exit ${exitCode}`, isFailure: exitCode !== 0, seconds, output };
}

const fact =
  /^(?:Chunk ID|Wall time|Process exited|Process killed|Process running|Exit code|Original token count|Total output lines|Session \d+ was ended|Network requests blocked|Allowed by the policy|This machine has too many servers)\b/;
const mostFacts = 8;
/** Warns the model before a cut output. People see the mark in the text instead, which counts differently. */
const warning =
  /^Warning: truncated output \(original token count: \d{1,15}\)\nTotal output lines: (\d{1,15})\n(?:Full output: [^\n]{1,4096}\n)?\n/;

/** Sentences of Capstan that may precede the facts. No command output comes before its facts. */
const note =
  /^(?:The sandbox stopped this command, |The command waited to connect to |The user allowed it\. |Outside the sandbox too, )/;
/** End of such sentences, which may hold several lines of the user's words. */
const firstFact = /\n(?=(?:Wall time: [\d.]{1,20} seconds|Exit code: -?\d{1,10})\n)/;

function splitReport(answer: string): ReturnType<typeof splitAnswer> {
  const end = note.test(answer) ? answer.search(firstFact) : -1;
  if (end < 0) return splitAnswer(answer);
  const { facts, output } = splitAnswer(answer.slice(end + 1));
  return { facts, output: `${answer.slice(0, end)}\n${output}` };
}

/** The output of a command without Capstan's text for the model, and its number of lines. Without facts: all of it. */
export function parsePrintedOutput(answer: string): { readonly output: string; readonly lines?: number } {
  const start = answer.search(factsStart);
  const from = outputFrom(answer, start < 0 ? 0 : start);
  if (from === undefined) return { output: answer };
  const rest = answer.slice(from).replace(aboutArguments, '');
  const [head, lines] = warning.exec(rest) ?? [];
  return head === undefined ? { output: rest } : { output: rest.slice(head.length), lines: Number(lines) };
}

/** The beginning of the facts. Sentences of Capstan, the user or a hook may precede it. */
const factsStart =
  /^(?:Chunk ID: [^\n]{1,80}\nWall time: |Wall time: |Exit code: -?\d{1,10}\nWall time: )[\d.]{1,20} seconds$/m;
/** Sentence after the output: the call had arguments that its tool does not have. */
const aboutArguments = /(?:^|\n)Ignored, because this tool has no such argument: [^\n]{1,400}$/;

/** Facts precede a line `Output:`, one per line with nothing else between them. */
function splitAnswer(answer: string): { readonly facts: readonly string[]; readonly output: string } {
  const from = outputFrom(answer, 0);
  if (from === undefined) return { facts: [], output: answer };
  return { facts: answer.slice(0, from).split('\n'), output: answer.slice(from).replace(warning, '') };
}

/** Start of the output after the facts at `start`. Undefined if there are none. */
function outputFrom(answer: string, start: number): number | undefined {
  let at = start;
  for (let facts = 0; facts <= mostFacts; facts += 1) {
    const end = answer.indexOf('\n', at);
    const line = answer.slice(at, end < 0 ? undefined : end);
    if (line === 'Output:') return end < 0 ? answer.length : end + 1;
    if (end < 0 || !fact.test(line)) return undefined;
    at = end + 1;
  }
  return undefined;
}

function factNumber(facts: readonly string[], pattern: RegExp): number | undefined {
  const found = facts.map((line) => pattern.exec(line)?.[1]).find((text) => text !== undefined);
  return found === undefined ? undefined : Number(found);
}

function parsedAnswer(answer: string): CallReport | undefined {
  // It begins like an object, so it is one, or undefined.
  const value = answer.startsWith('{"output":') ? (parseJson(answer) as JsonObject | undefined) : undefined;
  const metadata = objectAt(value, 'metadata');
  const exitCode = numberAt(metadata, 'exit_code');
  return exitCode === undefined
    ? undefined
    : exited(exitCode, numberAt(metadata, 'duration_seconds'), stringAt(value, 'output') ?? '');
}

/** Adds the call, which has the patch's lines, unless the file has them elsewhere; after a failure also the reason. */
function withPatchLines(item: FileChangeItem, call: OpenCall['call'], metadata: Line['metadata'], answer: string) {
  const changes = withStoredLines(item.changes, metadata);
  const isKnown = changes.some(({ diff }) => diff !== undefined);
  const asked =
    isKnown || call === undefined || !isCall(call) ? undefined : { tool: call.name, input: callInput(call) };
  const problem = item.status === 'failed' ? answer : undefined;
  return { ...item, changes, ...defined({ call: asked, problem }) };
}

/** Our older files store the lines beside the answer. */
function withStoredLines(changes: readonly ChangedFile[], metadata: JsonObject | undefined): readonly ChangedFile[] {
  const stored = objectsAt(objectAt(metadata, 'capstan'), 'changed');
  if (stored.every((file) => file['diff'] === undefined)) return changes;
  const diffs = new Map(stored.map((file) => [stringAt(file, 'path'), stringAt(file, 'diff')]));
  return changes.map((change) => ({ ...change, ...defined({ diff: change.diff ?? diffs.get(change.path) }) }));
}

/** Converts the record of a patch from the old file format. */
export function convertOldPatchRecord(payload: JsonObject): JsonObject {
  const { call_id: id = '', success, changes = {}, capstan, turn_id } = payload;
  const status = success === true ? 'completed' : 'failed';
  return { item: { type: 'FileChange', id, changes, status, ...defined({ capstan }) }, ...defined({ turn_id }) };
}
