import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import { defaultOutputTokens, defaultTimeoutMs, maximumTimeoutMs } from './spec.ts';

export interface ExecCommandArguments {
  readonly script: string;
  /** Relative to the turn's folder, or absolute. */
  readonly workdir?: string;
  readonly timeoutMs: number;
  readonly outputTokens: number;
  /** The model asks to run outside the sandbox. */
  readonly escalated: boolean;
}

/** Reads the model's arguments; a string says what is wrong with them. Unknown members are ignored. */
export function readArguments(text: string): ExecCommandArguments | string {
  const value = parseJsonObject(text);
  if (value === undefined) return 'they are not a JSON object.';
  const { cmd, workdir } = value;
  if (typeof cmd !== 'string' || cmd.trim() === '') return '`cmd` must be a non-empty string.';
  if (workdir !== undefined && workdir !== null && typeof workdir !== 'string') return '`workdir` must be a string.';
  const timeoutMs = positive(value, 'timeout_ms', defaultTimeoutMs);
  const outputTokens = positive(value, 'max_output_tokens', defaultOutputTokens);
  if (timeoutMs === undefined) return '`timeout_ms` must be a positive number.';
  if (outputTokens === undefined) return '`max_output_tokens` must be a positive number.';
  return {
    script: cmd,
    ...(typeof workdir === 'string' && workdir !== '' ? { workdir } : {}),
    timeoutMs: Math.min(timeoutMs, maximumTimeoutMs),
    outputTokens,
    escalated: value['sandbox_permissions'] === 'require_escalated',
  };
}

function positive(value: JsonObject, key: string, fallback: number): number | undefined {
  const given = value[key];
  if (given === undefined || given === null) return fallback;
  return typeof given === 'number' && given > 0 ? given : undefined;
}
