import { shortTextHash } from '../../../base/digest.ts';
import { defined, someDefined } from '../../../base/objects.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { isJsonObject, type Json, type JsonObject, numberAt, objectAt, stringAt } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { rateLimitFields, type RateLimits } from '../../../protocol/rate-limits.ts';
import type { ModelSwitchedEvent } from '../../../protocol/thread-event.ts';
import type { Usage } from '../../../protocol/usage.ts';
import type { Envelope } from '../../envelope/envelope.ts';
import { compatibilityField } from '../../envelope/model-record.ts';
import { lastUsage } from '../../history/token-counts.ts';
import { profileForOtherPrograms } from '../../policy/profiles/profiles.ts';
import { sandboxPolicyOf } from '../../policy/profiles/read-profile.ts';
import { hiddenMark } from '../../policy/secrets.ts';
import { applyMergePatch, makeMergePatch } from '../../world/tell-world.ts';
import type { ThreadState } from '../thread-state.ts';
import { failureFacts, type ShownUsage, shownUsageFields, usageFields } from './usage-and-failure-fields.ts';

/** `compaction`: a turn of its own, without a message. `switched`: its model differs from that of the turn before. */
export function turnStartedLine(
  { telemetry, window, modes }: Envelope,
  purpose: 'work' | 'compaction' = 'work',
  switched?: ModelSwitch,
): LineDraft {
  const ours = someDefined({ purpose: purpose === 'work' ? undefined : purpose, switched });
  return event({
    type: 'task_started',
    turn_id: telemetry.turnId,
    started_at: seconds(telemetry.startedAt),
    model_context_window: window.effective,
    collaboration_mode_kind: modes.collaboration.mode,
    capstan: ours as JsonObject | undefined,
  });
}

/** Tells readers a turn's settings. `before`: the last turn's stored envelope. `outdated`: they changed since. */
export function turnContextLine(
  envelope: Envelope,
  before: JsonObject | undefined,
  { outdated }: { readonly outdated: boolean } = { outdated: false },
): LineDraft {
  const { identity, workspace, policy, modes, telemetry } = envelope;
  const now = envelopeForLine(envelope);
  const difference = before && { full: false, groups: makeMergePatch(before, now) ?? {} };
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
      permission_profile: profileForOtherPrograms(policy.profile, workspace.roots) as unknown as JsonObject,
      model: identity.model.slug,
      ...compatibilityField(identity.model),
      personality: modes.personality,
      collaboration_mode: collaborationMode(envelope),
      realtime_active: modes.realtime.active || undefined,
      effort: identity.effort,
      cyber_access_program: modes.cyberAccessProgram,
      summary: identity.summary ?? 'none',
      capstan: {
        ...choicesOf(envelope),
        outdated: outdated || undefined,
        envelope: difference ?? { full: true, groups: now },
      },
    },
  };
}

/** Repeats the thread's settings after a turn that was submitted before they changed. */
export const repeatedSettingsLine = (threadId: ThreadId, settings: JsonObject): LineDraft =>
  event({ type: 'thread_settings_applied', thread_id: threadId, thread_settings: settings });

export function settingsAppliedLine(threadId: ThreadId, envelope: Envelope): LineDraft {
  const { identity, workspace, policy } = envelope;
  return repeatedSettingsLine(threadId, {
    model: identity.model.slug,
    model_provider_id: identity.provider,
    approval_policy: policy.approval,
    approvals_reviewer: policy.reviewer ?? 'user',
    permission_profile: profileForOtherPrograms(
      policy.askedProfile ?? policy.profile,
      workspace.roots,
    ) as unknown as JsonObject,
    cwd: workspace.cwd,
    ...defined({ reasoning_effort: identity.effort }),
    collaboration_mode: collaborationMode(envelope),
    capstan: { ...choicesOf(envelope), start: startedWith(envelope) },
  });
}

/** Settings that the thread keeps, whatever is configured later. Long texts are stored here and not with every turn. */
function startedWith({ instructions, capabilities, telemetry }: Envelope): JsonObject | undefined {
  const given = <Value>(name: string, value: Value): Value | undefined =>
    isGiven(telemetry, name) ? value : undefined;
  return someDefined({
    developer_instructions: given('developerInstructions', instructions.developer),
    compact_prompt: given('compactPrompt', instructions.compactPrompt),
    only_tools: given('onlyTools', capabilities.onlyTools),
    without_tools: given('withoutTools', capabilities.withoutTools),
    client_tools: given('clientTools', capabilities.clientTools) as unknown as JsonObject[] | undefined,
  });
}

const isGiven = ({ origins }: Envelope['telemetry'], name: string): boolean =>
  ['flags', 'thread', 'override'].includes(origins[name] ?? '');

/** Choices without a place in the shared keys, in the form in which they are restored. */
function choicesOf({ identity, policy, modes, telemetry }: Envelope): JsonObject {
  const { collaboration, personality, realtime } = modes;
  const tier = identity.serviceTier ?? identity.askedTier;
  const prefixes = policy.askedPrefixes ?? policy.approvedPrefixes;
  return {
    profile: (policy.askedProfile ?? policy.profile) as unknown as JsonObject,
    provider: identity.provider,
    // Kept apart from the resolved values: a default of the model must not become a choice for the next one.
    chosen: { ...identity.chosen },
    ...defined({
      approval: policy.askedApproval,
      service_tier: tier,
      reviewer: isGiven(telemetry, 'reviewer') ? (policy.reviewer ?? 'user') : undefined,
      personality: personality ?? (telemetry.origins['personality'] === undefined ? undefined : null),
      mode: collaboration.asked ?? (collaboration.mode === 'default' ? undefined : collaboration.mode),
      mode_instructions: collaboration.given,
      realtime: realtime.active || undefined,
      changes_nothing: policy.changesNothing === 'thread' || undefined,
      approved_prefixes: prefixes.length === 0 ? undefined : prefixes,
      network_rules: policy.networkRules.length === 0 ? undefined : (policy.networkRules as unknown as JsonObject[]),
    }),
  };
}

export type ModelSwitch = Omit<ModelSwitchedEvent, 'kind' | 'turnId'>;
export type ThreadCost = { readonly total: Usage; readonly last: Usage };

export const threadCostOf = ({ total, newest }: ThreadState['usage']): ThreadCost => ({
  total,
  last: lastUsage(newest),
});

export function tokenCountLine(
  { window, rateLimits, ...cost }: ThreadCost & { readonly window: number; readonly rateLimits?: RateLimits },
  shown?: ShownUsage,
): LineDraft {
  const info = { ...costFields(cost), model_context_window: window };
  const capstan = shown === undefined ? { beside: true } : shownUsageFields(shown, cost.last);
  return event({ type: 'token_count', info, rate_limits: rateLimits ? rateLimitFields(rateLimits) : null, capstan });
}

export const rateLimitsLine = (rateLimits: RateLimits): LineDraft =>
  event({ type: 'token_count', info: null, rate_limits: rateLimitFields(rateLimits) });

/** Cost of a thread that includes work for others. The thread's goal does not pay for that work. */
export function costForOthersLine(cost: ThreadCost & { readonly window: number }): LineDraft {
  const { type, payload } = tokenCountLine(cost);
  return { type, payload: { ...payload, capstan: { beside: true, for_others: true } } };
}

export const isCostForOthers = (tokenCount: JsonObject): boolean =>
  objectAt(tokenCount, 'capstan')?.['for_others'] === true;

/** Repeats the cost of rolled-back turns in a rollout that continues from an earlier place. It is in no turn's cost. */
export function repeatedCostLines({ total, last }: ThreadCost, now: Pick<ThreadCost, 'total'>): readonly LineDraft[] {
  if (total.total === now.total.total) return [];
  const info = costFields({ total: now.total, last });
  return [event({ type: 'token_count', info, rate_limits: null, capstan: { carried: true } })];
}

function costFields({ total, last }: ThreadCost): JsonObject {
  return { total_token_usage: usageFields(total), last_token_usage: usageFields(last) };
}

export const isCostCarried = (tokenCount: JsonObject): boolean => objectAt(tokenCount, 'capstan')?.['carried'] === true;

export interface RecordedEnd {
  readonly envelope: Envelope;
  readonly endedAt: number;
  readonly lastMessage?: string;
  readonly endedBy?: 'hook';
  readonly continuedBy?: string;
}

export function turnCompleteLine(end: RecordedEnd, failure?: Outcome): LineDraft {
  const { envelope, endedAt, lastMessage, endedBy, continuedBy } = end;
  const { message, code, next } = failure ?? {};
  const error = failure && { message, codex_error_info: 'other', code, next };
  const facts = failure && failureFacts(failure);
  const capstan = someDefined({ ended_by: endedBy, continued_by: continuedBy, failure: facts });
  const said = { last_agent_message: lastMessage ?? null, error, capstan };
  return event({ type: 'task_complete', ...times(envelope, endedAt), ...said });
}

export const turnAbortedLine = ({ envelope, endedAt }: RecordedEnd): LineDraft =>
  event({ type: 'turn_aborted', ...times(envelope, endedAt), reason: 'interrupted' });

/** Ends a turn that is not continued; its time of end is unknown. */
export const turnLeftOpenLine = (turnId: string, cause: 'process-died' | 'forked' | 'rolled-back'): LineDraft =>
  event({ type: 'turn_aborted', turn_id: turnId, reason: 'interrupted', capstan: { cause } });

/** Ends a turn that had nothing left to do where a rollback cut it off. */
export const turnCompleteAtCutLine = (turnId: string): LineDraft =>
  event({ type: 'task_complete', turn_id: turnId, last_agent_message: null, capstan: { cause: 'rolled-back' } });

/** A turn does not end before it began, even if the clock went back. */
function times({ telemetry: { turnId, startedAt } }: Envelope, clock: number): JsonObject {
  const endedAt = Math.max(startedAt, clock);
  const [started_at, completed_at] = [startedAt, endedAt].map(seconds);
  return { turn_id: turnId, started_at, completed_at, duration_ms: endedAt - startedAt };
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

const event = (payload: JsonObject): LineDraft => ({ type: lineType.event, payload });
const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/**
 * The stored envelope: JSON without null. Of long texts, only size and digest are here: they are elsewhere in the file
 * (I9). Of variables for commands, only names are kept: they may be secret. Of rules, which are on the disk, the number.
 */
export function envelopeForLine(envelope: Envelope): JsonObject {
  const { policy, capabilities } = envelope;
  const { clientTools, ...abilities } = capabilities;
  const { shares: _shares, ...window } = envelope.window;
  const { shellEnvironment, rules } = policy;
  const set = Object.fromEntries(Object.keys(shellEnvironment.set).map((name) => [name, hiddenMark]));
  const counts = { prefixes: rules.prefixes.length, hosts: rules.hosts.length };
  const ruled = { ...counts, digest: shortTextHash(JSON.stringify(rules)) };
  const kept = {
    ...envelope,
    policy: { ...policy, shellEnvironment: { ...shellEnvironment, set }, rules: ruled },
    capabilities: { ...abilities, ...(clientTools && { clientTools: clientTools.map(({ name }) => name) }) },
    window,
  };
  return shorten(JSON.parse(JSON.stringify(kept)) as JsonObject) as JsonObject;
}

const longText = 300;

function shorten(value: Json): Json {
  if (typeof value === 'string' && value.length > longText)
    return { characters: value.length, digest: shortTextHash(value) };
  if (Array.isArray(value)) return value.map((member) => shorten(member as Json));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member as Json)]));
}

/** Applies an envelope record to the stored envelope. Undefined for a difference if there is nothing to apply it to. */
export function foldEnvelope(before: JsonObject | undefined, record: Json | undefined): JsonObject | undefined {
  const groups = isJsonObject(record) ? record['groups'] : undefined;
  if (!isJsonObject(record) || !isJsonObject(groups)) return undefined;
  if (record['full'] === true) return groups;
  return before === undefined ? undefined : (applyMergePatch(before, groups) as JsonObject);
}

/** `open`: not ended. On a thread without a writer, an open turn was cut off. */
export type TurnStatus = 'completed' | 'failed' | 'interrupted' | 'open';

export type TurnEvent =
  | { readonly kind: 'start'; readonly name: string; readonly at?: number; readonly isCompaction: boolean }
  | { readonly kind: 'end'; readonly name: string; readonly at?: number; readonly status: TurnStatus }
  /** Number of the newest counted turns to take back; always an integer of at least 1. */
  | { readonly kind: 'rollback'; readonly count: number };

const kinds: ReadonlyMap<unknown, TurnEvent['kind']> = new Map([
  ['task_started', 'start'],
  ['turn_started', 'start'],
  ['task_complete', 'end'],
  ['turn_complete', 'end'],
  ['turn_aborted', 'end'],
  ['thread_rolled_back', 'rollback'],
]);

export const turnEventKind = (type: unknown): TurnEvent['kind'] | undefined => kinds.get(type);

/** Reads the turn event of an `event_msg`. `at` is in seconds; a turn without a name has an empty one. */
export function readTurnEvent(event: JsonObject): TurnEvent | undefined {
  const kind = turnEventKind(event['type']);
  if (kind === undefined) return undefined;
  if (kind === 'rollback') {
    const count = numberAt(event, 'num_turns') ?? 0;
    return Number.isInteger(count) && count > 0 ? { kind, count } : undefined;
  }
  const at = numberAt(event, kind === 'start' ? 'started_at' : 'completed_at');
  const turn = { name: stringAt(event, 'turn_id') ?? '', ...defined({ at }) };
  const isCompaction = objectAt(event, 'capstan')?.['purpose'] === 'compaction';
  if (kind === 'start') return { kind, ...turn, isCompaction };
  const status = objectAt(event, 'error') === undefined ? 'completed' : 'failed';
  return { kind, ...turn, status: event['type'] === 'turn_aborted' ? 'interrupted' : status };
}

/** Compares the names of an ended and an open turn. An empty name matches any. */
export const isSameTurnName = (ended: string, open: string): boolean => ended === '' || open === '' || ended === open;
