import type { Envelope } from '../../envelope/envelope.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { restores } from '../../state/resumed-settings.ts';
import { withoutSeal } from '../../state/sealed-lines.ts';
import { settingsApplied, settingsStay, turnContext } from '../../state/turn-drafts.ts';
import type { ThreadLog } from '../parts/log.ts';
import type { Turn } from '../parts/parts.ts';
import { equalJson, type JsonObject } from '../../protocol/json.ts';

/**
 * The turn's contract; the thread's settings when they are news, or when the contract is older than they are: other
 * programs resume with whichever line came last.
 */
export function recordSettings({ log, threadId, envelope, isOutdated }: Turn): void {
  const { envelope: before, settings } = log.state;
  if (settings !== undefined && isOutdated()) {
    log.record(turnContext(envelope, before, { outdated: true }), settingsStay(threadId, settings));
    return;
  }
  log.record(turnContext(envelope, before));
  const applied = settingsApplied(threadId, envelope);
  if (!equalJson(withoutSeal(settings), applied.payload['thread_settings'])) log.record(applied);
}

/** Whether the turn runs under settings of the thread: those that a resume finds, or that it found before a change. */
export function isOfThread({ log, threadId, envelope, isOutdated }: Turn): boolean {
  return isOutdated() || restores(log.state, settingsIn(threadId, envelope));
}

/**
 * The thread's settings, unless a resume would find them anyway. A message that waits must not run under others, wider
 * ones perhaps, because the program died before the record of its turn.
 */
export function recordInForce(log: Pick<ThreadLog, 'state' | 'record'>, threadId: ThreadId, inForce: Envelope): void {
  if (!restores(log.state, settingsIn(threadId, inForce))) log.record(settingsApplied(threadId, inForce));
}

function settingsIn(threadId: ThreadId, envelope: Envelope): JsonObject {
  return settingsApplied(threadId, envelope).payload['thread_settings'] as JsonObject;
}
