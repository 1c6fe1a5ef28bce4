import { commandOutput } from '../../core/fragments/answers/commands-and-patches.ts';
import { inputClosedText, noSuchSessionText } from '../../core/fragments/answers/clock-and-sessions.ts';
import type { TextBudget } from '../../core/fragments/text/truncate.ts';
import type { CommandSessionFate, CommandSessionOutput, CommandSessions } from '../../ports/commands.ts';
import { defined } from '../../base/objects.ts';
import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import type { StoppedBy } from '../../protocol/abort.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import { callItem, textCallResult, functionSpec, notJsonObjectProblem, argumentsRefusal } from './function-tool.ts';
import { type CallResult, outputBudget, readPositiveNumber, type Tool } from './tool.ts';

const spec = functionSpec(
  'write_stdin',
  'Writes to a session of exec_command, or only reads its new output. U+0003 interrupts it; U+0004 ends its input.',
  {
    session_id: { type: 'number' },
    chars: { type: 'string', description: 'Empty: only read.' },
    yield_time_ms: { type: 'number', description: 'How long to wait for output.' },
    max_output_tokens: { type: 'number' },
  },
  ['session_id'],
);

/** Milliseconds. After a text the echo comes soon; a call without text may wait for a build. */
const wait = { text: { usual: 250, most: 30_000 }, look: { usual: 5000, most: 300_000 } } as const;
const leastWaitMs = 250;

export function writeStdinTool(ports: { readonly sessions: Pick<CommandSessions, 'write'> }): Tool {
  return {
    name: 'write_stdin',
    effect: 'program',
    spec,
    prepare(call, step) {
      const value = parseJsonObject(call.input);
      const given = value === undefined ? notJsonObjectProblem : readWrite(value);
      if (typeof given === 'string') return argumentsRefusal(given);
      const item = callItem(call.callId, 'write_stdin', { session_id: given.id, chars: given.text });
      return {
        kind: 'prepared',
        item,
        // The session runs under the policy that it was started with.
        needs: {},
        run: ({ signal }) => run(ports.sessions, item, given, step.window.toolOutput, signal),
      };
    },
  };
}

function readWrite(value: JsonObject) {
  const { session_id: id, chars } = value;
  if (typeof id !== 'number' || !Number.isInteger(id)) return '`session_id` must be the number that exec_command gave.';
  if (chars !== undefined && chars !== null && typeof chars !== 'string') return '`chars` must be a string.';
  const text = chars ?? '';
  const limits = text === '' ? wait.look : wait.text;
  const waitMs = readPositiveNumber(value, 'yield_time_ms', limits.usual);
  const outputTokens = readPositiveNumber(value, 'max_output_tokens', 10_000);
  if (waitMs === undefined) return '`yield_time_ms` must be a positive number.';
  if (outputTokens === undefined) return '`max_output_tokens` must be a positive number.';
  return { id, text, waitMs: Math.min(Math.max(waitMs, leastWaitMs), limits.most), outputTokens };
}

async function run(
  sessions: Pick<CommandSessions, 'write'>,
  item: ToolCallItem,
  { id, text, waitMs, outputTokens }: Exclude<ReturnType<typeof readWrite>, string>,
  budget: TextBudget,
  signal: AbortSignal,
): Promise<CallResult> {
  const news = await sessions.write(id, { text, waitMs }, signal);
  if (!('output' in news)) {
    const output = news.kind === 'no-session' ? noSuchSessionText(id, news.fate) : inputClosedText(id);
    // The model learns the session's end from this answer, so no later message needs to report it.
    const fate = news.kind === 'no-session' && news.fate === 'stopped' ? news.fate : undefined;
    const over = fate === undefined ? {} : { dropped: [{ id, fate }] };
    return { ...textCallResult(item, output, false), ...over };
  }
  const { output: said, durationMs, log } = news;
  const report = { seconds: durationMs / 1000, end: endOf(id, news), output: said.text, ...defined({ log }) };
  const output = commandOutput(report, outputBudget(budget, outputTokens));
  const whole = output.endsWith(said.text) ? {} : { fullOutput: said.text };
  const over = news.fate === undefined ? {} : { dropped: [{ id, fate: news.fate }] };
  return { output, ...whole, item: { ...item, status: 'completed', output: said.text }, ...over };
}

const endedBy: Partial<Readonly<Record<CommandSessionFate, StoppedBy>>> = {
  stopped: 'user',
  narrowed: 'narrowed',
  closed: 'engine',
};

function endOf(id: number, { fate, exitCode }: CommandSessionOutput): Parameters<typeof commandOutput>[0]['end'] {
  if (exitCode !== undefined) return { kind: 'exited', exitCode };
  if (fate === undefined) return { kind: 'running', sessionId: id };
  return fate === 'timed-out' ? { kind: 'timed-out' } : { kind: 'aborted', by: endedBy[fate] ?? 'program' };
}
