import type { Envelope } from '../envelope/envelope.ts';
import type { ThreadId } from '../protocol/ids.ts';
import { restores } from '../state/resumed-settings.ts';
import { withoutSeal } from '../state/sealed-lines.ts';
import { settingsApplied, settingsStay, turnContext } from '../state/turn-drafts.ts';
import type { ThreadLog } from './log.ts';
import type { Turn } from './parts.ts';
import { equalJson, type JsonObject } from '../protocol/json.ts';

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

/**
 * The thread's settings, unless a resume would find them anyway. A message that waits must not run under others, wider
 * ones perhaps, because the program died before the record of its turn.
 */
export function recordInForce(log: Pick<ThreadLog, 'state' | 'record'>, threadId: ThreadId, inForce: Envelope): void {
  const applied = settingsApplied(threadId, inForce);
  if (!restores(log.state, applied.payload['thread_settings'] as JsonObject)) log.record(applied);
}
