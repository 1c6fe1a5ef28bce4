import { hideValues, repeatable } from '../../policy/secrets.ts';
import type { ModelFailure } from '../../ports/model-client.ts';
import { defined } from '../../protocol/defined.ts';
import { waitWords } from '../../protocol/wait-words.ts';
import { type CauseRow, type FailureCause, failureCauses } from './failure-causes.ts';
import { windowNamedIn } from './overflow.ts';

/** What of a provider's own words is passed on. */
const longestDetailBytes = 1000;

export interface FailureDraft {
  readonly cause: FailureCause;
  /** Absent: the usual sentence for the cause. */
  readonly message?: string;
  /** Instead of the usual advice for the cause. */
  readonly next?: string | undefined;
  /** The wait that the server asked for. */
  readonly waitMs?: number | undefined;
  readonly status?: number | undefined;
  /** In which a server may name its window. */
  readonly words?: string;
  readonly unexplained?: true;
}

/** The failure that the table says a cause is. */
export function modelFailure(draft: FailureDraft): ModelFailure {
  const { cause, waitMs, status, words, unexplained } = draft;
  const row: CauseRow = failureCauses[cause];
  const retry = row.retry === 'never' ? 'never' : retryAfter(row.waits === 'as-asked' ? waitMs : undefined);
  // Only a refusal for length is about the window; other failures may hold any number.
  const window = cause === 'overflow' && words !== undefined ? windowNamedIn(words) : undefined;
  const next = draft.next ?? waitAdvice(row, retry) ?? row.next;
  return {
    code: row.code,
    message: draft.message ?? row.blank,
    next,
    retry,
    cause,
    ...defined({ status, window, unexplained }),
  };
}

/** With the time, where the server gave one. */
function waitAdvice({ code }: CauseRow, retry: ModelFailure['retry']): string | undefined {
  if ((code !== 'rate-limited' && code !== 'overloaded') || retry === 'never') return undefined;
  const waitMs = retry.askedMs ?? retry.afterMs;
  return waitMs === undefined ? undefined : `Wait ${waitWords(waitMs)}, then try again.`;
}

/** A server may ask for patience, but not for a client that looks dead. */
const longestWaitMs = 60_000;

/** Worth another try, after the time that the server asked for, if it did. */
function retryAfter(milliseconds: number | undefined): ModelFailure['retry'] {
  if (milliseconds === undefined || milliseconds <= longestWaitMs) return defined({ afterMs: milliseconds });
  return { afterMs: longestWaitMs, askedMs: milliseconds };
}

/** A provider's words, short enough to be shown and without blanks around them. A cut is visible. */
export function detailOf(text: string): string {
  const trimmed = text.trim();
  const bytes = Buffer.from(trimmed, 'utf8');
  if (bytes.length <= longestDetailBytes) return trimmed;
  let end = longestDetailBytes;
  // Not inside a UTF-8 sequence: step back over its continuation bytes.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}

/** No secret may reach a message, not even when a server sends it back. */
export function withoutSecrets(failure: ModelFailure, secrets: readonly string[]): ModelFailure {
  const message = hideValues(failure.message, repeatable(secrets));
  return message === failure.message ? failure : { ...failure, message };
}
