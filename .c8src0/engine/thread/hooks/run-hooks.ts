import { contextBudget } from '../../../core/envelope/window.ts';
import { hookContextFragment } from '../../../core/fragments/events/hooks-skills-and-plugins.ts';
import { approvalName } from '../../../core/policy/decide/approval-policy.ts';
import { hookRunLine, isSessionHook } from '../../../core/state/fold/hook-runs.ts';
import { type HookVerdict, noVerdict } from '../../../ports/hooks.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { HookEvent, HookRun } from '../../../protocol/thread-event.ts';
import { contextWindowNow } from '../context/turn-contract.ts';
import { recordEvent } from '../record/record-context.ts';
import type { Turn } from '../thread-parts.ts';
import { warnOnce } from '../log.ts';

export interface HookRequest {
  readonly event: HookEvent;
  readonly subjects?: readonly string[];
  /** Input fields of this event only. */
  readonly about: JsonObject;
  readonly signal?: AbortSignal;
}

export async function runHooks(turn: Turn, { event, subjects, about, signal }: HookRequest): Promise<HookVerdict> {
  const { hooks } = turn.parts;
  if (hooks === undefined || !hooks.wants(event, subjects)) return noVerdict;
  turn.log.tell({ kind: 'hook-started', turnId: turn.turnId, event, names: hooks.names(event, subjects) });
  flushToSubscribers(turn);
  const { cwd } = turn.envelope.workspace;
  const occasion = { event, subjects, input: hookInput(turn, event, about), cwd };
  const limit = Math.floor(contextBudget('hookWords', contextWindowNow(turn).effective) / 2);
  const verdict = await hooks.run(occasion, { signal: signal ?? turn.signal, mostTokens: limit });
  recordRuns(turn, verdict);
  return verdict;
}

/** Surfaces show what runs. A lost disk is reported by the next caller that needs it. */
export function flushToSubscribers({ log }: Pick<Turn, 'log'>): void {
  log.durable().catch(() => {});
}

export function recordLateHooks(turn: Turn): void {
  const late = turn.parts.hooks?.late();
  if (late === undefined) return;
  recordRuns(turn, late);
  keepHookTexts(turn, late);
  recordHookTexts(turn);
}

function recordRuns(turn: Turn, { runs, contexts }: HookVerdict): void {
  const { log, turnId } = turn;
  for (const run of runs) {
    const context = isSessionHook(run) ? contexts.find(({ key }) => key === run.key)?.text : undefined;
    log.record(hookRunLine(turnId, run, context));
    log.tell({ kind: 'hook-completed', turnId, run });
    for (const { kind, text } of run.entries) {
      if (kind === 'warning') log.tell({ kind: 'warning', outcome: hookSays(run, text) });
      // A hook that ended with its turn is not at fault.
      if (kind === 'error' && !turn.signal.aborted) warnOnce(turn, hookFailed(run, text), 'message');
    }
  }
}

/** Texts for the model wait for a place where they can enter: not between a call and its output. */
export function keepHookTexts({ memory }: Pick<Turn, 'memory'>, { contexts }: HookVerdict, callId?: string): void {
  memory.hookTexts.push(...contexts.map(({ text }) => ({ text, callId })));
}

/** `waiting`: calls that another process will answer. It finds their texts with their questions. */
export function recordHookTexts(turn: Turn, waiting: ReadonlySet<string> = new Set()): void {
  for (const { text, callId } of turn.memory.hookTexts.splice(0)) {
    if (callId === undefined || !waiting.has(callId)) recordEvent(turn, hookContextFragment, { text });
  }
}

function hookSays({ event }: HookRun, text: string): Outcome<'hook-warning'> {
  return { code: 'hook-warning', message: `A hook (${event}) says: ${text}`, next: '' };
}

function hookFailed({ event, command }: HookRun, why: string): Outcome<'hook-failed'> {
  const message = `The hook \`${command}\` (${event}) failed. ${why}`;
  return { code: 'hook-failed', message, next: 'See its definition with `capstan hooks list`, and correct it.' };
}

function hookInput(turn: Turn, event: HookEvent, about: JsonObject): JsonObject {
  const { threadId, turnId, envelope, log, parts } = turn;
  const { cwd } = envelope.workspace;
  const path = parts.isEphemeral === true ? null : log.location;
  const common = { session_id: threadId, transcript_path: path, cwd, hook_event_name: event };
  const model = envelope.identity.model.slug;
  if (event === 'PreCompact' || event === 'PostCompact') return { ...common, turn_id: turnId, model, ...about };
  const turns = event === 'SessionStart' ? {} : { turn_id: turnId };
  const agent = parts.agent === undefined ? {} : { agent_id: parts.agent.id, agent_type: parts.agent.role };
  return { ...common, ...turns, model, permission_mode: permissionMode(turn), ...agent, ...about };
}

/** Uses the words that other programs have for it. */
function permissionMode({ envelope: { policy, modes } }: Turn): string {
  if (modes.collaboration.mode === 'plan') return 'plan';
  return approvalName(policy.approval) === 'never' ? 'bypassPermissions' : 'default';
}
