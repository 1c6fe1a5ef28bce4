import { defined } from '../../../base/objects.ts';
import { allowGrowthByHand, anythingToCompact, isAfterRefusal } from '../../../core/compaction/plan/compaction-plan.ts';
import { nothingToCompact } from '../../../core/compaction/plan/failure-messages.ts';
import { planCompaction } from '../../../core/compaction/plan/plan-compaction.ts';
import { markPlanOutdated, type WorkRecords } from '../../../core/compaction/plan/work-records.ts';
import { beginCompaction, continueCompaction, currentStage } from '../../../core/compaction/state-machine.ts';
import type { CompactionStep } from '../../../core/compaction/state-machine.ts';
import { type Envelope, type Step, turnProvider } from '../../../core/envelope/envelope.ts';
import { itemTokens, lastUsage } from '../../../core/history/token-counts.ts';
import { isUserShellCommand } from '../../../core/history/limit-output.ts';
import { requestTokens } from '../../../core/history/window-usage.ts';
import { compactionFailedLine, willPauseCompaction } from '../../../core/state/checkpoints/checkpoint-counts.ts';
import { historyAsRequestInput } from '../../../core/state/plan-request.ts';
import { isMessage } from '../../../protocol/item.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { canReadOpaqueItems } from '../../../protocol/provider-name.ts';
import type { CheckpointReport } from '../../../protocol/thread-event.ts';
import {
  fullContextTokens,
  contextTokensToSend,
  newestCountFor,
  nextRequestTokens,
  contextTokensInHistory,
  inboxTokens,
} from '../context/token-estimates.ts';
import { compactionContract, compactionWindow, contextWindowNow } from '../context/turn-contract.ts';
import { adoptServerWindow } from '../context/window-use.ts';
import type { Turn } from '../thread-parts.ts';
import { warnOnce } from '../log.ts';
import { CompactionRequests } from './compaction-requests.ts';
import type { CompactionResult, WantedCompaction } from './compaction-result.ts';
import { installCheckpoint } from './install-checkpoint.ts';

/** Compacts history, if possible. The old history stays in force until the new one is recorded (I8). */
export async function compactHistory(turn: Turn, step: Step, asked: WantedCompaction): Promise<CompactionResult> {
  const wanted = allowGrowthByHand(asked, turn.log.state, compactionContract(turn).strategy);
  if (!anythingToCompact(wanted, turn.log.state)) return { kind: 'failed', outcome: nothingToCompact };
  const refused = findCompactionRefusal(turn, step, wanted);
  if (refused !== undefined) return { kind: 'failed', outcome: refused };
  // The turn's words wait meanwhile, and the process may die: store them before compaction begins.
  if (turn.inbox.keep()) await turn.log.durable();
  const stopped = await checkpointHookObjection(turn, wanted, signalOf(turn, wanted));
  return stopped === undefined ? runCompaction(turn, step, wanted) : { kind: 'failed', outcome: stopped };
}

/** For a compaction by hand: why no model is asked, if no checkpoint of this history is worth it. */
export function findCompactionRefusal(turn: Turn, step: Step, wanted: WantedCompaction): Outcome | undefined {
  if (wanted.trigger === 'auto') return undefined;
  const { move } = open(turn, step, wanted);
  return move.kind === 'refused' && move.outcome.code === nothingToCompact.code ? move.outcome : undefined;
}

/** Compacts where there is something to compact and no hook objects. */
export async function runCompaction(turn: Turn, step: Step, wanted: WantedCompaction): Promise<CompactionResult> {
  const first = open(turn, step, wanted);
  const id = turn.parts.ids.uuid();
  const { trigger, reason, phase } = wanted;
  const { strategy, model } = first.plan;
  const { log, turnId } = turn;
  const tokens = nextRequestTokens(turn, step);
  const startedAt = turn.parts.clock.now();
  const { effective: assumed } = contextWindowNow(turn);
  log.tell({ kind: 'checkpoint-started', turnId, id, trigger, reason, phase, strategy, model, tokens });
  const signal = signalOf(turn, wanted);
  const requests = new CompactionRequests(turn, step, { provider: wanted.provider ?? turn.parts.provider, signal });
  let opened: Opened = first;
  while (opened.move.kind === 'request' && !signal.aborted) {
    const { move, by } = opened;
    if (wanted.only === true && !readsAll(move)) {
      opened = { ...opened, move: { kind: 'refused', outcome: tooLongForMaker } };
      break;
    }
    const stage = currentStage(move.state);
    if (stage !== undefined) log.tell({ kind: 'checkpoint-stage', turnId, id, ...stage });
    const outcome = await requests.perform(move.request, opened);
    if (signal.aborted) break;
    const isReplaceable = by !== turn.envelope && wanted.only !== true;
    if (outcome.kind === 'failed' && isReplaceable && isItsOwnFault(outcome.failure.code)) {
      // The previous model may be gone, or full: ask the turn's own model.
      const { by: _by, ...without } = wanted;
      opened = open(turn, step, without);
    } else {
      // More may have come while the model was asked.
      const source = { ...move.state.source, work: workNow(turn) };
      opened = { ...opened, move: continueCompaction({ ...move.state, source }, outcome) };
    }
  }
  adoptServerWindow(turn, assumed);
  const ended = { ...opened, move: withoutCode(opened.move, wanted), id, requests, startedAt };
  return signal.aborted ? aborted(turn, ended) : settleMove(turn, step, ended, signal);
}

const signalOf = (turn: Turn, { signal = turn.signal }: WantedCompaction): AbortSignal =>
  AbortSignal.any([turn.signal, signal]);

const readsAll = ({ request, state }: Extract<CompactionStep, { kind: 'request' }>): boolean =>
  request.from === 0 && request.to === state.source.input.length && request.stubbed.length === 0;

/** With `only`, refuses a checkpoint that code would build: code cannot read opaque items, so they would be lost. */
const withoutCode = (move: CompactionStep, { only }: WantedCompaction): CompactionStep =>
  move.kind === 'mechanical' && only === true ? { kind: 'refused', outcome: move.why } : move;

interface Opened {
  readonly move: CompactionStep;
  readonly plan: ReturnType<typeof planCompaction>;
  readonly by: Envelope;
}

function open(turn: Turn, step: Step, wanted: WantedCompaction): Opened {
  const { parts, log, envelope, threadId, turnId, inbox } = turn;
  const { by = envelope, only: _only, signal: _signal, provider: other, ...asked } = wanted;
  const { history } = log.state;
  const asker = compactionContract({ parts, log, envelope: by });
  const { model, strategy, prompt, instructions, window, ...contract } = asker;
  const provider = turnProvider(by);
  const input = historyAsRequestInput(history, { modalities: contract.modalities, provider });
  const tools = parts.router.specs(contract.tools, by.policy);
  // Let the provider compact by itself only without a `focus`, which only a model reads, and only if the turn's model
  // can read what that provider encrypts.
  const isRead = other === undefined && canReadOpaqueItems(turnProvider(envelope), provider);
  const isOpen = strategy === 'remote' && asked.focus === undefined && isRead;
  const remote = isOpen ? parts.provider.capabilities.remoteCompaction : 'none';
  // The provider's count of the input, 0 if it gave none. After a refusal for length, at least the whole window.
  const refused = isAfterRefusal(wanted) ? window.effective : 0;
  const counted = Math.max(lastUsage(newestCountFor(log.state, turnProvider(envelope))).input, refused);
  const plan = planCompaction(
    {
      ...asked,
      turnId,
      number: log.state.turns,
      readAll: `capstan threads export ${threadId} --format markdown`,
      strategy: strategy === 'remote' && remote === 'none' ? 'structured' : strategy,
      ...(remote === 'none' ? {} : { remoteForm: remote }),
      model,
      provider,
      ...defined({ prompt }),
    },
    {
      window: compactionWindow(turn),
      requestWindow: window,
      fixed: requestTokens({ instructions, tools, input: [] }),
      history: input.reduce((sum, item) => sum + itemTokens(item), 0),
      ...(counted === 0 ? {} : { counted }),
      due: contextTokensToSend({ log }, step),
      context: fullContextTokens(step),
      standing: contextTokensInHistory(log.state),
      pending: inboxTokens({ inbox }),
    },
  );
  const source = { history, input, work: workNow({ log, inbox }), failed: log.state.failed };
  return { move: beginCompaction(plan, source), plan, by };
}

/** Records from tools. A waiting message follows the checkpoint, so it makes the plan there an older one. */
function workNow({ log, inbox }: Pick<Turn, 'log' | 'inbox'>): WorkRecords {
  const { work, waiting } = log.state;
  // Reports of agents were expected, and file changes are listed with the plan: neither makes it older.
  const all = [...waiting, ...inbox.waiting].filter(
    ({ kind }) => kind !== 'agent' && kind !== 'files' && kind !== 'beside',
  );
  if (all.length === 0) return work;
  if (all.some(({ kind }) => kind === 'words')) return markPlanOutdated(work, 'user');
  const isShell = all.every((one) => one.kind === 'item' && isMessage(one.item) && isUserShellCommand(one.item));
  return markPlanOutdated(work, isShell ? 'shell' : 'program');
}

interface Ended extends Pick<Opened, 'plan' | 'move'> {
  readonly id: string;
  readonly requests: CompactionRequests;
  readonly startedAt: number;
}

async function settleMove(turn: Turn, step: Step, ended: Ended, signal: AbortSignal): Promise<CompactionResult> {
  const { id, plan, move } = ended;
  const { log, threadId, turnId } = turn;
  if (move.kind === 'candidate' || move.kind === 'mechanical') {
    const { candidate, why } = move;
    const report = installCheckpoint(turn, step, { ...ended, candidate, why });
    log.tell({ kind: 'checkpoint-installed', turnId, id, report });
    await log.durable();
    await notifyCheckpointHook(turn, report, signal);
    return { kind: 'installed', report };
  }
  const outcome = move.kind === 'refused' ? move.outcome : unfinished;
  const paused = willPauseCompaction(log.state.checkpoints, { trigger: plan.trigger, outcome });
  recordFailed(turn, ended, outcome, paused);
  log.tell({ kind: 'checkpoint-failed', threadId, turnId, id, outcome, paused });
  await log.durable();
  return { kind: 'failed', outcome };
}

function aborted(turn: Turn, ended: Ended): CompactionResult {
  const { log, threadId, turnId } = turn;
  const outcome = interrupted;
  const event = { kind: 'checkpoint-failed', threadId, turnId, id: ended.id, outcome, paused: false } as const;
  if (ended.requests.count > 0) {
    recordFailed(turn, ended, outcome, false);
    log.tell(event);
  }
  // No line records a compaction that was aborted before it cost anything.
  else log.tellPassing(event);
  return { kind: 'aborted' };
}

function recordFailed({ log, turnId }: Turn, { id, plan, requests }: Ended, outcome: Outcome, paused: boolean): void {
  const { usage, count } = requests;
  log.record(compactionFailedLine({ id, turnId, trigger: plan.trigger, usage, requests: count, outcome, paused }));
}

/** Failures that another model may not have. */
const isItsOwnFault = (code: string): boolean => code !== 'aborted' && code !== 'connection-failed';

const tooLongForMaker: Outcome = {
  code: 'compaction-request-too-large',
  message: 'The history is too long for one checkpoint request.',
  next: 'Choose a model from that provider with a larger window.',
};

const unfinished: Outcome = {
  code: 'compaction-unfinished',
  message: 'The compaction ended without a result.',
  next: 'The history is unchanged. Compact again.',
};

const interrupted: Outcome = {
  code: 'aborted',
  message: 'The compaction was interrupted.',
  next: 'The history is unchanged.',
};

/** A turn without a hook's opinion is better than one that hangs. */
const patienceMs = 60_000;

/** A hook's objection to the compaction, if any. A hook that breaks or takes too long has no opinion. */
export async function checkpointHookObjection(turn: Turn, wanted: WantedCompaction, signal: AbortSignal) {
  const { threadId, turnId, envelope, parts } = turn;
  const { trigger, reason, phase, focus } = wanted;
  const about = { threadId, turnId, cwd: envelope.workspace.cwd, trigger, reason, phase, ...defined({ focus }) };
  const hook = async () => reasonIn(await parts.checkpointHooks?.before?.(about));
  const said = await guarded(turn, 'before', signal, hook);
  const against = said ?? (await askConfigured(turn, 'PreCompact', { trigger, signal }));
  if (against === undefined) return undefined;
  const outcome: Outcome = {
    code: 'stopped-by-hook',
    message: `A hook stopped the compaction: ${against}`,
    next: 'The history is unchanged. Change the hook or what it checks, then compact again.',
  };
  // A caller that asked gets the answer; an automatic compaction warns the user once.
  if (trigger === 'auto') warnOnce(turn, outcome, 'message');
  return outcome;
}

async function notifyCheckpointHook(turn: Turn, report: CheckpointReport, signal: AbortSignal): Promise<void> {
  await guarded(turn, 'after', signal, async () => turn.parts.checkpointHooks?.after?.(report));
  turn.parts.hooks?.compacted();
  const { trigger } = report;
  if ((await askConfigured(turn, 'PostCompact', { trigger, signal })) !== undefined) turn.memory.endedBy = 'hook';
}

type Asking = Required<Pick<WantedCompaction, 'trigger' | 'signal'>>;

/** Runs the configured hooks. Returns why one of them wants to stop here, if one does. */
async function askConfigured(turn: Turn, event: 'PreCompact' | 'PostCompact', { trigger, signal }: Asking) {
  if (turn.parts.hooks?.wants(event, [trigger]) !== true) return undefined;
  const { runHooks } = await import('../hooks/run-hooks.ts');
  return (await runHooks(turn, { event, subjects: [trigger], about: { trigger }, signal })).stopped;
}

/** A program's own code: whatever it does, the turn continues. */
async function guarded<Said>(turn: Turn, name: 'before' | 'after', signal: AbortSignal, hook: () => Promise<Said>) {
  const { parts, log } = turn;
  if (parts.checkpointHooks === undefined) return undefined;
  const done = new AbortController();
  const waited = parts.clock.sleep(patienceMs, AbortSignal.any([signal, done.signal])).then(() => undefined);
  const warn = (why: string): void => log.tell({ kind: 'warning', outcome: broken(name, why) });
  try {
    const answered = await Promise.race([hook().then((answer) => ({ answer })), waited]);
    if (answered !== undefined) return answered.answer;
    if (!signal.aborted) warn('it took too long');
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error));
  } finally {
    // A reason of its own: the default one is an error with a stack.
    done.abort('answered');
  }
  return undefined;
}

/** A program need not be written in TypeScript: it may return anything. */
function reasonIn(answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return undefined;
  const reason = typeof answer === 'object' && 'reason' in answer ? answer.reason : undefined;
  if (typeof reason !== 'string') throw new Error('it must return nothing or a reason, and returned something else');
  return reason;
}

function broken(name: 'before' | 'after', why: string): Outcome {
  const message = `The hook that runs ${name} a checkpoint failed: ${why}`;
  return { code: 'hook-failed', message, next: 'The thread continues without the hook. Fix the hook.' };
}
