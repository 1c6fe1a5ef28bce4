import { type Json, type JsonObject, objectAt } from '../../../protocol/json.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import { quoteShellCommand } from '../../../protocol/shell.ts';
import type { CheckpointReport, ThreadEvent } from '../../../protocol/thread-event.ts';
import type { ToolCallItem, TurnItem } from '../../../protocol/turn-item.ts';
import { usageForPrograms } from './cost-words.ts';

/** An item of a turn for programs. `error` is a warning, not the end of the turn. */
export type ExecItem = ReturnType<typeof execItem> | (Typed<'error'> & { readonly message: string });
type Typed<Type> = { readonly id: string; readonly type: Type };

/** A refused call as a completed item. Undefined if programs that read these events know no such item. */
export function refusedItem(item: TurnItem, reason: string): TurnItem | undefined {
  switch (item.kind) {
    case 'command':
      return { ...item, status: 'declined', output: reason };
    case 'file-change':
      return { ...item, status: 'failed', problem: reason };
    case 'tool-call':
      return { ...item, status: 'failed', output: reason };
    default:
      return undefined;
  }
}

/** The names are a contract with programs. Items that `exec` does not print have no form here. */
export function execItem(item: Exclude<TurnItem, { kind: 'user-message' | 'image-view' }>, id: string) {
  const typed = <const Type extends string, Fields>(type: Type, fields: Fields): Typed<Type> & Readonly<Fields> => {
    return { id, type, ...fields };
  };
  switch (item.kind) {
    case 'agent-message':
      return typed('agent_message', { text: item.text, proposed_plan: item.plan });
    case 'reasoning':
      return typed('reasoning', { text: item.summary.join('\n') });
    case 'web-search':
      return typed('web_search', { query: item.query });
    case 'image-generation': {
      const { status, prompt, path, problem } = item;
      return typed('image_generation', { status, prompt, path, problem });
    }
    case 'plan': {
      const items = item.steps.map(({ text, status }) => ({ text, completed: status === 'completed' }));
      return typed('todo_list', { items });
    }
    case 'command': {
      const { argv, output, exitCode = null, status } = item;
      const fields = { command: quoteShellCommand(argv), aggregated_output: output, exit_code: exitCode };
      return typed('command_execution', { ...fields, status: statusWord(status) });
    }
    case 'file-change': {
      const changes = item.changes.map(({ path, kind }) => ({ path, kind })).toSorted(byPath);
      return typed('file_change', { changes, status: statusWord(item.status) });
    }
    case 'tool-call': {
      // Programs that read these events know this form for calls of any tool.
      const { server = 'capstan', tool, arguments: given, status } = item;
      const call = { server, tool, arguments: given, ...toolResult(item) };
      return typed('mcp_tool_call', { ...call, status: statusWord(status) });
    }
  }
}

const statusWord = <Status extends string>(status: Status): Exclude<Status, 'in-progress'> | 'in_progress' =>
  status === 'in-progress' ? 'in_progress' : (status as Exclude<Status, 'in-progress'>);

type ToolResult = { readonly content: readonly Json[]; readonly structured_content: Json } | null;

function toolResult({ status, output = '', result }: ToolCallItem): {
  readonly result: ToolResult;
  readonly error: { readonly message: string } | null;
} {
  if (status === 'in-progress') return { result: null, error: null };
  // A result that reports an error is still a result.
  if (result !== undefined)
    return { result: { content: result.content, structured_content: result.structured }, error: null };
  if (status === 'failed') return { result: null, error: { message: output } };
  return { result: { content: [{ type: 'text', text: output }], structured_content: null }, error: null };
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;

/** A question for programs. `arguments`: of a tool that has no fields of its own here. */
export type QuestionJson = { readonly call_id: string; readonly arguments?: JsonObject } & Omit<
  Question,
  'callId' | 'turnId' | 'item' | 'seen'
>;

export function questionJson({ id, callId, turnId: _turn, item, seen: _seen, ...question }: Question): QuestionJson {
  const given = item['type'] === 'DynamicToolCall' ? objectAt(item, 'arguments') : undefined;
  return { id, call_id: callId, ...question, arguments: given };
}

const decisions = { allowed: 'approved', declined: 'denied', stopped: 'abort', lapsed: 'lapsed' } as const;
export type AnswerFields = ReturnType<typeof answerFields>;

export const answerFields = ({ kind, scope, note, by, verdict }: Answer) => {
  return { decision: decisions[kind], scope, note, by, verdict };
};

/** The members of an event about the context, in snake case. The caller adds whose event it is. */
export function contextFields(event: ThreadEvent): JsonObject {
  const { kind: _kind, ...members } = event;
  const { thread_id: _thread, ...shown } = snakeCased(members);
  return { ...shown, ...ownFields(event) };
}

function ownFields(event: ThreadEvent): JsonObject {
  switch (event.kind) {
    case 'usage':
      return { last: event.last && usageForPrograms(event.last), total: usageForPrograms(event.total) };
    case 'turn-started':
      return { usage: usageForPrograms(event.usage) };
    case 'checkpoint-installed':
      return { report: checkpointFields(event.report) };
    default:
      return {};
  }
}

export const checkpointFields = (made: CheckpointReport): JsonObject => {
  return { ...snakeCased(made), usage: usageForPrograms(made.usage) };
};

/** Converts the names of the members to snake case for programs. Values are unchanged. */
export function snakeCased(members: object): JsonObject {
  const inSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [inSnakeCase(name), value]));
}
