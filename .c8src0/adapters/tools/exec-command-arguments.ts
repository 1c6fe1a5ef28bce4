import { defined } from '../../base/objects.ts';
import type { Escalation } from '../../core/policy/decide/call-decision.ts';
import type { CommandStartOptions } from '../../ports/commands.ts';
import type { ToolSpec } from '../../ports/model.ts';
import { type Json, type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import { type PathResolutionBase, permissionsSchema, parseExtraPermissions } from './request-permissions.ts';
import { functionSpec, notJsonObjectProblem } from './function-tool.ts';
import { readPositiveNumber } from './tool.ts';

const modes: readonly Json[] = ['use_default', 'with_additional_permissions', 'require_escalated'];

const escalationProperties: JsonObject = {
  sandbox_permissions: {
    type: 'string',
    enum: modes,
    description:
      'use_default (default): inside the sandbox. with_additional_permissions: inside it with what additional_permissions names. require_escalated: outside of it. The last two ask the user.',
  },
  justification: {
    type: 'string',
    description: 'One short question to the user about why the command needs it. Only with one of the last two.',
  },
  additional_permissions: permissionsSchema,
};

const ruleProposalProperties: JsonObject = {
  prefix_rule: {
    type: 'array',
    items: { type: 'string' },
    description:
      'First words of this and similar commands: a rule to propose with the question. Only with require_escalated.',
  },
};

type AskingCall = PathResolutionBase & { readonly canAsk: boolean };

/** The requested escalation; undefined: none; a string: what is wrong. A null member counts as absent. */
function readEscalation(value: JsonObject, { cwd, disk, canAsk }: AskingCall): Escalation | string | undefined {
  // The tool did not offer these parameters, so it does not explain them: the policy refuses the call in its own words.
  if (!canAsk) return modes.indexOf(value['sandbox_permissions'] ?? null) > 0 ? {} : undefined;
  const { sandbox_permissions: asked = null, justification = null, prefix_rule: prefix = null } = value;
  const named = value['additional_permissions'] ?? null;
  const mode = asked === null ? 'use_default' : modes.find((each) => each === asked);
  if (mode === undefined) return `\`sandbox_permissions\` must be one of ${modes.join(', ')}.`;
  if (justification !== null && typeof justification !== 'string') return '`justification` must be a string.';
  if (prefix !== null && !isWords(prefix)) return '`prefix_rule` must be a list of strings.';
  if (named !== null && mode !== 'with_additional_permissions')
    return '`additional_permissions` needs `sandbox_permissions` to be with_additional_permissions.';
  if (mode === 'use_default') {
    // A justification without a request shows that more was intended.
    const needless = justification !== null && justification.trim() !== '' && asked === null;
    return needless ? '`justification` needs `sandbox_permissions`.' : undefined;
  }
  const reason = justification?.trim() || undefined;
  if (mode === 'require_escalated') return defined({ reason, prefix: prefix ?? undefined });
  if (named === null) return '`with_additional_permissions` needs `additional_permissions`.';
  const permissions = parseExtraPermissions(named, 'additional_permissions', { cwd, disk });
  return typeof permissions === 'string' ? permissions : { ...defined({ reason }), permissions };
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}

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
  timeout_ms: { type: 'number', description: 'The command is killed after this many milliseconds. Default: never.' },
  stdin: { type: 'boolean', description: 'Keep its input open for write_stdin.' },
  tty: { type: 'boolean', description: 'The same, at a terminal.' },
  max_output_tokens: {
    type: 'number',
    description: `The most output to return; more is cut out of the middle. Default ${defaultOutputTokens}.`,
  },
};

const description =
  'Runs a shell command under your permissions and returns its output, stdout and stderr as one text, with its exit code; or, if it has not ended by then, with a session ID for write_stdin. Leave servers running as sessions: what a command puts in the background is ended with it in a sandbox.';

const specWith = (more: JsonObject): ToolSpec =>
  functionSpec('exec_command', description, { ...properties, ...more }, ['cmd']);

export const execCommandSpec = specWith({});
/** The spec if the user can be asked for more. */
export const execCommandAskingSpec = specWith(escalationProperties);
/** The spec if the user's answer can save a rule. */
export const execCommandProposingSpec = specWith({ ...escalationProperties, ...ruleProposalProperties });

export interface ExecCommandArguments {
  readonly script: string;
  /** Relative to the turn's folder, or absolute. */
  readonly workdir?: string;
  readonly yieldMs: number;
  /** Absent: it is not killed. */
  readonly timeoutMs?: number;
  readonly input: CommandStartOptions['input'];
  readonly outputTokens: number;
  readonly escalation?: Escalation;
}

/** A string says what is wrong with the model's arguments. */
export function parseExecCommandArguments(text: string, asking: AskingCall): ExecCommandArguments | string {
  const value = parseJsonObject(text);
  if (value === undefined) return notJsonObjectProblem;
  const { cmd, workdir } = value;
  if (typeof cmd !== 'string' || cmd.trim() === '') return '`cmd` must be a non-empty string.';
  if (workdir !== undefined && workdir !== null && typeof workdir !== 'string') return '`workdir` must be a string.';
  const { stdin, tty } = value;
  if (![stdin, tty].every((flag) => flag === undefined || flag === null || typeof flag === 'boolean'))
    return '`stdin` and `tty` must be true or false.';
  const yieldMs = readPositiveNumber(value, 'yield_time_ms', defaultYieldMs);
  const timeoutMs = readPositiveNumber(value, 'timeout_ms', Infinity);
  const outputTokens = readPositiveNumber(value, 'max_output_tokens', defaultOutputTokens);
  if (yieldMs === undefined) return '`yield_time_ms` must be a positive number.';
  if (timeoutMs === undefined) return '`timeout_ms` must be a positive number.';
  if (outputTokens === undefined) return '`max_output_tokens` must be a positive number.';
  const escalation = readEscalation(value, asking);
  if (typeof escalation === 'string') return escalation;
  return {
    script: cmd,
    workdir: workdir || undefined,
    yieldMs: Math.min(Math.max(yieldMs, leastYieldMs), mostYieldMs),
    timeoutMs: timeoutMs === Infinity ? undefined : timeoutMs,
    input: tty === true ? 'terminal' : stdin === true ? 'open' : 'closed',
    outputTokens,
    escalation,
  };
}
