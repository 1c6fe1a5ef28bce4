import { defined } from '../../../base/objects.ts';
import type { Envelope } from '../../../core/envelope/envelope.ts';
import { type FragmentKind, renderFragment } from '../../../core/fragments/text/define-fragment.ts';
import { mergeFragments } from '../../../core/history/history.ts';
import { itemLine, withContextFacts } from '../../../core/state/drafts/item-lines.ts';
import { repeatedSettingsLine, settingsAppliedLine, turnContextLine } from '../../../core/state/drafts/turn-lines.ts';
import { withEnteredMessage } from '../../../core/state/fold/waiting-messages.ts';
import { withoutSeal } from '../../../core/state/line-seals.ts';
import { restoresSettings } from '../../../core/state/resumed-settings.ts';
import { fragmentFamilyName } from '../../../core/world/catalog.ts';
import type { Baseline, WorldUpdate } from '../../../core/world/tell-world.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { equalJson, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { ContextCause } from '../../../protocol/thread-event.ts';
import type { ThreadLog } from '../log.ts';
import type { RecordingTurn, ThreadParts, Turn } from '../thread-parts.ts';

type ContextText = Pick<WorldUpdate['told'][number], 'fragment'> & { readonly value?: Json | undefined };
type ToldTurn = Pick<RecordingTurn, 'log' | 'turnId'> & { readonly parts: Pick<ThreadParts, 'ids'> };
type Reason = { readonly cause: Exclude<ContextCause, 'user'>; readonly why?: string };

export function recordUpdate(turn: RecordingTurn, { form, told }: WorldUpdate, baseline: Baseline): void {
  recordContext(turn, told, form === 'change' ? { cause: 'change' } : bundleReason(turn, baseline));
}

export function recordEvent<Payload extends Json>(turn: ToldTurn, kind: FragmentKind<Payload>, payload: Payload): void {
  recordEvents(turn, kind, [payload]);
}

/** Records events. Those that need no message of their own share one. */
export function recordEvents<Payload extends Json>(
  turn: ToldTurn,
  kind: FragmentKind<Payload>,
  payloads: readonly Payload[],
): void {
  const texts = payloads.map((payload) => ({ fragment: renderFragment(kind, payload), value: payload }));
  recordContext(turn, texts, { cause: 'event' });
}

/** Records an event that had to wait. `waited`: the id of its line. */
export function recordDelayedEvent(turn: ToldTurn, text: ContextText, waited: string | undefined): void {
  recordContext(turn, [text], { cause: 'event' }, waited);
}

function bundleReason({ log }: RecordingTurn, baseline: Baseline): Reason {
  if (log.state.history.length === 0 || baseline.kind === 'known') return { cause: 'initial' };
  return { cause: 'reinjection', why: baseline.why === 'start' ? 'unproven' : baseline.why };
}

function recordContext(
  { log, parts, turnId }: ToldTurn,
  texts: readonly ContextText[],
  reason: Reason,
  waited?: string,
): void {
  const values = new Map(texts.map(({ fragment, value }) => [fragment, value]));
  for (const { fragments, item, origin } of mergeFragments(values.keys(), reason.cause)) {
    const itemId = `msg_${parts.ids.uuid()}`;
    const told = fragments.map((fragment) => ({ fragment, value: values.get(fragment) }));
    const line = itemLine(item(itemId), origin, turnId);
    const facts = { values: told.map(({ value }) => value), ...defined({ why: reason.why }) };
    log.record(withEnteredMessage({ ...line, metadata: withContextFacts(line.metadata ?? {}, facts) }, waited));
    reportContextEvents({ log, turnId }, itemId, told, reason);
  }
}

export function reportContextEvents(
  { log, turnId }: Pick<ToldTurn, 'log' | 'turnId'>,
  itemId: string,
  texts: readonly ContextText[],
  reason: Reason,
): void {
  for (const { fragment, value } of texts) {
    const content = fragmentFamilyName(fragment.kind);
    const what = { content, ...reason, ...defined({ value }), text: fragment.text };
    log.tell({ kind: 'context', turnId, itemId, ...what });
  }
}

/** Records the contract, and the settings if they are newer: programs resume with whichever line came last. */
export function recordSettings({ log, threadId, envelope, isOutdated }: Turn): void {
  const { envelope: before, settings } = log.state;
  if (settings !== undefined && isOutdated())
    return log.record(turnContextLine(envelope, before, { outdated: true }), repeatedSettingsLine(threadId, settings));
  log.record(turnContextLine(envelope, before));
  const applied = settingsAppliedLine(threadId, envelope);
  if (!equalJson(withoutSeal(settings), applied.payload['thread_settings'])) log.record(applied);
}

/** True if the turn runs under the thread's settings: those that a resume finds, or that it found before a change. */
export function runsUnderThreadSettings({ log, threadId, envelope, isOutdated }: Turn): boolean {
  return isOutdated() || restoresSettings(log.state, settingsIn(threadId, envelope));
}

/** Records the thread's settings, unless a resume finds them: else a waiting message could run under wider ones. */
export function recordInForce(log: Pick<ThreadLog, 'state' | 'record'>, threadId: ThreadId, inForce: Envelope): void {
  if (!restoresSettings(log.state, settingsIn(threadId, inForce))) log.record(settingsAppliedLine(threadId, inForce));
}

function settingsIn(threadId: ThreadId, envelope: Envelope): JsonObject {
  return settingsAppliedLine(threadId, envelope).payload['thread_settings'] as JsonObject;
}
