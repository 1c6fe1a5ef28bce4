import type { Envelope } from '../envelope/envelope.ts';
import { compatibilityField } from '../envelope/model-record.ts';
import { sharedProfile } from '../policy/profiles.ts';
import { sandboxPolicyOf } from '../policy/legacy.ts';
import { defined } from '../protocol/defined.ts';
import type { ThreadId } from '../protocol/ids.ts';
import { type JsonObject, objectAt } from '../protocol/json.ts';
import { type LineDraft, lineType } from '../protocol/line.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ModelSwitchedEvent } from '../protocol/thread-event.ts';
import { failureFacts } from './failure-facts.ts';
import { type ShownUsage, shownUsage } from './shown-usage.ts';
import { envelopeRecord, storeEnvelope } from './stored-envelope.ts';
import type { ThreadState } from './thread-state.ts';
import { lastUsage } from '../history/newest-count.ts';
import { type RateLimits, rateLimitFields } from '../protocol/rate-limits.ts';
import type { Usage } from '../protocol/usage.ts';
import { usageFields } from './usage-fields.ts';

/** Lines that frame a turn. The keys are those of the shared file format; ours stand under `capstan`. */

/** `compaction`: a turn of its own, without a message. `switched`: its model is not that of the turn before. */
export function turnStarted(
  { telemetry, window, modes }: Envelope,
  purpose: 'work' | 'compaction' = 'work',
  switched?: ModelSwitch,
): LineDraft {
  const ours = {
    ...(purpose === 'work' ? {} : { purpose }),
    ...(switched && { switched: switched as unknown as JsonObject }),
  };
  return event({
    type: 'task_started',
    turn_id: telemetry.turnId,
    started_at: seconds(telemetry.startedAt),
    model_context_window: window.effective,
    collaboration_mode_kind: modes.collaboration.mode,
    ...(Object.keys(ours).length === 0 ? {} : { capstan: ours }),
  });
}

/**
 * The whole contract of the turn, so that any reader can say later under which settings it ran. `before` is the stored
 * envelope of the turn before it. `outdated`: the thread's settings were changed after the turn was submitted.
 */
export function turnContext(
  envelope: Envelope,
  before: JsonObject | undefined,
  { outdated }: { readonly outdated: boolean } = { outdated: false },
): LineDraft {
  const { identity, workspace, policy, modes, telemetry } = envelope;
  return {
    type: lineType.turnContext,
    payload: {
      turn_id: telemetry.turnId,
      cwd: workspace.cwd,
      workspace_roots: workspace.roots,
      current_date: workspace.date,
      timezone: workspace.timezone,
      approval_policy: policy.approval,
      sandbox_policy: sandboxPolicyOf(policy.profile, workspace.places) as unknown as JsonObject,
      permission_profile: sharedProfile(policy.profile, workspace.roots) as unknown as JsonObject,
      model: identity.model.slug,
      ...compatibilityField(identity.model),
      ...defined({ personality: modes.personality }),
      collaboration_mode: collaborationMode(envelope),
      ...(modes.realtime.active ? { realtime_active: true } : {}),
      ...defined({ effort: identity.effort, cyber_access_program: modes.cyberAccessProgram }),
      summary: identity.summary ?? 'none',
      capstan: {
        ...choicesOf(envelope),
        ...(outdated ? { outdated: true } : {}),
        envelope: envelopeRecord(before, storeEnvelope(envelope)),
      },
    },
  };
}

/** The thread's settings once more, after a turn that was submitted before they were changed. */
export function settingsStay(threadId: ThreadId, settings: JsonObject): LineDraft {
  return event({ type: 'thread_settings_applied', thread_id: threadId, thread_settings: settings });
}

export function settingsApplied(threadId: ThreadId, envelope: Envelope): LineDraft {
  const { identity, workspace, policy } = envelope;
  return settingsStay(threadId, {
    model: identity.model.slug,
    model_provider_id: identity.provider,
    approval_policy: policy.approval,
    approvals_reviewer: policy.reviewer ?? 'user',
    permission_profile: sharedProfile(policy.askedProfile ?? policy.profile, workspace.roots) as unknown as JsonObject,
    cwd: workspace.cwd,
    ...defined({ reasoning_effort: identity.effort }),
    collaboration_mode: collaborationMode(envelope),
    capstan: { ...choicesOf(envelope), ...startedWith(envelope) },
  });
}

/**
 * What the thread was given and keeps, whatever is configured later. Texts may be long: they stand with the settings and
 * not with every turn.
 */
function startedWith({ instructions, capabilities, telemetry }: Envelope): JsonObject {
  const given = <Value>(name: string, value: Value): Value | undefined =>
    isGiven(telemetry, name) ? value : undefined;
  const start = defined({
    developer_instructions: given('developerInstructions', instructions.developer),
    compact_prompt: given('compactPrompt', instructions.compactPrompt),
    only_tools: given('onlyTools', capabilities.onlyTools),
    without_tools: given('withoutTools', capabilities.withoutTools),
    client_tools: given('clientTools', capabilities.clientTools) as unknown as JsonObject[] | undefined,
  });
  return Object.keys(start).length === 0 ? {} : { start };
}

/** Chosen for this thread, and not for all of them. */
function isGiven({ origins }: Envelope['telemetry'], name: string): boolean {
  return ['flags', 'thread', 'override'].includes(origins[name] ?? '');
}

/** What was chosen and has no place in the shared keys, in the form from which it is taken up again. */
function choicesOf({ identity, policy, modes, telemetry }: Envelope): JsonObject {
  const { collaboration, personality, realtime } = modes;
  const tier = identity.serviceTier ?? identity.askedTier;
  const prefixes = policy.askedPrefixes ?? policy.approvedPrefixes;
  return {
    profile: (policy.askedProfile ?? policy.profile) as unknown as JsonObject,
    provider: identity.provider,
    // Apart from what it resolved to: a default of the model must not become a choice for the next one.
    chosen: { ...identity.chosen },
    ...defined({ approval: policy.askedApproval, service_tier: tier }),
    ...(isGiven(telemetry, 'reviewer') ? { reviewer: policy.reviewer ?? 'user' } : {}),
    ...defined({
      personality: personality ?? (telemetry.origins['personality'] === undefined ? undefined : null),
      mode: collaboration.asked ?? (collaboration.mode === 'default' ? undefined : collaboration.mode),
      mode_instructions: collaboration.given,
    }),
    ...(realtime.active ? { realtime: true } : {}),
    ...(policy.changesNothing === 'thread' ? { changes_nothing: true } : {}),
    ...(prefixes.length === 0 ? {} : { approved_prefixes: prefixes }),
    ...(policy.networkRules.length === 0 ? {} : { network_rules: policy.networkRules as unknown as JsonObject[] }),
  };
}

export type ModelSwitch = Omit<ModelSwitchedEvent, 'kind' | 'turnId'>;

/** What a thread has cost, and its newest request, as the shared file format says it. */
export interface ThreadCost {
  readonly total: Usage;
  readonly last: Usage;
}

export function costOf({ total, newest }: ThreadState['usage']): ThreadCost {
  return { total, last: lastUsage(newest) };
}

export function tokenCount(
  { window, rateLimits, ...cost }: ThreadCost & { readonly window: number; readonly rateLimits?: RateLimits },
  shown?: ShownUsage,
): LineDraft {
  const info = { ...costFields(cost), model_context_window: window };
  // A count that is not about a step says so.
  const capstan = shown === undefined ? { beside: true } : shownUsage(shown, cost.last);
  return event({ type: 'token_count', info, rate_limits: rateLimits ? rateLimitFields(rateLimits) : null, capstan });
}

/** What a provider said of its limits when it refused a request. */
export function limitsSaid(rateLimits: RateLimits): LineDraft {
  return event({ type: 'token_count', info: null, rate_limits: rateLimitFields(rateLimits) });
}

/** What a thread has cost with work that is not for it: its goal does not pay. */
export function costForOthers(cost: ThreadCost & { readonly window: number }): LineDraft {
  const { type, payload } = tokenCount(cost);
  return { type, payload: { ...payload, capstan: { beside: true, for_others: true } } };
}

export function isCostForOthers(tokenCount: JsonObject): boolean {
  return objectAt(tokenCount, 'capstan')?.['for_others'] === true;
}

/**
 * What a thread has cost, said again where a rollout continues from a place before some of it: turns that were taken
 * back have been paid for, and the newest count is that of the place. Readers that show the cost of a turn or of a
 * request leave it out: it belongs to none that stands.
 */
export function costStays({ total, last }: ThreadCost, now: Pick<ThreadCost, 'total'>): readonly LineDraft[] {
  if (total.total === now.total.total) return [];
  const info = costFields({ total: now.total, last });
  return [event({ type: 'token_count', info, rate_limits: null, capstan: { carried: true } })];
}

function costFields({ total, last }: ThreadCost): JsonObject {
  return { total_token_usage: usageFields(total), last_token_usage: usageFields(last) };
}

export function isCostCarried(tokenCount: JsonObject): boolean {
  return objectAt(tokenCount, 'capstan')?.['carried'] === true;
}

export interface RecordedEnd {
  readonly envelope: Envelope;
  readonly endedAt: number;
  readonly lastMessage?: string;
  /** A hook let the model have none of the words, or ended the turn. */
  readonly endedBy?: 'hook';
  /** Of a turn that failed: the model that continues in the next one. */
  readonly continuedBy?: string;
}

export function turnComplete(end: RecordedEnd, failure?: Outcome): LineDraft {
  const { envelope, endedAt, lastMessage, endedBy, continuedBy } = end;
  const error = failure && {
    message: failure.message,
    codex_error_info: 'other',
    code: failure.code,
    next: failure.next,
  };
  const ours = defined({
    ended_by: endedBy,
    continued_by: continuedBy,
    failure: failure && failureFacts(failure),
  });
  const capstan = Object.keys(ours).length === 0 ? undefined : ours;
  const said = { last_agent_message: lastMessage ?? null, ...defined({ error, capstan }) };
  return event({ type: 'task_complete', ...times(envelope, endedAt), ...said });
}

export function turnAborted({ envelope, endedAt }: RecordedEnd): LineDraft {
  return event({ type: 'turn_aborted', ...times(envelope, endedAt), reason: 'interrupted' });
}

/** The end of a turn that is not continued; when it ended is unknown. */
export function turnLeftOpen(turnId: string, cause: 'process-died' | 'forked' | 'rolled-back'): LineDraft {
  return event({ type: 'turn_aborted', turn_id: turnId, reason: 'interrupted', capstan: { cause } });
}

/** The end of a turn that had nothing more to do at the place where a rollback cut it off. */
export function turnDoneBefore(turnId: string): LineDraft {
  return event({ type: 'task_complete', turn_id: turnId, last_agent_message: null, capstan: { cause: 'rolled-back' } });
}

/** A turn does not end before it began, even if the clock went back meanwhile. */
function times({ telemetry: { turnId, startedAt } }: Envelope, clock: number): JsonObject {
  const endedAt = Math.max(startedAt, clock);
  return {
    turn_id: turnId,
    started_at: seconds(startedAt),
    completed_at: seconds(endedAt),
    duration_ms: endedAt - startedAt,
  };
}

function collaborationMode({ identity, modes }: Envelope): JsonObject {
  return {
    mode: modes.collaboration.mode,
    settings: {
      model: identity.model.slug,
      reasoning_effort: identity.effort ?? null,
      developer_instructions: modes.collaboration.instructions ?? null,
    },
  };
}

function event(payload: JsonObject): LineDraft {
  return { type: lineType.event, payload };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
