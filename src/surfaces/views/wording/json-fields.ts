import { type Json, type JsonObject, objectAt } from '../../../protocol/json.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import { quoteShellCommand } from '../../../protocol/shell.ts';
import type { CheckpointReport, ThreadEvent } from '../../../protocol/thread-event.ts';
import type { ToolCallItem, TurnItem } from '../../../protocol/turn-item.ts';
import { usageForPrograms } from './cost-words.ts';

/** An item of a turn for programs. The names are a contract with them. */
export type ExecItem = { readonly id: string } &
  /** `error` is a warning, not the end of the turn. */
  (
    | { readonly type: 'error'; readonly message: string }
    | { readonly type: 'agent_message'; readonly text: string; readonly proposed_plan?: string }
    | { readonly type: 'reasoning'; readonly text: string }
    | { readonly type: 'web_search'; readonly query: string }
    | {
        readonly type: 'image_generation';
        readonly status: 'completed' | 'failed';
        readonly prompt?: string;
        readonly path?: string;
        readonly problem?: string;
      }
    | { readonly type: 'todo_list'; readonly items: readonly { readonly text: string; readonly completed: boolean }[] }
    | {
        readonly type: 'command_execution';
        readonly command: string;
        readonly aggregated_output: string;
        readonly exit_code: number | null;
        readonly status: 'in_progress' | 'completed' | 'failed' | 'declined';
      }
    | {
        readonly type: 'file_change';
        readonly changes: readonly { readonly path: string; readonly kind: 'add' | 'delete' | 'update' }[];
        readonly status: 'in_progress' | 'completed' | 'failed';
      }
    | McpToolCall
  );

/** A call of any tool without an item of its own: programs that read these events know this form of calls. */
interface McpToolCall {
  readonly type: 'mcp_tool_call';
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly result: { readonly content: readonly Json[]; readonly structured_content: Json } | null;
  readonly error: { readonly message: string } | null;
  readonly status: 'in_progress' | 'completed' | 'failed';
}

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

/** Items that `exec` does not print have no form here. */
export function execItem(item: Exclude<TurnItem, { kind: 'user-message' | 'image-view' }>, id: string): ExecItem {
  switch (item.kind) {
    case 'agent-message':
      return { id, type: 'agent_message', text: item.text, proposed_plan: item.plan };
    case 'reasoning':
      return { id, type: 'reasoning', text: item.summary.join('\n') };
    case 'web-search':
      return { id, type: 'web_search', query: item.query };
    case 'image-generation': {
      const { status, prompt, path, problem } = item;
      return { id, type: 'image_generation', status, prompt, path, problem };
    }
    case 'plan': {
      const items = item.steps.map(({ text, status }) => ({ text, completed: status === 'completed' }));
      return { id, type: 'todo_list', items };
    }
    case 'command':
      return {
        id,
        type: 'command_execution',
        command: quoteShellCommand(item.argv),
        aggregated_output: item.output,
        exit_code: item.exitCode ?? null,
        status: statusWord(item.status),
      };
    case 'file-change': {
      const changes = item.changes.map(({ path, kind }) => ({ path, kind })).toSorted(byPath);
      return { id, type: 'file_change', changes, status: statusWord(item.status) };
    }
    case 'tool-call':
      return {
        id,
        type: 'mcp_tool_call',
        server: item.server ?? 'capstan',
        tool: item.tool,
        arguments: item.arguments,
        ...toolResult(item),
        status: statusWord(item.status),
      };
  }
}

const statusWord = <Status extends string>(status: Status): Exclude<Status, 'in-progress'> | 'in_progress' =>
  status === 'in-progress' ? 'in_progress' : (status as Exclude<Status, 'in-progress'>);

function toolResult({ status, output = '', result }: ToolCallItem): Pick<McpToolCall, 'result' | 'error'> {
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
