import type { JsonObject } from '../../src/protocol/json.ts';
import { lineType } from '../../src/protocol/line.ts';
import { countedInput } from '../model/piece.ts';
import type { Exchange } from './exchange.ts';

export interface PreparedThread {
  readonly id: string;
  readonly cwd: string;
  readonly provider: string;
}

const startedAt = Date.UTC(2026, 0, 5, 9, 0, 0);
const turnMs = 60_000;

/** The usage that the provider reports for every request: by its count, no history fills the window. */
const usage = {
  input_tokens: countedInput,
  cached_input_tokens: 20,
  output_tokens: 10,
  reasoning_output_tokens: 3,
  total_tokens: countedInput + 10,
};

/** The path of the thread in a home. */
export function rolloutName({ id }: PreparedThread): string {
  return `sessions/2026/01/05/rollout-2026-01-05T09-00-00-${id}.jsonl`;
}

/**
 * A finished thread as Codex writes it, output in the record for screens included: one file that Codex and Capstan both
 * go on with.
 */
export function rolloutText(thread: PreparedThread, exchanges: readonly Exchange[]): string {
  const lines = [
    { at: startedAt, type: lineType.sessionMeta, payload: sessionMeta(thread) },
    ...exchanges.flatMap((exchange, index) => turnLines(thread, exchange, index)),
  ];
  return lines
    .map(({ at, type, payload }, ordinal) => {
      return `${JSON.stringify({ timestamp: new Date(at).toISOString(), ordinal, type, payload })}\n`;
    })
    .join('');
}

interface DatedLine {
  readonly at: number;
  readonly type: string;
  readonly payload: JsonObject;
}

function sessionMeta({ id, cwd, provider }: PreparedThread): JsonObject {
  return {
    session_id: id,
    id,
    timestamp: new Date(startedAt).toISOString(),
    cwd,
    originator: 'codex_exec',
    cli_version: '0.166.0',
    source: 'exec',
    thread_source: 'user',
    model_provider: provider,
    base_instructions: {
      text: 'You are a coding agent. Do what the user asks.',
      provenance: { type: 'model', model: 'gpt-5.5' },
    },
    history_mode: 'paginated',
    context_window: { window_id: uuid(0xffff) },
  };
}

function turnLines(
  { id, cwd }: PreparedThread,
  { words, calls, answer }: Exchange,
  index: number,
): readonly DatedLine[] {
  const at = startedAt + index * turnMs;
  const turn = uuid(index);
  const [message, asked] = [`msg_a${turn}`, `msg_u${turn}`];
  const event = (payload: JsonObject): DatedLine => ({ at, type: lineType.event, payload });
  const item = (payload: JsonObject): DatedLine => ({ at, type: lineType.responseItem, payload });
  const shown = (shownItem: JsonObject): DatedLine =>
    event({
      type: 'item_completed',
      thread_id: id,
      turn_id: turn,
      item: shownItem,
      started_at_ms: at,
      completed_at_ms: at,
    });
  // The total grows, as that of any thread does: a line that repeats it says nothing new.
  const counted = (request: number): DatedLine =>
    event({
      type: 'token_count',
      info: {
        total_token_usage: usageOf(index * (calls.length + 1) + request + 1),
        last_token_usage: usage,
        model_context_window: 258_400,
      },
      rate_limits: null,
    });
  const seconds = at / 1000;
  return [
    event({
      type: 'task_started',
      turn_id: turn,
      started_at: seconds,
      model_context_window: 258_400,
      collaboration_mode_kind: 'default',
    }),
    item({ type: 'message', id: asked, role: 'user', content: [{ type: 'input_text', text: words }] }),
    shown({ type: 'UserMessage', id: turn, content: [{ type: 'text', text: words, text_elements: [] }] }),
    ...calls.flatMap(({ command, output }, number): readonly DatedLine[] => {
      const name = number === 0 ? turn : `${turn}-${number}`;
      const call = `call_${name}`;
      return [
        item({
          type: 'function_call',
          id: `fc_${name}`,
          name: 'exec_command',
          arguments: JSON.stringify({ cmd: command }),
          call_id: call,
        }),
        shown({
          type: 'CommandExecution',
          id: call,
          command: ['/bin/bash', '-lc', command],
          cwd: `file://${cwd}`,
          parsed_cmd: [{ type: 'unknown', cmd: command }],
          source: 'unified_exec_startup',
          status: 'completed',
          aggregated_output: output,
          exit_code: 0,
          duration: { secs: 0, nanos: 5_000_000 },
        }),
        item({ type: 'function_call_output', id: `fco_${name}`, call_id: call, output }),
        counted(number),
      ];
    }),
    shown({ type: 'AgentMessage', id: message, content: [{ type: 'Text', text: answer }] }),
    item({ type: 'message', id: message, role: 'assistant', content: [{ type: 'output_text', text: answer }] }),
    counted(calls.length),
    event({
      type: 'task_complete',
      turn_id: turn,
      last_agent_message: answer,
      started_at: seconds,
      completed_at: seconds + 1,
      duration_ms: 1000,
    }),
  ];
}

function usageOf(requests: number): JsonObject {
  return Object.fromEntries(Object.entries(usage).map(([name, tokens]) => [name, tokens * requests]));
}

function uuid(number: number): string {
  return `019b8d00-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}
