import type { ToolSpec } from '../../ports/prompt.ts';
import type { Escalation } from '../../policy/approval.ts';
import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import { type AskingCall, proposingProperties, readEscalation, wideningProperties } from './widening.ts';

const defaultTimeoutMs = 120_000;
const maximumTimeoutMs = 600_000;
const defaultOutputTokens = 10_000;

const properties: JsonObject = {
  cmd: { type: 'string', description: 'The script for the shell.' },
  workdir: {
    type: 'string',
    description: 'Folder to run in, absolute or relative to the current folder, which is the default.',
  },
  timeout_ms: {
    type: 'number',
    description: `The command is killed after this many milliseconds. Default ${defaultTimeoutMs}, at most ${maximumTimeoutMs}.`,
  },
  max_output_tokens: {
    type: 'number',
    description: `The most output to return; more is cut out of the middle. Default ${defaultOutputTokens}.`,
  },
};

export const execCommandSpec: ToolSpec = {
  type: 'function',
  name: 'exec_command',
  description:
    'Runs a shell command to its end under your permissions and returns its exit code and output. Standard input is closed; stdout and stderr come as one text. Do not count on what it leaves in the background, which is ended with it in a sandbox: start, use and stop a server within one command.',
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
  readonly timeoutMs: number;
  readonly outputTokens: number;
  /** The model asks for more than the sandbox grants. */
  readonly escalation?: Escalation;
}

/** Reads the model's arguments; a string says what is wrong with them. Unknown members are ignored. */
export function readArguments(text: string, asking: AskingCall): ExecCommandArguments | string {
  const value = parseJsonObject(text);
  if (value === undefined) return 'they are not a JSON object.';
  const { cmd, workdir } = value;
  if (typeof cmd !== 'string' || cmd.trim() === '') return '`cmd` must be a non-empty string.';
  if (workdir !== undefined && workdir !== null && typeof workdir !== 'string') return '`workdir` must be a string.';
  const timeoutMs = positive(value, 'timeout_ms', defaultTimeoutMs);
  const outputTokens = positive(value, 'max_output_tokens', defaultOutputTokens);
  if (timeoutMs === undefined) return '`timeout_ms` must be a positive number.';
  if (outputTokens === undefined) return '`max_output_tokens` must be a positive number.';
  const escalation = readEscalation(value, asking);
  if (typeof escalation === 'string') return escalation;
  return {
    script: cmd,
    ...(typeof workdir === 'string' && workdir !== '' ? { workdir } : {}),
    timeoutMs: Math.min(timeoutMs, maximumTimeoutMs),
    outputTokens,
    ...(escalation === undefined ? {} : { escalation }),
  };
}

function positive(value: JsonObject, key: string, fallback: number): number | undefined {
  const given = value[key];
  if (given === undefined || given === null) return fallback;
  return typeof given === 'number' && given > 0 ? given : undefined;
}
