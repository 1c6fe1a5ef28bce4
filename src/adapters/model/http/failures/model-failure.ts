import { defined } from '../../../../base/objects.ts';
import { hideValues, repeatedSecretForms } from '../../../../core/policy/secrets.ts';
import type { ModelFailure } from '../../../../ports/model.ts';
import { formatWaitTime } from '../../../../protocol/display-text.ts';
import { type JsonObject, stringAt } from '../../../../protocol/json.ts';
import type { Usage } from '../../../../protocol/usage.ts';
import type { HttpHeaders } from '../network/http-head.ts';
import { causeOfErrorCode, type FailureCauseRow, type FailureCause, failureCauses } from './failure-causes.ts';

const longestDetailBytes = 1000;
/** An answer that ends in a failure, as an event and as a result. */
export const failed = (failure: ModelFailure, usage?: Usage) => ({ kind: 'failed', failure, usage }) as const;

export interface FailureDraft {
  readonly cause: FailureCause;
  /** Absent: the default sentence for the cause. */
  readonly message?: string;
  readonly next?: string | undefined;
  readonly waitMs?: number | undefined;
  readonly status?: number | undefined;
  /** Server text that may state its window. */
  readonly words?: string;
  readonly unexplained?: true;
}

export function modelFailure(draft: FailureDraft): ModelFailure {
  const { cause, waitMs, status, words, unexplained } = draft;
  const row: FailureCauseRow = failureCauses[cause];
  const retry = row.retry === 'never' ? 'never' : retryAfter(row.waits === 'as-asked' ? waitMs : undefined);
  // Only a refusal for length is about the window; other failures may contain any number.
  const window = cause === 'overflow' && words !== undefined ? findWindowSize(words) : undefined;
  const next = draft.next ?? waitAdvice(row, retry) ?? row.next;
  const message = draft.message ?? row.blank;
  return { code: row.code, message, next, retry, cause, ...defined({ status, window, unexplained }) };
}

function waitAdvice({ code }: FailureCauseRow, retry: ModelFailure['retry']): string | undefined {
  if ((code !== 'rate-limited' && code !== 'overloaded') || retry === 'never') return undefined;
  const waitMs = retry.askedMs ?? retry.afterMs;
  return waitMs === undefined ? undefined : `Wait ${formatWaitTime(waitMs)}, then try again.`;
}

/** Capstan waits no longer than this, even if the server asks for more: the client would look dead. */
const longestWaitMs = 60_000;
const retryAfter = (milliseconds?: number): ModelFailure['retry'] =>
  (milliseconds ?? 0) <= longestWaitMs ? { afterMs: milliseconds } : { afterMs: longestWaitMs, askedMs: milliseconds };

/** Provider text, trimmed and short enough to show. A cut is visible. */
export function shortenProviderText(text: string): string {
  const trimmed = text.trim();
  const bytes = Buffer.from(trimmed, 'utf8');
  if (bytes.length <= longestDetailBytes) return trimmed;
  let end = longestDetailBytes;
  // Do not cut inside a UTF-8 sequence: step back over its continuation bytes.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}

/** No secret may reach a message, even if a server echoes it. */
export function withoutSecrets(failure: ModelFailure, secrets: readonly string[]): ModelFailure {
  const message = hideValues(failure.message, repeatedSecretForms(secrets));
  return message === failure.message ? failure : { ...failure, message };
}

const overflowCode =
  /^(?:(?:max_)?context_length_exceeded|(?:model_)?context_window_exceeded|exceed_context_size_error|model_max_prompt_tokens_exceeded|prompt_too_long)$/;
export const isOverflowCode = (code: string): boolean => overflowCode.test(code);

/** For servers without a code. About the whole prompt only: limits per minute or field are other problems. */
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

/** Longer than any real message; bounds the time that a crafted text can cost a pattern. */
const longestMessage = 4000;

export function saysOverflow(text: string): boolean {
  const beginning = text.slice(0, longestMessage);
  return words.some((pattern) => pattern.test(beginning));
}

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

const leastWindow = 512;

export function findWindowSize(text: string): number | undefined {
  const beginning = text.slice(0, longestMessage);
  for (const pattern of windows) {
    const digits = pattern.exec(beginning)?.[1]?.replaceAll(/[,_]/g, '');
    const tokens = digits === undefined ? Number.NaN : Number(digits);
    if (Number.isSafeInteger(tokens) && tokens >= leastWindow) return tokens;
  }
  return undefined;
}

type ApiError = Pick<FailureDraft, 'status' | 'waitMs'> & { readonly code: string; readonly message: string };

/** The failure for an error code or type; undefined if neither is known. */
export function failureByCode({ code, message, status, waitMs }: ApiError): ModelFailure | undefined {
  const known = isOverflowCode(code) ? { cause: 'overflow' as const, blank: undefined } : causeOfErrorCode(code);
  if (known === undefined) return undefined;
  const said = shortenProviderText(message) || known.blank;
  const wait = waitMs ?? (known.cause === 'rate-limit' ? waitFromMessage(message) : undefined);
  return modelFailure({ cause: known.cause, message: said, status, waitMs: wait, words: message });
}

export const overflowFailure = (message: string): ModelFailure =>
  modelFailure({ cause: 'overflow', message: shortenProviderText(message) || undefined, words: message });

export function streamFailure(error: JsonObject | undefined): ModelFailure {
  const [code = '', type = '', message = ''] = ['code', 'type', 'message'].map((key) => stringAt(error, key));
  const known = failureByCode({ code, message }) ?? failureByCode({ code: type, message });
  if (known !== undefined) return known;
  if (saysOverflow(message)) return overflowFailure(message);
  return modelFailure({ cause: 'server', message: reportedErrorWords(code, message) });
}

export function reportedErrorWords(code: string, message: string): string {
  const words = shortenProviderText(message);
  return `The provider reported ${code === '' ? 'an error' : `the error ${shortenProviderText(code)}`}${words === '' ? '.' : `: ${words}`}`;
}

export const endedEarlyMessage = (reason: string): string =>
  `The provider ended the answer before it was complete. Reason: ${shortenProviderText(reason)}.`;
const firstDelayMs = 200;
const longestDelayMs = 60_000;
/** From 200 ms, doubled each time up to a minute, with 10 % jitter. `attempt` counts from 1. */
export const retryDelay = (attempt: number, random: () => number): number =>
  Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs) * (0.9 + 0.2 * random());
const sentence = /try again in\s*(\d+(?:\.\d+)?)\s*(ms|seconds?|s)(?![a-z])/i;
const longestWait = 365 * 24 * 3_600_000;

export function waitFromMessage(message: string): number | undefined {
  const match = sentence.exec(message);
  if (match === null) return undefined;
  const amount = Number(match[1]);
  return Math.min(match[2]?.toLowerCase() === 'ms' ? amount : amount * 1000, longestWait);
}

/** The wait in response headers. `now` is needed for the form that is a date. */
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

const numberIn = (header: string | readonly string[] | undefined): number | undefined =>
  typeof header === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) : undefined;
