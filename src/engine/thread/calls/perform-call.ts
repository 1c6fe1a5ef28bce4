import type { CallResult, PreparedCall, CallRunContext } from '../../../adapters/tools/tool.ts';
import { defined } from '../../../base/objects.ts';
import type { Envelope } from '../../../core/envelope/envelope.ts';
import {
  stringOption,
  booleanOption,
  nonBlankStringOption,
  validateOptions,
} from '../../../core/envelope/read-options.ts';
import type { OptionReaders } from '../../../core/envelope/read-options.ts';
import { approvalOption, sandboxOption, settingsChangeOptions } from '../../../core/envelope/read-settings-change.ts';
import { readingStillDenied } from '../../../core/fragments/answers/tool-calls.ts';
import { mayChangeFiles } from '../../../core/policy/decide/call-decision.ts';
import { accessAt, needsSandbox, networkReach } from '../../../core/policy/paths/access.ts';
import { narrowerApproval, narrowerProfile } from '../../../core/policy/profiles/narrower-profile.ts';
import { builtInProfile } from '../../../core/policy/profiles/profiles.ts';
import { isWrongValue } from '../../../core/policy/profiles/profile-entries.ts';
import { callProcessLine, callStartedLine } from '../../../core/state/fold/running-calls.ts';
import type { StartedProcess } from '../../../ports/system.ts';
import type { ThreadRefused, Threads, WantedThread } from '../../../ports/threads.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { PermissionProfile, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { usageNow } from '../context/window-use.ts';
import { goalOfThread } from '../goal/goal.ts';
import type { CallLeftRunning } from '../running-commands.ts';
import type { Turn } from '../thread-parts.ts';
import { warnOnce } from '../log.ts';
import { recordCallDecided } from './ask-about-call.ts';
import { askAboutNetworkHosts, askForServers } from './ask-during-call.ts';
import type { QuestionOrder } from './call-order.ts';
import type { CallToGrant, GrantedCall } from './grant-call.ts';

/** A process that lasts this long gets a sync of its own. */
const lastingMs = 250;

/** Runs a granted call once. Its line is durable before it has an effect. */
export async function performCall(
  turn: Turn,
  wanted: CallToGrant,
  prepared: PreparedCall,
  grant: GrantedCall,
  questions: QuestionOrder,
): Promise<RanCall> {
  const { log, parts, signal, threadId, turnId, effects, envelope, memory } = turn;
  const { call_id: callId, name: tool } = wanted.call;
  const { item, needs, idempotent, isExternal: external } = prepared;
  const at = parts.clock.now();
  const { policy, allowed, ground, leaves, confined, answer } = grant;
  const outside = grant.where === 'outside' || undefined;
  const begins = callStartedLine({ threadId, turnId, callId, tool, at, item, idempotent, external, outside, confined });
  recordCallDecided(turn, callId, 'allowed', () => log.record(begins));
  // Not before the line is recorded: another call's sync could send the news out without it.
  const kind = memory.standing.has(item.id) ? 'item-updated' : 'item-started';
  log.tell({ kind, turnId, item, ...defined({ outside: leaves, confined }) });
  if (prepared.standing === true) memory.standing.set(item.id, item);
  const mayWrite = mayChangeFiles(policy, needs);
  if (mayWrite) await effects.before(policy);
  await log.durable();
  const over = new AbortController();
  const started = (process: StartedProcess): void => {
    log.record(callProcessLine(turnId, callId, process));
    void keepLasting(turn, over.signal);
  };
  // Sent at once: it explains why a call takes its time.
  const warn = (outcome: Outcome): void => {
    if (warnOnce(turn, outcome, 'code')) log.durable().catch(() => {});
  };
  const output = previewOf(turn, item.id);
  const threads = restrictThreads(parts.threads, envelope);
  const isProxied = networkReach(policy) === 'listed';
  const hosts = isProxied ? askAboutNetworkHosts(turn, { ...wanted, policy }, questions) : undefined;
  const elicit = needs.mcp && askForServers(turn, wanted, questions);
  const granted = { allowed, content: answer?.content, folder: ground?.folder, leaves };
  const variables = leaves && ground?.gitVariables;
  const ways = defined({ output, ...granted, variables, answerHost: hosts?.decide, elicit });
  const window: CallRunContext['window'] = {
    left: () => usageNow(turn).effectiveWindow - usageNow(turn).tokens,
    renew: () => turn.inbox.wish({ signal, settle: () => {} }),
  };
  const hasWords = (): boolean => turn.inbox.waiting.some(({ kind }) => kind === 'words');
  const own = { hasMail: () => turn.inbox.pending, hasWords, window, goal: goalOfThread(turn) };
  const end = await prepared.run({ signal, policy, threads, started, warn, ...own, ...ways });
  // A command that still runs may change more.
  if (mayWrite && end.session === undefined) effects.ended(end.touched);
  over.abort('ended');
  const notes = (await hosts?.end()) ?? [];
  if (signal.aborted) memory.cutShort = true;
  const typed = needs.typed && { approval: envelope.policy.approval, left: leaves === true };
  const ran = { ...end, policy, mayWrite, typed, outside, confined };
  return notes.length === 0 ? ran : { ...ran, output: withNote(end.output, notes.join('\n')) };
}

/** After a crash the next process must know of a command that still runs. */
async function keepLasting({ parts, log }: Turn, over: AbortSignal): Promise<void> {
  await parts.clock.sleep(lastingMs, over);
  if (over.aborted) return;
  // A lost disk is reported by the next caller that needs it.
  await log.durable().catch(() => {});
}

/** Undefined where no subscriber wants output as it comes: then it need not be decoded. */
function previewOf({ log, turnId }: Turn, itemId: string): CallRunContext['output'] {
  if (!log.subscribers.wantPreviews) return undefined;
  const decoder = new TextDecoder();
  return (bytes) => {
    const text = decoder.decode(bytes, { stream: true });
    if (text !== '') log.subscribers.preview({ provisional: true, kind: 'output', turnId, itemId, text });
  };
}

/** A finished call with its grant: a command that outlives it keeps that grant. */
export type RanCall = CallResult & {
  readonly policy: ResolvedPolicy;
  readonly mayWrite: boolean;
  readonly outside?: true;
  readonly confined?: true;
} & Pick<CallLeftRunning, 'typed'>;

/** A command that may do everything but read denied paths finds empty folders there; the note tells why. */
export function withConfinementNote<Result extends CallResult>(end: Result, { where, policy }: GrantedCall): Result {
  const failed = end.item.kind === 'command' && end.item.status === 'failed';
  if (where !== 'outside' || !failed || !needsSandbox(policy)) return end;
  return { ...end, output: withNote(end.output, readingStillDenied) };
}

export const withNote = (output: CallResult['output'], note: string): CallResult['output'] =>
  typeof output === 'string' ? `${note}\n${output}` : [{ type: 'input_text', text: note }, ...output];

/**
 * Restricts the engine's threads for one call: a thread that the call opens may do at most what the call's turn may,
 * and works in the turn's folder unless another is asked for. Settings that grant more are refused.
 */
function restrictThreads(threads: Threads, envelope: Envelope): Threads {
  const held = async <Opened>(wanted: WantedThread, of: string, open: (narrowed: Narrowed) => Promise<Opened>) => {
    const narrowed = heldBy(envelope, wanted, of);
    return 'kind' in narrowed ? narrowed : open(narrowed);
  };
  return {
    get open() {
      return threads.open;
    },
    start: (wanted) => held(wanted, 'start()', (narrowed) => threads.start(narrowed)),
    resume: (id, wanted) => held(wanted, 'resume()', (narrowed) => threads.resume(id, narrowed)),
    fork: (id, cut, wanted) => held(wanted, 'fork()', (narrowed) => threads.fork(id, cut, narrowed)),
  };
}

type Narrowed = WantedThread & { readonly cwd: string };

function heldBy({ policy, workspace }: Envelope, given: WantedThread, of: string): Narrowed | ThreadRefused {
  const wanted = validateOptions<WantedThread>(given, wantedOptions, of);
  if ('code' in wanted) return { kind: 'refused', outcome: wanted };
  const { cwd = workspace.cwd, approvals = policy.approval } = wanted;
  const sandbox = profileWanted(wanted.sandbox) ?? policy.profile;
  const isWider =
    narrowerApproval(policy.approval, approvals) !== approvals ||
    narrowerProfile(policy.profile, sandbox, workspace.places) !== sandbox;
  if (isWider) return refused('asks for more permissions than the turn that opens it has');
  if (accessAt(policy.resolved, cwd) === 'write') return { ...wanted, cwd, approvals, sandbox };
  // A profile depends on its folder: in one that the caller may not write, the same profile would grant more.
  if (narrowerProfile(policy.profile, readOnly, workspace.places) === readOnly)
    return { ...wanted, cwd, approvals, sandbox: readOnly };
  return refused(`would work in ${cwd}, where the turn that opens it cannot write`);
}

const wantedOptions = {
  cwd: { type: stringOption },
  model: { type: nonBlankStringOption },
  approvals: { type: approvalOption },
  sandbox: { type: sandboxOption },
  ephemeral: { type: booleanOption },
} as const satisfies OptionReaders<WantedThread>;

/** The option reader returns a keyword or a profile. */
function profileWanted(sandbox: WantedThread['sandbox']): PermissionProfile | undefined {
  const read = sandbox === undefined ? undefined : settingsChangeOptions.sandbox.type.read(sandbox);
  return isWrongValue(read) ? undefined : read;
}

const nothingMore = { network: false, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true };
const readOnly = builtInProfile('read-only', nothingMore);

function refused(why: string): ThreadRefused {
  const next = 'Ask for the same or narrower settings, or change the settings of the calling thread.';
  return { kind: 'refused', outcome: { code: 'wider-than-caller', message: `The thread ${why}.`, next } };
}
