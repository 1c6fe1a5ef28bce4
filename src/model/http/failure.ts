import type { ModelFailure, ModelFailureCode } from '../../ports/model-client.ts';
import { defined } from '../../protocol/defined.ts';
import { waitWords } from '../../protocol/wait-words.ts';
import { windowNamedIn } from './overflow.ts';

/** What of a provider's own words is passed on. */
const longestDetailBytes = 1000;

/** What the user can do about each failure, when nothing better is known. */
const nextSteps: Readonly<Record<ModelFailureCode, string>> = {
  aborted: 'Send the message again to continue.',
  'context-window-exceeded': 'Compact the thread, or start a new one.',
  'usage-limit': 'Wait until the limit resets, or use another account, plan or provider.',
  'invalid-request': 'Check the model name and the settings of the provider, then try again.',
  policy: 'Rephrase the request: the provider will refuse it again unchanged.',
  unauthorized: 'Check the key of this provider and its permissions.',
  overloaded: 'Wait a moment, then try again.',
  'rate-limited': 'Wait a moment, then try again.',
  'server-error': 'Try again. If it keeps failing, check the status page of the provider.',
  'connection-failed': 'Check the network and the base URL of the provider.',
  'stream-cut': 'Try again. If it keeps failing, check the network and any proxy.',
  'stream-idle': 'Try again. If the model needs longer, raise stream_idle_timeout_ms of the provider.',
  incomplete: 'Ask for a shorter or a different answer.',
  'answer-too-large':
    'Check the provider: a model should not answer like this. answer.max_items and answer.max_bytes set the limits.',
  'answer-too-slow': 'Try again, or choose a faster model.',
  'provider-faulty': 'Try again. If it keeps failing, report it to the author of the wire format in wire_api.',
};

/** Of a limit that no time resets. */
export const creditAdvice = 'Add credit to the account, or use another account or provider.';

export interface FailureDraft {
  readonly code: ModelFailureCode;
  readonly message: string;
  readonly retry: ModelFailure['retry'];
  /** Instead of the usual advice for the code. */
  readonly next?: string | undefined;
  readonly status?: number | undefined;
  /** In which a server may name its window. */
  readonly words?: string;
  readonly unexplained?: true;
}

export function modelFailure(draft: FailureDraft): ModelFailure {
  const { code, message, retry, status, words, unexplained } = draft;
  // Only a refusal for length is about the window; other failures may hold any number.
  const window = code === 'context-window-exceeded' && words !== undefined ? windowNamedIn(words) : undefined;
  const next = draft.next ?? waitAdvice(draft) ?? nextSteps[code];
  return { code, message, next, retry, ...defined({ status, window, unexplained }) };
}

/** With the time, where the server gave one. */
function waitAdvice({ code, retry }: FailureDraft): string | undefined {
  if ((code !== 'rate-limited' && code !== 'overloaded') || retry === 'never') return undefined;
  const waitMs = retry.askedMs ?? retry.afterMs;
  return waitMs === undefined ? undefined : `Wait ${waitWords(waitMs)}, then try again.`;
}

/** A server may ask for patience, but not for a client that looks dead. */
const longestWaitMs = 60_000;

/** Worth another try, after the time that the server asked for, if it did. */
export function retryAfter(milliseconds: number | undefined): ModelFailure['retry'] {
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
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), failure.message);
  return message === failure.message ? failure : { ...failure, message };
}
