import type { ToolSpec } from '../../ports/prompt.ts';
import type { Escalation } from '../../policy/approval.ts';
import type { StartOptions } from '../../ports/spawn.ts';
import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import { positiveNumber } from '../output-budget.ts';
import { type AskingCall, proposingProperties, readEscalation, wideningProperties } from './widening.ts';

const [leastYieldMs, defaultYieldMs, mostYieldMs] = [250, 10_000, 30_000];
const defaultOutputTokens = 10_000;

const properties: JsonObject = {
  cmd: { type: 'string', description: 'The script for the shell.' },
  workdir: {
    type: 'string',
    description: 'Folder to run in, absolute or relative to the current folder, which is the default.',
  },
  yield_time_ms: {
    type: 'number',
    description: `How long to wait for its end. Default ${defaultYieldMs}, at most ${mostYieldMs}.`,
  },
  timeout_ms: {
    type: 'number',
    description: 'The command is killed after this many milliseconds. Default: never.',
  },
  stdin: { type: 'boolean', description: 'Keep its input open for write_stdin.' },
  tty: { type: 'boolean', description: 'The same, at a terminal.' },
  max_output_tokens: {
    type: 'number',
    description: `The most output to return; more is cut out of the middle. Default ${defaultOutputTokens}.`,
  },
};

export const execCommandSpec: ToolSpec = {
  type: 'function',
  name: 'exec_command',
  description:
    'Runs a shell command under your permissions and returns its output, stdout and stderr as one text, with its exit code; or, if it has not ended by then, with a session ID for write_stdin. Leave servers running as sessions: what a command puts in the background is ended with it in a sandbox.',
  strict: false,
  parameters: { type: 'object', properties, required: ['cmd'], additionalProperties: false },
};

/** The same where the user can be asked for more. */
export const execCommandAskingSpec = withProperties(wideningProperties);

/** The same where the user can save a rule with the answer. */
export const execCommandProposingSpec = withProperties({ ...wideningProperties, ...proposingProperties });

function withProperties(more: JsonObject): ToolSpec {
  const parameters = { type: 'object', properties: { ...properties, ...more }, required: ['cmd'] } as const;
  return { ...execCommandSpec, parameters: { ...parameters, additionalProperties: false } };
}

export interface ExecCommandArguments {
  readonly script: string;
  /** Relative to the turn's folder, or absolute. */
  readonly workdir?: string;
  readonly yieldMs: number;
  /** Absent: it is not killed. */
  readonly timeoutMs?: number;
  readonly input: StartOptions['input'];
  readonly outputTokens: number;
  /** The model asks for more than the sandbox grants. */
  readonly escalation?: Escalation;
}

/** Reads the model's arguments; a string says what is wrong with them. */
export function readArguments(text: string, asking: AskingCall): ExecCommandArguments | string {
  const value = parseJsonObject(text);
  if (value === undefined) return 'they are not a JSON object.';
  const { cmd, workdir } = value;
  if (typeof cmd !== 'string' || cmd.trim() === '') return '`cmd` must be a non-empty string.';
  if (workdir !== undefined && workdir !== null && typeof workdir !== 'string') return '`workdir` must be a string.';
  const { stdin, tty } = value;
  if (![stdin, tty].every((flag) => flag === undefined || flag === null || typeof flag === 'boolean')) {
    return '`stdin` and `tty` must be true or false.';
  }
  const yieldMs = positiveNumber(value, 'yield_time_ms', defaultYieldMs);
  const timeoutMs = positiveNumber(value, 'timeout_ms', Infinity);
  const outputTokens = positiveNumber(value, 'max_output_tokens', defaultOutputTokens);
  if (yieldMs === undefined) return '`yield_time_ms` must be a positive number.';
  if (timeoutMs === undefined) return '`timeout_ms` must be a positive number.';
  if (outputTokens === undefined) return '`max_output_tokens` must be a positive number.';
  const escalation = readEscalation(value, asking);
  if (typeof escalation === 'string') return escalation;
  return {
    script: cmd,
    ...(typeof workdir === 'string' && workdir !== '' ? { workdir } : {}),
    yieldMs: Math.min(Math.max(yieldMs, leastYieldMs), mostYieldMs),
    ...(timeoutMs === Infinity ? {} : { timeoutMs }),
    input: tty === true ? 'terminal' : stdin === true ? 'open' : 'closed',
    outputTokens,
    ...(escalation === undefined ? {} : { escalation }),
  };
}
