import { defined } from '../../base/objects.ts';
import { savedHookOutput } from '../../core/fragments/events/hooks-skills-and-plugins.ts';
import { estimateTokens, truncateMiddle } from '../../core/fragments/text/truncate.ts';
import type { ProgramEnd } from '../../ports/commands.ts';
import type { HookVerdict } from '../../ports/hooks.ts';
import { isJsonObject, type JsonObject, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { HookEntry, HookEvent, HookRun } from '../../protocol/thread-event.ts';
import { lazyThreadFolder } from '../disk/own-files.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type EndedHook = { readonly run: HookRun; readonly answer: HookAnswer; readonly place: number };
/** This many texts of one occasion may have full length. More texts share the same space. */
const mostTexts = 2;
const leastTokens = 100;

/** Combines the answers of concurrent hooks. A refusal wins over everything, a question over an approval. */
export function combineHookAnswers(
  all: readonly EndedHook[],
  { cut, mostTokens }: { readonly cut: CutHookText; readonly mostTokens: number },
): HookVerdict {
  const said = all.filter(({ answer }) => answer.context !== undefined);
  const each = Math.max(leastTokens, Math.floor((mostTexts * mostTokens) / Math.max(1, said.length)));
  const last = all.toSorted((a, b) => b.place - a.place).map(({ answer }) => answer);
  const no = all.find(({ answer }) => answer.blocked !== undefined);
  const stop = all.find(({ answer }) => answer.stopped !== undefined);
  const deciding = (kind: HookAnswer['decision']) => all.find(({ answer }) => answer.decision === kind);
  const decided = deciding('ask') ?? deciding('allow');
  const change = last.find(({ updatedInput }) => updatedInput !== undefined);
  const output = last.find(({ updatedOutput }) => updatedOutput !== undefined);
  return {
    runs: all.map(({ run }) => run),
    contexts: said.map(({ run, answer }) => ({
      key: run.key,
      text: cut(answer.context ?? '', Math.min(each, mostTokens)),
    })),
    prompts: all.flatMap(({ run, answer }) =>
      answer.blocked === undefined ? [] : [{ runId: run.id, text: cut(answer.blocked, mostTokens) }],
    ),
    ...defined({
      blocked: no?.answer.blocked === undefined ? undefined : cut(no.answer.blocked, mostTokens),
      stopped: stop?.answer.stopped,
      decision: decided?.answer.decision,
      decisionReason: decided?.answer.decisionReason,
      updatedInput: no === undefined ? change?.updatedInput : undefined,
      updatedOutput: output?.updatedOutput,
    }),
  };
}

export interface HookAnswer extends Pick<
  HookVerdict,
  'blocked' | 'stopped' | 'decision' | 'decisionReason' | 'updatedInput' | 'updatedOutput'
> {
  readonly status: HookRun['status'];
  readonly entries: readonly HookEntry[];
  readonly context?: string;
}

export const failedHookAnswer = (text: string): HookAnswer => ({
  status: 'failed',
  entries: [{ kind: 'error', text }],
});

function blockedBy(reason: string, more: Partial<HookAnswer> = {}): HookAnswer {
  return { ...more, status: 'blocked', blocked: reason, entries: [...(more.entries ?? []), feedback(reason)] };
}

const feedback = (text: string): HookEntry => ({ kind: 'feedback', text });

type EventAnswer = Partial<
  Pick<HookAnswer, 'context' | 'blocked' | 'decision' | 'decisionReason' | 'updatedInput' | 'updatedOutput'>
>;

interface EventRules {
  readonly canBlock?: true;
  /** Output that is not JSON goes to the model, or makes the hook fail. Absent: Capstan ignores it. */
  readonly plainText?: 'context' | 'fails';
  /** A failing hook that must succeed refuses, or stops the turn. Absent: neither. */
  readonly ifFailed?: 'blocked' | 'stopped';
  /** Members of `hookSpecificOutput` besides the event's name, and their reader. Absent: only context is read. */
  readonly members?: readonly string[];
  read?(own: JsonObject, context: string | undefined): EventAnswer | string;
}

const refuses = { canBlock: true, ifFailed: 'blocked' } as const;
const hears = { plainText: 'context', members: ['additionalContext'] } as const;
const ends = { canBlock: true, plainText: 'fails' } as const;
const ofCall = ['permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext'];
const ofOutput = ['additionalContext', 'updatedToolOutput', 'updatedMCPToolOutput'];

export const hookEventRules: Readonly<Record<HookEvent, EventRules>> = {
  PreToolUse: { ...refuses, members: ofCall, read: aboutCall },
  PermissionRequest: { ...refuses, members: ['decision'], read: aboutQuestion },
  PostToolUse: { ...refuses, members: ofOutput, read: aboutOutput },
  PreCompact: { ifFailed: 'stopped' },
  PostCompact: {},
  SessionStart: { ...hears, ifFailed: 'stopped' },
  SessionEnd: {},
  UserPromptSubmit: { ...refuses, ...hears },
  SubagentStart: hears,
  SubagentStop: ends,
  Stop: ends,
};

const noticeTokens = 60;
/** Cuts hook output to a number of tokens. The full text goes into a file that commands can read. */
type CutHookText = (text: string, mostTokens: number) => string;
export type HookTextShortener = ReturnType<typeof createHookTextShortener>;

/** `folder`: for full texts; commands may read but not write it. A shortened text names its file to the model. */
export function createHookTextShortener(folder: string) {
  const own = lazyThreadFolder(folder);
  let count = 0;
  const save = (text: string): string | undefined => {
    try {
      const path = join(own.path(), `${++count}.txt`);
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      return path;
    } catch {
      return undefined;
    }
  };
  return {
    cut(text: string, mostTokens: number): string {
      if (estimateTokens(text) <= mostTokens) return text;
      const preview = truncateMiddle(text, { mode: 'tokens', limit: Math.max(0, mostTokens - noticeTokens) });
      const path = save(text);
      return path === undefined ? preview : savedHookOutput(preview, path);
    },
    close: () => own.remove(),
  };
}

const completed: HookAnswer = { status: 'completed', entries: [] };

export function parseHookAnswer(
  event: HookEvent,
  end: ProgramEnd,
  { timeoutSeconds, outputBytes }: { readonly timeoutSeconds: number; readonly outputBytes: number },
): HookAnswer {
  if (end.kind === 'exited') return readExited(event, end, outputBytes);
  if (end.kind === 'not-started') return failedHookAnswer(end.reason);
  const late = `It took longer than its time-out of ${timeoutSeconds} s.`;
  return failedHookAnswer({ 'timed-out': late, aborted: 'It was ended before it was done.' }[end.kind]);
}

function readExited(event: HookEvent, end: Extract<ProgramEnd, { kind: 'exited' }>, outputBytes: number): HookAnswer {
  const { exitCode, isCut } = end;
  const { canBlock, plainText } = hookEventRules[event];
  const [stdout, stderr] = [end.stdout.trim(), end.stderr.trim()];
  if (exitCode === 2 && canBlock === true)
    return stderr === ''
      ? failedHookAnswer('It exited with code 2 and gave no reason on standard error.')
      : blockedBy(stderr);
  if (exitCode !== 0) return failedHookAnswer(`It exited with code ${exitCode}.${stderr === '' ? '' : ` ${stderr}`}`);
  if (stdout === '') return completed;
  if (stdout.startsWith('{') || stdout.startsWith('[')) {
    if (isCut)
      return failedHookAnswer(`It printed too much: an answer in JSON may have ${outputBytes / 1_000_000} MB.`);
    const answer = parseJsonObject(stdout);
    return answer === undefined
      ? failedHookAnswer('What it printed is no valid JSON object.')
      : readJson(event, answer);
  }
  if (plainText === 'context') return { ...completed, context: stdout };
  return plainText === 'fails' ? failedHookAnswer('It printed text that is no JSON.') : completed;
}

const everywhere = ['continue', 'stopReason', 'suppressOutput', 'systemMessage', 'hookSpecificOutput'];

function readJson(event: HookEvent, answer: JsonObject): HookAnswer {
  if (event === 'SessionEnd') return completed;
  const decides = hookEventRules[event].canBlock === true && event !== 'PermissionRequest';
  const known = decides ? [...everywhere, 'decision', 'reason'] : everywhere;
  const odd = Object.keys(answer).find((name) => !known.includes(name));
  if (odd !== undefined)
    return failedHookAnswer(`Its answer has the member ${JSON.stringify(odd)}, which is unknown here.`);
  const own = answer['hookSpecificOutput'] ?? undefined;
  const specific: EventAnswer | string =
    own === undefined ? {} : isJsonObject(own) ? readEventAnswer(event, own) : 'It has no table there.';
  if (typeof specific === 'string') return failedHookAnswer(`Its hookSpecificOutput makes no sense. ${specific}`);
  const message = stringAt(answer, 'systemMessage');
  const entries: readonly HookEntry[] = message === undefined ? [] : [{ kind: 'warning', text: message }];
  const said: HookAnswer = { ...completed, ...specific, entries };
  const { decision, reason } = answer;
  if (answer['continue'] === false) return stopped(event, said, stringAt(answer, 'stopReason') ?? '');
  if (specific.blocked !== undefined) return blockedBy(specific.blocked, said);
  if (decision === undefined || decision === null) return said;
  if (decision !== 'block') return failedHookAnswer(`The decision ${JSON.stringify(decision)} is not supported here.`);
  if (typeof reason !== 'string' || reason.trim() === '') return failedHookAnswer('It blocks and gives no reason.');
  return blockedBy(reason.trim(), said);
}

/** A hook for calls or questions can only allow or refuse: `continue: false` is an error there. */
function stopped(event: HookEvent, said: HookAnswer, reason: string): HookAnswer {
  if (event === 'PreToolUse' || event === 'PermissionRequest')
    return failedHookAnswer('`continue: false` is not supported here.');
  if (event === 'SubagentStart') return said;
  const entries = reason === '' ? said.entries : [...said.entries, { kind: 'stop', text: reason } as const];
  return { ...said, status: 'stopped', stopped: reason, entries };
}

function readEventAnswer(event: HookEvent, own: JsonObject): EventAnswer | string {
  if (own['hookEventName'] !== event) return `hookEventName must be "${event}".`;
  const { members = [], read } = hookEventRules[event];
  const known = ['hookEventName', ...members];
  const odd = Object.keys(own).find((name) => !known.includes(name));
  if (odd !== undefined) return `${JSON.stringify(odd)} is unknown there.`;
  const text = stringAt(own, 'additionalContext');
  const context = text === undefined || text.trim() === '' ? undefined : text;
  return read === undefined ? { context } : read(own, context);
}

function aboutOutput(own: JsonObject, context: string | undefined): EventAnswer {
  const output = own['updatedToolOutput'] ?? own['updatedMCPToolOutput'] ?? undefined;
  const updatedOutput = output === undefined || typeof output === 'string' ? output : JSON.stringify(output);
  return { context, updatedOutput };
}

function aboutCall(own: JsonObject, context: string | undefined): EventAnswer | string {
  const decision = own['permissionDecision'] ?? undefined;
  const reason = stringAt(own, 'permissionDecisionReason')?.trim();
  const updated = own['updatedInput'] ?? undefined;
  if (updated !== undefined && !isJsonObject(updated)) return 'updatedInput must be a table.';
  if (decision === 'deny') return { blocked: reason ?? 'It gave no reason.', context };
  if (decision !== undefined && decision !== 'allow' && decision !== 'ask')
    return `The permissionDecision ${JSON.stringify(decision)} is unknown.`;
  if (updated !== undefined && decision === undefined) return 'updatedInput needs a permissionDecision.';
  return { context, decisionReason: reason, updatedInput: updated, decision };
}

function aboutQuestion(own: JsonObject): EventAnswer | string {
  const decision = objectAt(own, 'decision');
  if (decision === undefined) return {};
  if (decision['updatedInput'] !== undefined || decision['updatedPermissions'] !== undefined)
    return 'A question can be answered, and not changed.';
  if (decision['interrupt'] === true) return 'interrupt is not supported.';
  const message = stringAt(decision, 'message')?.trim();
  if (decision['behavior'] === 'allow') return { decision: 'allow', decisionReason: message };
  if (decision['behavior'] === 'deny') return { blocked: message ?? 'It gave no reason.' };
  return `The behavior ${JSON.stringify(decision['behavior'] ?? null)} is unknown.`;
}
