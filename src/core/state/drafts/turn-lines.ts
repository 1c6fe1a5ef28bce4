import { shortTextHash } from '../../../base/digest.ts';
import { defined } from '../../../base/objects.ts';
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
import { sharedProfile } from '../../policy/profiles/profiles.ts';
import { sandboxPolicyOf } from '../../policy/profiles/read-profile.ts';
import type { RuleSet } from '../../policy/rules/rule-set.ts';
import { hiddenMark } from '../../policy/secrets.ts';
import { applyPatch, makePatch } from '../../world/world-state.ts';
import type { ThreadState } from '../thread-state.ts';
import { failureFacts, type ShownUsage, shownUsage, usageFields } from './usage-and-failure-fields.ts';

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
export function repeatSettings(threadId: ThreadId, settings: JsonObject): LineDraft {
  return event({ type: 'thread_settings_applied', thread_id: threadId, thread_settings: settings });
}

export function settingsApplied(threadId: ThreadId, envelope: Envelope): LineDraft {
  const { identity, workspace, policy } = envelope;
  return repeatSettings(threadId, {
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
export function rateLimitsReported(rateLimits: RateLimits): LineDraft {
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
export function repeatCost({ total, last }: ThreadCost, now: Pick<ThreadCost, 'total'>): readonly LineDraft[] {
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
export function turnCompleteAtCut(turnId: string): LineDraft {
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

/**
 * The envelope as a line keeps it: plain JSON without null. Long texts stand elsewhere in the file (I9) and leave only
 * their size and digest here. What the user sets for commands may be a secret: only its names are kept. Budgets are kept,
 * and not the shares that they are made from; of rules, how many there were.
 */
export function storeEnvelope(envelope: Envelope): JsonObject {
  const { policy, capabilities } = envelope;
  const { clientTools, ...abilities } = capabilities;
  const { shares: _shares, ...window } = envelope.window;
  const { shellEnvironment, rules } = policy;
  const set = Object.fromEntries(Object.keys(shellEnvironment.set).map((name) => [name, hiddenMark]));
  const kept = {
    ...envelope,
    policy: { ...policy, shellEnvironment: { ...shellEnvironment, set }, rules: rulesRecord(rules) },
    // How they are defined stands with the settings of the thread.
    capabilities: { ...abilities, ...(clientTools && { clientTools: clientTools.map(({ name }) => name) }) },
    window,
  };
  return shorten(JSON.parse(JSON.stringify(kept)) as JsonObject) as JsonObject;
}

/** There may be thousands, and their files are on the disk. */
function rulesRecord(rules: RuleSet): JsonObject {
  const { prefixes, hosts } = rules;
  return { prefixes: prefixes.length, hosts: hosts.length, digest: shortTextHash(JSON.stringify(rules)) };
}

const longText = 300;

function shorten(value: Json): Json {
  if (typeof value === 'string' && value.length > longText) {
    return { characters: value.length, digest: shortTextHash(value) };
  }
  if (Array.isArray(value)) return value.map((member) => shorten(member as Json));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member as Json)]));
}

/** What a turn's line says: everything when nothing is known of an earlier turn, else what differs. */
function envelopeRecord(before: JsonObject | undefined, now: JsonObject): JsonObject {
  if (before === undefined) return { full: true, groups: now };
  return { full: false, groups: makePatch(before, now) ?? {} };
}

/** The stored envelope after such a record. A difference to nothing gives nothing. */
export function foldEnvelope(before: JsonObject | undefined, record: Json | undefined): JsonObject | undefined {
  const groups = isJsonObject(record) ? record['groups'] : undefined;
  if (!isJsonObject(record) || !isJsonObject(groups)) return undefined;
  if (record['full'] === true) return groups;
  return before === undefined ? undefined : (applyPatch(before, groups) as JsonObject);
}

/** How a turn ended; `open`: it has not. On a thread without a writer, an open turn was cut off. */
export type TurnStatus = 'completed' | 'failed' | 'interrupted' | 'open';

/** An event that begins a turn, ends one, or takes turns back. Every reader of turns goes by it. */
export type TurnEvent =
  /** `isCompaction`: the turn only makes a checkpoint. */
  | { readonly kind: 'start'; readonly name: string; readonly at?: number; readonly isCompaction: boolean }
  | { readonly kind: 'end'; readonly name: string; readonly at?: number; readonly status: TurnStatus }
  /** The newest so many turns that count; always a whole number of at least 1. */
  | { readonly kind: 'rollback'; readonly count: number };

const kinds: ReadonlyMap<unknown, TurnEvent['kind']> = new Map([
  ['task_started', 'start'],
  ['turn_started', 'start'],
  ['task_complete', 'end'],
  ['turn_complete', 'end'],
  ['turn_aborted', 'end'],
  ['thread_rolled_back', 'rollback'],
]);

/** Which kind of turn event has this type, if one does. */
export function turnEventKind(type: unknown): TurnEvent['kind'] | undefined {
  return kinds.get(type);
}

/** What an `event_msg` says about turns. `at` is in seconds since the Unix epoch; a turn without a name has an empty one. */
export function turnEvent(event: JsonObject): TurnEvent | undefined {
  const kind = turnEventKind(event['type']);
  if (kind === undefined) return undefined;
  if (kind === 'rollback') {
    const count = numberAt(event, 'num_turns') ?? 0;
    return Number.isInteger(count) && count > 0 ? { kind, count } : undefined;
  }
  const at = numberAt(event, kind === 'start' ? 'started_at' : 'completed_at');
  const turn = { name: stringAt(event, 'turn_id') ?? '', ...defined({ at }) };
  const isCompaction = objectAt(event, 'capstan')?.['purpose'] === 'compaction';
  return kind === 'start' ? { kind, ...turn, isCompaction } : { kind, ...turn, status: statusAfter(event) };
}

function statusAfter(event: JsonObject): TurnStatus {
  if (event['type'] === 'turn_aborted') return 'interrupted';
  return objectAt(event, 'error') === undefined ? 'completed' : 'failed';
}

/** Whether the end of a turn with this name ends the open turn with that name. Without a name, either means the other. */
export function endsTurn(ended: string, open: string): boolean {
  return ended === '' || open === '' || ended === open;
}
