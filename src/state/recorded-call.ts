import { refusalReason } from '../fragments/answers/call-answers.ts';
import { defined } from '../protocol/defined.ts';
import type { TurnId } from '../protocol/ids.ts';
import { isCall, type Item } from '../protocol/item.ts';
import { type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import type { Line } from '../protocol/line.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';
import type { TurnItem } from '../protocol/turn-item.ts';
import { callArguments, commandNotRun } from './call-arguments.ts';
import { readPrinted } from './call-report.ts';
import { outputOf } from './recorded-item.ts';
import { withLines } from './recorded-patch.ts';

/** What is known of a call of the turn: what the model asked for, what began, and whether its item was shown. */
export interface OpenCall {
  readonly call?: Item | undefined;
  readonly begun?: TurnItem;
  readonly isShown?: true;
  /** Where it ran, if not in the sandbox of its turn. */
  readonly outside?: true;
  readonly confined?: true;
}

interface AnsweredCall {
  readonly turnId: TurnId;
  readonly callId: string;
  /** The item of the line before, which is that of this call. */
  readonly ended: TurnItem | undefined;
  readonly open: OpenCall | undefined;
}

/** What the answer to a call says happened: it was refused, or it has ended. Undefined where the item was shown before. */
export function endedCall(
  answer: Item,
  { metadata }: Pick<Line, 'metadata'>,
  { turnId, callId, ended, open }: AnsweredCall,
): ThreadEvent | undefined {
  const { text } = outputOf(answer);
  const refused = objectAt(objectAt(metadata, 'capstan'), 'refused');
  if (refused !== undefined) {
    const [tool = '', unasked] = [stringAt(refused, 'tool'), refused['unasked'] === true || undefined];
    const item = notRun(open?.call, refused);
    return { kind: 'call-refused', turnId, callId, tool, ...defined({ item, unasked }), reason: text } as ThreadEvent;
  }
  // Of a call that another program answered nothing else may be known than what the model wrote.
  const isOurs = objectAt(metadata, 'capstan') !== undefined;
  const item = ended ?? itemOf(callId, isOurs && open !== undefined ? { ...open, call: undefined } : open);
  if (item === undefined) return undefined;
  const { outside, confined, call } = open ?? {};
  const shown =
    item.kind === 'file-change' ? withLines(item, { call, metadata, answer: text }) : withOutput(item, text);
  return { kind: 'item-completed', turnId, item: shown, ...defined({ outside, confined }) };
}

/** The call that was refused, as far as the file says more than its name. */
function notRun(call: Item | undefined, refused: JsonObject): TurnItem | undefined {
  if (call === undefined || !isCall(call)) return undefined;
  if (refused['patch'] === true) return { kind: 'file-change', id: call.call_id, changes: [], status: 'failed' };
  const mcp = objectAt(refused, 'mcp');
  const [server, tool] = [stringAt(mcp, 'server'), stringAt(mcp, 'tool')];
  if (server === undefined || tool === undefined) return commandNotRun(call);
  return { kind: 'tool-call', id: call.call_id, server, tool, arguments: callArguments(call), status: 'failed' };
}

/** Old files keep no items: then the beginning of the call says what it was, or the model's own words do. */
function itemOf(callId: string, open: OpenCall | undefined): TurnItem | undefined {
  if (open === undefined || open.isShown === true) return undefined;
  const { begun, call } = open;
  if (begun !== undefined) return 'status' in begun ? ({ ...begun, status: 'completed' } as TurnItem) : begun;
  if (call === undefined || !isCall(call)) return undefined;
  return { kind: 'tool-call', id: callId, tool: call.name, arguments: callArguments(call), status: 'completed' };
}

/** As far as the file keeps it: what the model was given. */
function withOutput(item: TurnItem, answer: string): TurnItem {
  if (item.kind === 'tool-call') {
    const isOfCommand = item.server === undefined && item.tool === 'write_stdin';
    return { ...item, output: isOfCommand ? readPrinted(answer).output : answer.replace(aboutServersCall, '') };
  }
  if (item.kind !== 'command' || item.output !== '') return item;
  const isUnbegun = item.status === 'declined' || item.unfinished === 'not-started';
  if (isUnbegun) return { ...item, output: refusalReason(answer) };
  const { output, lines } = readPrinted(answer);
  return { ...item, output, ...defined({ outputLines: lines }) };
}

/** What stands before the words of an MCP server. */
const aboutServersCall =
  /^Wall time: [^\n]{0,40}\n(?:(?:The tool reports an error\.\n)?Output:(?:\n|$)|(?=The call failed: ))/;
