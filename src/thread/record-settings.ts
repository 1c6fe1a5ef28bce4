import { withoutSeal } from '../state/sealed-lines.ts';
import { settingsApplied, settingsStay, turnContext } from '../state/turn-drafts.ts';
import type { Turn } from './parts.ts';
import { equalJson } from '../protocol/json.ts';

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
