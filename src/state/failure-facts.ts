import type { ModelFailure } from '../ports/model-client.ts';
import { defined } from '../protocol/defined.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';

/** What a screen says of a failure beside its message: where it comes from, and when the same request may work. */
type FailureFacts = Partial<Pick<ModelFailure, 'cause' | 'status' | 'retry' | 'resetsAt'>>;

/** As the line of the turn's end keeps it. Undefined: there is nothing to keep. */
export function failureFacts(failure: Outcome): JsonObject | undefined {
  const { cause, status, retry, resetsAt } = failure as Outcome & FailureFacts;
  if (cause === undefined) return undefined;
  const waits =
    retry === undefined || retry === 'never' ? retry : defined({ after_ms: retry.afterMs, asked_ms: retry.askedMs });
  return defined({ cause, status, retry: waits, resets_at_ms: resetsAt });
}

export function readFailureFacts(stored: JsonObject | undefined): FailureFacts {
  const waits = objectAt(stored, 'retry');
  const never = stored?.['retry'] === 'never' ? ('never' as const) : undefined;
  const retry = waits && defined({ afterMs: numberAt(waits, 'after_ms'), askedMs: numberAt(waits, 'asked_ms') });
  return defined({
    cause: stringAt(stored, 'cause'),
    status: numberAt(stored, 'status'),
    retry: retry ?? never,
    resetsAt: numberAt(stored, 'resets_at_ms'),
  });
}
