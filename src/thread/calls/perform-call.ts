import { networkReach } from '../../policy/network/network-reach.ts';
import { mayChangeFiles } from '../../policy/approval.ts';
import type { StartedProcess } from '../../ports/processes.ts';
import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { callProcess, callStarted } from '../../state/call-start.ts';
import type { PreparedCall, RunningCall } from '../../tools/define.ts';
import { usageNow } from '../contract/usage-now.ts';
import { goalOfThread } from '../goal/goal-of-thread.ts';
import type { Turn } from '../parts/parts.ts';
import { warnOnce } from '../parts/warn-once.ts';
import { recordDecided } from './ask-about-call.ts';
import { askForServers } from './ask-elicitation.ts';
import { askAboutHosts } from './ask-host.ts';
import { type RanCall, withNote } from './call-notes.ts';
import type { CallToGrant } from './grant-call.ts';
import type { GrantedCall } from './granted-call.ts';
import { heldThreads } from './held-threads.ts';
import type { QuestionOrder } from './question-order.ts';

/** A process that lasts this long is worth a sync of its own. */
const lastingMs = 250;

interface CallToPerform {
  readonly wanted: CallToGrant;
  readonly prepared: PreparedCall;
  readonly grant: GrantedCall;
  readonly questions: QuestionOrder;
}

/** Runs a granted call once. Its line is durable before it has an effect. */
export async function performCall(turn: Turn, { wanted, prepared, grant, questions }: CallToPerform): Promise<RanCall> {
  const { log, parts, signal, threadId, turnId, effects, envelope, memory } = turn;
  const { call_id: callId, name: tool } = wanted.call;
  const { item, needs, idempotent, isExternal } = prepared;
  const at = parts.clock.now();
  const { policy, allowed, ground, leaves, confined: within, answer } = grant;
  const outside = grant.where === 'outside' || undefined;
  const more = defined({ idempotent, external: isExternal, outside, confined: within });
  const begins = callStarted({ threadId, turnId, callId, tool, at, item, ...more });
  recordDecided(turn, callId, 'allowed', () => log.record(begins));
  // Not sooner: another call's sync must not let it out before its line.
  tellStart(turn, prepared, grant);
  const mayWrite = mayChangeFiles(policy, needs);
  if (mayWrite) await effects.before(policy);
  await log.durable();
  const over = new AbortController();
  const started = (process: StartedProcess): void => {
    log.record(callProcess(turnId, callId, process));
    void keepLasting(turn, over.signal);
  };
  const warn = (outcome: Outcome): void => warnAtOnce(turn, outcome);
  const output = previewOf(turn, item.id);
  const threads = heldThreads(parts.threads, envelope);
  const isProxied = networkReach(policy) === 'listed';
  const hosts = isProxied ? askAboutHosts(turn, { ...wanted, policy }, questions) : undefined;
  const elicit = needs.mcp === undefined ? undefined : askForServers(turn, wanted, questions);
  const asked = { allowed, content: answer?.content };
  const ways = defined({
    output,
    ...asked,
    folder: ground?.folder,
    leaves,
    variables: leaves && ground?.gitVariables,
    answerHost: hosts?.decide,
    elicit,
  });
  const hasWords = (): boolean => turn.inbox.waiting.some(({ kind }) => kind === 'words');
  const own = { hasMail: () => turn.inbox.pending, hasWords, window: windowOf(turn), goal: goalOfThread(turn) };
  const end = await prepared.run({ signal, policy, threads, started, warn, ...own, ...ways });
  // A command that runs on may change more.
  if (mayWrite && end.session === undefined) effects.ended(end.touched);
  over.abort('ended');
  const notes = (await hosts?.end()) ?? [];
  if (signal.aborted) memory.cutShort = true;
  const typed = needs.typed && { approval: envelope.policy.approval, left: leaves === true };
  const ran = { ...end, policy, mayWrite, ...defined({ typed, outside, confined: within }) };
  return notes.length === 0 ? ran : { ...ran, output: withNote(end.output, notes.join('\n')) };
}

function windowOf(turn: Turn): NonNullable<RunningCall['window']> {
  return {
    left: () => {
      const { effectiveWindow, tokens } = usageNow(turn);
      return effectiveWindow - tokens;
    },
    renew: () => turn.inbox.wish({ signal: turn.signal, settle: () => {} }),
  };
}

function tellStart(turn: Turn, { item, standing }: PreparedCall, { leaves, confined: within }: GrantedCall): void {
  const { turnId, memory, log } = turn;
  const kind = memory.standing.has(item.id) ? 'item-updated' : 'item-started';
  log.tell({ kind, turnId, item, ...defined({ outside: leaves, confined: within }) });
  if (standing === true) memory.standing.set(item.id, item);
}

/** A process that finds the thread after a crash must know of a command that still runs. */
async function keepLasting({ parts, log }: Turn, over: AbortSignal): Promise<void> {
  await parts.clock.sleep(lastingMs, over);
  if (over.aborted) return;
  // A lost disk is reported by the next caller that needs it.
  await log.durable().catch(() => {});
}

/** Goes out at once: it says why a call takes its time. */
function warnAtOnce(turn: Turn, outcome: Outcome): void {
  if (warnOnce(turn, outcome, 'code')) turn.log.durable().catch(() => {});
}

/** Undefined where no subscriber wants to see output as it comes: then it need not be decoded. */
function previewOf({ log, turnId }: Turn, itemId: string): RunningCall['output'] {
  if (!log.subscribers.wantPreviews) return undefined;
  const decoder = new TextDecoder();
  return (bytes) => {
    const text = decoder.decode(bytes, { stream: true });
    if (text !== '') log.subscribers.preview({ provisional: true, kind: 'output', turnId, itemId, text });
  };
}
