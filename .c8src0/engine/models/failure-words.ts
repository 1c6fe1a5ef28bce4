import { type FailureCause, failureCauses } from '../../adapters/model/http/failures/failure-causes.ts';
import type { ModelFailure } from '../../ports/model.ts';
import type { Outcome } from '../../protocol/outcome.ts';

export interface FailureWords {
  readonly what: string;
  /** The provider's own words, if they say more. */
  readonly said?: string;
  readonly next: string;
  /** When the same request may work, in milliseconds since the epoch, if the provider says so. */
  readonly opensAt?: number;
  /** True if the same request would fail again. */
  readonly isLasting: boolean;
  readonly isConnection: boolean;
}

const connectionCauses: ReadonlySet<string> = new Set(['connection', 'refused', 'cut', 'idle']);

/** The start of a refusal's message. Group 1 is set if a proxy may have given the answer. */
const opening =
  /^(?:The provider answered with status \d+|(An answer with status \d+ came through .{1,300}?, which may have given it))[:.]? ?/;

/** `now`: when the failure came. A cause that is not in the table keeps its message. */
export function failureWords(outcome: Outcome, now: number): FailureWords {
  const { cause = '', status, retry, resetsAt } = outcome as Outcome & Partial<ModelFailure>;
  const { message, next } = outcome;
  if (!isCause(cause)) return { what: message, next, isConnection: false, isLasting: false };
  const isConnection = connectionCauses.has(cause);
  const wait = retry === undefined || retry === 'never' ? undefined : (retry.askedMs ?? retry.afterMs);
  const opensAt = resetsAt ?? (wait === undefined ? undefined : now + wait);
  const common = { next, isConnection, isLasting: retry === 'never', ...(opensAt === undefined ? {} : { opensAt }) };
  // Capstan's own message already names the host or the missing key; the provider has said nothing.
  if (isConnection || cause === 'no-key') return { what: message, ...common };
  const usual = failureCauses[cause].blank;
  const through = opening.exec(message)?.[1];
  const ours = status === undefined ? usual : `${usual.replace(/\.$/, '')} (status ${status}).`;
  const what = through === undefined ? ours : `${through}.`;
  const said = message
    .replace(opening, '')
    // Surfaces word times themselves.
    .replace(/ It resets at \d{4}-[\d-]*T[\d:.]*Z\./, '')
    .trim();
  return { what, ...(said === '' || said === usual ? {} : { said }), ...common };
}

const isCause = (name: string): name is FailureCause => Object.hasOwn(failureCauses, name);
