import { defined } from '../../base/objects.ts';
import { canAskForMore } from '../../core/envelope/capabilities.ts';
import type { Step } from '../../core/envelope/envelope.ts';
import {
  callEditToolText,
  callPatchToolText,
  commandOutput,
  type CommandReport,
  patchNotPossible,
} from '../../core/fragments/answers/commands-and-patches.ts';
import {
  badArgumentsText,
  notRunText,
  refusalReason,
  sandboxRefusedAgain,
} from '../../core/fragments/answers/tool-calls.ts';
import type { TextBudget } from '../../core/fragments/text/truncate.ts';
import { type CallNeeds, type Escalation, mayChangeFiles } from '../../core/policy/decide/call-decision.ts';
import { deniedPathsInOutput } from '../../core/policy/decide/denied-by-output.ts';
import { childEnvironment } from '../../core/policy/environment/shell-environment-policy.ts';
import { accessAt, needsSandbox } from '../../core/policy/paths/access.ts';
import { withReadOnlyPlaces } from '../../core/policy/profiles/narrower-profile.ts';
import type { AnswerNetworkHost } from '../../ports/ask-user.ts';
import type {
  CommandSessions,
  CommandStartOptions,
  OutputPauses,
  ProcessEnd,
  ShellEnvironment,
  YieldedCommand,
} from '../../ports/commands.ts';
import type { ToolSpec } from '../../ports/model.ts';
import type { PlainCommand, Sandbox } from '../../ports/sandbox.ts';
import type { StartedProcess } from '../../ports/system.ts';
import type { CallTimeRecorder, GitGuard } from '../../ports/workspace.ts';
import { type StoppedBy, stoppedBy } from '../../protocol/abort.ts';
import { type Json, type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import type { CommandItem } from '../../protocol/turn-item.ts';
import { interceptPatch } from './apply-patch/apply-patch-tool.ts';
import { type ApplyPatchPorts, preparePatch } from './apply-patch/prepare-patch.ts';
import { functionSpec, notJsonObjectProblem } from './function-tool.ts';
import { parseExtraPermissions, pathNeeds, type PathResolutionBase, permissionsSchema } from './request-permissions.ts';
import { outputBudget, readPositiveNumber } from './tool.ts';
import type { CallPreparation, CallResult, CallRunContext, StartedSession, Tool, ToolCall } from './tool.ts';
import { resolve } from 'node:path';

export interface ExecCommandPorts {
  readonly sessions: Pick<CommandSessions, 'run'>;
  readonly sandbox: Sandbox;
  readonly shellEnvironment: ShellEnvironment;
  /** For commands that are patches. */
  readonly patches: ApplyPatchPorts;
  /** For commands that apply patches among other things. `node` runs it: a command's own may be old or missing. */
  readonly patchProgram: { readonly folder: string; readonly node: string };
  /** Absent: no change is attributed to a command. */
  readonly watch?: CallTimeRecorder;
  /** Absent: only the git folders that the policy names are protected. */
  readonly gitGuard?: Pick<GitGuard, 'current'>;
}

/** Full-screen programs query the terminal's capabilities. */
const terminalVariables = { TERM: 'xterm' };

export function execCommandTool(ports: ExecCommandPorts): Tool {
  const refusals = new Set<string>();
  return {
    name: 'exec_command',
    effect: 'program',
    spec: execCommandSpec,
    askingSpec: ({ savesRules }) => (savesRules ? execCommandProposingSpec : execCommandAskingSpec),
    prepare(call, step) {
      const { workspace, policy } = step.envelope;
      const { disk } = ports.patches;
      const asking = { cwd: workspace.cwd, disk, canAsk: canAskForMore(policy, 'sandbox') };
      const given = parseExecCommandArguments(call.input, asking);
      if (typeof given === 'string') return { kind: 'refused', output: badArgumentsText(given) };
      const patch = preparePatchCommand(ports.patches, call, given, step);
      if (patch !== undefined) return patch;
      // Login variables are read once, so this shell need not be a login shell.
      const argv = [workspace.shell.path, '-c', given.script];
      const begun = { id: call.callId, argv, cwd: folderOf(given, step), status: 'in-progress', output: '' } as const;
      const item: CommandItem = { kind: 'command', ...begun };
      const needs = { ...needsOf(given), ...pathNeeds(disk, given.escalation?.permissions), argv, cwd: item.cwd };
      return {
        kind: 'prepared',
        item,
        needs,
        run: (running) => run({ ...ports, refusals }, item, given, step, running),
      };
    },
  };
}

function needsOf({ escalation, input }: ExecCommandArguments): CallNeeds {
  const typed = input !== 'closed' || undefined;
  return { effect: 'program', ...defined({ escalation, typed }) };
}

/** A script that only applies a patch needs no shell: it becomes the patch. */
function preparePatchCommand(
  patches: ApplyPatchPorts,
  { callId }: ToolCall,
  given: ExecCommandArguments,
  step: Step,
): CallPreparation | undefined {
  const found = interceptPatch(given.script);
  if (found.kind !== 'patch')
    return found.kind === 'none' ? undefined : { kind: 'refused', output: answerToBarePatch(step) };
  const folder = resolve(folderOf(given, step), found.folder ?? '.');
  const patch = preparePatch(patches, { callId, text: found.text, folder, cameAs: 'command' }, step);
  if (patch.kind === 'refused' || given.escalation === undefined) return patch;
  // The user gets to read the reason for the escalation. The patch's files decide if it writes beyond the sandbox.
  return { ...patch, needs: { ...patch.needs, escalation: given.escalation } };
}

function answerToBarePatch({ envelope }: Step): string {
  const { tools } = envelope.capabilities;
  if (tools.includes('apply_patch')) return callPatchToolText;
  return tools.includes('edit_file') ? callEditToolText : patchNotPossible;
}

function folderOf({ workdir }: ExecCommandArguments, step: Step): string {
  const { cwd } = step.envelope.workspace;
  return workdir === undefined ? cwd : resolve(cwd, workdir);
}

async function run(
  ports: ExecCommandPorts & { readonly refusals: Set<string> },
  item: CommandItem,
  given: ExecCommandArguments,
  step: Step,
  { signal, policy, folder, leaves, variables: more, started, output, warn, answerHost }: CallRunContext,
): Promise<CallResult> {
  const { sessions, sandbox, shellEnvironment, patchProgram, watch, gitGuard, refusals } = ports;
  const { telemetry, workspace } = step.envelope;
  const cwd = folder ?? item.cwd;
  const { shellEnvironment: variablesPolicy } = step.envelope.policy;
  const names = {
    CODEX_THREAD_ID: telemetry.threadId,
    CAPSTAN_THREAD_ID: telemetry.threadId,
    ...(policy.network === 'restricted' ? { CODEX_SANDBOX_NETWORK_DISABLED: '1' } : {}),
  };
  // Without a sandbox, the login shell's start-up files need no check: commands may start any program themselves.
  const sandboxed = needsSandbox(policy) && { isWritable: (path: string) => accessAt(policy, path) === 'write' };
  const inherited = await shellEnvironment.variables({ signal, warn, ...sandboxed });
  const variables = childEnvironment(inherited, variablesPolicy, names);
  const changesFiles = ['apply_patch', 'edit_file'].some((tool) => step.envelope.capabilities.tools.includes(tool));
  const patching = changesFiles ? withPatchProgram(variables, given.script, patchProgram) : variables;
  // A sandbox checks the folder's target itself.
  const decided = folder !== undefined && !needsSandbox(policy) && ({ decidedFolder: true } as const);
  const env = { ...patching, ...(decided && { PWD: cwd }), ...more };
  // The command's time limit pauses while the user is asked about a host.
  const pauses = createPauseTracker();
  const asking = answerHost && {
    answerHost: ((...asked) => pauses.during(answerHost(...asked))) satisfies AnswerNetworkHost,
  };
  const plain = { ...atTerminal(given, { argv: item.argv, env }), cwd, ...decided, ...asking };
  const kept = (leaves !== true && gitGuard?.current) || [];
  const command = await sandbox.plan(plain, policy, kept);
  if (command.kind === 'refused') {
    const { code, message, next } = command;
    const why = `${message} ${next}`;
    const isKnown = code !== 'policy-unenforceable' && refusals.has(why);
    refusals.add(why);
    const refusal = isKnown ? sandboxRefusedAgain : notRunText(message, next);
    return { output: refusal, item: { ...item, status: 'declined', output: refusalReason(refusal) } };
  }
  if (command.notice !== undefined) warn(command.notice);
  const { input, timeoutMs } = given;
  // These variables mean git outside the sandbox: wait for its end, as other commands could lead it elsewhere.
  const yieldMs = more === undefined ? given.yieldMs : mostGitMs;
  const limits = { input, yieldMs, pauses, ...defined({ timeoutMs }) };
  // Start the clock here: changes made while preparing the sandbox are not the command's.
  const open = mayChangeFiles(policy, needsOf(given)) ? watch?.begin(workspace.cwd) : undefined;
  let known: StartedProcess | undefined;
  const noteStart = (begun: StartedProcess): void => {
    known = begun;
    started(begun);
  };
  const end = await sessions.run(command, limits, { signal, started: noteStart, ...defined({ output }) });
  const denied = command.denied?.();
  const budget = outputBudget(step.window.toolOutput, given.outputTokens);
  const { serversLeftOut } = command;
  if (end.kind === 'yielded') {
    const changes = open && watch && { begun: open, again: () => watch.begin(workspace.cwd) };
    return goesOn(item, { ...end, ...defined({ denied, known, changes }) }, budget);
  }
  const touched = open === undefined ? {} : { touched: { kind: 'time', time: open.end() } as const };
  const ended = { ...end, by: stoppedBy(signal), ...defined({ denied, serversLeftOut }) };
  const result = answer(item, ended, given, budget);
  return { ...result, ...blockedBy(end, { policy, kept }, cwd), ...touched };
}

const mostGitMs = 600_000;

/** Gives the command its terminal as controlling one, and the terminal's type in the variables. */
function atTerminal(
  { input }: ExecCommandArguments,
  { argv, env }: Pick<PlainCommand, 'argv' | 'env'>,
): Pick<PlainCommand, 'argv' | 'env' | 'terminal'> {
  if (input !== 'terminal') return { argv, env };
  return { argv: withControllingTerminal(argv), env: { ...env, ...terminalVariables }, terminal: 'own' };
}

function blockedBy(
  end: ProcessEnd,
  { policy, kept }: { readonly policy: ResolvedPolicy; readonly kept: readonly string[] },
  cwd: string,
): Pick<CallResult, 'blocked'> {
  if (end.kind !== 'exited' || end.exitCode === 0 || !needsSandbox(policy)) return {};
  const paths = deniedPathsInOutput(end.output.text, withReadOnlyPlaces(policy, kept), cwd);
  return paths.length === 0 ? {} : { blocked: paths };
}

/** A script that also applies a patch finds `apply_patch` on its path, where it runs with the rights of the command. */
function withPatchProgram(
  env: Readonly<Record<string, string>>,
  script: string,
  { folder, node }: ExecCommandPorts['patchProgram'],
): Readonly<Record<string, string>> {
  const path = env['PATH'];
  if (path === undefined || !/apply_?patch/.test(script)) return env;
  return { ...env, PATH: `${folder}:${path}`, CAPSTAN_NODE: node };
}

type GoingOn = YieldedCommand & Pick<CommandReport, 'denied'> & Pick<StartedSession, 'known' | 'changes'>;

/** The command is still running: the answer gives its session number. */
function goesOn(item: CommandItem, end: GoingOn, budget: TextBudget): CallResult {
  const { session, durationMs, output: said, denied, log, pruned, known, changes } = end;
  const how = { kind: 'running', sessionId: session.id } as const;
  const report = { seconds: durationMs / 1000, end: how, output: said.text, pruned, ...defined({ denied, log }) };
  const output = commandOutput(report, budget);
  return {
    output,
    ...(output.endsWith(said.text) ? {} : { fullOutput: said.text }),
    item: { ...item, output: said.text },
    session: { session, ...defined({ known, changes }) },
    dropped: pruned.map((id) => ({ id, fate: 'pruned' as const })),
  };
}

type CommandEnd = ProcessEnd & { readonly by: StoppedBy } & Pick<CommandReport, 'denied' | 'serversLeftOut'>;

function answer(item: CommandItem, end: CommandEnd, given: ExecCommandArguments, budget: TextBudget): CallResult {
  if (end.kind === 'not-started') {
    const output = notRunText(end.reason, 'Nothing was done.');
    return { output, item: { ...item, status: 'failed', output: refusalReason(output), unfinished: end.kind } };
  }
  const { durationMs, denied, serversLeftOut } = end;
  const { text } = end.output;
  const how = end.kind === 'timed-out' ? { kind: end.kind, limitSeconds: (given.timeoutMs ?? 0) / 1000 } : end;
  const report = { seconds: durationMs / 1000, end: how, output: text, ...defined({ denied, serversLeftOut }) };
  const output = commandOutput(report, budget);
  const exitCode = end.kind === 'exited' ? end.exitCode : undefined;
  const status = exitCode === 0 ? 'completed' : 'failed';
  const unfinished = ({ exited: undefined, 'timed-out': 'timed-out', aborted: 'interrupted' } as const)[end.kind];
  return {
    output,
    ...(output.endsWith(text) ? {} : { fullOutput: text }),
    item: { ...item, status, output: text, durationMs, ...defined({ exitCode, unfinished }) },
  };
}

/** Pauses a time limit while any promise given to `during` is pending. `during` resolves to the promise's value. */
export function createPauseTracker() {
  const watchers = new Set<(isPaused: boolean) => void>();
  let waiting = 0;
  const add = (change: 1 | -1): void => {
    const before = waiting > 0;
    waiting += change;
    if (before !== waiting > 0) for (const watcher of watchers) watcher(waiting > 0);
  };
  return {
    get isPaused() {
      return waiting > 0;
    },
    watch(watcher: Parameters<OutputPauses['watch']>[0]) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    during<Value>(waited: Promise<Value>): Promise<Value> {
      add(1);
      return waited.finally(() => add(-1));
    },
  };
}

/**
 * Runs the command with its terminal as controlling one: it gets the terminal's signals, and `/dev/tty` refers to it. A
 * session gets the first terminal that its leader opens; if that fails, the command runs without.
 */
export function withControllingTerminal(argv: readonly string[]): readonly string[] {
  return ['/bin/sh', '-c', script, 'sh', ...argv];
}

const script = `t=/proc/self/fd/0; [ -e "$t" ] || t=$(tty); (: <>"$t") 2>/dev/null && exec <>"$t" >&0 2>&0; exec "$@"`;
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

const execCommandSpec = specWith({});
/** The spec if the user can be asked for more. */
const execCommandAskingSpec = specWith(escalationProperties);
/** The spec if the user's answer can save a rule. */
const execCommandProposingSpec = specWith({ ...escalationProperties, ...ruleProposalProperties });

interface ExecCommandArguments {
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
