import { defined } from '../../../../base/objects.ts';
import { hideValues, repeatable } from '../../../../core/policy/secrets.ts';
import type { ModelFailure } from '../../../../ports/model.ts';
import { formatWaitTime } from '../../../../protocol/display-text.ts';
import { type JsonObject, stringAt } from '../../../../protocol/json.ts';
import type { HttpHeaders } from '../network/http-head.ts';
import { causeOfSign, type CauseRow, type FailureCause, failureCauses } from './failure-causes.ts';

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
  return waitMs === undefined ? undefined : `Wait ${formatWaitTime(waitMs)}, then try again.`;
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

/** Codes, types and reasons by which servers say that a request does not fit into the context window. */
const codes: ReadonlySet<string> = new Set(
  (
    'context_length_exceeded context_window_exceeded model_context_window_exceeded exceed_context_size_error ' +
    'model_max_prompt_tokens_exceeded prompt_too_long max_context_length_exceeded'
  ).split(' '),
);

export function isOverflowCode(code: string): boolean {
  return codes.has(code);
}

/**
 * Servers that have no code for it have words. Each row names the servers whose words it was made for. A row speaks of
 * the context, or of the prompt as a whole: limits per minute and limits of a single field are other problems.
 */
const words: readonly RegExp[] = [
  // OpenAI, Azure, DeepSeek, vLLM, Together, Fireworks, OpenRouter, Groq
  /\bmaximum (?:context|prompt|sequence|input) (?:length|size|tokens?)/i,
  /\breduce the length of (?:the|your) (?:messages|prompt|input)/i,
  /context[ _-]?(?:length|window|size|limit)[ _-]?(?:is |was |has been )?exceed/i,
  /exceed\w{0,10}[^.]{0,80}\bcontext[ _-]?(?:length|window|size|limit)/i,
  /(?:greater|longer|larger|more) than [^.]{0,60}\b(?:context[ _-]?(?:length|window|size)|maximum model length)/i,
  // Anthropic, Vertex
  /\b(?:prompt|conversation|input) is too long\b/i,
  // Bedrock
  /\btoo many input tokens\b(?![^.]{0,80}\b(?:per|minute|day|rate)\b)/i,
  /\binput (?:is )?too long\b/i,
  // Gemini
  /\binput token(?:s| count)\b[^.]{0,60}\bexceed/i,
  // Mistral, TGI
  /\btoo large for model\b[^.]{0,80}\bmaximum\b/i,
  /`inputs`[^.]{0,60}(?:less than|<=) ?\d/i,
  // Moonshot and others
  /\bexceed\w{0,10} (?:the )?model(?:'s)? (?:token|context|input) limit/i,
  // DashScope
  /\brange of input length should be\b/i,
  // LM Studio
  /\bkeep the first \d+ tokens\b/i,
  /\btokens to keep from the initial prompt\b/i,
  // llama.cpp, Ollama, SGLang
  /\bavailable context size\b/i,
  /\binput (?:length|prompt)\b[^.]{0,60}\b(?:exceeds|is longer than|is too long)/i,
  /\bprompt\b[^.]{0,60}\b(?:too long|exceeds? (?:the )?(?:max|limit))/i,
  // Cohere, xAI, GitHub
  /\btotal number of tokens\b[^.]{0,60}\b(?:exceed|too)/i,
  /\bmaximum prompt length\b|\bprompt token count of \d+ exceeds\b/i,
];

/** A sentence has less, and a pattern must not be held up by a text that was made for it. */
const longestMessage = 4000;

export function saysOverflow(text: string): boolean {
  const beginning = text.slice(0, longestMessage);
  return words.some((pattern) => pattern.test(beginning));
}

/** Words around the number of tokens that a server says its window has. */
const windows: readonly RegExp[] = [
  /maximum (?:context|model|prompt|sequence|input|allowed) (?:length|size)(?: \(| of | is )(\d[\d,_]*)/i,
  /context (?:length|size|window)(?: of only| of| is|:)? \(?(\d[\d,_]*)/i,
  /maximum number of tokens allowed \((\d[\d,_]*)/i,
  /\bn_ctx:? ?=?\s*(\d[\d,_]*)/i,
  />\s*(\d[\d,_]*)(?: maximum|,? decrease|\b)/,
  /should be \[\d+,\s*(\d[\d,_]*)\]/i,
  /\bmax(?:imum)? input tokens:? (\d[\d,_]*)/i,
  /\bwith (\d[\d,_]*) maximum context length/i,
  /`inputs`[^.]{0,60}(?:less than|<=) ?(\d[\d,_]*)/i,
  /\btoken limit: (\d[\d,_]*)/i,
  /(?:limit|maximum) (?:of|is) (\d[\d,_]*)/i,
];

/** A smaller number is no window of a model. */
const leastWindow = 512;

/** The window that a server names in its refusal, in tokens; undefined when it names none. */
export function windowNamedIn(text: string): number | undefined {
  const beginning = text.slice(0, longestMessage);
  for (const pattern of windows) {
    const digits = pattern.exec(beginning)?.[1]?.replaceAll(/[,_]/g, '');
    const tokens = digits === undefined ? Number.NaN : Number(digits);
    if (Number.isSafeInteger(tokens) && tokens >= leastWindow) return tokens;
  }
  return undefined;
}

export interface ApiError {
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
  /** The wait that the server asked for outside the message. */
  readonly waitMs?: number | undefined;
}

/** The failure that a code or a type of error stands for, or undefined when it says nothing to us. */
export function failureByCode({ code, message, status, waitMs }: ApiError): ModelFailure | undefined {
  const known = isOverflowCode(code) ? { cause: 'overflow' as const, blank: undefined } : causeOfSign(code);
  if (known === undefined) return undefined;
  const said = detailOf(message) || known.blank;
  const wait = waitMs ?? (known.cause === 'rate-limit' ? waitFromMessage(message) : undefined);
  return modelFailure({ cause: known.cause, ...defined({ message: said }), status, waitMs: wait, words: message });
}

/** A request that does not fit, in the provider's words if it has any. */
export function overflowFailure(message: string): ModelFailure {
  const said = detailOf(message);
  return modelFailure({ cause: 'overflow', ...(said === '' ? {} : { message: said }), words: message });
}

/** Why an answer failed, by the `error` object of the event that says so. */
export function streamFailure(error: JsonObject | undefined): ModelFailure {
  const [code = '', type = '', message = ''] = ['code', 'type', 'message'].map((key) => error && stringAt(error, key));
  const known = failureByCode({ code, message }) ?? failureByCode({ code: type, message });
  if (known !== undefined) return known;
  if (saysOverflow(message)) return overflowFailure(message);
  const name = code === '' ? 'an error' : `the error ${detailOf(code)}`;
  const words = detailOf(message);
  const reported = `The provider reported ${name}${words === '' ? '.' : `: ${words}`}`;
  return modelFailure({ cause: 'server', message: reported });
}

const firstDelayMs = 200;
const longestDelayMs = 60_000;

/**
 * How long to wait before retry number `attempt`, counted from 1: 200 ms, doubled each time, at most a minute, and up
 * to a tenth more or less so that clients that failed together do not come back together.
 * `random` gives a number from 0 up to but not including 1.
 */
export function retryDelay(attempt: number, random: () => number): number {
  const middle = Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs);
  return middle * (0.9 + 0.2 * random());
}

const sentence = /try again in\s*(\d+(?:\.\d+)?)\s*(ms|seconds?|s)(?![a-z])/i;

/** A year. A longer one is no answer to "when". */
const longestWait = 365 * 24 * 3_600_000;

/** The wait that a rate-limit message asks for in words, such as "try again in 11.054s". */
export function waitFromMessage(message: string): number | undefined {
  const match = sentence.exec(message);
  if (match === null) return undefined;
  const amount = Number(match[1]);
  return Math.min(match[2]?.toLowerCase() === 'ms' ? amount : amount * 1000, longestWait);
}

/** The wait that response headers ask for. `now` is needed for the form that is a date. */
export function waitFromHeaders(headers: HttpHeaders, now: number): number | undefined {
  const wait = numberIn(headers['retry-after-ms']) ?? waitFromRetryAfter(headers['retry-after'], now);
  return wait === undefined ? undefined : Math.min(Math.max(wait, 0), longestWait);
}

function waitFromRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = numberIn(header);
  if (seconds !== undefined) return seconds * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : date - now;
}

function numberIn(header: string | readonly string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) : undefined;
}
